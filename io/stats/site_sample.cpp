#include "io/stats/site_sample.hpp"

#include <utility>

namespace trawl::io {

void SiteSample::add(std::size_t pattern, SampledSite site, const scan::SiteRecord* record) {
  auto& sites = closest_[pattern];
  if (sites.size() == kSites && !(site.order() < sites.back().order())) {
    return;
  }
  if (record != nullptr && (record->texts || record->is_packed)) {
    scan::RecordTexts room;
    const scan::RecordTexts& texts = record->texts_or({}, room, false);
    if (texts.text.size() <= kLongest && texts.cigar.size() <= kLongest) {
      site.cigar = texts.cigar;
      site.text = texts.text;
    }
  }
  const auto place = std::upper_bound(sites.begin(), sites.end(), site,
                                      [](const SampledSite& a, const SampledSite& b) { return a.order() < b.order(); });
  sites.insert(place, std::move(site));
  sites.resize(std::min(sites.size(), kSites));
}

void SiteSample::add(const scan::SiteRecord& record) {
  bins_.add(record.contig, record.start, record.start + 1);
  if (record.pattern >= closest_.size()) {
    return;
  }
  const SampledSite site{record.contig,
                         record.start,
                         record.end,
                         record.reverse,
                         record.distance,
                         record.mismatches,
                         record.dna_bulges,
                         record.rna_bulges,
                         {},
                         {}};
  add(record.pattern, site, &record);
}

void SiteSample::add(const SiteSample& other) {
  bins_ += other.bins_;
  for (std::size_t p = 0; p < closest_.size(); ++p) {
    for (const SampledSite& site : other.closest_[p]) {
      add(p, site, nullptr);
    }
  }
}

}  // namespace trawl::io
