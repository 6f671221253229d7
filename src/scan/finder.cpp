#include "scan/finder.hpp"

#include <tbb/parallel_sort.h>

#include <algorithm>

namespace trawl::scan {

namespace {

// The run of N that holds `position`, or nothing.
std::uint64_t run_of_n_begin(const sequence::Reference& reference, std::uint64_t position) {
  const auto& runs = reference.ambiguous_runs();
  const auto after = std::upper_bound(runs.begin(), runs.end(), position,
                                      [](std::uint64_t p, const sequence::AmbiguousRun& r) { return p < r.begin; });
  if (after == runs.begin()) {
    return position + 1;
  }
  const auto& run = *std::prev(after);
  return run.letter == 'N' && position < run.begin + run.length ? run.begin : position + 1;
}

}  // namespace

void tidy_ends(const sequence::Reference& reference, const std::vector<Query>& queries, const Options& options,
               std::vector<RowHit>& ends) {
  tbb::parallel_sort(ends.begin(), ends.end(),
                     [](const RowHit& a, const RowHit& b) { return a.id != b.id ? a.id < b.id : a.end < b.end; });
  const sequence::Contig* contig = nullptr;
  std::erase_if(ends, [&](const RowHit& hit) {
    if (contig == nullptr || hit.end < contig->offset || hit.end >= contig->offset + contig->length) {
      contig = &reference.contigs()[reference.contig_at(hit.end)];
    }
    if (hit.end < contig->offset || hit.end >= contig->offset + contig->length) {
      return true;
    }
    const std::uint64_t length = queries[hit.id].length();
    if (options.metric == Metric::hamming && hit.end + 1 - contig->offset < length) {
      return true;
    }
    return options.ambiguous_matches && reference.block_has_ambiguous(hit.end / 64) &&
           run_of_n_begin(reference, hit.end) + length <= hit.end + 1;
  });
}

}  // namespace trawl::scan
