// The row-wise scan on the device: match/wu_manber_warp.hpp, a warp a list of rows and a strip of the text. No CUDA
// header is needed to use this.
//
//   RowWiseText text(reference, false, 100);
//   RowWiseSearch search(program);
//   search.run(text, hits);
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "scan/find/finder.hpp"
#include "scan/find/wu_manber_program.hpp"
#include "scan/options.hpp"
#include "scan/query.hpp"
#include "sequence/reference.hpp"

namespace trawl::gpu {

/// What the device takes; more is the CPU's.
inline constexpr std::uint32_t kRowWiseMostEdits = 16;
inline constexpr std::uint32_t kRowWiseLongest = 1024;

/// A text as striped bit planes in device memory.
class RowWiseText {
 public:
  /// For matches up to `reach` long, at most kRowWiseLongest + kRowWiseMostEdits. Ambiguous letters match nothing, or
  /// what they may stand for.
  RowWiseText(const sequence::Reference& reference, bool ambiguous_matches, std::uint64_t reach);
  /// matchers::made_letter("ACGT", 4, seed, j) at every position, made on the device.
  RowWiseText(std::uint64_t size, std::uint64_t seed, std::uint64_t reach);
  ~RowWiseText();
  RowWiseText(const RowWiseText&) = delete;
  RowWiseText& operator=(const RowWiseText&) = delete;

  struct State;
  const State& state() const { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

/// A program in device memory, with room for its hits.
class RowWiseSearch {
 public:
  /// A program within the limits above.
  explicit RowWiseSearch(const scan::WuManberProgram& program);
  ~RowWiseSearch();
  RowWiseSearch(const RowWiseSearch&) = delete;
  RowWiseSearch& operator=(const RowWiseSearch&) = delete;

  /// Appends all hits, in any order. Throws CudaError.
  void run(const RowWiseText& text, std::vector<scan::Hit>& hits);
  /// Seconds of each of `repeats` runs whose hits stay on the device, compacted; one more run before warms up.
  std::vector<double> time(const RowWiseText& text, unsigned repeats);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Why these queries cannot be searched on the device; nothing if they can. Does not look for a device.
std::string row_wise_limits(const std::vector<scan::Query>& queries, const scan::Options& options);

/// `queries` must outlive the finder. Throws CudaError.
std::unique_ptr<scan::Finder> make_row_wise_finder(const std::vector<scan::Query>& queries,
                                                   const scan::Options& options);

}  // namespace trawl::gpu
