#include "align/mapq.hpp"

#include <algorithm>
#include <cmath>

namespace trawl::align {

namespace {

constexpr double kVariantRate = 0.001;

}  // namespace

MapqModel::MapqModel(const DamageRates& damage)
    : weighs_damage_(damage.on()), single_stranded_(damage.single_stranded) {
  const auto cost = [](unsigned quality, double rate) {
    return static_cast<std::uint8_t>(
        std::lround(-10 * std::log10(std::min(1.0, (std::pow(10, -0.1 * quality) + kVariantRate) / 3 + rate))));
  };
  for (unsigned q = 0; q < costs_.size(); ++q) {
    costs_[q] = cost(q, 0);
    for (std::uint32_t i = 0; weighs_damage_ && i < kDamagedBases; ++i) {
      damaged_costs_[i][q] = cost(q, damage.at(i));
    }
  }
  double rates = 0, costs = 0;
  for (std::uint32_t i = 0; weighs_damage_ && i < kDamagedBases; ++i) {
    rates += damage.at(i);
    costs += damage.at(i) * damaged_costs_[i][kDefaultQuality];
  }
  damage_cost_ = weighs_damage_ ? static_cast<unsigned>(std::lround(costs / rates)) : 0;
  for (unsigned cost = 0; cost < weights_.size(); ++cost) {
    weights_[cost] = static_cast<std::uint64_t>(std::llround(static_cast<double>(kOne) * std::pow(10, -0.1 * cost)));
  }
  for (unsigned q = 0; q <= kMaxMapq; ++q) {
    error_rates_[q] = std::pow(10, -0.1 * q);
  }
}

}  // namespace trawl::align
