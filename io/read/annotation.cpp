#include "io/read/annotation.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "base/error.hpp"

namespace trawl::io {

namespace {

constexpr std::string_view kFeatures[] = {"intergenic", "gene", "intron", "exon", "CDS"};

}  // namespace

Annotation::Annotation(std::vector<std::string> genes, std::vector<GenePart> parts) : genes_(std::move(genes)) {
  std::sort(parts.begin(), parts.end(), [](const GenePart& a, const GenePart& b) { return a.contig < b.contig; });
  struct GeneBorder {
    std::uint64_t at;
    bool is_end;
    std::uint32_t gene;
    Feature feature;
  };
  std::vector<GeneBorder> events;
  for (std::size_t first = 0, last; first < parts.size(); first = last) {
    events.clear();
    for (last = first; last < parts.size() && parts[last].contig == parts[first].contig; ++last) {
      const GenePart& part = parts[last];
      if (part.begin < part.end) {
        events.push_back({part.begin, false, part.gene, part.feature});
        events.push_back({part.end, true, part.gene, part.feature});
      }
    }
    std::sort(events.begin(), events.end(), [](const GeneBorder& a, const GeneBorder& b) { return a.at < b.at; });
    std::vector<GeneSegment>& segments = contigs_[parts[first].contig];
    std::map<std::uint32_t, std::uint32_t> open;  // how many parts of each gene
    std::uint32_t of_feature[std::size(kFeatures)] = {};
    std::vector<std::uint32_t> before;  // the genes of the segment before this one
    for (std::size_t e = 0; e < events.size();) {
      const std::uint64_t at = events[e].at;
      for (; e < events.size() && events[e].at == at; ++e) {
        const GeneBorder& event = events[e];
        if (event.is_end) {
          --of_feature[static_cast<std::size_t>(event.feature)];
          if (--open[event.gene] == 0) {
            open.erase(event.gene);
          }
        } else {
          ++of_feature[static_cast<std::size_t>(event.feature)];
          ++open[event.gene];
        }
      }
      if (open.empty()) {
        continue;
      }
      std::size_t feature = std::size(kFeatures) - 1;
      while (of_feature[feature] == 0) {
        --feature;
      }
      std::vector<std::uint32_t> now;
      for (const auto& [gene, count] : open) {
        now.push_back(gene);
      }
      if (now.size() > UINT16_MAX) {
        throw Error("more than " + std::to_string(UINT16_MAX) + " genes of the annotation overlap on " +
                    parts[first].contig + "; give one with fewer");
      }
      const bool is_same = now == before && !segments.empty();
      if (!is_same) {
        lists_.insert(lists_.end(), now.begin(), now.end());
      }
      const auto list = static_cast<std::uint32_t>(lists_.size() - now.size());
      segments.push_back(
          {at, events[e].at, list, static_cast<std::uint16_t>(now.size()), static_cast<Feature>(feature)});
      before = std::move(now);
    }
  }
}

std::string Annotation::warning(const std::vector<sequence::Contig>& contigs, const std::string& path) const {
  const auto has_genes = [this](const sequence::Contig& contig) { return contigs_.contains(contig.name); };
  return std::any_of(contigs.begin(), contigs.end(), has_genes)
             ? ""
             : "no sequence of the reference has a gene in " + path + ": their names differ, for example chr1 and 1";
}

void Annotation::find(std::string_view contig, std::uint64_t begin, std::uint64_t end, Finding& place) const {
  place.genes.clear();
  place.found.clear();
  Feature feature = Feature::intergenic;
  if (const auto found = contigs_.find(std::string(contig)); found != contigs_.end()) {
    const std::vector<GeneSegment>& segments = found->second;
    auto segment = std::partition_point(segments.begin(), segments.end(),
                                        [&](const GeneSegment& one) { return one.end <= begin; });
    for (; segment != segments.end() && segment->begin < end; ++segment) {
      feature = std::max(feature, segment->feature);
      const auto list = lists_.begin() + segment->first;
      place.found.insert(place.found.end(), list, list + segment->genes);
    }
  }
  std::sort(place.found.begin(), place.found.end());
  place.found.erase(std::unique(place.found.begin(), place.found.end()), place.found.end());
  for (const std::uint32_t gene : place.found) {
    place.genes.append(place.genes.empty() ? "" : ",").append(genes_[gene]);
  }
  if (place.genes.empty()) {
    place.genes = ".";
  }
  place.feature = kFeatures[static_cast<std::size_t>(feature)];
}

}  // namespace trawl::io
