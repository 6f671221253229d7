// A file in memory that has a path.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace trawl::fuzz {

class MemoryFile {
 public:
  MemoryFile(const std::uint8_t* data, std::size_t size) : descriptor_(::memfd_create("fuzz", 0)) {
    while (size > 0) {
      const ssize_t n = ::write(descriptor_, data, size);
      if (n <= 0) {
        std::abort();
      }
      data += n;
      size -= static_cast<std::size_t>(n);
    }
  }
  ~MemoryFile() { ::close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

/// Ends the program if `holds` is false; libFuzzer reports that as a finding.
inline void check(bool holds) {
  if (!holds) {
    std::abort();
  }
}

}  // namespace trawl::fuzz
