#include "io/stats/histogram.hpp"

#include "io/format/json.hpp"

namespace trawl::io {

Histogram::Histogram(std::uint64_t min, std::uint64_t max) : min_(min) {
  const auto bins = [&] { return max / width_ - min / width_ + 1; };
  for (std::uint64_t ten = 1; bins() > kMostBins; ten *= 10) {
    for (const std::uint64_t times : {1, 2, 5}) {
      width_ = bins() > kMostBins ? times * ten : width_;
    }
  }
  counts_.resize(bins());
  min_ = min / width_ * width_;
}

void Histogram::add(std::uint64_t size, std::uint64_t times) {
  if (size < min_) {
    smaller_ += times;
  } else if ((size - min_) / width_ >= counts_.size()) {
    larger_ += times;
  } else {
    counts_[(size - min_) / width_] += times;
  }
}

Histogram& Histogram::operator+=(const Histogram& other) {
  smaller_ += other.smaller_;
  larger_ += other.larger_;
  add_counts(counts_, other.counts_);
  return *this;
}

std::vector<Histogram::Bin> Histogram::bins() const {
  std::vector<Bin> bins;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    bins.push_back({static_cast<double>(min_ + i * width_) + static_cast<double>(width_ - 1) / 2, counts_[i]});
  }
  return bins;
}

std::string Histogram::json(int depth) const {
  JsonObject object(depth);
  object.add("first", min_)
      .add("bin", width_)
      .add("counts", json_array(counts_))
      .add("smaller", smaller_)
      .add("larger", larger_);
  return object.text();
}

void CountBins::add(std::uint64_t number, std::uint64_t times) {
  counts_[static_cast<std::size_t>(std::lower_bound(kLargest.begin(), kLargest.end(), number) - kLargest.begin())] +=
      times;
}

std::vector<CountBins::Bin> CountBins::bins() const {
  std::vector<Bin> bins;
  std::uint64_t first = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    const bool is_last = i == kLargest.size();
    const bool is_one = !is_last && first == kLargest[i];
    bins.push_back({std::to_string(first) + (is_last  ? "+"
                                             : is_one ? ""
                                                      : "-" + std::to_string(kLargest[i])),
                    counts_[i]});
    first = is_last ? first : kLargest[i] + 1;
  }
  return bins;
}

std::string CountBins::json(int depth) const {
  JsonObject object(depth);
  for (const Bin& bin : bins()) {
    object.add(bin.name, bin.count);
  }
  return object.text();
}

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

void ContigBins::add(std::size_t contig, std::uint64_t begin, std::uint64_t end, std::uint64_t times) {
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
    bins[b] += (std::min(end, (b + 1) << shift_) - from) * times;
  }
}

ContigBins& ContigBins::operator+=(const ContigBins& other) {
  widen(std::max(shift_, other.shift_));
  ContigBins same = other;
  same.widen(shift_);
  contigs_.resize(std::max(contigs_.size(), same.contigs_.size()));
  for (std::size_t c = 0; c < same.contigs_.size(); ++c) {
    add_counts(contigs_[c], same.contigs_[c]);
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
