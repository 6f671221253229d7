#include "align/locus.hpp"

#include <algorithm>

namespace trawl::align {

void LocusBuilder::start(const sequence::Reference& reference, std::uint32_t max_edits, bool reverse,
                         std::vector<Locus>& loci, std::vector<EndRange>* runs, bool each_end) {
  reference_ = &reference;
  loci_ = &loci;
  runs_ = runs;
  max_edits_ = static_cast<std::uint16_t>(max_edits);
  reverse_ = reverse;
  each_end_ = each_end;
  values_.clear();
}

void LocusBuilder::add(std::int64_t first_end, std::span<const std::uint16_t> distances) {
  if (!values_.empty() && first_end > first_ + static_cast<std::int64_t>(values_.size())) {
    flush();
  }
  if (values_.empty()) {
    first_ = first_end;
  }
  const auto at = static_cast<std::size_t>(first_end - first_);
  if (at + distances.size() > values_.size()) {
    values_.resize(at + distances.size(), static_cast<std::uint16_t>(max_edits_ + 1));
  }
  for (std::size_t i = 0; i < distances.size(); ++i) {
    values_[at + i] = std::min(values_[at + i], distances[i]);
  }
}

void LocusBuilder::flush() {
  const sequence::Contig* contig = nullptr;
  for (std::size_t i = 0; i < values_.size();) {
    const auto end = static_cast<std::uint64_t>(first_ + static_cast<std::int64_t>(i));
    if (values_[i] <= max_edits_ && (contig == nullptr || end >= contig->offset + contig->length)) {
      contig = &reference_->contigs()[reference_->contig_at(end)];
    }
    if (values_[i] > max_edits_ || end < contig->offset || end >= contig->offset + contig->length) {
      ++i;
      continue;
    }
    const std::size_t most = std::min<std::uint64_t>(values_.size() - i, contig->offset + contig->length - end);
    std::size_t ends = 1;
    while (!each_end_ && ends < most && values_[i + ends] <= max_edits_) {
      ++ends;
    }
    add_run(*contig, end, std::span(values_).subspan(i, ends));
    i += ends;
  }
  values_.clear();
}

// A run of ends from `first` on.
void LocusBuilder::add_run(const sequence::Contig& contig, std::uint64_t first,
                           std::span<const std::uint16_t> distances) {
  const std::uint64_t last = first + distances.size() - 1;
  const auto best = std::min_element(distances.begin(), distances.end());
  const auto last_best = std::find(distances.rbegin(), distances.rend(), *best).base() - 1;
  Locus locus{
      .end = first + static_cast<std::uint64_t>(best - distances.begin()), .distance = *best, .reverse = reverse_};
  locus.spread = static_cast<std::uint32_t>(last_best - best);
  // A run all the way round a circular contig is one locus there, too.
  if (contig.topology.repeated > 0 && runs_ == nullptr && !each_end_ && first <= contig.origin() &&
      last >= contig.origin_again() - 1) {
    locus.end = turned_into_circle(contig.origin(), contig.origin_again(), locus.end);
    locus.spread = static_cast<std::uint32_t>(std::min<std::uint64_t>(locus.spread, last - locus.end));
  }
  locus.before = static_cast<std::uint32_t>(locus.end - first);
  locus.after = static_cast<std::uint32_t>(last - locus.end);
  loci_->push_back(locus);
  if (runs_ != nullptr) {
    runs_->push_back({first, last});
  }
}

}  // namespace trawl::align
