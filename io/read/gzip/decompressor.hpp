// The text of bzip2, xz and zstd data, where the build has found their libraries.
//
//   with: InputFile& file
//   const auto decompressor = make_decompressor("BZh91AY");
//   decompressor == nullptr || decompressor->format() == "bzip2"
//   make_decompressor("@read1") == nullptr
//   if (decompressor) { make_decompressing_cutter(file, 1 << 20); }      // for a file with such data
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "io/read/gzip/text_cutter.hpp"

namespace trawl::io {

/// Streams that follow each other are one text.
class Decompressor {
 public:
  virtual ~Decompressor() = default;
  virtual std::string_view format() const = 0;
  /// Moves `in` and `out` forward, as far as there is input and room; false if the data are damaged. `is_all`: nothing
  /// follows in_end.
  virtual bool run(const char*& in, const char* in_end, bool is_all, char*& out, char* out_end) = 0;
  /// The data may end here.
  virtual bool is_complete() const = 0;
};

/// For data with these first bytes; null for data of another format.
std::unique_ptr<Decompressor> make_decompressor(std::string_view start);

/// For a file of which nothing was read; null as make_decompressor().
std::unique_ptr<TextCutter> make_decompressing_cutter(InputFile& file, std::size_t stretch_bytes);

}  // namespace trawl::io
