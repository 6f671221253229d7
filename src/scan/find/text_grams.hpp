// The letters of a text, packed, and which of its grams are looked up, so that of every w grams in a row there is one.
// Either every w-th gram: then a table must have all w grams of a literal. Or by rank (minimizers; Roberts et al. 2004,
// Schleimer et al. 2003): a gram has a rank that depends on its letters only, and of every w grams in a row the one
// with the smallest rank is taken. This takes about 2 of w + 1 grams, but wherever a sequence of w grams occurs, the
// same one is taken: a table needs only this one.
//
//   with: const sequence::Reference reference = reference_of("ACGTACGT")
//   PackedText text;
//   text.load(reference, 256, 320);
//   (text.letters(1) & 0xff) == 0b00'11'10'01         // CGTA: letter i is bits 2 i and 2 i + 1
//
//   with: std::uint64_t first, std::size_t windows
//   TextGrams grams;
//   grams.set({16, 16, true});
//   grams.select(text, first, windows);
//   for (const std::uint16_t gram : grams.selected()) { ... }       // of letters from offset first + gram on
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "sequence/reference.hpp"

namespace trawl::scan {

/// The letters of a stretch of the text, 2 bits each, so that grams of up to 29 letters are one load away.
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

/// How grams are chosen.
struct GramPlan {
  unsigned gram = 1;     // letters of a gram
  unsigned window = 1;   // w, 1 to TextGrams::kLongestWindow
  bool by_rank = false;  // otherwise every w-th gram

  /// The letters of w grams in a row.
  unsigned letters() const { return gram + window - 1; }
};

class TextGrams {
 public:
  static constexpr unsigned kLongestWindow = 16;
  static constexpr std::size_t kMostWindows = PackedText::kMost + 4;
  static constexpr std::size_t kMostGrams = kMostWindows + kLongestWindow;
  /// A rank depends on this number of first letters of a gram, or on all of them if it has fewer.
  static constexpr unsigned kRanked = 8;

  /// The rank of a gram. Letters after the first kRanked have no influence.
  static constexpr std::uint16_t rank(std::uint32_t first_letters) {
    // A run of one letter must not have a small rank: each of its grams would be looked up.
    std::uint32_t x = ((first_letters ^ kNotRun) * kFactor1) & 0xFFFF;
    x ^= x >> 8;
    return static_cast<std::uint16_t>(x * kFactor2);
  }
  static constexpr std::uint32_t kNotRun = 0x2D93, kFactor1 = 0x9E4D, kFactor2 = 0x6B2F;

  void set(const GramPlan& plan) {
    plan_ = plan;
    plan_.by_rank &= plan.window > 1;
  }

  /// Takes grams for the `windows` windows, at most kMostWindows, that begin at offset `first`, a multiple of 4, and
  /// after it.
  void select(const PackedText& text, std::uint64_t first, std::size_t windows);

  /// The grams, numbered from `first` on, in order.
  std::span<const std::uint16_t> selected() const { return {selected_, count_}; }
  /// Whether a selected gram is taken for a window that has it. If two have the same rank, both are.
  bool is_of_window(std::size_t gram, std::size_t window) const {
    return !plan_.by_rank || smallest_[window] == ranks_[gram];
  }

 private:
  // Vectors may reach past the last window.
  static constexpr std::size_t kRoom = kMostWindows + 192;

  GramPlan plan_;
  std::size_t count_ = 0;
  std::uint16_t selected_[kRoom];
  std::uint16_t ranks_[kRoom];
  std::uint16_t smallest_[kRoom];  // by window
  std::uint16_t largest_[kRoom];   // by gram: of the smallest ranks of its windows
};

}  // namespace trawl::scan
