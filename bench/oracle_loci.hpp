// Finds every locus of every read by plain dynamic programming over the whole reference. Other programs are checked
// with it.
//
// D(j) = the smallest edit distance between the whole read and any substring of the contig that ends at j (1-based). A
// locus is a strand and a maximal run of consecutive end positions with D(j) <= e. It is represented by its smallest D;
// if several ends have it, by the leftmost one.
//
//   contig ACGTACGT, read ACGT, e = 0   ->   + ends 4 and 8; - the same two (ACGT is its own reverse complement)
//   contig ACGTTT,   read ACGTT, e = 1  ->   + one locus: D(4..6) = 1 0 1, so end 5, distance 0, run 4-6
//
// It has no seeds, no filter and no bit tricks. Letters other than A, C, G, T, U match nothing: each costs one edit.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace trawl::bench {

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

}  // namespace trawl::bench
