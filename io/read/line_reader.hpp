// The lines of a text file: plain, gzip or BGZF, or the standard input ("-").
//
//   LineReader lines("genes.gff3");
//   std::string_view line;
//   while (lines.next(line)) { ... }     // without white space at its end
//   lines.number() == 5                  // from 1
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "io/read/text_blocks.hpp"

namespace trawl::io {

class LineReader {
 public:
  /// Throws IoError.
  explicit LineReader(const std::string& path, const TextBlocks::Options& options = {}) : text_(path, options) {}

  /// False at the end. The line is valid until the next call; one that lies whole in a block is not copied. Throws
  /// IoError, InputError.
  bool next(std::string_view& line);
  std::uint64_t number() const { return number_; }
  /// For messages.
  const std::string& name() const { return text_.name(); }

 private:
  TextBlocks text_;
  std::unique_ptr<TextBlock> block_;
  const char* at_ = nullptr;  // in the block
  std::string broken_;        // a line that lies in several blocks
  std::uint64_t number_ = 0;
};

/// Without white space at both ends.
std::string_view trimmed(std::string_view text);

}  // namespace trawl::io
