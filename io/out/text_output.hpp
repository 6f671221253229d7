// A text file, plain or BGZF, that appears only when it is complete.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "io/out/htslib_files.hpp"
#include "io/out/output_file.hpp"

namespace trawl::io {

class TextOutput {
 public:
  /// `threads` > 1 compress in parallel; the output does not depend on it. Throws IoError.
  TextOutput(const std::string& path, bool compressed, unsigned threads);

  /// Throws IoError.
  void write(std::string_view text);
  /// Completes the file and gives it its name. Throws IoError.
  void close();

 private:
  [[noreturn]] void fail() const;

  OutputFile file_;
  std::unique_ptr<BGZF, HtslibCloser> compressed_;
};

}  // namespace trawl::io
