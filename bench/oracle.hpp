// Finds every locus of every read, whole or clipped, by plain dynamic programming over the whole reference: no seeds,
// no filter, no bit tricks, and no code of Trawl. Other programs are checked with it. Letters other than A, C, G, T, U
// match nothing: each costs one edit.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

#include "bench/arguments.hpp"
#include "bench/rules.hpp"

namespace trawl::bench {

// Letters as bits: a text letter is one bit, a pattern letter is the set of text letters that it matches.
inline constexpr std::uint8_t kAmbiguousText = 1 << 4;
inline constexpr std::uint8_t kMatchesAll = 0b11111;
constexpr std::uint8_t text_bit(char letter) { return static_cast<std::uint8_t>(1 << base_code(letter)); }
constexpr std::uint8_t pattern_set(char letter) { return text_bit(letter) & ~kAmbiguousText; }

// ---- Whole reads ----
//
// D(j) = the smallest edit distance between the whole read and any substring of the contig that ends at j (1-based). A
// locus is a strand and a maximal run of consecutive end positions with D(j) <= e. It is represented by its smallest D;
// if several ends have it, by the leftmost one.
//
//   contig ACGTACGT, read ACGT, e = 0   ->   + ends 4 and 8; - the same two (ACGT is its own reverse complement)
//   contig ACGTTT,   read ACGTT, e = 1  ->   + one locus: D(4..6) = 1 0 1, so end 5, distance 0, run 4-6

struct Locus {
  std::uint64_t read = 0;    // number of the read, from 0
  std::uint32_t contig = 0;  // number of the contig, from 0
  bool reverse = false;
  std::uint64_t end = 0;  // 1-based position of the last matched base
  std::uint32_t distance = 0;
  std::uint64_t run_begin = 0;  // first and last end position of the run
  std::uint64_t run_end = 0;

  /// Sorted by read, contig, strand (+ first), end.
  auto operator<=>(const Locus&) const = default;
};

/// A read and its largest allowed distance.
struct Query {
  std::string_view bases;
  std::uint32_t max_edits = 0;
};

struct OracleResult {
  std::vector<Locus> loci;  // sorted
  double cells = 0;         // of the dynamic programming, without padding
};

/// All loci of all queries in all contigs. A read that is not longer than its max_edits has none.
OracleResult all_loci(const std::vector<Query>& queries, const std::vector<std::string_view>& contigs,
                      unsigned threads);

/// The same by the textbook method: one read after the other, the whole matrix. Only for small cases.
std::vector<Locus> textbook_loci(const std::vector<Query>& queries, const std::vector<std::string_view>& contigs);

// ---- Clipped reads ----
//
// A piece is the bases [begin, end) of a strand. With x edits it may leave out at most most_clipped[x] bases of the
// read, at both ends together. An alignment of a piece is a path through nodes (i, j): i bases of the strand and j
// letters of the contig lie before it. Its steps are a match or mismatch, an insertion, a deletion; x is the number of
// its edits. Alignments that share a node, and all that are connected in this way, are one locus. Its piece has the
// smallest penalty, (bases left out) + 5 x; of equal ones it is the longest, then the one with the smallest begin.
//
//   contig TTACGTACGGTT, read ACGTACGGCA, at most 3 bases left out, e = 0
//       ->   + one locus: the piece [0, 8), which ends at 10, penalty 2

/// A read and the pieces that it may have. `most_clipped` [x]: the most bases left out with x edits, never ascending;
/// empty: the read has no loci.
struct ClippedQuery {
  std::string_view bases;
  std::vector<std::uint32_t> most_clipped;
};

struct ClippedLocus {
  std::uint64_t read = 0;    // number of the read, from 0
  std::uint32_t contig = 0;  // number of the contig, from 0
  bool reverse = false;
  std::uint64_t end = 0;         // 1-based position of the last matched base: the leftmost one in the locus
  std::uint32_t begin_base = 0;  // the piece, in the order of the strand
  std::uint32_t end_base = 0;
  std::uint32_t edits = 0;
  std::uint64_t run_end = 0;  // last end of the run that the piece alone has, if its limit is `max_edits`

  std::uint32_t length() const { return end_base - begin_base; }
  std::uint32_t penalty(std::uint64_t read_length) const {
    return static_cast<std::uint32_t>(read_length) - length() + kEditPoints * edits;
  }

  /// Sorted by read, contig, strand (+ first), end.
  auto operator<=>(const ClippedLocus&) const = default;
};

/// The limits of `trawl map -e max_edits --clip clip` for a read of this length.
std::vector<std::uint32_t> most_clipped(std::uint64_t length, const MaxEdits& max_edits, const MaxEdits& clip);

/// All clipped loci of all queries in all contigs, sorted. The runs' ends are those of pieces with `max_edits`.
std::vector<ClippedLocus> all_clipped_loci(const std::vector<ClippedQuery>& queries, const MaxEdits& max_edits,
                                           const std::vector<std::string_view>& contigs, unsigned threads);

/// The same by following every single path. Only for a dozen bases and few edits. `run_end` is 0.
std::vector<ClippedLocus> clipped_loci_by_paths(const std::vector<ClippedQuery>& queries,
                                                const std::vector<std::string_view>& contigs);

/// Compares the oracles with textbook code on random cases, and prints what differs. Returns the exit status: 0 if
/// nothing does.
int self_test(std::uint64_t cases, std::uint64_t seed);

/// Calls task(0) .. task(count - 1). Throws what a task threw, after all threads have ended.
template <class Task>
void run_tasks(unsigned threads, std::size_t count, const Task& task) {
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr failure;
  const auto work = [&] {
    try {
      for (std::size_t i = next++; i < count; i = next++) {
        task(i);
      }
    } catch (...) {
      const std::scoped_lock lock(mutex);
      failure = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> workers;
    for (unsigned i = 0; i < threads; ++i) {
      workers.emplace_back(work);
    }
  }
  if (failure) {
    std::rethrow_exception(failure);
  }
}

}  // namespace trawl::bench
