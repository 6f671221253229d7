// The row-wise scan on the device (match/wu_manber_warp.hpp): each warp runs one list of rows over a strip of the text.
// No CUDA header is needed to use this.
//
//   ScanText text(reference, false, 100);
//   WuManberSearch search(program, 0);
//   search.run(text, hits);                                         // all of them
//   const bool all = search.run(text, {0, 100000}, 1000, hits);     // those in a region, if there are at most 1000
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "scan/find/finder.hpp"
#include "scan/find/query.hpp"
#include "scan/find/wu_manber_program.hpp"
#include "scan/options.hpp"
#include "sequence/reference.hpp"

namespace trawl::gpu {

/// The limits of the device; the CPU does what exceeds them.
inline constexpr std::uint32_t kWuManberMostEdits = 16;
inline constexpr std::uint32_t kWuManberLongest = 1024;

/// Device memory for each hit that a search has room for, in bytes.
inline constexpr std::uint64_t kBytesAHit = 2 * 8 + 1;

/// Blocks [first, last) of a text. A block has match::kRowBlock positions. Neighbouring blocks overlap by at least the
/// length of a match.
struct BlockRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
};

/// A text, or some of its blocks, as striped bit planes in the memory of the calling thread's device.
class ScanText {
 public:
  /// A block takes at most this many bytes on the device.
  static constexpr std::uint64_t kMostBlockBytes = std::uint64_t{10} << 10;
  /// All blocks of a text of `size` positions.
  static BlockRange all_blocks(std::uint64_t size, std::uint64_t reach);
  /// The blocks that give the ends in a region; the region must not be empty.
  static BlockRange blocks_of(const scan::Region& region, std::uint64_t reach);
  /// The region whose ends these blocks give. It may go beyond the end of the text.
  static scan::Region ends_of(const BlockRange& blocks, std::uint64_t reach);

  /// For matches up to `reach` long; `reach` is at most kWuManberLongest + kWuManberMostEdits. Ambiguous letters match
  /// nothing or, with `ambiguous_matches`, each base that they can stand for.
  ScanText(const sequence::Reference& reference, bool ambiguous_matches, std::uint64_t reach, const BlockRange& range);
  /// Loads all blocks.
  ScanText(const sequence::Reference& reference, bool ambiguous_matches, std::uint64_t reach)
      : ScanText(reference, ambiguous_matches, reach, all_blocks(reference.size(), reach)) {}
  /// A text with made_letter("ACGT", 4, seed, j) at every position, made on the device.
  ScanText(std::uint64_t size, std::uint64_t seed, std::uint64_t reach);
  ~ScanText();
  ScanText(const ScanText&) = delete;
  ScanText& operator=(const ScanText&) = delete;

  struct State;
  const State& state() const { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

/// A program in the memory of the calling thread's device, with room for a limited number of hits at a time. All texts
/// of later calls must be on the same device, which must then be the calling thread's device.
class WuManberSearch {
 public:
  /// Hits that there is room for on the device: 17 MiB, or one per list if this is more.
  static constexpr std::size_t kRoom = std::size_t{1} << 20;

  /// Bytes that it needs on the device, with room for one hit per list.
  static std::uint64_t bytes_of(const scan::WuManberProgram& program);

  /// The program must be within the limits above. `limit`: in texts where ambiguous letters match, hits beyond it
  /// are left out (scan/find/leaning_ends.hpp).
  WuManberSearch(const scan::WuManberProgram& program, const sequence::AmbiguousLimit& limit, std::size_t room = kRoom);
  ~WuManberSearch();
  WuManberSearch(const WuManberSearch&) = delete;
  WuManberSearch& operator=(const WuManberSearch&) = delete;

  /// Appends the hits with an end in the region, sorted by id, then position, and returns true. The text must have the
  /// blocks of the region. If there are more hits than `most` (or than one per list, if this is more) or than there is
  /// room for, appends nothing and returns false. Throws CudaError, as all functions here.
  bool run(const ScanText& text, const scan::Region& region, std::size_t most, std::vector<scan::Hit>& hits);
  /// Appends all hits, in any order; the text must have all its blocks.
  void run(const ScanText& text, std::vector<scan::Hit>& hits);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace trawl::gpu
