// Inflates a deflate stream (RFC 1951) from the start of any of its blocks, also if the text before is not known.
//
//   with: const CompressedInput& input, std::uint64_t first_bit
//   DeflateDecoder decoder(input, first_bit);
//   std::vector<std::uint16_t> text(32768 + (1 << 20) + DeflateDecoder::kSlack);
//   fill_with_markers(text.data());                          // the unknown window
//   std::uint16_t* to = text.data() + 32768;
//   while (decoder.run(to, text.data(), &text[32768 + (1 << 20)]) == DeflateDecoder::Stop::kBlockEnd) { ... }
//
// A symbol is a byte of the text, or 256 + k: "as byte k of the unknown window of 32 KiB before". Copying symbols
// copies these marks, too. Where the window is known, symbols are bytes (std::uint8_t), which is faster.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "io/read/gzip/codes.hpp"
#include "io/read/gzip/input.hpp"

namespace trawl::io {

class DeflateDecoder {
 public:
  /// More symbols than this are never written after `limit`.
  static constexpr std::size_t kSlack = 320;

  enum class Stop {
    kBlockEnd,   // at the start of the next block
    kStreamEnd,  // after the last block; not yet aligned to a byte
    kFull,       // `to` is at `limit` or after it
    kNeedInput,  // the input ends before the stream does
    kDamaged,
  };

  /// `bit`: where a block starts.
  DeflateDecoder(const CompressedInput& input, std::uint64_t bit) : reader_(input, bit) {}

  /// Decodes to the end of the block. Starts at `to`, which it moves, and goes on where the last call stopped. `oldest`
  /// is the first symbol that a match may copy: what is before does not belong to the stream, or is too far away. All
  /// that could be decoded is there, whatever the result.
  template <class Symbol>
  Stop run(Symbol*& to, const Symbol* oldest, const Symbol* limit);

  /// At the start of a block; or after the last one, where the owner takes what comes then.
  BitReader& reader() { return reader_; }
  bool in_block() const { return kind_ != Kind::kNone; }
  /// Reads from another input, at the same place of the file. The old one may be gone.
  void set_input(const CompressedInput& input, std::uint64_t position) { reader_ = BitReader(input, position); }

 private:
  enum class Kind : std::uint8_t { kNone, kStored, kCodes };

  static constexpr unsigned kLiteralBits = 10;
  static constexpr unsigned kDistanceBits = 10;

  Stop start_block();
  template <class Symbol>
  void fill_tables();
  template <class Symbol>
  Stop run_stored(Symbol*& to, const Symbol* limit);
  template <class Symbol>
  Stop run_codes(Symbol*& to, const Symbol* oldest, const Symbol* limit);
  template <class Symbol>
  Stop step(Symbol*& to, const Symbol* oldest);

  BitReader reader_;
  Kind kind_ = Kind::kNone;
  bool is_last_ = false;
  std::size_t stored_ = 0;      // bytes left of a stored block
  std::size_t table_size_ = 0;  // sizeof(Symbol) of the tables; 0: not filled
  BlockCodes codes_;
  std::array<std::uint64_t, std::size_t{1} << kLiteralBits> literal_table_;
  std::array<std::uint32_t, std::size_t{1} << kDistanceBits> distance_table_;
};

}  // namespace trawl::io
