#include "io/stats/site_sample.hpp"

#include <utility>

namespace trawl::io {

void SiteSample::add(std::size_t pattern, Site site, const scan::Record* record) {
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
                                      [](const Site& a, const Site& b) { return a.order() < b.order(); });
  sites.insert(place, std::move(site));
  sites.resize(std::min(sites.size(), kSites));
}

void SiteSample::add(const scan::Record& record) {
  bins_.add(record.contig, record.start, record.start + 1);
  if (record.pattern >= closest_.size()) {
    return;
  }
  Site site;
  site.contig = record.contig;
  site.start = record.start;
  site.end = record.end;
  site.reverse = record.reverse;
  site.distance = record.distance;
  site.mismatches = record.mismatches;
  site.dna_bulges = record.dna_bulges;
  site.rna_bulges = record.rna_bulges;
  add(record.pattern, std::move(site), &record);
}

void SiteSample::add(const SiteSample& other) {
  bins_ += other.bins_;
  for (std::size_t p = 0; p < closest_.size(); ++p) {
    for (const Site& site : other.closest_[p]) {
      add(p, site, nullptr);
    }
  }
}

void SiteSample::pack(Packer& to) const {
  bins_.pack(to);
  for (const auto& sites : closest_) {
    to.number<std::uint64_t>(sites.size());
    for (const Site& s : sites) {
      to.number(s.contig).number(s.start).number(s.end).number(s.reverse).number(s.distance).number(s.mismatches);
      to.number(s.dna_bulges).number(s.rna_bulges).text(s.cigar).text(s.text);
    }
  }
}

void SiteSample::add_packed(Unpacker& from) {
  ContigBins bins;
  bins.unpack(from);
  bins_ += bins;
  for (std::size_t p = 0; p < closest_.size(); ++p) {
    for (auto sites = from.number<std::uint64_t>(); sites > 0; --sites) {
      Site s;
      s.contig = from.number<std::uint64_t>();
      s.start = from.number<std::uint64_t>();
      s.end = from.number<std::uint64_t>();
      s.reverse = from.number<bool>();
      s.distance = from.number<std::uint16_t>();
      s.mismatches = from.number<std::uint16_t>();
      s.dna_bulges = from.number<std::uint16_t>();
      s.rna_bulges = from.number<std::uint16_t>();
      s.cigar = from.text();
      s.text = from.text();
      add(p, std::move(s), nullptr);
    }
  }
}

}  // namespace trawl::io
