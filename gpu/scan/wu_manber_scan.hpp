// The row-wise scan on the device: match/wu_manber_warp.hpp, a warp a list of rows and a strip of the text. No CUDA
// header is needed to use this.
//
//   ScanText text(reference, false, 100);
//   WuManberSearch search(program, 0);
//   search.run(text, hits);                                         // all of them
//   const bool all = search.run(text, {0, 100000}, 1000, hits);     // those in a region, if no more than 1000
#pragma once

#include <cstddef>
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

/// Blocks [first, last) of a text. A block is match::kRowBlock positions; blocks overlap by as much as a match is long.
struct BlockRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
};

/// A text, or some of its blocks, as striped bit planes in memory of the calling thread's device.
class ScanText {
 public:
  /// A block takes at most so many bytes of the device.
  static constexpr std::uint64_t kMostBlockBytes = std::uint64_t{10} << 10;
  /// All blocks of a text of `size` positions.
  static BlockRange all_blocks(std::uint64_t size, std::uint64_t reach);
  /// The blocks that give the ends in a region, which is not empty.
  static BlockRange blocks_of(const scan::Region& region, std::uint64_t reach);
  /// The region whose ends blocks give, as far as the text goes there.
  static scan::Region ends_of(const BlockRange& blocks, std::uint64_t reach);

  /// For matches up to `reach` long, at most kRowWiseLongest + kRowWiseMostEdits. Ambiguous letters match nothing, or
  /// what they may stand for.
  ScanText(const sequence::Reference& reference, bool ambiguous_matches, std::uint64_t reach, const BlockRange& range);
  /// All blocks.
  ScanText(const sequence::Reference& reference, bool ambiguous_matches, std::uint64_t reach)
      : ScanText(reference, ambiguous_matches, reach, all_blocks(reference.size(), reach)) {}
  /// matchers::made_letter("ACGT", 4, seed, j) at every position, made on the device.
  ScanText(std::uint64_t size, std::uint64_t seed, std::uint64_t reach);
  ~ScanText();
  ScanText(const ScanText&) = delete;
  ScanText& operator=(const ScanText&) = delete;

  struct State;
  const State& state() const { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

/// A program in memory of the calling thread's device, with room for some hits: what is found at a time is bounded by
/// that. Later calls are for a text on the same device, which is then the calling thread's.
class WuManberSearch {
 public:
  /// Hits that there is room for on the device: 16 MiB, or one a list.
  static constexpr std::size_t kRoom = std::size_t{1} << 20;

  /// Bytes of the device, with room for one hit a list.
  static std::uint64_t bytes_of(const scan::WuManberProgram& program);

  /// A program within the limits above. `n_edits`: in texts where ambiguous letters match, hits that letters N make by
  /// themselves with so many edits are left out (scan/find/n_ends.hpp).
  WuManberSearch(const scan::WuManberProgram& program, std::uint32_t n_edits, std::size_t room = kRoom);
  ~WuManberSearch();
  WuManberSearch(const WuManberSearch&) = delete;
  WuManberSearch& operator=(const WuManberSearch&) = delete;

  /// Appends the hits with an end in the region, whose blocks the text has, in any order, and returns true; or, where
  /// they are more than `most` (and one a list) or than there is room for, appends nothing. Throws CudaError, as all
  /// do.
  bool run(const ScanText& text, const scan::Region& region, std::size_t most, std::vector<scan::Hit>& hits);
  /// Appends all hits of a text that has all blocks, in any order.
  void run(const ScanText& text, std::vector<scan::Hit>& hits);
  /// Seconds of each of `repeats` runs whose hits stay on the device, compacted, which takes room for all of them; one
  /// more run before warms up.
  std::vector<double> time(const ScanText& text, unsigned repeats);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace trawl::gpu
