#include "lab/bench_runner.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "base/error.hpp"
#ifdef TRAWL_WITH_CUDA
#include "gpu/device/devices.hpp"
#endif

namespace trawl::lab {

namespace {

std::string chosen_engine(const std::string& wanted) {
  if (wanted == "cpu") {
    return wanted;
  }
  std::string why = "this build has no CUDA code";
#ifdef TRAWL_WITH_CUDA
  try {
    std::cerr << "trawl-bench: on " << gpu::usable_devices(1).front().name << '\n';
    return "cuda";
  } catch (const Error& error) {
    why = error.what();
  }
#endif
  if (wanted == "cuda") {
    throw Error("--engine cuda cannot be used here: " + why + "; use --engine cpu");
  }
  const bool has_gpu = std::filesystem::exists("/dev/nvidiactl") || std::filesystem::exists("/dev/dxg");
  std::cerr << "trawl-bench: on the CPU" << (has_gpu ? " (" + why + ")" : "") << '\n';
  return "cpu";
}

std::string tsv_line(const Bench::Row& row, bool header) {
  std::string line;
  for (std::size_t i = 0; i < row.size(); ++i) {
    line += (i > 0 ? "\t" : "") + (header ? row[i].first : row[i].second);
  }
  return line + '\n';
}

}  // namespace

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

Bench::Bench(const Options& options) : options_(options), engine_(chosen_engine(options.engine)) {
  options.check_engine(engine_);
}

void Bench::add(const Row& row) {
  std::cout << (is_printed_ ? "" : tsv_line(row, true)) << tsv_line(row, false) << std::flush;
  is_printed_ = true;
  keep(row);
}

void Bench::finish() const {
  const std::string& path = options_.tsv;
  if (path.empty() || (path == "-" && is_printed_)) {  // the table is there already
    return;
  }
  std::string text = rows_.empty() ? "" : tsv_line(rows_.front(), true);
  for (const Row& row : rows_) {
    text += tsv_line(row, false);
  }
  if (path == "-") {
    std::cout << text << std::flush;
  } else if (std::ofstream file(path, std::ios::binary); !(file << text << std::flush)) {
    throw Error(path + ": cannot be written: " + std::strerror(errno));
  }
}

}  // namespace trawl::lab
