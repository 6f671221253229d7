// Cuts and inflates gzip data of any number of members.
//
//   InputFile file("reads.fq.gz");
//   Inflater inflater(file, 1 << 20);
//   Stretch stretch;
//   inflater.cut(stretch);
//   inflater.fill(stretch);
//   std::string_view(stretch.text.data(), 6) == "@read1"
//
// A BGZF file is a gzip file of many small members. Each has its compressed size in its header (SAM specification,
// section 4.1), and the last one is empty. BGZF members are cut by their headers and inflated by fill(); other members
// are inflated while they are cut. What is an error is decided here and not by a library: htslib's bgzf only warns
// about truncated gzip files, and about BGZF from a pipe without its end marker.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "io/format/gzip_format.hpp"
#include "io/read/gzip/inflate_stream.hpp"
#include "io/read/gzip/input_file.hpp"
#include "io/read/gzip/text_cutter.hpp"

namespace trawl::io {

// The blocks of BGZF files as they are read (SAM specification, section 4.1). Unlike those that are written here, their
// headers may have other fields before or after the size.

inline constexpr std::size_t kLargestBgzfBlock = 65536;  // in the file, and of text

/// Size of the BGZF block whose header is at `p`, and where its compressed data begin. 0 if it is not a BGZF header.
/// `size` bytes can be read, and they contain the whole extra field.
inline std::size_t bgzf_block_size(const unsigned char* p, std::size_t size, std::size_t& data_at) {
  if (size < kSmallestGzipMember || p[2] != kGzipDeflate || p[3] != kGzipExtraFlag) {
    return 0;
  }
  const std::size_t extra_end = 12 + little_endian(p + 10, 2);
  for (std::size_t at = 12; at + 4 <= std::min(extra_end, size);) {
    const std::size_t length = little_endian(p + at + 2, 2);
    if (p[at] == 'B' && p[at + 1] == 'C' && length == 2 && at + 6 <= size) {
      const std::size_t block_size = little_endian(p + at + 4, 2) + std::size_t{1};
      data_at = extra_end;
      return block_size >= extra_end + kGzipSums ? block_size : 0;
    }
    at += 4 + length;
  }
  return 0;
}

class Inflater final : public TextCutter {
 public:
  Inflater(InputFile& file, std::size_t stretch_bytes);

  void cut(Stretch& stretch) override;
  void fill(Stretch& stretch) const override;
  bool is_quick() const override { return false; }

 private:
  enum class Next { end, gzip, bgzf };

  const unsigned char* input() const { return reinterpret_cast<const unsigned char*>(in_.data()) + in_begin_; }
  std::size_t available() const { return in_end_ - in_begin_; }
  std::uint64_t consumed() const { return file_offset_ - available(); }
  bool need(std::size_t size);
  unsigned take_header_byte(std::uint32_t& crc);
  void skip_padding();
  Next look_ahead();
  void begin_member();
  void inflate_member(Stretch& stretch, std::size_t room);
  void check_sums();
  void take_blocks(Stretch& stretch);
  void cut_text(Stretch& stretch);
  [[noreturn]] void fail_truncated(const std::string& what) const;
  [[noreturn]] void fail_damaged() const;

  InputFile& file_;
  std::size_t stretch_bytes_;
  std::vector<char> in_;
  std::size_t in_begin_ = 0;
  std::size_t in_end_ = 0;
  std::uint64_t file_offset_ = 0;  // of in_end_

  bool in_member_ = false;           // inside a gzip member that is not a BGZF block
  bool end_marker_missing_ = false;  // the last member was a BGZF block with content
  InflateStream stream_;
  std::uint32_t crc_ = 0;        // of the text of the member so far
  std::uint32_t text_size_ = 0;  // of the member so far, modulo 2^32 as in the file
  bool has_next_ = false;        // one byte was inflated ahead, to see whether the text ends
  char next_ = 0;
};

}  // namespace trawl::io
