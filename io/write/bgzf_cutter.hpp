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
#pragma once

#include <cstdint>

#include "io/write/bgzf_compressor.hpp"

namespace trawl::io {

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

}  // namespace trawl::io
