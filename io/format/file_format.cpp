#include "io/format/file_format.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>

#include "base/error.hpp"

namespace trawl::io {

bool is_stream(const std::string& path) {
  struct stat status {};
  return path == "-" || path == "/dev/stdout" || path == "/dev/stderr" || path.starts_with("/dev/fd/") ||
         path.starts_with("/proc/") ||
         (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode));
}

bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(descriptor, bytes.data(), bytes.size());
    if (n >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(n));
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

bool has_extension(std::string_view path, std::string_view extension) {
  return path.size() >= extension.size() &&
         std::equal(extension.begin(), extension.end(), path.end() - static_cast<std::ptrdiff_t>(extension.size()),
                    [](char small, char any) { return small == std::tolower(static_cast<unsigned char>(any)); });
}

std::optional<std::size_t> extension_of(const std::string& path, std::initializer_list<std::string_view> extensions,
                                        std::string_view stream_format) {
  const std::string on_stdout = "- for " + std::string(stream_format) + " on the standard output";
  if (path.empty()) {
    throw UsageError("the output has no name; give a file, or " + on_stdout);
  }
  std::string list;
  for (std::size_t n = 0; n < extensions.size(); ++n) {
    const std::string_view extension = extensions.begin()[n];
    if (has_extension(path, extension)) {
      return n;
    }
    list += n == 0 ? "" : n + 1 < extensions.size() ? ", " : " or ";
    list += extension;
  }
  if (is_stream(path)) {
    return std::nullopt;
  }
  throw UsageError("the output " + path + " has no known extension; use " + list + ", or " + on_stdout);
}

}  // namespace trawl::io
