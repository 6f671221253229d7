#include "scan/find/finder.hpp"

#include <tbb/parallel_sort.h>

#include <algorithm>
#include <cstdint>

#include "scan/find/dead_text.hpp"

namespace trawl::scan {

void Finder::find(const sequence::Reference& reference, std::vector<Hit>& ends) {
  load(reference);
  ends.clear();
  std::vector<Hit> some;
  Region region{0, reference.size()};
  while (region.begin < region.end) {
    region.begin = find(region, SIZE_MAX, some);
    ends.insert(ends.end(), some.begin(), some.end());
  }
  sort_ends(ends);
}

bool EndFilter::keeps(const Hit& hit) {
  if (contig_ == nullptr || hit.end < contig_->offset || hit.end >= contig_->offset + contig_->length) {
    contig_ = &reference_.contigs()[reference_.contig_at(hit.end)];
  }
  if (hit.end < contig_->offset || hit.end >= contig_->offset + contig_->length) {
    return false;
  }
  if (options_.metric != Metric::hamming && !options_.ambiguous_matches) {
    return true;
  }
  const Query& query = queries_[hit.id];
  const std::uint64_t window = std::min<std::uint64_t>(query.length(), hit.end + 1 - contig_->offset);
  if (options_.metric == Metric::hamming && window < query.length()) {
    return false;
  }
  return !options_.ambiguous_matches ||
         !is_matched_by_n(reference_, hit.end + 1 - window, hit.end + 1, query.length(), n_edits(options_));
}

void sort_ends(std::vector<Hit>& ends) {
  tbb::parallel_sort(ends.begin(), ends.end(), [](const Hit& a, const Hit& b) {
    return a.id != b.id ? a.id < b.id : a.end != b.end ? a.end < b.end : a.distance < b.distance;
  });
  const auto same = [](const Hit& a, const Hit& b) { return a.id == b.id && a.end == b.end; };
  ends.erase(std::unique(ends.begin(), ends.end(), same), ends.end());
}

void tidy_ends(const sequence::Reference& reference, const std::vector<Query>& queries, const Options& options,
               std::vector<Hit>& ends) {
  sort_ends(ends);
  EndFilter filter(reference, queries, options);
  std::erase_if(ends, [&](const Hit& hit) { return !filter.keeps(hit); });
}

}  // namespace trawl::scan
