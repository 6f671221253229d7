// Which cores of a read are searched, so that no clipped locus is missed.
//
//   with: const align::PieceLimits& limits, std::uint64_t bases
//   CorePlanner planner(bases, true);
//   for (const Core& core : planner.plan(limits, {}).cores) { ... }      // search [core.begin, core.end)
//
// A piece that leaves out at most N bases holds [N, length - N). That core is short, so its seeds are short, too.
// Pieces that leave out a to c bases on the left, and so at most N - a on the right, hold the longer core [c, length -
// N + a). With several such cores there is one for every piece:
//
//   read       ==============================      30 bases, N = 11
//   core 0        [----------------)               [3, 19): pieces that leave out 0 to 3 bases on the left
//   core 1            [----------------)           [7, 23): 4 to 7
//   core 2                [----------------)       [11, 27): 8 to 11
//
// Pieces with many edits must be long (a share e is one of the piece; and its penalty may be limited). So they have a
// smaller N, and cores of their own.
//
// Cores overlap, and seeds of their own would be searched again and again. Instead they can share the seeds of a
// region. It leaves out w bases on both sides, and it is cut into m parts. A piece that leaves out a bases on the left
// and c on the right cuts at most ceil((a - w) / seed length) + ceil((c - w) / seed length) of them. If more than x of
// the others remain for all wanted pieces with x edits, one of them has no edit.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "align/clip_rule.hpp"

namespace trawl::clip {

/// Bases [begin, end) of a read, to be searched with `max_edits`, which is less than their number.
struct Core {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::uint32_t max_edits = 0;
};

/// Which of the allowed pieces are wanted.
struct WantedPieces {
  static constexpr std::uint32_t kAnyPenalty = ~std::uint32_t{0};

  std::uint32_t most_penalty = kAnyPenalty;  // those with a larger penalty are not
  bool whole = true;                         // the whole read, too

  auto operator<=>(const WantedPieces&) const = default;
};

/// The most bases that wanted pieces with `edits` edits leave out; -1 if there is no such piece.
std::int64_t most_clipped(const align::PieceLimits& limits, const WantedPieces& wanted, std::uint32_t edits);

/// How the wanted pieces are found.
struct CorePlan {
  /// Every alignment of a wanted piece holds one of them, with at most its max_edits edits.
  std::vector<Core> cores;
  /// Bases [region_begin, region_end) hold all cores. In every alignment of a wanted piece, of any `seeds` disjoint
  /// parts of the region with at least `seed_length` bases each, one has no edit. `seeds` is 0 if there is no such
  /// region.
  std::uint32_t region_begin = 0;
  std::uint32_t region_end = 0;
  std::uint32_t seeds = 0;
  std::uint32_t seed_length = 0;
};

class CorePlanner {
 public:
  /// `bases`: of the reference. `shares_seeds`: the engine can share the seeds of the region; then cores cost little.
  CorePlanner(std::uint64_t bases, bool shares_seeds);

  /// The result is valid until the next call.
  const CorePlan& plan(const align::PieceLimits& limits, const WantedPieces& wanted);

 private:
  // Cores for the wanted pieces with first .. last edits, which leave out at most `clip` bases. Each core is for
  // `starts` places where a piece may begin.
  struct Tier {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    std::uint32_t clip = 0;
    std::uint32_t starts = 0;
    double cost = 0;
  };

  double cost(std::uint32_t length, std::uint32_t edits) const;
  Tier cheapest(std::uint32_t read_length, std::uint32_t first, std::uint32_t last, std::uint32_t clip) const;
  std::vector<Core> make_cores(const align::PieceLimits& limits, const WantedPieces& wanted) const;
  static std::vector<Core> make_many_cores(const align::PieceLimits& limits, const WantedPieces& wanted);
  bool choose_region(const align::PieceLimits& limits, const WantedPieces& wanted, CorePlan& plan) const;
  CorePlan make(const align::PieceLimits& limits, const WantedPieces& wanted) const;

  std::uint64_t bases_;
  bool shares_seeds_;
  unsigned q_;
  // Nearly all reads have the same length. By length, N, e and what is wanted.
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, WantedPieces>, CorePlan> known_;
};

}  // namespace trawl::clip
