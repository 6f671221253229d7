#include "align/select.hpp"

#include <algorithm>
#include <iterator>
#include <ranges>

#include "base/radix_sort.hpp"

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
  // By end, then strand; and then by distance, the primary one first.
  const auto first_reverse = std::find_if(loci.begin(), loci.end(), [](const Locus& locus) { return locus.reverse; });
  const auto forward = static_cast<std::uint32_t>(first_reverse - loci.begin());
  const auto end_of = [&](std::uint32_t i) { return loci[i].end; };
  order.clear();
  std::ranges::merge(std::views::iota(0u, forward), std::views::iota(forward, static_cast<std::uint32_t>(loci.size())),
                     std::back_inserter(order), {}, end_of, end_of);
  std::erase_if(order,
                [&](std::uint32_t i) { return i != primary && !is_reported(rule, strata.best, loci[i].distance); });
  std::vector<std::uint32_t> room;
  radix_sort(order, room, [&](std::uint32_t i) { return i == primary ? std::uint64_t{0} : loci[i].distance + 1u; });
  keep(
      strata.dropped(rule), [&](std::uint32_t i) { return loci[i].distance; }, hash, order);
}

}  // namespace trawl::align
