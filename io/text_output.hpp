// A text file that appears only when it is complete, plain or as BGZF.
#pragma once

#include <string>
#include <string_view>

#include "io/output_file.hpp"

struct BGZF;

namespace trawl::io {

class TextOutput {
 public:
  /// `threads` > 1 compress in parallel; the bytes are the same. Throws IoError.
  TextOutput(const std::string& path, bool compressed, unsigned threads);
  ~TextOutput();
  TextOutput(const TextOutput&) = delete;
  TextOutput& operator=(const TextOutput&) = delete;

  /// Throws IoError.
  void write(std::string_view text);
  /// Completes the file and gives it its name. Throws IoError.
  void close();

 private:
  [[noreturn]] void fail() const;

  OutputFile file_;
  BGZF* compressed_ = nullptr;
};

}  // namespace trawl::io
