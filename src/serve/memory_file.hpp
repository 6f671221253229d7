// A text in memory under a path, for code that reads files.
//
//   const MemoryFile file("reads.fq", "@r\nGATTACA\n+\nIIIIIII\n");
//   io::ReadSource source({file.path()});
//   file.in_words("/proc/self/fd/9:3: a letter") == "reads.fq:3: a letter"      // where path() is /proc/self/fd/9
#pragma once

#include <string>
#include <string_view>

namespace trawl::serve {

class MemoryFile {
 public:
  /// `name`: what messages call it. Throws IoError.
  MemoryFile(std::string name, std::string_view text);
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  const std::string& path() const { return path_; }
  /// A message with the name instead of the path.
  std::string in_words(std::string message) const;

 private:
  std::string name_;
  std::string path_;
  int descriptor_;
};

}  // namespace trawl::serve
