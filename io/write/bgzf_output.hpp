// A BGZF file that appears only when it is complete. What is written comes in parts, which several threads compress.
//
//   with: std::string_view header, const BamRecords& records
//   BgzfOutput output("out.bam", default_compression_level());
//   output.write(header);
//   BgzfPart part;
//   output.place_records(part, records);     // one at a time, in order
//   output.pack(part);                       // from many threads; the records must still be there
//   output.write(part);                      // one at a time, in order
//   output.close();                          // now out.bam exists
#pragma once

#include <tbb/enumerable_thread_specific.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
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
//   const auto end = [&](std::uint64_t at) { ends.push_back(at); };
//   cutter.add_record(60'000, end);
//   cutter.add_record(10'000, end);
//   ends == {60000}                          // the second record would not fit into the block
//   cutter.add_text(60'000, end);
//   ends == {60000, 125280}                  // text is cut anywhere

/// Each function calls block_ends(offset) for each block that ends now; `offset` is in the whole text.
class BgzfCutter {
 public:
  /// A record of `size` bytes follows. It begins a block if it does not fit into the rest of the last one; only a
  /// record that is larger than a block is cut. The same rule as htslib's.
  template <class BlockEnds>
  void add_record(std::uint64_t size, BlockEnds&& block_ends) {
    if (size_ - begin_ + size > kBgzfText) {
      end_block(block_ends);
    }
    add_text(size, block_ends);
  }

  /// Text follows that may be cut anywhere.
  template <class BlockEnds>
  void add_text(std::uint64_t size, BlockEnds&& block_ends) {
    size_ += size;
    while (size_ - begin_ >= kBgzfText) {
      begin_ += kBgzfText;
      block_ends(begin_);
    }
  }

  /// What follows begins a block.
  template <class BlockEnds>
  void end_block(BlockEnds&& block_ends) {
    if (size_ > begin_) {
      begin_ = size_;
      block_ends(begin_);
    }
  }

  /// The bytes of the text so far.
  std::uint64_t size() const { return size_; }

 private:
  std::uint64_t begin_ = 0;  // of the block that has not ended
  std::uint64_t size_ = 0;
};

/// Some text and the blocks that end in it. Can be used again.
class BgzfPart {
 private:
  friend class BgzfOutput;

  struct Block {
    std::size_t end = 0;        // of its text, in text_
    std::uint32_t in_file = 0;  // size of the compressed block
  };

  std::string_view text_;
  std::string head_;  // the begin of the first block, from the parts before
  std::vector<Block> blocks_;
  std::vector<ByteBuffer> packed_;  // kGroup blocks each
};

class BgzfOutput {
 public:
  /// Bytes of text in a block, and its size in the file.
  using BlockVisitor = std::function<void(std::size_t text, std::size_t in_file)>;

  /// `level`: see BgzfCompressor. Throws IoError.
  BgzfOutput(const std::string& path, int level);

  /// `visit` is called for each block, in order, when it is written. For an index.
  void set_block_visitor(BlockVisitor visit) { visit_ = std::move(visit); }

  /// The next part: records that stay whole, or text that is cut anywhere. It must stay where it is until pack().
  void place_records(BgzfPart& part, const BamRecords& records);
  void place_text(BgzfPart& part, std::string_view text);
  /// Compresses the blocks that end in the part.
  void pack(BgzfPart& part) const;
  /// Throws IoError.
  void write(const BgzfPart& part);

  /// Writes text at once; parallel if it is long. What follows begins a block if `ends_block`. Throws IoError.
  void write(std::string_view text, bool ends_block = false);
  /// Writes what is left, and the end. Throws IoError.
  void finish();
  /// Gives the finished file its name. Throws IoError.
  void commit() { file_.commit(); }
  /// Both. Throws IoError.
  void close();

 private:
  struct Worker {
    explicit Worker(int level) : compressor(level) {}
    BgzfCompressor compressor;
    std::string first;  // the text of a block that began in an earlier part
  };

  template <class Cut>
  void place(BgzfPart& part, std::string_view text, const Cut& cut);
  void pack_group(BgzfPart& part, std::size_t group, Worker& worker) const;

  OutputFile file_;
  mutable tbb::enumerable_thread_specific<Worker> workers_;
  BgzfCutter cutter_;
  std::string rest_;  // the begin of the block that has not ended
  BgzfPart whole_;    // for write(text)
  BlockVisitor visit_;
};

}  // namespace trawl::io
