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

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "io/read/gzip/inflate_stream.hpp"
#include "io/read/gzip/input_file.hpp"
#include "io/read/gzip/text_cutter.hpp"

namespace trawl::io {

class Inflater final : public TextCutter {
 public:
  /// `start`: bytes at `offset` of the file that were read already. What follows is read from the file.
  Inflater(InputFile& file, std::size_t stretch_bytes, std::vector<char> start = {}, std::uint64_t offset = 0);

  void cut(Stretch& stretch) override;
  void fill(Stretch& stretch) const override;
  bool is_quick() const override { return false; }

  /// Throw the InputErrors for gzip data that end too early, or are damaged.
  [[noreturn]] static void fail_truncated(const std::string& name, const std::string& what);
  [[noreturn]] static void fail_damaged(const std::string& name);

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
  [[noreturn]] void fail_truncated(const std::string& what) const { fail_truncated(file_.name(), what); }
  [[noreturn]] void fail_damaged() const { fail_damaged(file_.name()); }

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
