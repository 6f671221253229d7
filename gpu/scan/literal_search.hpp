// Looks up many literals at once on the device (scan/find/literal_set.hpp tells the idea): each thread takes 64
// positions of the text, looks up their grams in a bitmap in shared memory, those that pass in a larger one in global
// memory, and compares the literals of the rest. No CUDA header is needed to use this.
//
//   LiteralSearch search(scan::group_literals(literals));
//   LiteralText text(reference, {0, reference.size()}, search.reach());
//   const bool all = search.run(text, {0, 100000}, 1000, hits);     // those in a region, if there are at most 1000
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "scan/find/finder.hpp"
#include "scan/find/literal_set.hpp"
#include "scan/find/place_check.hpp"
#include "scan/find/search_plan.hpp"
#include "sequence/reference.hpp"

namespace trawl::gpu {

/// A part of a reference, as bit planes in the memory of the calling thread's device.
class LiteralText {
 public:
  /// Device memory per position, in bytes.
  static constexpr double kBytesAPosition = 24.0 / 64;

  /// For ends in `region`, of matches that need the text from `reach` letters before them on.
  LiteralText(const sequence::Reference& reference, const scan::Region& region, std::uint64_t reach);
  ~LiteralText();
  LiteralText(const LiteralText&) = delete;
  LiteralText& operator=(const LiteralText&) = delete;

  struct State;
  const State& state() const { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

/// Literals that are parts of queries: max_edits + 1 parts, without edits, of each query that has any
/// (search_plan.hpp).
struct LiteralParts {
  const scan::PlaceCheck::Tables& tables;
  std::span<const scan::Part> parts;  // those of a query are neighbours, in the order of the query
  std::uint32_t first_id = 0;         // the id of the literal that is the first part; those of the others follow
  bool no_gaps = false;               // edits are mismatches
};

/// Literals in the memory of the calling thread's device, with room for a limited number of hits at a time. All texts
/// of later calls must be on the same device, which must then be the calling thread's device.
class LiteralSearch {
 public:
  /// Device memory for a place, in bytes.
  static constexpr std::uint64_t kBytesAPlace = 16;

  /// Bytes that it needs on the device, with room for the hits of one end.
  static std::uint64_t bytes_of(const std::vector<scan::LiteralGroup>& groups);
  static std::uint64_t bytes_of(const std::vector<scan::LiteralGroup>& groups, const LiteralParts& parts);

  explicit LiteralSearch(const std::vector<scan::LiteralGroup>& groups, std::size_t room = std::size_t{1} << 20);
  /// The places where literals occur are checked on the device, and run() finds the ends of queries. `parts` is copied.
  /// `places`: how many places there is room for; further ones are checked, too, but more slowly.
  LiteralSearch(const std::vector<scan::LiteralGroup>& groups, const LiteralParts& parts, std::size_t room,
                std::size_t places);
  ~LiteralSearch();
  LiteralSearch(const LiteralSearch&) = delete;
  LiteralSearch& operator=(const LiteralSearch&) = delete;

  /// The letters before an end that a text must have.
  std::uint64_t reach() const;
  /// Like WuManberSearch::run(): appends the hits with an end in the region, sorted, and returns true. If there
  /// are more than `most` (or than those of one end, if this is more) or than there is room for, appends nothing and
  /// returns false. Throws CudaError, as all functions here.
  bool run(const LiteralText& text, const scan::Region& region, std::size_t most, std::vector<scan::Hit>& hits);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace trawl::gpu
