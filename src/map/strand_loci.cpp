#include "map/strand_loci.hpp"

#include <algorithm>

namespace trawl::map {

std::uint64_t SearchRule::deepest(const std::vector<Strand>& strands) const {
  std::uint64_t deepest = 0;
  for (const Strand& strand : strands) {
    const std::uint64_t most =
        with_runs ? longest_whole : max_ambiguous.with_edits(strand.allowed_edits).of(strand.read->length());
    deepest = std::max(deepest, most + strand.allowed_edits);
  }
  return deepest;
}

void SearchRule::drop_leaning(const Strand& strand, std::vector<align::EndDistance>& ends) const {
  const sequence::AmbiguousLimit limit = max_ambiguous.with_edits(strand.allowed_edits);
  std::erase_if(ends, [&](const align::EndDistance& end) {
    return !sequence::allows_end(reference, limit, strand.read->length(), end.end);
  });
}

void StrandLoci::start(const std::vector<Strand>& strands) {
  strands_ = strands;
  loci_.clear();
  runs_.clear();
  ranges_.assign(strands.size(), {});
  late_.resize(strands.size());
  for (auto& ends : late_) {
    ends.clear();
  }
}

void StrandLoci::begin(std::uint32_t strand) {
  strand_ = strand;
  ranges_[strand].first = loci_.size();
  builder_.start(rule_.reference, strands_[strand].max_edits, strand % 2 == 1, loci_,
                 rule_.with_runs ? &runs_ : nullptr, !rule_.gaps);
}

void StrandLoci::add(std::int64_t first_end, std::span<const std::uint16_t> distances) {
  if (!rule_.reference_matches_more) {
    builder_.add(first_end, distances);
    return;
  }
  for (std::size_t i = 0; i < distances.size(); ++i) {
    if (distances[i] <= strands_[strand_].max_edits) {
      late_[strand_].push_back({static_cast<std::uint64_t>(first_end) + i, distances[i]});
    }
  }
}

void StrandLoci::end() {
  builder_.finish();
  ranges_[strand_].count = loci_.size() - ranges_[strand_].first;
}

void StrandLoci::put(std::uint32_t strand, std::span<const align::Locus> loci, std::span<const align::EndRange> runs) {
  ranges_[strand] = {loci_.size(), loci.size()};
  loci_.insert(loci_.end(), loci.begin(), loci.end());
  runs_.insert(runs_.end(), runs.begin(), runs.end());
}

void StrandLoci::finish() {
  for (std::uint32_t s = 0; s < late_.size(); ++s) {
    std::vector<align::EndDistance>& ends = late_[s];
    if (ends.empty()) {
      continue;
    }
    std::sort(ends.begin(), ends.end(), [](const auto& a, const auto& b) { return a.end < b.end; });
    if (rule_.may_lean()) {
      rule_.drop_leaning(strands_[s], ends);
    }
    begin(s);
    for (const align::EndDistance& one : ends) {
      builder_.add(static_cast<std::int64_t>(one.end), {&one.distance, 1});
    }
    end();
  }
}

void StrandLoci::drop_repeats() {
  const auto& contigs = rule_.reference.contigs();
  for (LociRange& range : ranges_) {
    const auto first = loci_.begin() + static_cast<std::ptrdiff_t>(range.first);
    const auto kept = std::remove_if(first, first + static_cast<std::ptrdiff_t>(range.count), [&](const auto& locus) {
      return !contigs[rule_.reference.contig_at(locus.end)].is_own(locus.end);
    });
    range.count = static_cast<std::size_t>(kept - first);
  }
}

}  // namespace trawl::map
