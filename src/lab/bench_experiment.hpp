// The experiments whose result is, for every text position, whether a match ends there: run, checked, timed.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "lab/bench_experiments.hpp"
#include "lab/bench_points.hpp"
#include "lab/bench_table.hpp"
#ifdef TRAWL_WITH_CUDA
#include "gpu/matchers/device_text.hpp"
#endif

namespace trawl::lab {

/// What an algorithm must say: its columns in the table, and its ways to run.
struct Algorithm {
  /// Also fills in what was left to choose; throws UsageError for what cannot be.
  std::function<BenchTable::Row(Point&)> parameters;
  /// On the CPU.
  std::function<std::vector<std::uint8_t>(const std::string& text, const Point&)> twin;
#ifdef TRAWL_WITH_CUDA
  using Device = std::function<std::vector<double>(const gpu::DeviceText&, const Point&, gpu::DeviceEnds&, unsigned)>;
  Device device;
  /// Another algorithm with the same result; false where there is none for the point.
  std::function<bool(const gpu::DeviceText&, const Point&, gpu::DeviceEnds&)> other;
#endif
};

/// A row for each text and point. Every result is compared with plain dynamic programming (bench_check.hpp) and, on the
/// device, over the whole text with the other algorithm's, if there is one. Throws Error where it differs.
void run_experiment(const Algorithm& algorithm, const BenchArguments& arguments);

}  // namespace trawl::lab
