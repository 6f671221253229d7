// Experiments whose result says for every text position whether a match ends there. Each is run, checked and timed.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "lab/bench_experiments.hpp"
#include "lab/bench_points.hpp"
#include "lab/bench_table.hpp"
#ifdef TRAWL_WITH_CUDA
#include "lab/kernels/device_text.hpp"
#endif

namespace trawl::lab {

/// What an algorithm must provide: its columns in the table, and how to run it.
struct Algorithm {
  /// Also fills in settings that were left open; throws UsageError for settings that are not possible.
  std::function<BenchTable::Row(Point&)> parameters;
  /// Runs on the CPU.
  std::function<std::vector<std::uint8_t>(const std::string& text, const Point&)> twin;
#ifdef TRAWL_WITH_CUDA
  using Device = std::function<std::vector<double>(const gpu::DeviceText&, const Point&, gpu::DeviceEnds&, unsigned)>;
  Device device;
  /// Runs another algorithm that gives the same result; returns false if there is none for this point.
  std::function<bool(const gpu::DeviceText&, const Point&, gpu::DeviceEnds&)> other;
#endif
};

/// One row for each text and point. Every result is compared with plain dynamic programming (bench_check.hpp). On the
/// device it is also compared over the whole text with the other algorithm's result, if there is one. Throws Error if
/// results differ.
void run_experiment(const Algorithm& algorithm, const BenchArguments& arguments);

}  // namespace trawl::lab
