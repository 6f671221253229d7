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
  bool open = false;  // whether the previous position belongs to the last locus
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (values_[i] > max_edits_) {
      open = false;
      continue;
    }
    const auto end = static_cast<std::uint64_t>(first_ + static_cast<std::int64_t>(i));
    if (contig == nullptr || end >= contig->offset + contig->length) {
      contig = &reference_->contigs()[reference_->contig_at(end)];
    }
    if (end < contig->offset || end >= contig->offset + contig->length) {
      open = false;
      continue;
    }
    if (!open || each_end_) {
      loci_->push_back({end, values_[i], reverse_});
      if (runs_ != nullptr) {
        runs_->push_back({end, end});
      }
      open = true;
      continue;
    }
    if (runs_ != nullptr) {
      runs_->back().last = end;
    }
    if (values_[i] < loci_->back().distance) {
      loci_->back() = {end, values_[i], reverse_};
    } else if (values_[i] == loci_->back().distance) {
      loci_->back().spread = static_cast<std::uint32_t>(end - loci_->back().end);
    }
  }
  values_.clear();
}

}  // namespace trawl::align
