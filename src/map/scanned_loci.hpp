// Collects the loci of one strand from a scan, and keeps only those that are needed.
//
//   with: const sequence::Reference reference = reference_of("GGCTAGATTACAGATTTC")
//   const std::uint64_t end = sequence::kContigGap + 10;
//   ScannedLoci loci(reference, 1, false, 2, false, false);
//   loci.add(std::vector<align::EndDistance>{{end, 1}, {end + 1, 0}});
//   loci.add(std::vector<align::EndDistance>{{end + 2, 1}});
//   loci.finish()[0].end == end + 1                                // one run of ends, so one locus
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "align/locus.hpp"
#include "sequence/reference.hpp"

namespace trawl::map {

class ScannedLoci {
 public:
  /// Only loci at most `strata` edits worse than the best one are kept. `with_runs`: all are kept, and their runs, too.
  /// `each_end`: see LocusBuilder.
  ScannedLoci(const sequence::Reference& reference, std::uint32_t max_edits, bool reverse, std::uint32_t strata,
              bool with_runs, bool each_end)
      : reference_(&reference),
        max_edits_(max_edits),
        reverse_(reverse),
        strata_(strata),
        with_runs_(with_runs),
        each_end_(each_end) {}

  /// Ends must be in ascending order, also from one call to the next.
  void add(std::span<const align::EndDistance> ends) {
    if (!started_) {
      builder_.start(*reference_, max_edits_, reverse_, loci_, with_runs_ ? &runs_ : nullptr, each_end_);
      started_ = true;
    }
    for (const align::EndDistance& end : ends) {
      builder_.add(static_cast<std::int64_t>(end.end), {&end.distance, 1});
    }
    if (!with_runs_ && loci_.size() > 2 * kept_ + kFew) {
      drop_far();
    }
  }

  /// Returns all loci kept.
  const std::vector<align::Locus>& finish() {
    if (started_) {
      builder_.finish();
      if (!with_runs_) {
        drop_far();
      }
    }
    return loci_;
  }

  /// The runs of the loci that finish() returned.
  const std::vector<align::EndRange>& runs() const { return runs_; }

 private:
  static constexpr std::size_t kFew = 4096;

  void drop_far() {
    for (const align::Locus& locus : loci_) {
      best_ = std::min<std::uint32_t>(best_, locus.distance);
    }
    std::erase_if(loci_, [&](const align::Locus& locus) { return locus.distance - best_ > strata_; });
    kept_ = loci_.size();
  }

  const sequence::Reference* reference_;
  std::uint32_t max_edits_;
  bool reverse_;
  std::uint32_t strata_;
  bool with_runs_;
  bool each_end_;
  bool started_ = false;
  std::uint32_t best_ = 0xffff;
  std::size_t kept_ = 0;  // size of loci_ when loci far from the best were last dropped
  align::LocusBuilder builder_;
  std::vector<align::Locus> loci_;
  std::vector<align::EndRange> runs_;
};

}  // namespace trawl::map
