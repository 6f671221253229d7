#include "io/stats/histogram.hpp"

#include <algorithm>
#include <functional>

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

void Histogram::add(std::uint64_t size) {
  if (size < min_) {
    ++smaller_;
  } else if ((size - min_) / width_ >= counts_.size()) {
    ++larger_;
  } else {
    ++counts_[(size - min_) / width_];
  }
}

Histogram& Histogram::operator+=(const Histogram& other) {
  smaller_ += other.smaller_;
  larger_ += other.larger_;
  std::transform(counts_.begin(), counts_.end(), other.counts_.begin(), counts_.begin(), std::plus<>());
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

void CountBins::add(std::uint64_t number) {
  ++counts_[static_cast<std::size_t>(std::lower_bound(kLargest.begin(), kLargest.end(), number) - kLargest.begin())];
}

CountBins& CountBins::operator+=(const CountBins& other) {
  std::transform(counts_.begin(), counts_.end(), other.counts_.begin(), counts_.begin(), std::plus<>());
  return *this;
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

}  // namespace trawl::io
