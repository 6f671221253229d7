// Which grams of a text are looked up, so that of every w grams in a row there is one. Either every w-th gram: then a
// table must have all w grams of a literal. Or by rank (minimizers; Roberts et al. 2004, Schleimer et al. 2003): a gram
// has a rank that depends on its letters only, and of every w grams in a row the one with the smallest rank is taken.
// This takes about 2 of w + 1 grams, but wherever a sequence of w grams occurs, the same one is taken: a table needs
// only this one.
//
//   with: const PackedText& text, std::uint64_t first, std::size_t windows
//   TextGrams grams;
//   grams.set({16, 16, true});
//   grams.select(text, first, windows);
//   for (const std::uint16_t gram : grams.selected()) { ... }       // of letters from offset first + gram on
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "scan/find/packed_text.hpp"

namespace trawl::scan {

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
  /// A rank depends on so many first letters of a gram, or on all of them if it has fewer.
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
