// The files of a query: the body as it is, or cut into the parts that the header Trawl-Files names.
//
//   Trawl-Files: reads:2048:a_1.fq,mates:2048:a_2.fq        kind, bytes, name; in the order of the body
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "serve/message.hpp"

namespace trawl::serve {

/// A text in memory under a path, for code that reads files.
///
///   const MemoryFile file("reads.fq", "@r\nGATTACA\n+\nIIIIIII\n");
///   file.in_words("/proc/self/fd/9:3: a letter") == "reads.fq:3: a letter"      // where path() is /proc/self/fd/9
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

class BodyFiles {
 public:
  /// `name`: what messages call a body without names. Throws UsageError for a header that does not fit the body.
  BodyFiles(const Request& request, const std::string& kind, const std::string& name);

  /// Adds a file of this kind that is not in the request.
  void add(const std::string& kind, const std::string& name, std::string_view text);

  /// The paths of a kind, "reads" or "mates" or "patterns".
  std::vector<std::string> paths(const std::string& kind) const;
  /// A message with the names of the files.
  std::string in_words(std::string message) const;

 private:
  struct File {
    File(std::string of_kind, std::string name, std::string_view text)
        : kind(std::move(of_kind)), file(std::move(name), text) {}
    std::string kind;
    MemoryFile file;
  };
  std::deque<File> files_;
};

/// Whether the body is JSON: the header says so, or it begins as JSON does.
bool is_json(const Request& request);

}  // namespace trawl::serve
