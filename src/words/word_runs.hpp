// Words sorted by the bases that a choice of parts wants to match (word_choices.hpp). Those with the same ones are a
// run; WordRuns finds the runs.
//
//   with: const WordChoice& choice
//   const WordPlanes word{.high = 0b0011, .low = 0b0101};             // TGCA: the first base is bit 0
//   reverse_complement(word, 4).low == 0b0101                         // TGCA
//   const SortedWord sorted = sorted_word(choice, word, 7, true);     // word 7, whose pairs are wanted
#pragma once

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "base/bits.hpp"
#include "base/radix_sort.hpp"
#include "sequence/partition.hpp"
#include "words/word_choices.hpp"

namespace trawl::words {

/// The bases of a word. Where `ambiguous` is 1, the other planes mean nothing.
struct WordPlanes {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  std::uint64_t ambiguous = 0;
};

/// `length`: of the word, 1 to 64.
inline WordPlanes reverse_complement(const WordPlanes& word, unsigned length) {
  const unsigned unused = 64 - length;
  return {reverse_bits(~word.high) >> unused, reverse_bits(~word.low) >> unused,
          reverse_bits(word.ambiguous) >> unused};
}

/// A word as a choice sees it.
struct SortedWord {
  std::uint64_t key = 0;
  std::uint64_t rest = 0;  // as word_choices.hpp says
  std::uint32_t number = 0;
  bool is_asked = false;  // whether its pairs are wanted
};

inline SortedWord sorted_word(const WordChoice& choice, const WordPlanes& word, std::uint32_t number, bool is_asked) {
  return {gathered(word.low, choice.key) | gathered(word.high, choice.key) << choice.key_size,
          gathered(word.low, choice.rest) | gathered(word.high, choice.rest) << choice.half, number, is_asked};
}

/// One of the few that have ambiguous bases, though none in the key.
struct AmbiguousWord : SortedWord {
  std::uint64_t differing = 0;  // where the rest matches nothing
  std::uint64_t partition = 0;

  auto place() const { return std::pair(partition, key); }
};

inline void sort_by_place(std::vector<AmbiguousWord>& all) { std::ranges::sort(all, {}, &AmbiguousWord::place); }
/// Those of a partition with a key, among sorted ones.
inline auto words_at(std::span<const AmbiguousWord> all, std::uint64_t partition, std::uint64_t key) {
  return std::ranges::equal_range(all, std::pair(partition, key), {}, &AmbiguousWord::place);
}

/// What tells the share of all choices, given that of choice c.
inline std::function<void(double)> share_of_choice(const std::function<void(double)>& progress, std::size_t c,
                                                   std::size_t choices) {
  return [&progress, c, choices](double share) {
    progress((static_cast<double>(c) + share) / static_cast<double>(choices));
  };
}

/// Where two rests differ.
inline std::uint64_t differing_bases(const WordChoice& choice, std::uint64_t a, std::uint64_t b) {
  return ((a ^ b) | (a ^ b) >> choice.half) & sequence::low_ones(choice.half);
}

/// Source: words without ambiguous bases, in two lists, by their numbers. It has
/// - blocks(): how many blocks of words there are;
/// - give(block, take): calls take(list, number, planes) for each word of a block, the same in every call;
/// - at(choice, list, number): the word as SortedWord;
/// - prefetch(number): it is wanted soon.
template <class Source>
class WordRuns {
 public:
  /// `words`: about how many there are. All must outlive this object.
  WordRuns(const Source& source, const WordChoice& choice, std::uint64_t words) : source_(source), choice_(choice) {
    // A partition should fit into a cache. The first bases of the key say which partition it is.
    constexpr std::uint64_t kWordsOfPartition = 1 << 14;
    constexpr unsigned kMostPrefix = 7;
    const unsigned wanted =
        std::min({static_cast<unsigned>(std::bit_width(words / kWordsOfPartition)) / 2, kMostPrefix, choice.key_size});
    for (const Bases& some : choice.key) {
      const std::uint32_t size = std::min(some.end - some.begin, wanted - prefix_size_);
      prefix_.push_back({some.begin, some.begin + size});
      prefix_size_ += size;
    }
  }

  std::uint64_t partition_of(const WordPlanes& word) const {
    return gathered(word.high, prefix_) | gathered(word.low, prefix_) << prefix_size_;
  }

  /// Appends a word with ambiguous bases, if its key has none.
  void add_ambiguous(const WordPlanes& word, std::uint32_t number, bool is_asked,
                     std::vector<AmbiguousWord>& all) const {
    if (gathered(word.ambiguous, choice_.key) == 0) {
      all.push_back(
          {sorted_word(choice_, word, number, is_asked), gathered(word.ambiguous, choice_.rest), partition_of(word)});
    }
  }

  /// Calls for many partitions at the same time, each on one thread: counter = make(T()), counter.count(partition, run)
  /// for each run, counter.finish(). T is a number as wide as a rest, std::uint32_t or std::uint64_t.
  template <class Make>
  void for_each(const Make& make, const std::function<void(double)>& progress) const {
    // Half of the partitions at a time need half of the memory.
    const std::size_t partitions = std::size_t{1} << (2 * prefix_size_);
    const std::size_t at_once = (partitions + 1) / 2;
    const auto give = [this](std::size_t block, auto&& put) {
      source_.give(block, [&](unsigned list, std::uint32_t number, const WordPlanes& word) {
        put(2 * partition_of(word) + list, number);
      });
    };
    const auto sizes = sequence::part_sizes<std::uint32_t>(source_.blocks(), 2 * partitions, give);
    for (std::size_t first = 0; first < partitions; first += at_once) {
      const std::size_t last = std::min(first + at_once, partitions);
      std::vector<std::uint64_t> begins;  // of each partition: its first list, then the second
      const auto numbers =
          sequence::sorted_parts<std::uint32_t>(sizes, source_.blocks(), 2 * first, 2 * last, begins, give);
      // The largest first: they would keep one thread busy at the end.
      std::vector<std::size_t> order(last - first);
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return begins[2 * a + 2] - begins[2 * a] > begins[2 * b + 2] - begins[2 * b];
      });
      tbb::parallel_for(
          tbb::blocked_range<std::size_t>(0, order.size(), 1),
          [&](const auto& range) {
            for (std::size_t i = range.begin(); i < range.end(); ++i) {
              const std::uint64_t* const begin = begins.data() + 2 * order[i];
              if (choice_.half == 16) {
                count<std::uint32_t>(first + order[i], numbers.data(), begin, make);
              } else {
                count<std::uint64_t>(first + order[i], numbers.data(), begin, make);
              }
            }
          },
          tbb::simple_partitioner());
      progress(static_cast<double>(last) / static_cast<double>(partitions));
    }
  }

 private:
  template <class T, class Make>
  void count(std::size_t partition, const std::uint32_t* numbers, const std::uint64_t* begins, const Make& make) const {
    constexpr std::uint64_t kAhead = 16;
    std::vector<SortedWord> words, room;
    words.reserve(begins[2] - begins[0]);
    for (unsigned list = 0; list < 2; ++list) {
      for (std::uint64_t i = begins[list]; i < begins[list + 1]; ++i) {
        source_.prefetch(numbers[std::min(i + kAhead, begins[2] - 1)]);
        words.push_back(source_.at(choice_, list, numbers[i]));
      }
    }
    radix_sort(words, room, [](const SortedWord& word) { return word.key; });
    auto counter = make(T());
    for (std::size_t from = 0; from < words.size();) {
      std::size_t to = from + 1;
      while (to < words.size() && words[to].key == words[from].key) {
        ++to;
      }
      counter.count(partition, std::span(words).subspan(from, to - from));
      from = to;
    }
    counter.finish();
  }

  const Source& source_;
  const WordChoice& choice_;
  std::vector<Bases> prefix_;  // of the key
  unsigned prefix_size_ = 0;
};

}  // namespace trawl::words
