#include "align/select.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace trawl::align {

void select(std::span<const Locus> loci, const ReportRule& rule, std::uint64_t hash, Selection& selection) {
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
  if (rule.report == Report::best) {
    return;
  }
  const std::uint32_t worst =
      rule.report == Report::all ? std::numeric_limits<std::uint32_t>::max() : best + rule.strata;
  std::array<std::uint32_t, kMaxEdits + 2> next{};  // where the next locus of a distance goes
  for (std::uint32_t i = 0; i < loci.size(); ++i) {
    if (i != primary && loci[i].distance <= worst) {
      ++next[loci[i].distance + 1u];
    }
  }
  next[0] = 1;
  for (std::size_t d = 1; d < next.size(); ++d) {
    next[d] += next[d - 1];
  }
  order.resize(next.back());
  const auto put = [&](std::uint32_t i) {
    if (i != primary && loci[i].distance <= worst) {
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
  if (rule.max_hits > 0 && order.size() > rule.max_hits) {
    selection.dropped = static_cast<std::uint32_t>(order.size() - rule.max_hits);
    order.resize(rule.max_hits);
  }
}

}  // namespace trawl::align
