#include "io/stats/histogram.hpp"

#include <algorithm>
#include <functional>

#include "io/stats/json.hpp"

namespace trawl::io {

Histogram::Histogram(std::uint64_t min, std::uint64_t max) : min_(min) {
  const auto bins = [&] { return (max - min) / width_ + 1; };
  for (std::uint64_t ten = 1; bins() > kMostBins; ten *= 10) {
    for (const std::uint64_t times : {1, 2, 5}) {
      width_ = bins() > kMostBins ? times * ten : width_;
    }
  }
  counts_.resize(bins());
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

void Histogram::unpack(Unpacker& from) {
  counts_ = from.numbers<std::uint64_t>();
  smaller_ = from.number<std::uint64_t>();
  larger_ = from.number<std::uint64_t>();
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

}  // namespace trawl::io
