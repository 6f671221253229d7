// A text file, plain or BGZF, that appears only when it is complete.
//
//   TextOutput output("out.bed.gz", default_compression_level());
//   output.write("chr1\t0\t10\n");
//   output.close();
//
// Or in parts, on which several threads work:
//
//   with: TextOutput& output, std::string_view text
//   TextPart part;
//   output.place(part, text);    // one at a time, in order
//   output.pack(part);           // from many threads; the text must still be there
//   output.write(part);          // one at a time, in order
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "io/write/bgzf_output.hpp"
#include "io/write/output_file.hpp"

namespace trawl::io {

/// Some text on its way to the file. Can be used again.
class TextPart {
 private:
  friend class TextOutput;

  std::string_view text_;
  std::uint64_t place_ = 0;  // in a plain file
  BgzfPart blocks_;          // of a compressed one
};

class TextOutput {
 public:
  /// `compression`: the level of BGZF; nothing: plain. Throws IoError.
  TextOutput(const std::string& path, std::optional<int> compression);

  /// What follows begins a block of BGZF if `ends_block`. Throws IoError.
  void write(std::string_view text, bool ends_block = false);
  /// Completes the file and gives it its name. Throws IoError.
  void close();

  /// Whether parts can be used. A plain stream takes text only from write().
  bool packs() const { return compressed_ || plain_->has_places(); }

  /// Throws IoError.
  void place(TextPart& part, std::string_view text);
  /// BGZF: records that stay whole.
  void place(TextPart& part, const BamRecords& records) { compressed_->place_records(part.blocks_, records); }
  /// Compresses the part, or writes it to its place in a plain file. Throws IoError.
  void pack(TextPart& part) const;
  /// Throws IoError.
  void write(const TextPart& part);

 private:
  std::optional<OutputFile> plain_;
  mutable std::mutex writing_;
  std::optional<BgzfOutput> compressed_;
};

}  // namespace trawl::io
