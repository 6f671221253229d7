#include "align/select.hpp"

#include <algorithm>

namespace trawl::align {

void select(std::span<const Locus> loci, const ReportRule& rule, std::uint64_t hash, Selection& selection,
            const std::uint32_t* known_primary) {
  selection.order.clear();
  selection.best_count = 0;
  selection.next_count = 0;
  selection.dropped = 0;
  if (loci.empty()) {
    return;
  }
  const Strata strata = find_strata(
      static_cast<std::uint32_t>(loci.size()), [&](std::uint32_t l) { return std::uint32_t{loci[l].distance}; }, rule,
      hash);
  selection.best_count = strata.best_count;
  selection.next_count = strata.next_count;
  selection.dropped = strata.dropped(rule);
  const std::uint32_t primary = known_primary != nullptr ? *known_primary : strata.primary;
  auto& order = selection.order;
  order.push_back(primary);
  if (rule.report == Report::best) {
    return;
  }
  const auto is_next = [&](std::uint32_t i) {
    return i != primary && is_reported(rule, strata.best, loci[i].distance);
  };
  const auto worst = std::max_element(loci.begin(), loci.end(),
                                      [](const Locus& a, const Locus& b) { return a.distance < b.distance; });
  std::vector<std::uint32_t> next(worst->distance + 2u, 0);  // where the next locus of a distance goes
  for (std::uint32_t i = 0; i < loci.size(); ++i) {
    if (is_next(i)) {
      ++next[loci[i].distance + 1u];
    }
  }
  next[0] = 1;
  for (std::size_t d = 1; d < next.size(); ++d) {
    next[d] += next[d - 1];
  }
  order.resize(next.back());
  const auto put = [&](std::uint32_t i) {
    if (is_next(i)) {
      order[next[loci[i].distance]++] = i;
    }
  };
  const auto first_reverse = std::find_if(loci.begin(), loci.end(), [](const Locus& locus) { return locus.reverse; });
  const auto strands = static_cast<std::uint32_t>(first_reverse - loci.begin());
  std::uint32_t forward = 0;
  for (std::uint32_t reverse = strands; reverse < loci.size(); ++reverse) {
    while (forward < strands && loci[forward].end <= loci[reverse].end) {
      put(forward++);
    }
    put(reverse);
  }
  while (forward < strands) {
    put(forward++);
  }
  keep(
      strata.dropped(rule), [&](std::uint32_t i) { return loci[i].distance; }, hash, order);
}

}  // namespace trawl::align
