// What --report-html of `trawl scan` needs of the records: how many begin where, and the closest sites of each pattern.
//
//   scan::SiteRecord record;
//   record.end = 20;
//   SiteSample sites(1);                             // of one pattern
//   sites.add(record);                               // in any order
//   sites.closest(0).front().distance == 0           // by distance, then by place
//
// Memory: kSites sites for each of the first kPatterns patterns, of at most about 1 KB each, and the bins.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "base/packer.hpp"
#include "io/stats/histogram.hpp"
#include "scan/report/record.hpp"

namespace trawl::io {

/// A record with its texts.
struct SampledSite {
  std::uint64_t contig = 0;
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  bool reverse = false;
  std::uint16_t distance = 0;
  std::uint16_t mismatches = 0;
  std::uint16_t dna_bulges = 0;
  std::uint16_t rna_bulges = 0;
  std::string cigar;  // in the direction of the reference; empty: all letters are the same, or the site is too long
  std::string text;   // the letters of the reference, on the strand of the pattern

  template <class Self>
  static auto members(Self& self) {
    return std::tie(self.contig, self.start, self.end, self.reverse, self.distance, self.mismatches, self.dna_bulges,
                    self.rna_bulges, self.cigar, self.text);
  }
  auto order() const { return std::tie(distance, contig, start, reverse, end); }
};

class SiteSample {
 public:
  static constexpr std::size_t kPatterns = 500;
  static constexpr std::size_t kSites = 20;
  /// The texts of a site with more letters are not kept.
  static constexpr std::size_t kLongest = 400;

  explicit SiteSample(std::size_t patterns) : closest_(std::min(patterns, kPatterns)) {}

  void add(const scan::SiteRecord& record);
  /// What another part of the same run has found.
  void add(const SiteSample& other);

  /// How many patterns have their sites kept: the first ones.
  std::size_t patterns() const { return closest_.size(); }
  /// The sites of a pattern with the fewest edits; of those with the same number the first ones along the reference.
  const std::vector<SampledSite>& closest(std::size_t pattern) const { return closest_[pattern]; }
  ContigBins& bins() { return bins_; }

  template <class Self>
  static auto members(Self& self) {
    return std::tie(self.bins_, self.closest_);
  }

 private:
  // The texts of the record, if it is given and has any, become those of the site if it is kept.
  void add(std::size_t pattern, SampledSite site, const scan::SiteRecord* record);

  ContigBins bins_;                                // records that begin in each bin
  std::vector<std::vector<SampledSite>> closest_;  // by pattern, each in order
};

}  // namespace trawl::io
