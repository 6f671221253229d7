#include "align/mapq.hpp"

#include <cmath>

namespace trawl::align {

namespace {

constexpr double kVariantRate = 0.001;

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

}  // namespace trawl::align
