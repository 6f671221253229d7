// Compressed bytes in pieces of memory, read bit by bit.
//
//   CompressedInput input;                       // several chunks, one after the other in the file
//   input.chunks = {std::make_shared<const CompressedChunk>(CompressedChunk{{0b1011'0001, 0xff}, 0})};
//   BitReader reader(input, 4);                  // at bit 4 of byte 0
//   reader.need(5) == true
//   reader.take(4) == 0b1011
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

namespace trawl::io {

/// Some bytes of a compressed file. Never changed once a BitReader may see it.
struct CompressedChunk {
  std::vector<unsigned char> bytes;
  std::uint64_t offset = 0;  // of the first byte, in the file

  std::uint64_t end() const { return offset + bytes.size(); }
};

/// Chunks without gaps between them. Chunks are added only when no BitReader is at work.
struct CompressedInput {
  std::vector<std::shared_ptr<const CompressedChunk>> chunks;
  bool is_complete = false;  // the file ends with the last chunk

  std::uint64_t end() const { return chunks.back()->end(); }
};

/// Reads deflate's bits: the lowest bit of a byte first. A reader can be copied to look ahead.
class BitReader {
 public:
  /// `bit`: where to begin, counted from the start of the file; inside the input or at its end.
  BitReader(const CompressedInput& input, std::uint64_t bit) : input_(&input) { seek(bit); }

  void seek(std::uint64_t bit) {
    chunk_ = 0;
    while (chunk_ + 1 < input_->chunks.size() && input_->chunks[chunk_]->end() <= bit / 8) {
      ++chunk_;
    }
    open_chunk();
    next_ += bit / 8 - input_->chunks[chunk_]->offset;
    bits_ = 0;
    count_ = 0;
    if (bit % 8 != 0) {
      fill();
      skip(bit % 8);
    }
  }

  /// True if at least `n` <= 56 bits can be taken. False only at the end of the input.
  bool need(unsigned n) {
    if (count_ < n) {
      fill();
    }
    return count_ >= n;
  }
  std::uint64_t peek() const { return bits_; }   // the next bits; see need()
  unsigned available() const { return count_; }  // how many of them are there
  void skip(unsigned n) {
    bits_ >>= n;
    count_ -= n;
  }
  unsigned take(unsigned n) {
    const auto value = static_cast<unsigned>(bits_ & ((std::uint64_t{1} << n) - 1));
    skip(n);
    return value;
  }
  void align_to_byte() { skip(count_ % 8); }

  /// Copies up to `size` bytes; fewer only at the end of the input. The position is at the start of a byte.
  std::size_t take_bytes(unsigned char* to, std::size_t size) {
    std::size_t got = 0;
    for (; got < size && count_ >= 8; ++got) {
      to[got] = static_cast<unsigned char>(take(8));
    }
    while (got < size) {
      bits_ = 0;  // Fast::fill() may have left bits above count_, which would be those of the bytes skipped here
      if (next_ == end_ && !open_next_chunk()) {
        break;
      }
      const std::size_t n = std::min(size - got, static_cast<std::size_t>(end_ - next_));
      std::memcpy(to + got, next_, n);
      next_ += n;
      got += n;
    }
    return got;
  }

  /// In bits, counted from the start of the file.
  std::uint64_t position() const {
    return (input_->chunks[chunk_]->offset + static_cast<std::uint64_t>(next_ - begin_)) * 8 - count_;
  }
  bool input_is_complete() const { return input_->is_complete; }

  /// The part of a reader that a fast loop needs, to be kept in registers. It does not cross the end of a chunk.
  struct Fast {
    std::uint64_t bits;
    const unsigned char* next;
    const unsigned char* end;
    unsigned count;

    /// fill() may be called while this is true. It leaves at least 56 bits.
    bool can_fill() const { return end - next >= 8; }
    void fill() {
      std::uint64_t word;
      std::memcpy(&word, next, 8);
      if constexpr (std::endian::native == std::endian::big) {
        word = __builtin_bswap64(word);
      }
      bits |= word << count;
      next += (63 - count) >> 3;
      count |= 56;
    }
    void skip(unsigned n) {
      bits >>= n;
      count -= n;
    }
  };
  Fast fast() const { return {bits_, next_, end_, count_}; }
  void set(const Fast& fast) {
    bits_ = fast.bits;
    next_ = fast.next;
    count_ = fast.count;
  }

 private:
  void open_chunk() {
    const auto& bytes = input_->chunks[chunk_]->bytes;
    begin_ = next_ = bytes.data();
    end_ = begin_ + bytes.size();
  }
  bool open_next_chunk() {
    if (chunk_ + 1 == input_->chunks.size()) {
      return false;
    }
    ++chunk_;
    open_chunk();
    return true;
  }
  void fill() {
    while (count_ <= 56) {
      if (next_ == end_) {
        if (!open_next_chunk()) {
          return;
        }
        continue;
      }
      bits_ |= std::uint64_t{*next_++} << count_;
      count_ += 8;
    }
  }

  const CompressedInput* input_;
  std::size_t chunk_ = 0;
  const unsigned char* begin_ = nullptr;
  const unsigned char* next_ = nullptr;
  const unsigned char* end_ = nullptr;
  std::uint64_t bits_ = 0;  // the bits above count_ are 0, or those that come next
  unsigned count_ = 0;
};

}  // namespace trawl::io
