#include "map/select.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

namespace trawl::map {

void select(std::span<const Locus> loci, const Options& options, std::uint64_t hash, Selection& selection) {
  selection.order.clear();
  selection.best_count = 0;
  selection.next_count = 0;
  selection.dropped = 0;
  if (loci.empty()) {
    return;
  }
  std::uint32_t best = std::numeric_limits<std::uint16_t>::max();
  for (const Locus& locus : loci) {
    best = std::min<std::uint32_t>(best, locus.distance);
  }
  for (const Locus& locus : loci) {
    selection.best_count += locus.distance == best;
    selection.next_count += locus.distance == best + 1;
  }

  std::uint64_t skip = hash % selection.best_count;
  std::uint32_t primary = 0;
  while (loci[primary].distance != best || skip-- > 0) {
    ++primary;
  }
  auto& order = selection.order;
  order.push_back(primary);
  if (options.report == Report::best) {
    return;
  }
  const std::uint32_t worst =
      options.report == Report::all ? std::numeric_limits<std::uint32_t>::max() : best + options.strata;
  for (std::uint32_t i = 0; i < loci.size(); ++i) {
    if (i != primary && loci[i].distance <= worst) {
      order.push_back(i);
    }
  }
  std::sort(order.begin() + 1, order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::tuple(loci[a].distance, loci[a].end, loci[a].reverse) <
           std::tuple(loci[b].distance, loci[b].end, loci[b].reverse);
  });
  if (options.max_hits > 0 && order.size() > options.max_hits) {
    selection.dropped = static_cast<std::uint32_t>(order.size() - options.max_hits);
    order.resize(options.max_hits);
  }
}

}  // namespace trawl::map
