// Complete search without seeds: Myers' algorithm over the whole reference, with one strand of a read per SIMD lane.
//
//   with: const sequence::Reference reference = reference_of("TTACTTT")
//   with: const sequence::EncodedRead read = read_of("ACGT")
//   std::size_t ends = 0;
//   scan_reference(reference, {{&read, 1, 1}}, all_stretches(reference, read.length()), false,
//                  [&](std::size_t, std::span<const align::EndDistance> found) { ends += found.size(); });
//   ends == 2
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "align/locus.hpp"
#include "map/strand_loci.hpp"
#include "map/verify.hpp"
#include "sequence/reference.hpp"

namespace trawl::map {

/// Reference positions [begin, end) of one contig.
struct ReferenceStretch {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// The stretches that hold all bases of all contigs. If ambiguous bases match nothing, of each run of them longer than
/// `longest_read` only the first `longest_read` positions are kept. No match can reach across such a run, so after it
/// the search starts again from the beginning.
std::vector<ReferenceStretch> all_stretches(const sequence::Reference& reference, std::size_t longest_read);

/// The same if ambiguous bases match. `deepest`: no wanted alignment reaches further into a run of ambiguous bases; so
/// of longer runs only that number of positions is kept at both ends.
std::vector<ReferenceStretch> all_stretches_with_ambiguous(const sequence::Reference& reference, std::uint64_t deepest);

/// The stretches around ambiguous bases. They hold every wanted alignment that touches an ambiguous base, for reads of
/// up to `longest_read` bases. `deepest`: as above.
std::vector<ReferenceStretch> stretches_around_ambiguous(const sequence::Reference& reference, std::size_t longest_read,
                                                         std::uint32_t max_edits, std::uint64_t deepest);

/// Receives ends of strand `strand` in several calls; the ends of each strand come in ascending order.
using TakeEnds = std::function<void(std::size_t strand, std::span<const align::EndDistance> ends)>;

/// Searches all strands in the stretches. Passes every end position with D <= max_edits to `take`. D is the distance to
/// substrings that lie inside the stretch.
void scan_reference(const sequence::Reference& reference, const std::vector<Strand>& strands,
                    const std::vector<ReferenceStretch>& stretches, bool ambiguous_matches, const TakeEnds& take);

/// Finds the loci of strands in the whole reference, with gaps or without. Those more than `strata` edits worse than
/// the best one of their strand may be left out, unless the rule asks for runs.
void scan_strands(const SearchRule& rule, const std::vector<Strand>& strands, std::uint32_t strata, StrandLoci& found);

/// Adds the ends around ambiguous bases that the strands match; not of those that are left out.
void scan_around_ambiguous(const SearchRule& rule, const std::vector<Strand>& strands,
                           const std::vector<bool>& left_out, StrandLoci& found);

}  // namespace trawl::map
