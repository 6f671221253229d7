// The letters of a stretch of the text, 2 bits each, so that grams of up to 29 letters are one load away.
//
//   with: const sequence::Reference reference = reference_of("ACGTACGT")
//   PackedText text;
//   text.load(reference, 256, 320);
//   (text.letters(1) & 0xff) == 0b00'11'10'01         // CGTA: letter i is bits 2 i and 2 i + 1
#pragma once

#include <cstdint>

#include "sequence/reference.hpp"

namespace trawl::scan {

class PackedText {
 public:
  /// The most positions of a stretch, and how many more may be before it and after it.
  static constexpr std::uint64_t kMost = 4096;
  static constexpr std::uint64_t kBefore = 64;

  /// Loads the positions from `begin`, a multiple of 64, to `end`, at most kMost + 2 kBefore.
  void load(const sequence::Reference& reference, std::uint64_t begin, std::uint64_t end);

  std::uint64_t begin() const { return begin_; }
  /// The letters from offset i on; at least 29 of them.
  std::uint64_t letters(std::uint64_t i) const {
    std::uint64_t word;
    __builtin_memcpy(&word, bytes() + i / 4, sizeof word);
    return word >> (2 * (i % 4));
  }
  /// The 32 letters that end at offset i, as LiteralGroup::last_letters(). What is before `begin` is not known.
  std::uint64_t last_letters(std::uint64_t i) const {
    const std::uint64_t w = i / 32;
    const auto shift = static_cast<unsigned>(2 * (31 - i % 32));
    return words_[w] << shift | (shift > 0 && w > 0 ? words_[w - 1] >> (64 - shift) : 0);
  }
  /// Whether all of the stretch is A, C, G and T.
  bool is_plain() const { return is_plain_; }
  /// Four letters in each byte; 16 bytes more may be read after the last one.
  const std::uint8_t* bytes() const { return reinterpret_cast<const std::uint8_t*>(words_); }

 private:
  std::uint64_t begin_ = 0;
  bool is_plain_ = true;
  std::uint64_t words_[2 * (kMost / 64 + 4) + 2] = {};
};

}  // namespace trawl::scan
