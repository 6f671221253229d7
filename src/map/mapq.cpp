#include "map/mapq.hpp"

#include <cmath>

namespace trawl::map {

namespace {

constexpr double kVariantRate = 0.001;
constexpr std::uint64_t kOne = std::uint64_t{1} << 32;

}  // namespace

MapqModel::MapqModel() {
  for (unsigned q = 0; q < costs_.size(); ++q) {
    costs_[q] = static_cast<std::uint8_t>(std::lround(-10 * std::log10((std::pow(10, -0.1 * q) + kVariantRate) / 3)));
  }
  for (unsigned cost = 0; cost < weights_.size(); ++cost) {
    weights_[cost] = static_cast<std::uint64_t>(std::llround(static_cast<double>(kOne) * std::pow(10, -0.1 * cost)));
  }
  for (unsigned q = 0; q <= kMaxMapq; ++q) {
    error_rates_[q] = std::pow(10, -0.1 * q);
  }
}

std::uint64_t MapqModel::weight(std::int64_t extra) const {
  if (extra <= 0) {
    return kOne;
  }
  return extra < static_cast<std::int64_t>(weights_.size()) ? weights_[static_cast<std::size_t>(extra)] : 0;
}

unsigned MapqModel::mapq(std::uint64_t others) const {
  const double error = static_cast<double>(others) / static_cast<double>(others + kOne);
  unsigned quality = kMaxMapq;
  while (quality > 0 && error > error_rates_[quality]) {
    --quality;
  }
  return quality;
}

}  // namespace trawl::map
