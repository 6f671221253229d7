// A text or BAM file, plain or BGZF, that appears only when it is complete.
//
//   TextOutput output("out.bed.gz", default_compression_level());
//   output.write("chr1\t0\t10\n");
//   output.close();                    // now out.bed.gz exists
//
// Or in parts, on which several threads work:
//
//   with: TextOutput& output, std::string_view text
//   TextPart part;
//   output.place(part, text);    // one at a time, in order
//   output.pack(part);           // from many threads; the text must still be there
//   output.write(part);          // one at a time, in order
#pragma once

#include <tbb/enumerable_thread_specific.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/write/bam_encoder.hpp"
#include "io/write/bgzf_compressor.hpp"
#include "io/write/byte_buffer.hpp"
#include "io/write/output_file.hpp"

namespace trawl::io {

// Where the blocks of a BGZF file end. That depends only on what is written, not on the parts in which it comes.
//
//   BgzfCutter cutter;
//   std::vector<std::uint64_t> ends;
//   cutter.add_record(60'000, ends);
//   cutter.add_record(10'000, ends);
//   ends == {60000}                          // the second record would not fit into the block
//   cutter.add_text(60'000, ends);
//   ends == {60000, 125280}                  // text is cut anywhere

/// Each function adds to `ends` the end positions, in the whole text, of the blocks that end now.
class BgzfCutter {
 public:
  /// A record of `size` bytes follows. It begins a block if it does not fit into the rest of the last one; only a
  /// record that is larger than a block is cut. The same rule as htslib's.
  void add_record(std::uint64_t size, std::vector<std::uint64_t>& ends) {
    if (size_ - begin_ + size > kBgzfText) {
      end_block(ends);
    }
    add_text(size, ends);
  }
  /// Text follows that may be cut anywhere.
  void add_text(std::uint64_t size, std::vector<std::uint64_t>& ends) {
    size_ += size;
    while (size_ - begin_ >= kBgzfText) {
      ends.push_back(begin_ += kBgzfText);
    }
  }
  /// What follows begins a block.
  void end_block(std::vector<std::uint64_t>& ends) {
    if (begin_ < size_) {
      ends.push_back(begin_ = size_);
    }
  }

  /// The bytes of the text so far.
  std::uint64_t size() const { return size_; }

 private:
  std::uint64_t begin_ = 0;  // of the block that has not ended
  std::uint64_t size_ = 0;
};

/// Some text on its way to the file, and the blocks of BGZF that end in it. Can be used again.
class TextPart {
 private:
  friend class TextOutput;

  struct EndedBlock {
    std::size_t end = 0;        // of its text, in text_
    std::uint32_t in_file = 0;  // size of the compressed block
  };

  std::string_view text_;
  std::string head_;  // the start of the first block, from the parts before
  std::vector<EndedBlock> blocks_;
  std::vector<ByteBuffer> packed_;  // kGroup blocks each
  std::uint64_t room_ = 0;          // its place in a plain file
};

class TextOutput {
 public:
  /// Bytes of text in a block, and its size in the file.
  using BlockVisitor = std::function<void(std::size_t text, std::size_t in_file)>;

  /// `level`: of BGZF, see BgzfCompressor; nothing: plain. Throws IoError, as all functions here.
  TextOutput(const std::string& path, std::optional<int> level);

  /// `visit` is called for each block of BGZF, in order, when it is written. For an index.
  void set_block_visitor(BlockVisitor visit) { visit_ = std::move(visit); }

  /// Whether parts can be used. A plain stream takes text only from write().
  bool packs() const { return workers_ || file_.has_places(); }
  /// The next part: text that is cut anywhere or, of BGZF, records that stay whole. It must stay where it is until
  /// pack().
  void place(TextPart& part, std::string_view text);
  void place(TextPart& part, const BamRecords& records);
  /// Compresses the blocks that end in the part, or writes it to its place in a plain file.
  void pack(TextPart& part) const;
  void write(const TextPart& part);

  /// Writes text at once; parallel if it is long. What follows begins a block of BGZF if `ends_block`.
  void write(std::string_view text, bool ends_block = false);
  /// Writes the text and empties it, if it has kWriteSize bytes.
  void write_full(std::string& text);
  /// Writes what is left, and the end.
  void finish();
  /// Gives the finished file its name.
  void commit() { file_.commit(); }
  /// Both.
  void close();

 private:
  struct BlockPacker {
    explicit BlockPacker(int level) : compressor(level) {}
    BgzfCompressor compressor;
    std::string first;  // the text of a block that began in an earlier part
  };

  void place_blocks(TextPart& part, std::string_view text);
  void pack_group(TextPart& part, std::size_t group, BlockPacker& worker) const;

  OutputFile file_;
  mutable std::mutex writing_;                                                   // to a plain file
  mutable std::optional<tbb::enumerable_thread_specific<BlockPacker>> workers_;  // nothing: the file is plain
  BgzfCutter cutter_;
  std::vector<std::uint64_t> ends_;  // of the blocks of the part that is placed
  std::string rest_;                 // the start of the block that has not ended
  TextPart whole_;                   // for write(text)
  BlockVisitor visit_;
};

}  // namespace trawl::io
