#include "serve/body_files.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "base/error.hpp"
#include "io/format/file_format.hpp"
#include "io/write/output_file.hpp"

namespace trawl::serve {

MemoryFile::MemoryFile(std::string name, std::string_view text)
    : name_(std::move(name)), descriptor_(::memfd_create("trawl serve", MFD_CLOEXEC)) {
  if (descriptor_ < 0) {
    throw IoError(name_, "no room for it: too many files are open, or there is too little memory");
  }
  if (!io::write_all(descriptor_, text)) {
    ::close(descriptor_);
    throw IoError(name_, "not enough memory");
  }
  path_ = "/proc/self/fd/" + std::to_string(descriptor_);
}

MemoryFile::~MemoryFile() { ::close(descriptor_); }

std::string MemoryFile::in_words(std::string message) const {
  for (std::size_t at = 0; (at = message.find(path_, at)) != std::string::npos; at += name_.size()) {
    const std::size_t end = at + path_.size();
    if (end < message.size() && message[end] >= '0' && message[end] <= '9') {
      at = end;  // another one: /proc/self/fd/10 beside /proc/self/fd/1
      continue;
    }
    message.replace(at, path_.size(), name_);
  }
  return message;
}

namespace {

constexpr std::size_t kMostFiles = 64;  // each takes one of the process's descriptors

std::string_view take_until(std::string_view& text, char end) {
  const std::size_t at = std::min(text.find(end), text.size());
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(std::min(at + 1, text.size()));
  return taken;
}

// %2C as a comma.
std::string decoded(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned letter = 0;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(text.data() + i + 1, text.data() + i + 3, letter, 16).ptr == text.data() + i + 3) {
      plain += static_cast<char>(letter);
      i += 2;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

}  // namespace

BodyFiles::BodyFiles(const Request& request, const std::string& kind, const std::string& name) {
  const std::string header = request.header("trawl-files");
  std::string_view body = request.body;
  if (header.empty()) {
    add(kind, name, body);
    return;
  }
  constexpr const char* kWrong = "the header Trawl-Files does not fit the body; give KIND:BYTES:NAME for each file";
  std::string_view rest = header;
  while (!rest.empty()) {
    std::string_view one = take_until(rest, ',');
    const std::string of_kind(take_until(one, ':'));
    const std::string_view bytes = take_until(one, ':');
    std::uint64_t size = 0;
    const auto read = std::from_chars(bytes.data(), bytes.data() + bytes.size(), size);
    if (read.ec != std::errc() || read.ptr != bytes.data() + bytes.size() || size > body.size() ||
        (of_kind != "reads" && of_kind != "mates" && of_kind != "patterns")) {
      throw UsageError(kWrong);
    }
    if (files_.size() == kMostFiles) {
      throw Refusal(413, "the query has more than " + std::to_string(kMostFiles) +
                             " files; join them, or ask in several queries");
    }
    add(of_kind, decoded(one), body.substr(0, size));
    body.remove_prefix(size);
  }
  if (!body.empty()) {
    throw UsageError(kWrong);
  }
}

void BodyFiles::add(const std::string& kind, const std::string& name, std::string_view text) {
  files_.emplace_back(kind, name, text);
}

std::vector<std::string> BodyFiles::paths(const std::string& kind) const {
  std::vector<std::string> paths;
  for (const File& file : files_) {
    if (file.kind == kind) {
      paths.push_back(file.file.path());
    }
  }
  return paths;
}

std::string BodyFiles::in_words(std::string message) const {
  for (const File& file : files_) {
    message = file.file.in_words(std::move(message));
  }
  return message;
}

bool is_json(const Request& request) {
  if (request.header("content-type").starts_with("application/json")) {
    return true;
  }
  const std::size_t first = request.body.find_first_not_of(" \t\r\n");
  return first != std::string::npos && (request.body[first] == '{' || request.body[first] == '[');
}

}  // namespace trawl::serve
