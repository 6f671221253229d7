#include "map/search_depth.hpp"

#include <algorithm>

#include "align/mapq.hpp"
#include "align/pair_mapq.hpp"
#include "align/pairing.hpp"
#include "map/verify.hpp"

namespace trawl::map {

namespace {

// Enough for a read without edits, the most common case. More edits in the first search cost more time than they save
// (docs/record/map.md).
constexpr std::uint32_t kFirstDepth = 2;
// Reads with fewer edits allowed are short, and many of those from repeats have an exact match at very many places.
constexpr std::uint32_t kFewEdits = 3;

}  // namespace

std::uint32_t strata_of_pairs(const Options& options) {
  return std::max(
      options.report == Report::strata ? options.strata : 0u,
      options.pairs.discordant == align::Discordant::always ? align::MapqModel::kStrata : align::kPairStrata);
}

SearchDepth::SearchDepth(const sequence::Reference& reference, const Options& options)
    : rule_(options.report_rule()),
      always_full_(options.report == Report::all || options.search == Search::scan ||
                   (options.ambiguous == Ambiguous::match && !reference.ambiguous_runs().empty())),
      reported_(options.report == Report::strata ? options.strata : 0u),
      paired_(strata_of_pairs(options)),
      strata_(std::max(1u, reported_)) {}

std::uint32_t SearchDepth::strata(const Options& options) {
  return options.report == Report::all
             ? kMaxEdits
             : std::max(align::MapqModel::kStrata, options.report == Report::strata ? options.strata : 0u);
}

std::uint32_t SearchDepth::first(const sequence::EncodedRead& read, std::uint32_t allowed, bool paired) const {
  if (always_full_ || band_width(allowed) == 0 || read.length() > kMaxLaneRead) {
    return allowed;
  }
  const std::uint32_t depth = allowed <= kFewEdits && !paired ? 0 : std::max(kFirstDepth, strata_);
  return std::min(allowed, depth + static_cast<std::uint32_t>(read.ambiguous));
}

std::uint32_t SearchDepth::needed(const align::Selection& selection, std::span<const align::Locus> loci,
                                  std::uint32_t allowed) const {
  if (always_full_ || loci.empty()) {
    return allowed;
  }
  // A read with several best loci has a mapping quality of 0, so worse loci do not change it.
  const std::uint32_t behind = align::are_enough(rule_, selection.best_count) ? 0
                               : selection.best_count > 1                     ? strata_
                                                          : std::max(strata_, align::MapqModel::kStrata);
  return std::min(allowed, loci[selection.order.front()].distance + behind);
}

void SearchDepth::needed_for_pair(const align::ReadLoci* mates, std::uint32_t smallest_sum,
                                  std::uint32_t* needed) const {
  std::uint32_t best[2] = {align::kAnySum, align::kAnySum};
  for (unsigned m = 0; m < 2; ++m) {
    for (const align::Locus& locus : mates[m].loci) {
      best[m] = std::min<std::uint32_t>(best[m], locus.distance);
    }
  }
  const bool may_pair = !mates[0].loci.empty() && !mates[1].loci.empty();
  for (unsigned m = 0; m < 2; ++m) {
    if (mates[m].loci.empty()) {
      continue;
    }
    std::uint32_t wanted = best[m] + std::max(reported_, align::MapqModel::kStrata);  // if it is reported alone
    if (may_pair) {
      // In a pair with an unseen locus of this mate, the other mate has at least its smallest distance.
      wanted =
          smallest_sum == align::kAnySum ? mates[m].max_edits : std::max(best[m], smallest_sum - best[1 - m]) + paired_;
    }
    needed[m] = always_full_ ? mates[m].max_edits : std::min(mates[m].max_edits, wanted);
  }
}

}  // namespace trawl::map
