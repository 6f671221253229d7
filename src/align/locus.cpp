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
  bool open = false;        // whether the previous position belongs to the last locus
  std::uint64_t first = 0;  // of its run
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const auto end = static_cast<std::uint64_t>(first_ + static_cast<std::int64_t>(i));
    if (values_[i] > max_edits_) {
      if (open) {
        end_run(*contig, first, end - 1);
      }
      open = false;
      continue;
    }
    if (contig == nullptr || end >= contig->offset + contig->length) {
      if (open) {
        end_run(*contig, first, end - 1);
      }
      open = false;
      contig = &reference_->contigs()[reference_->contig_at(end)];
    }
    if (end < contig->offset || end >= contig->offset + contig->length) {
      continue;
    }
    if (!open || each_end_) {
      first = end;
      loci_->push_back({.end = end, .distance = values_[i], .reverse = reverse_});
      if (runs_ != nullptr) {
        runs_->push_back({end, end});
      }
      open = !each_end_;
      continue;
    }
    if (runs_ != nullptr) {
      runs_->back().last = end;
    }
    if (values_[i] < loci_->back().distance) {
      loci_->back() = {.end = end, .distance = values_[i], .reverse = reverse_};
    } else if (values_[i] == loci_->back().distance) {
      loci_->back().spread = static_cast<std::uint32_t>(end - loci_->back().end);
    }
  }
  if (open) {
    end_run(*contig, first, static_cast<std::uint64_t>(first_ + static_cast<std::int64_t>(values_.size())) - 1);
  }
  values_.clear();
}

// A run all the way round a circular contig is one locus there, too.
void LocusBuilder::end_run(const sequence::Contig& contig, std::uint64_t first, std::uint64_t last) {
  Locus& locus = loci_->back();
  if (contig.topology.repeated > 0 && runs_ == nullptr && first <= contig.origin() &&
      last >= contig.origin_again() - 1) {
    locus.end = turned_into_circle(contig.origin(), contig.origin_again(), locus.end);
    locus.spread = static_cast<std::uint32_t>(std::min<std::uint64_t>(locus.spread, last - locus.end));
  }
  locus.before = static_cast<std::uint32_t>(locus.end - first);
  locus.after = static_cast<std::uint32_t>(last - locus.end);
}

}  // namespace trawl::align
