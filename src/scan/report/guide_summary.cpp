#include "scan/report/guide_summary.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "scan/report/guide_scores.hpp"

namespace trawl::scan {

namespace {

// Records that are scored at a time by all threads, and by one.
constexpr std::size_t kScored = std::size_t{1} << 16;
constexpr std::size_t kScoredAPiece = 512;

}  // namespace

GuideSummary::GuideSummary(PatternList patterns, const ScanOptions& options, const GuideRules& rules)
    : patterns_(std::move(patterns)),
      rules_(rules),
      max_edits_(options.max_edits),
      max_mismatches_(options.max_mismatches),
      max_bulges_(options.max_bulges),
      scores_((max_mismatches_ + std::size_t{1}) * (max_bulges_ + std::size_t{1})),
      stride_(scores_ + kPerfect + kPairs),
      numbers_(patterns_.size() * stride_) {}

void GuideSummary::add(std::span<const SiteRecord> records) {
  for (; !records.empty(); records = records.subspan(std::min(records.size(), kScored))) {
    const auto some = records.first(std::min(records.size(), kScored));
    scored_.resize(some.size());
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, some.size(), kScoredAPiece), [&](const auto& range) {
      AlignedSite site(rules_);
      RecordTexts room;
      for (std::size_t r = range.begin(); r < range.end(); ++r) {
        scored_[r] = score(some[r], site, room);
      }
    });
    for (std::size_t r = 0; r < some.size(); ++r) {
      add(some[r], scored_[r]);
    }
  }
}

GuideSummary::Scored GuideSummary::score(const SiteRecord& record, AlignedSite& site, RecordTexts& room) const {
  const std::string_view guide = patterns_[record.pattern].bases;
  if (!has_scores(guide, rules_.pam)) {
    return {};
  }
  // A record of a guide has its texts, or is packed.
  site.align(record, record.texts_or({}, room, false), guide);
  if (!site.scores) {
    return {};
  }
  return {true, static_cast<std::uint8_t>(site.scores->pam_pair),
          static_cast<std::uint64_t>(std::llround(site.scores->cfd / kScoreUnit)),
          static_cast<std::uint64_t>(std::llround(site.scores->mit.value_or(0) / kScoreUnit))};
}

void GuideSummary::add(const SiteRecord& record, const Scored& scored) {
  std::uint64_t* const numbers = numbers_.data() + record.pattern * stride_;
  const SiteRecord& counted = record.ungapped() != nullptr ? *record.ungapped() : record;
  const std::size_t bulges = std::size_t{counted.dna_bulges} + counted.rna_bulges;
  ++numbers[bulges * (max_mismatches_ + std::size_t{1}) + counted.mismatches];
  if (!scored.has_scores) {
    ++numbers[scores_ + kWithout];
    return;
  }
  numbers[scores_ + kCfd] += scored.cfd;
  numbers[scores_ + kMit] += scored.mit;
  if (record.distance == 0) {
    ++numbers[scores_ + kPerfect + scored.pam_pair];
  }
}

void GuideSummary::add(const GuideSummary& other) {
  std::transform(numbers_.begin(), numbers_.end(), other.numbers_.begin(), numbers_.begin(), std::plus<>());
}

std::uint64_t GuideSummary::sites(std::size_t guide) const {
  const auto numbers = of(guide).first(scores_);
  return std::accumulate(numbers.begin(), numbers.end(), std::uint64_t{0});
}

std::optional<double> GuideSummary::cfd_specificity(std::size_t guide) const {
  if (!has_scores(patterns_[guide].bases, rules_.pam)) {
    return std::nullopt;
  }
  double target = 0;
  for (unsigned pair = 0; pair < kPairs; ++pair) {
    if (of(guide)[scores_ + kPerfect + pair] > 0) {
      target = std::max(target, cfd_of_pam(pair));
    }
  }
  return specificity(of(guide)[scores_ + kCfd], target, 100);
}

std::optional<double> GuideSummary::mit_specificity(std::size_t guide) const {
  if (!has_scores(patterns_[guide].bases, rules_.pam)) {
    return std::nullopt;
  }
  const auto perfect = of(guide).subspan(scores_ + kPerfect, kPairs);
  const bool has_target = std::any_of(perfect.begin(), perfect.end(), [](std::uint64_t n) { return n > 0; });
  return specificity(of(guide)[scores_ + kMit], has_target ? 100 : 0, 1);
}

}  // namespace trawl::scan
