#include "mappability/word_counts.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>

#include "base/bits.hpp"
#include "sequence/packed_letters.hpp"
#include "sequence/plane_window.hpp"
#include "words/word_choices.hpp"
#include "words/word_runs.hpp"

namespace trawl::mappability {

namespace {

std::uint64_t all_reads(const sequence::Reference& reference, const ReferenceReads& reads) {
  std::uint64_t count = 0;
  for (const sequence::Contig& contig : reference.contigs()) {
    count += reads.of(contig);
  }
  return count;
}

// The words without ambiguous bases: in list 0 on the forward strand, in list 1 on the reverse strand. Their numbers
// are positions.
class ReadWords {
 public:
  ReadWords(const sequence::Reference& reference, std::uint32_t length, const std::vector<std::uint64_t>& asked)
      : reference_(reference), length_(length), mask_(sequence::low_ones(length)), asked_(asked) {}

  std::size_t blocks() const { return reference_.size() / 64 - 1; }

  // In gaps all bases are ambiguous.
  template <class Take>
  void give(std::size_t b, const Take& take) const {
    const std::uint64_t* const ambiguous = reference_.ambiguous().data();
    const bool all_clear = !reference_.block_has_ambiguous(b) && !reference_.block_has_ambiguous(b + 1);
    if (!all_clear && ambiguous[b] == ~std::uint64_t{0}) {
      return;
    }
    const sequence::PlaneBlock* const planes = reference_.planes().data() + b;
    // The reverse complement of both blocks together.
    const std::uint64_t high[] = {reverse_bits(~planes[1].high), reverse_bits(~planes[0].high), 0};
    const std::uint64_t low[] = {reverse_bits(~planes[1].low), reverse_bits(~planes[0].low), 0};
    for (unsigned i = 0; i < 64; ++i) {
      if (all_clear || (sequence::funnel_shift_right(ambiguous[b], ambiguous[b + 1], i) & mask_) == 0) {
        const auto position = static_cast<std::uint32_t>(64 * b + i);
        const unsigned reversed = 128 - i - length_;
        take(0, position, at(position));
        take(1, position,
             words::WordPlanes{sequence::bits_at(high, reversed) & mask_, sequence::bits_at(low, reversed) & mask_, 0});
      }
    }
  }

  words::WordPlanes at(std::uint64_t position) const {
    const auto planes = sequence::planes_at(reference_.planes().data(), position);
    return {planes.high & mask_, planes.low & mask_, 0};
  }
  words::SortedWord at(const words::WordChoice& choice, unsigned list, std::uint32_t position) const {
    const words::WordPlanes word = at(position);
    return sorted_word(choice, list == 0 ? word : reverse_complement(word, length_), position,
                       list == 0 && is_asked(position));
  }
  void prefetch(std::uint32_t position) const { __builtin_prefetch(reference_.planes().data() + position / 64); }

  bool is_asked(std::uint64_t position) const { return (asked_[position / 64] >> (position % 64) & 1) != 0; }

  // Both strands of some reads that have ambiguous bases, by partition and key.
  std::vector<words::AmbiguousWord> ambiguous_words(const words::WordRuns<ReadWords>& runs,
                                                    std::span<const std::uint32_t> positions) const {
    std::vector<words::AmbiguousWord> all;
    for (const std::uint32_t position : positions) {
      words::WordPlanes word = at(position);
      word.ambiguous = sequence::bits_at(reference_.ambiguous().data(), position) & mask_;
      runs.add_ambiguous(word, position, is_asked(position), all);
      runs.add_ambiguous(reverse_complement(word, length_), position, false, all);
    }
    sort_by_place(all);
    return all;
  }

 private:
  const sequence::Reference& reference_;
  std::uint32_t length_;
  std::uint64_t mask_;
  const std::vector<std::uint64_t>& asked_;  // a bit for each position
};

// Counts the pairs of a choice in the runs of a partition. T: as wide as a rest. No other thread counts for the same
// reads.
template <class T>
class RunCounter {
 public:
  RunCounter(const words::WordChoice& choice, std::span<const words::AmbiguousWord> ambiguous,
             std::vector<std::uint32_t>& counts)
      : choice_(choice), ambiguous_(ambiguous), counts_(counts) {}

  // The order of the run changes.
  void count(std::size_t partition, std::span<words::SortedWord> run) {
    count(run);
    if (!ambiguous_.empty()) {
      count_beside_ambiguous(partition, run);
    }
  }
  void finish();  // adds what is not added to the counts yet

 private:
  void count(std::span<words::SortedWord> run);
  void count_few(std::span<const words::SortedWord> run);
  void add(const words::SortedWord& word, std::uint32_t pairs);
  void compare();
  void add_one(const words::SortedWord& word) { counts_[word.number] += word.is_asked ? 1 : 0; }

  // Pairs of a word of the run and one with ambiguous bases. Only one of a read's words is counted for, so no other
  // thread counts for the same read.
  void count_beside_ambiguous(std::size_t partition, std::span<const words::SortedWord> run) {
    for (const words::AmbiguousWord& other : words_at(ambiguous_, partition, run.front().key)) {
      for (const words::SortedWord& word : run) {
        if (choice_.pairs.allows(differing_bases(choice_, word.rest, other.rest) | other.differing)) {
          add_one(word);
          add_one(other);
        }
      }
    }
  }

  const words::WordChoice& choice_;
  std::span<const words::AmbiguousWord> ambiguous_;  // by partition and key
  std::vector<std::uint32_t>& counts_;
  std::vector<T> words_;
  std::vector<T> others_;
  std::vector<T> weights_;
  std::vector<T> sums_;
  std::vector<std::pair<std::size_t, std::size_t>> entries_;    // of each word: from and to
  std::vector<std::pair<std::uint32_t, std::uint32_t>> found_;  // positions, and pairs to add to their counts
};

template <class T>
void RunCounter<T>::count(std::span<words::SortedWord> run) {
  constexpr std::size_t kFew = 4;
  if (run.size() <= kFew) {
    return count_few(run);
  }
  // Equal rests are one word.
  std::sort(run.begin(), run.end(),
            [](const words::SortedWord& a, const words::SortedWord& b) { return a.rest < b.rest; });
  words_.clear();
  others_.clear();
  weights_.clear();
  entries_.clear();
  for (std::size_t from = 0; from < run.size();) {
    std::size_t to = from;
    bool is_asked = false;
    for (; to < run.size() && run[to].rest == run[from].rest; ++to) {
      is_asked |= run[to].is_asked;
    }
    others_.push_back(static_cast<T>(run[from].rest));
    weights_.push_back(static_cast<T>(to - from));
    if (is_asked) {
      words_.push_back(static_cast<T>(run[from].rest));
      entries_.emplace_back(from, to);
    }
    from = to;
  }
  if (words_.empty() || (others_.size() == 1 && choice_.pairs.parts > 0)) {
    return;  // equal words do not differ in any part
  }
  if (others_.size() == 1) {
    sums_.assign(1, weights_[0]);
  } else {
    const std::size_t padded =
        (others_.size() + words::WordPairs::kTogether - 1) / words::WordPairs::kTogether * words::WordPairs::kTogether;
    others_.resize(padded, 0);
    weights_.resize(padded, 0);
    sums_.assign(words_.size(), 0);
    compare();
  }
  for (std::size_t w = 0; w < words_.size(); ++w) {
    for (std::size_t i = entries_[w].first; i < entries_[w].second; ++i) {
      add(run[i], static_cast<std::uint32_t>(sums_[w]));
    }
  }
}

template <class T>
void RunCounter<T>::count_few(std::span<const words::SortedWord> run) {
  if (run.size() == 1) {
    return;  // only the pair with itself
  }
  for (const words::SortedWord& one : run) {
    if (!one.is_asked) {
      continue;
    }
    std::uint32_t pairs = 0;
    for (const words::SortedWord& other : run) {
      pairs += choice_.pairs.allows(differing_bases(choice_, one.rest, other.rest)) ? 1 : 0;
    }
    add(one, pairs);
  }
}

// `pairs`: with that of a read and itself, which is counted from the start. Most reads have no other. The counts of the
// others come from memory, so all are fetched before they are needed.
template <class T>
void RunCounter<T>::add(const words::SortedWord& word, std::uint32_t pairs) {
  constexpr std::size_t kFetched = 64;
  const std::uint32_t others = pairs - (choice_.pairs.parts == 0 ? 1 : 0);
  if (!word.is_asked || others == 0) {
    return;
  }
  __builtin_prefetch(&counts_[word.number], 1);
  found_.emplace_back(word.number, others);
  if (found_.size() == kFetched) {
    finish();
  }
}

template <class T>
void RunCounter<T>::finish() {
  for (const auto& [position, pairs] : found_) {
    counts_[position] += pairs;
  }
  found_.clear();
}

// In a large repeat, several threads compare.
template <class T>
void RunCounter<T>::compare() {
  constexpr std::size_t kWordsAtOnce = 512;
  constexpr std::uint64_t kManyPairs = 1 << 26;
  const words::WordSpans<T> all{words_, others_, weights_, sums_};
  const std::size_t words = all.words.size();
  if (std::uint64_t{words} * all.others.size() < kManyPairs) {
    choice_.pairs.count(all);
    return;
  }
  const auto count_some = [&](std::size_t i) {
    const std::size_t from = i * kWordsAtOnce;
    const std::size_t some = std::min(kWordsAtOnce, words - from);
    choice_.pairs.count(
        words::WordSpans<T>{all.words.subspan(from, some), all.others, all.weights, all.sums.subspan(from, some)});
  };
  // A thread that waits here does not begin another partition: it would keep what it has.
  tbb::this_task_arena::isolate(
      [&] { tbb::parallel_for(std::size_t{0}, (words + kWordsAtOnce - 1) / kWordsAtOnce, count_some); });
}

void count_among_ambiguous(const words::WordChoice& choice, std::span<const words::AmbiguousWord> ambiguous,
                           std::vector<std::uint32_t>& counts) {
  for (const words::AmbiguousWord& one : ambiguous) {
    for (const words::AmbiguousWord& other : words_at(ambiguous, one.partition, one.key)) {
      const std::uint64_t differing = differing_bases(choice, one.rest, other.rest) | one.differing | other.differing;
      counts[one.number] += one.is_asked && choice.pairs.allows(differing) ? 1 : 0;
    }
  }
}

std::vector<words::WordChoice> choices_for(const ReferenceReads& reads, std::uint64_t count) {
  return reads.gaps ? std::vector<words::WordChoice>()
                    : words::best_word_choices(reads.length, reads.max_edits, 2 * count);
}

// Reads with ambiguous bases, but not more than mismatches.
std::vector<std::uint32_t> ambiguous_reads(const sequence::Reference& reference, const ReferenceReads& reads) {
  std::vector<std::uint32_t> found;
  for (const sequence::AmbiguousRun& run : reference.ambiguous_runs()) {
    const sequence::Contig& contig = reference.contigs()[reference.contig_at(run.begin)];
    const std::uint64_t before = run.begin - std::min<std::uint64_t>(reads.length - 1, run.begin - contig.offset);
    const std::uint64_t end = std::min(run.begin + run.length, contig.offset + reads.of(contig));
    for (std::uint64_t position = before; position < end; ++position) {
      // A read that begins in the run has the rest of it.
      if (position >= run.begin && run.begin + run.length - position > reads.max_edits) {
        position = run.begin + run.length - reads.max_edits - 1;
        continue;
      }
      const std::uint64_t bases = sequence::bits_at(reference.ambiguous().data(), position);
      if (popcount(bases & sequence::low_ones(reads.length)) <= reads.max_edits) {
        found.push_back(static_cast<std::uint32_t>(position));
      }
    }
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace

bool suits_word_counts(const sequence::Reference& reference, const ReferenceReads& reads, std::uint64_t asked) {
  constexpr std::uint64_t kLeastShare = 32;  // all are sorted, also those that are not asked for
  constexpr std::uint64_t kMostAmbiguous =
      64;  // one read in this many may have ambiguous bases: each is compared alone
  const std::uint64_t all = all_reads(reference, reads);
  return all <= asked * kLeastShare &&
         reference.ambiguous_runs().size() * reads.length <= all / kMostAmbiguous + 1000 &&
         reference.size() < std::uint64_t{1} << 31 && !reference.has_repeats() && !choices_for(reads, all).empty();
}

bool may_suit_word_counts(const ReferenceReads& reads) { return !choices_for(reads, 1).empty(); }

std::vector<std::uint32_t> count_words(const sequence::Reference& reference, const ReferenceReads& reads,
                                       std::span<const ReadStarts> starts,
                                       const std::function<void(double)>& progress) {
  constexpr std::uint64_t kBlocks = 1 << 12;
  std::vector<std::uint64_t> asked(reference.size() / 64 + 1, 0);  // a bit for each position
  std::vector<std::uint32_t> counts(reference.size(), 0);
  for (const ReadStarts& some : starts) {
    const std::uint64_t end = some.first + some.count;
    const tbb::blocked_range<std::uint64_t> blocks(some.first / 64, (end + 63) / 64, kBlocks);
    tbb::parallel_for(blocks, [&](const auto& range) {
      for (std::uint64_t position = std::max(some.first, 64 * range.begin());
           position < std::min(end, 64 * range.end()); ++position) {
        asked[position / 64] |= std::uint64_t{1} << (position % 64);
        const std::uint64_t ambiguous = sequence::bits_at(reference.ambiguous().data(), position);
        counts[position] = (ambiguous & sequence::low_ones(reads.length)) == 0 ? 1 : 0;  // its own place
      }
    });
  }
  const std::uint64_t all = all_reads(reference, reads);
  const std::vector<words::WordChoice> choices = choices_for(reads, all);
  const std::vector<std::uint32_t> ambiguous = ambiguous_reads(reference, reads);
  const ReadWords source(reference, reads.length, asked);
  for (std::size_t c = 0; c < choices.size(); ++c) {
    const words::WordRuns runs(source, choices[c], 2 * all);
    const std::vector<words::AmbiguousWord> beside = source.ambiguous_words(runs, ambiguous);
    runs.for_each([&](auto rest) { return RunCounter<decltype(rest)>(choices[c], beside, counts); },
                  words::share_of_choice(progress, c, choices.size()));
    count_among_ambiguous(choices[c], beside, counts);
  }
  return counts;
}

}  // namespace trawl::mappability
