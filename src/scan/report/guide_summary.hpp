// Counts the sites of each guide, and adds up their scores.
//
//   with: const PatternList& patterns, const ScanOptions& options, const GuideRules& rules
//   with: std::span<const SiteRecord> records
//   GuideSummary summary(patterns, options, rules);
//   summary.add(records);
//   const std::uint64_t sites = summary.sites(0, 1, 0);           // of the first guide, with one mismatch and no bulge
//   if (summary.cfd_specificity(0) == 100) { ... }                // no off-target that may be cut
//
// A site with an alignment without bulges counts as that one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "scan/options.hpp"
#include "scan/report/aligned_site.hpp"
#include "scan/report/record.hpp"

namespace trawl::scan {

class GuideSummary {
 public:
  /// Takes about 8 bytes for each guide and each pair of a number of mismatches and of bulges, and 150 bytes more.
  /// `patterns`: without their PAM.
  GuideSummary(PatternList patterns, const ScanOptions& options, const GuideRules& rules);

  void add(std::span<const SiteRecord> records);
  void add(const GuideSummary& other);
  /// All numbers, for a sum over several processes: the same whatever the order of the records.
  std::span<std::uint64_t> all() { return numbers_; }

  std::size_t guides() const { return patterns_.size(); }
  std::uint32_t max_mismatches() const { return max_mismatches_; }
  std::uint32_t max_bulges() const { return max_bulges_; }
  std::uint32_t max_edits() const { return max_edits_; }

  std::uint64_t sites(std::size_t guide, std::uint32_t mismatches, std::uint32_t bulges) const {
    return of(guide)[bulges * (max_mismatches_ + std::size_t{1}) + mismatches];
  }
  std::uint64_t sites(std::size_t guide) const;
  /// How many have no score, because of a letter that is no base.
  std::uint64_t without_score(std::size_t guide) const { return of(guide)[scores_ + kWithout]; }
  /// 100 * 100 / (100 + the sum of the scores, in percent, of all off-targets): all sites but the target, the site
  /// without edits that has the best PAM. Nothing for a guide that has no scores.
  std::optional<double> cfd_specificity(std::size_t guide) const;
  std::optional<double> mit_specificity(std::size_t guide) const;

 private:
  // The numbers of a guide: sites by bulges and mismatches, then these.
  enum Score : std::size_t { kCfd, kMit, kWithout, kPerfect };
  static constexpr std::size_t kPairs = 16;  // sites without edits, by the last two letters of their PAM

  // What a record adds to the scores.
  struct Scored {
    bool has_scores = false;
    std::uint8_t pam_pair = 0;
    std::uint64_t cfd = 0, mit = 0;
  };

  Scored score(const SiteRecord& record, AlignedSite& site, RecordTexts& room) const;
  void add(const SiteRecord& record, const Scored& scored);

  std::span<const std::uint64_t> of(std::size_t guide) const {
    return std::span(numbers_).subspan(guide * stride_, stride_);
  }

  PatternList patterns_;
  GuideRules rules_;
  std::uint32_t max_edits_, max_mismatches_, max_bulges_;
  std::size_t scores_;  // place of the scores
  std::size_t stride_;  // numbers of a guide
  std::vector<std::uint64_t> numbers_;
  std::vector<Scored> scored_;
};

}  // namespace trawl::scan
