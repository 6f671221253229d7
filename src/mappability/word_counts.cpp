#include "mappability/word_counts.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <functional>
#include <numeric>
#include <utility>

#include "base/bits.hpp"
#include "base/radix_sort.hpp"
#include "mappability/word_choices.hpp"
#include "mappability/word_runs.hpp"
#include "sequence/packed_letters.hpp"
#include "sequence/partition.hpp"
#include "sequence/plane_window.hpp"

namespace trawl::mappability {

namespace {

std::uint64_t all_reads(const sequence::Reference& reference, const ReferenceReads& reads) {
  std::uint64_t count = 0;
  for (const sequence::Contig& contig : reference.contigs()) {
    count += reads.of(contig);
  }
  return count;
}

// The bases of a read or of its reverse complement, as planes. Where `ambiguous` is 1, the other planes mean nothing.
struct ReadPlanes {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  std::uint64_t ambiguous = 0;
};

// One of the few that have ambiguous bases.
struct AmbiguousEntry : SortedWord {
  std::uint64_t differing = 0;  // where the rest matches nothing
  std::uint64_t partition = 0;

  auto place() const { return std::pair(partition, key); }
};

SortedWord entry_of(const WordChoice& choice, const ReadPlanes& word, std::uint32_t position) {
  return {gathered(word.low, choice.key) | gathered(word.high, choice.key) << choice.key_size,
          gathered(word.low, choice.rest) | gathered(word.high, choice.rest) << choice.half, position};
}

// Counts the pairs of one choice.
class ChoiceCounter {
 public:
  ChoiceCounter(const sequence::Reference& reference, std::uint32_t length, const WordChoice& choice,
                const std::vector<std::uint64_t>& asked, std::vector<std::uint32_t>& counts, std::uint64_t reads)
      : reference_(reference),
        length_(length),
        mask_(sequence::low_ones(length)),
        choice_(choice),
        asked_(asked),
        counts_(counts) {
    // A partition should fit into a cache. The first bases of the key say which partition it is.
    constexpr std::uint64_t kWordsOfPartition = 1 << 14;
    constexpr unsigned kMostPrefix = 6;
    const auto wanted = static_cast<unsigned>(std::bit_width(2 * reads / kWordsOfPartition)) / 2;
    prefix_ = std::min({wanted, kMostPrefix, choice.key.front().end - choice.key.front().begin});
    for (std::uint64_t bits = 0; bits < std::uint64_t{1} << prefix_; ++bits) {
      reverse_complements_.push_back(prefix_ == 0 ? 0 : reverse_bits(~bits) >> (64 - prefix_));
    }
  }

  void count(std::span<const std::uint32_t> ambiguous_reads, const std::function<void(double)>& progress) {
    find_ambiguous_entries(ambiguous_reads);
    // Half of the partitions at a time need half of the memory: with both strands of all reads, as many words are in
    // each half.
    const std::size_t partitions = std::size_t{1} << (2 * prefix_);
    const std::size_t at_once = (partitions + 1) / 2;
    const auto give = [this](std::size_t block, auto&& put) {
      for_each_clear(block, [&](std::uint64_t position, const ReadPlanes& word) {
        put(2 * partition_of(word), static_cast<std::uint32_t>(position));
        put(2 * reverse_partition_of(word) + 1, static_cast<std::uint32_t>(position));
      });
    };
    const std::size_t blocks = reference_.size() / 64 - 1;
    const auto sizes = sequence::part_sizes<std::uint32_t>(blocks, 2 * partitions, give);
    for (std::size_t first = 0; first < partitions; first += at_once) {
      const std::size_t last = std::min(first + at_once, partitions);
      // Of each partition: words on the forward strand, then on the reverse strand.
      std::vector<std::uint64_t> begins;
      const auto positions = sequence::sorted_parts<std::uint32_t>(sizes, blocks, 2 * first, 2 * last, begins, give);
      count_partitions(first, begins, positions);
      progress(static_cast<double>(last) / static_cast<double>(partitions));
    }
    count_among_ambiguous();
  }

 private:
  ReadPlanes word_at(std::uint64_t position) const {
    const auto planes = sequence::planes_at(reference_.planes().data(), position);
    return {planes.high & mask_, planes.low & mask_, 0};
  }

  ReadPlanes reverse_complement(const ReadPlanes& word) const {
    const unsigned unused = 64 - length_;
    return {reverse_bits(~word.high & mask_) >> unused, reverse_bits(~word.low & mask_) >> unused,
            reverse_bits(word.ambiguous) >> unused};
  }

  // Calls take(position, word) for each read without ambiguous bases that begins in block b. In gaps all bases are
  // ambiguous.
  template <class Take>
  void for_each_clear(std::uint64_t b, const Take& take) const {
    const std::uint64_t* const ambiguous = reference_.ambiguous().data();
    const sequence::PlaneBlock* const planes = reference_.planes().data();
    const bool all_clear = !reference_.block_has_ambiguous(b) && !reference_.block_has_ambiguous(b + 1);
    if (!all_clear && ambiguous[b] == ~std::uint64_t{0}) {
      return;
    }
    for (unsigned i = 0; i < 64; ++i) {
      if (all_clear || (sequence::funnel_shift_right(ambiguous[b], ambiguous[b + 1], i) & mask_) == 0) {
        take(64 * b + i, ReadPlanes{sequence::funnel_shift_right(planes[b].high, planes[b + 1].high, i) & mask_,
                                    sequence::funnel_shift_right(planes[b].low, planes[b + 1].low, i) & mask_, 0});
      }
    }
  }

  std::uint64_t partition_of(const ReadPlanes& word) const {
    const unsigned at = choice_.key.front().begin;
    const std::uint64_t bits = sequence::low_ones(prefix_);
    return (word.high >> at & bits) | (word.low >> at & bits) << prefix_;
  }
  // Of the reverse complement.
  std::uint64_t reverse_partition_of(const ReadPlanes& word) const {
    const unsigned at = length_ - choice_.key.front().begin - prefix_;
    const std::uint64_t bits = sequence::low_ones(prefix_);
    return prefix_ == 0
               ? 0
               : reverse_complements_[word.high >> at & bits] | reverse_complements_[word.low >> at & bits] << prefix_;
  }

  std::uint32_t asked(std::uint64_t position) const {
    return (asked_[position / 64] >> (position % 64) & 1) != 0 ? static_cast<std::uint32_t>(position)
                                                               : SortedWord::kNotAsked;
  }

  void find_ambiguous_entries(std::span<const std::uint32_t> reads) {
    for (const std::uint32_t position : reads) {
      ReadPlanes forward = word_at(position);
      const std::uint64_t* const ambiguous = reference_.ambiguous().data() + position / 64;
      forward.ambiguous = sequence::funnel_shift_right(ambiguous[0], ambiguous[1], position % 64) & mask_;
      for (const bool reverse : {false, true}) {
        const ReadPlanes word = reverse ? reverse_complement(forward) : forward;
        if (gathered(word.ambiguous, choice_.key) == 0) {
          ambiguous_.push_back({entry_of(choice_, word, reverse ? SortedWord::kNotAsked : asked(position)),
                                gathered(word.ambiguous, choice_.rest), partition_of(word)});
        }
      }
    }
    std::ranges::sort(ambiguous_, {}, &AmbiguousEntry::place);
  }

  // Sorts the words of the partitions [first, last) by partition, and counts in each.
  // `begins`: where the words of each partition and strand begin in `positions`.
  void count_partitions(std::size_t first, const std::vector<std::uint64_t>& begins,
                        const sequence::HugeArray<std::uint32_t>& positions) {
    // The largest first: they would keep one thread busy at the end.
    std::vector<std::size_t> order(begins.size() / 2);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return begins[2 * a + 2] - begins[2 * a] > begins[2 * b + 2] - begins[2 * b];
    });
    const auto count_one = [&](const tbb::blocked_range<std::size_t>& range) {
      for (std::size_t i = range.begin(); i < range.end(); ++i) {
        const std::uint64_t* const begin = begins.data() + 2 * order[i];
        const std::span<const std::uint32_t> forward(positions.data() + begin[0], begin[1] - begin[0]);
        const std::span<const std::uint32_t> reverse(positions.data() + begin[1], begin[2] - begin[1]);
        if (choice_.half == 16) {
          count_partition<std::uint32_t>(first + order[i], forward, reverse);
        } else {
          count_partition<std::uint64_t>(first + order[i], forward, reverse);
        }
      }
    };
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, order.size(), 1), count_one, tbb::simple_partitioner());
  }

  template <class T>
  void count_partition(std::size_t partition, std::span<const std::uint32_t> forward,
                       std::span<const std::uint32_t> reverse) {
    constexpr std::size_t kAhead = 16;
    const auto prefetch = [&](std::span<const std::uint32_t> positions, std::size_t i) {
      if (i + kAhead < positions.size()) {
        __builtin_prefetch(reference_.planes().data() + positions[i + kAhead] / 64);
      }
    };
    std::vector<SortedWord> entries, room;
    entries.reserve(forward.size() + reverse.size());
    for (std::size_t i = 0; i < forward.size(); ++i) {
      prefetch(forward, i);
      entries.push_back(entry_of(choice_, word_at(forward[i]), asked(forward[i])));
    }
    for (std::size_t i = 0; i < reverse.size(); ++i) {
      prefetch(reverse, i);
      entries.push_back(entry_of(choice_, reverse_complement(word_at(reverse[i])), SortedWord::kNotAsked));
    }
    radix_sort(entries, room, [](const SortedWord& entry) { return entry.key; });
    RunCounter<T> counter(choice_, counts_);
    for (std::size_t from = 0; from < entries.size();) {
      std::size_t to = from + 1;
      while (to < entries.size() && entries[to].key == entries[from].key) {
        ++to;
      }
      const auto run = std::span(entries).subspan(from, to - from);
      counter.count(run);
      if (!ambiguous_.empty()) {
        count_beside_ambiguous(partition, run);
      }
      from = to;
    }
    counter.finish();
  }

  // Pairs of an entry of the run and one with ambiguous bases. Only one of a read's entries is counted for, so no other
  // thread counts for the same read.
  void count_beside_ambiguous(std::size_t partition, std::span<const SortedWord> run) {
    const auto same =
        std::ranges::equal_range(ambiguous_, std::pair(partition, run.front().key), {}, &AmbiguousEntry::place);
    for (const AmbiguousEntry& other : same) {
      for (const SortedWord& entry : run) {
        if (choice_.pairs.allows(differing_bases(choice_, entry.rest, other.rest) | other.differing)) {
          add_one(entry.position);
          add_one(other.position);
        }
      }
    }
  }

  void count_among_ambiguous() {
    for (const AmbiguousEntry& one : ambiguous_) {
      for (const AmbiguousEntry& other :
           std::ranges::equal_range(ambiguous_, one.place(), {}, &AmbiguousEntry::place)) {
        if (choice_.pairs.allows(differing_bases(choice_, one.rest, other.rest) | one.differing | other.differing)) {
          add_one(one.position);
        }
      }
    }
  }

  void add_one(std::uint32_t position) {
    if (position != SortedWord::kNotAsked) {
      ++counts_[position];
    }
  }

  const sequence::Reference& reference_;
  std::uint32_t length_;
  std::uint64_t mask_;
  const WordChoice& choice_;
  const std::vector<std::uint64_t>& asked_;
  std::vector<std::uint32_t>& counts_;
  unsigned prefix_ = 0;                             // bases
  std::vector<std::uint64_t> reverse_complements_;  // of one plane of a prefix
  std::vector<AmbiguousEntry> ambiguous_;           // by partition and key
};

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
      const std::uint64_t* const words = reference.ambiguous().data() + position / 64;
      const std::uint64_t bases = sequence::funnel_shift_right(words[0], words[1], position % 64);
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
         reference.size() < std::uint64_t{1} << 31 && !reference.has_repeats() &&
         !best_word_choices(reads, all).empty();
}

bool may_suit_word_counts(const ReferenceReads& reads) { return !best_word_choices(reads, 1).empty(); }

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
        const std::uint64_t* const words = reference.ambiguous().data() + position / 64;
        const std::uint64_t ambiguous = sequence::funnel_shift_right(words[0], words[1], position % 64);
        counts[position] = (ambiguous & sequence::low_ones(reads.length)) == 0 ? 1 : 0;  // its own place
      }
    });
  }
  const std::uint64_t all = all_reads(reference, reads);
  const std::vector<WordChoice> choices = best_word_choices(reads, all);
  const std::vector<std::uint32_t> ambiguous = ambiguous_reads(reference, reads);
  for (std::size_t c = 0; c < choices.size(); ++c) {
    ChoiceCounter(reference, reads.length, choices[c], asked, counts, all).count(ambiguous, [&](double share) {
      progress((static_cast<double>(c) + share) / static_cast<double>(choices.size()));
    });
  }
  return counts;
}

}  // namespace trawl::mappability
