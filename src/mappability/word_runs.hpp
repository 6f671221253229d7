// Counts the pairs among words whose keys are the same (word_choices.hpp).
//
//   with: const WordChoice& choice, std::vector<std::uint32_t>& counts
//   std::vector<SortedWord> run{{.rest = 0b0010, .position = 7}, {.rest = 0b0011, .position = 9}};
//   RunCounter<std::uint32_t> counter(choice, counts);
//   counter.count(run);
//   counter.finish();                // counts[7] and counts[9] have grown, if these two may differ so
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "mappability/word_choices.hpp"

namespace trawl::mappability {

/// A word as a choice sees it.
struct SortedWord {
  std::uint64_t key = 0;
  std::uint64_t rest = 0;      // as word_choices.hpp says
  std::uint32_t position = 0;  // of the read whose places are counted, or kNotAsked

  static constexpr std::uint32_t kNotAsked = ~std::uint32_t{0};
};

/// Where two rests differ.
inline std::uint64_t differing_bases(const WordChoice& choice, std::uint64_t a, std::uint64_t b) {
  return ((a ^ b) | (a ^ b) >> choice.half) & sequence::low_ones(choice.half);
}

/// T: as wide as a rest. It belongs to one thread, and no other one counts for the same reads.
template <class T>
class RunCounter {
 public:
  /// Both must outlive it.
  RunCounter(const WordChoice& choice, std::vector<std::uint32_t>& counts) : choice_(choice), counts_(counts) {}

  /// Entries with the same key; their order changes.
  void count(std::span<SortedWord> run);
  /// Adds what is not added to the counts yet.
  void finish();

 private:
  void count_few(std::span<const SortedWord> run);
  void add(std::uint32_t position, std::uint32_t pairs);
  void compare();

  const WordChoice& choice_;
  std::vector<std::uint32_t>& counts_;
  std::vector<T> words_;
  std::vector<T> others_;
  std::vector<T> weights_;
  std::vector<T> sums_;
  std::vector<std::pair<std::size_t, std::size_t>> entries_;    // of each word: from and to
  std::vector<std::pair<std::uint32_t, std::uint32_t>> found_;  // positions, and pairs to add to their counts
};

}  // namespace trawl::mappability
