#include "serve/memory_file.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <utility>

#include "base/error.hpp"
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

}  // namespace trawl::serve
