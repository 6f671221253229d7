#include "io/stats/contig_bins.hpp"

#include <algorithm>

namespace trawl::io {

std::vector<std::uint64_t> lengths_of(const std::vector<sequence::Contig>& contigs) {
  std::vector<std::uint64_t> lengths;
  for (const sequence::Contig& contig : contigs) {
    lengths.push_back(contig.length);
  }
  return lengths;
}

unsigned ContigBins::shift_for(std::span<const std::uint64_t> lengths) {
  const auto bins = [&](unsigned shift) {
    std::uint64_t sum = 0;
    for (const std::uint64_t length : lengths) {
      sum += length == 0 ? 0 : ((length - 1) >> shift) + 1;
    }
    return sum;
  };
  unsigned shift = 0;
  while (bins(shift) > kMostBins + lengths.size()) {
    ++shift;
  }
  return shift;
}

void ContigBins::widen(unsigned shift) {
  const unsigned by = shift - shift_;
  if (by == 0) {
    return;
  }
  shift_ = shift;
  for (auto& bins : contigs_) {
    for (std::size_t b = 0; b < bins.size(); ++b) {
      const std::uint64_t count = bins[b];
      bins[b] = 0;
      bins[b >> by] += count;
    }
    bins.resize(bins.empty() ? 0 : ((bins.size() - 1) >> by) + 1);
    bins.shrink_to_fit();
  }
  count_bins();
}

void ContigBins::add(std::size_t contig, std::uint64_t begin, std::uint64_t end) {
  if (begin >= end) {
    return;
  }
  if (contig >= contigs_.size()) {
    contigs_.resize(contig + 1);
  }
  const auto fits = [&] {
    const std::uint64_t have = contigs_[contig].size();
    return bins_ + std::max(have, ((end - 1) >> shift_) + 1) - have <= kMostBins + contigs_.size();
  };
  while (!fits()) {
    widen(shift_ + 1);
  }
  auto& bins = contigs_[contig];
  const std::uint64_t last = (end - 1) >> shift_;
  if (last >= bins.size()) {
    bins_ += last + 1 - bins.size();
    bins.resize(last + 1);
  }
  for (std::uint64_t b = begin >> shift_; b <= last; ++b) {
    const std::uint64_t from = std::max(begin, b << shift_);
    bins[b] += std::min(end, (b + 1) << shift_) - from;
  }
}

ContigBins& ContigBins::operator+=(const ContigBins& other) {
  widen(std::max(shift_, other.shift_));
  ContigBins same = other;
  same.widen(shift_);
  contigs_.resize(std::max(contigs_.size(), same.contigs_.size()));
  for (std::size_t c = 0; c < same.contigs_.size(); ++c) {
    const auto& from = same.contigs_[c];
    contigs_[c].resize(std::max(contigs_[c].size(), from.size()));
    std::transform(from.begin(), from.end(), contigs_[c].begin(), contigs_[c].begin(), std::plus<>());
  }
  count_bins();
  return *this;
}

void ContigBins::finish(std::span<const std::uint64_t> lengths) {
  widen(std::max(shift_, shift_for(lengths)));
  contigs_.resize(lengths.size());
  for (std::size_t c = 0; c < lengths.size(); ++c) {
    contigs_[c].resize(lengths[c] == 0 ? 0 : ((lengths[c] - 1) >> shift_) + 1);
  }
  count_bins();
}

void ContigBins::count_bins() {
  bins_ = 0;
  for (const auto& bins : contigs_) {
    bins_ += bins.size();
  }
}

}  // namespace trawl::io
