// A text file, plain or BGZF, that appears only when it is complete.
//
//   TextOutput output("out.bed.gz", default_compression_level());
//   output.write("chr1\t0\t10\n");
//   output.close();
//
// Or in parts, on which several threads work; see bgzf_output.hpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "io/out/bgzf_output.hpp"
#include "io/out/output_file.hpp"

namespace trawl::io {

class TextOutput {
 public:
  /// `compression`: the level of BGZF; nothing: plain. Throws IoError.
  TextOutput(const std::string& path, std::optional<int> compression);

  /// Throws IoError.
  void write(std::string_view text);
  /// Completes the file and gives it its name. Throws IoError.
  void close();

  /// Whether parts are placed and packed before they are written.
  bool packs() const { return compressed_.has_value(); }
  void place(BgzfPart& part, std::string_view text) { compressed_->place_text(part, text); }
  void pack(BgzfPart& part) const { compressed_->pack(part); }
  void write(const BgzfPart& part) { compressed_->write(part); }

 private:
  std::optional<OutputFile> plain_;
  std::optional<BgzfOutput> compressed_;
};

}  // namespace trawl::io
