// Complete search without seeds: Myers' algorithm over the whole reference, one strand of a read a SIMD lane.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "align/locus.hpp"
#include "map/verify.hpp"
#include "sequence/reference.hpp"

namespace trawl::map {

/// Reference positions [begin, end) of one contig.
struct Stretch {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// The stretches that hold all bases of all contigs. Where ambiguous bases match nothing, runs of them longer than
/// `longest_read` are left out but for their first `longest_read` positions: behind such a run everything begins anew.
std::vector<Stretch> all_stretches(const sequence::Reference& reference, std::size_t longest_read,
                                   bool ambiguous_matches);

/// The stretches around ambiguous bases that hold every alignment of a read of `longest_read` bases that touches one.
std::vector<Stretch> stretches_around_ambiguous(const sequence::Reference& reference, std::size_t longest_read,
                                                std::uint32_t max_edits);

/// Takes ends of strand `strand`, some at a time, each strand's in ascending order.
using TakeEnds = std::function<void(std::size_t strand, std::span<const align::EndDistance> ends)>;

/// Gives `take`, for every strand, every end position in the stretches with D <= max_edits. D is that of substrings
/// inside the stretch.
void scan_reference(const sequence::Reference& reference, const std::vector<Strand>& strands,
                    const std::vector<Stretch>& stretches, bool ambiguous_matches, const TakeEnds& take);

}  // namespace trawl::map
