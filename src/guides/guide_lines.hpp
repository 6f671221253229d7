// The lines of `trawl guides`: of all guides in a stretch of a reference.
//
//   with: const sequence::Reference& reference, const words::GuideSiteFinder& finder, const words::SiteWords& words
//   with: std::span<const words::SiteSums> sums
//   GuideLines lines(reference, finder, words, {});
//   std::string text = lines.header();
//   lines.append({0, 1'000'000}, sums, text);
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/read/annotation.hpp"
#include "sequence/reference.hpp"
#include "words/site_join.hpp"
#include "words/site_words.hpp"

namespace trawl::guides {

struct LineRule {
  bool is_bed = false;
  char separator = '\t';
  bool only_unique = false;
  std::uint32_t min_specificity = 0;
  std::uint32_t seed_length = 0;  // 0: no such column
  std::shared_ptr<const io::Annotation> genes = nullptr;
};

/// Starts of guides in the coordinate space: [begin, end), in one contig.
struct GuideStarts {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// Calls take(site) for each guide that begins there.
template <class Take>
void for_each_guide(const words::GuideSiteFinder& guides, const GuideStarts& starts, const Take& take) {
  for (std::uint64_t block = starts.begin / 64; block * 64 < starts.end; ++block) {
    guides.for_each(block, 0, [&](const words::GuideSite& site) {
      if (site.start >= starts.begin && site.start < starts.end) {
        take(site);
      }
    });
  }
}

class GuideLines {
 public:
  /// All must outlive this object.
  GuideLines(const sequence::Reference& reference, const words::GuideSiteFinder& guides, const words::SiteWords& words,
             const LineRule& rule);

  /// With the newline; empty for BED.
  std::string header() const;

  struct GuideCounts {
    std::uint64_t guides = 0, written = 0, unique = 0;
  };
  /// Appends a line for each guide that the rule wants. `sums`: of the words that are asked for. Several threads may
  /// call it at the same time.
  GuideCounts append(const GuideStarts& starts, std::span<const words::SiteSums> sums, std::string& text) const;

 private:
  // What a line is made of.
  struct Guide {
    std::string_view contig;
    std::uint64_t start = 0;
    bool reverse = false;
    std::string_view bases, pam;
    const words::SiteSums* sums = nullptr;
    double cfd = 0, mit = 0;  // specificity
    std::uint32_t seed_sites = 0;
  };
  struct SumsOfGuide {
    const words::SiteSums* sums = nullptr;
    double target = 0;  // the best CFD of a site with the same bases
  };

  std::vector<SumsOfGuide> find(std::span<const words::GuideSite> guides, std::span<const words::SiteSums> sums) const;
  void put_table(const Guide& guide, io::Annotation::Finding& place, std::string& text) const;
  void put_bed(const Guide& guide, std::string& text) const;
  void put_cut(const Guide& guide, std::string& text) const;
  std::uint64_t seed_of(std::uint64_t word) const;

  const sequence::Reference& reference_;
  const words::GuideSiteFinder& guides_;
  const words::SiteWords& words_;
  LineRule rule_;
  std::vector<std::uint32_t> seeds_;  // how many sites have each seed
};

}  // namespace trawl::guides
