// How the device searches queries: which of them by rows, by pieces, and from the sites of their PAM. No CUDA header is
// needed to use this.
//
//   const DevicePlan plan(queries, options, 8 << 30);
//   plan.programs, plan.literals, plan.guides
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "scan/find/guide_set.hpp"
#include "scan/find/literal_group.hpp"
#include "scan/find/place_check.hpp"
#include "scan/find/search_plan.hpp"
#include "scan/find/wu_manber_program.hpp"

namespace trawl::gpu {

struct DevicePlan {
  /// The least memory of a device, in bytes, for a stretch of the text and its hits.
  static constexpr std::uint64_t kLeastRoom = std::uint64_t{2} << 20;
  /// Bytes of device memory for each hit, for a place that waits for its check, and for a list of rows.
  static constexpr std::uint64_t kBytesAHit = 2 * 8 + 1, kBytesAPlace = 16, kBytesAList = 12;

  std::vector<scan::WuManberProgram> programs;   // at most one
  std::vector<scan::LiteralGroup> literals;      // queries or, if `places` is there, parts of them
  std::shared_ptr<const scan::PartList> parts;   // never null
  std::optional<scan::PlaceCheck> places;        // checks the places of parts
  std::unique_ptr<const scan::GuideSet> guides;  // null: there are none
  std::uint32_t query_count = 0;                 // how many; their ids are below that, and those of parts follow
  std::uint64_t reach = 0;                       // no match is longer
  sequence::AmbiguousLimit limit;                // scan::end_limit()

  /// Each query in the way that takes least time by kDeviceCosts, or as options.search says. Guides, and queries with
  /// edits, are searched by rows if the tables do not fit in `memory`, in bytes. `queries` must outlive the plan.
  DevicePlan(const std::vector<scan::Query>& queries, const scan::Options& options, std::uint64_t memory)
      : DevicePlan(queries, options, memory, choose_guides(queries, options)) {}
  /// The same with guides that were chosen before the memory was known.
  DevicePlan(const std::vector<scan::Query>& queries, const scan::Options& options, std::uint64_t memory,
             std::unique_ptr<const scan::GuideSet> chosen);
  /// The queries that are searched from the sites of their PAM; null: none.
  static std::unique_ptr<const scan::GuideSet> choose_guides(const std::vector<scan::Query>& queries,
                                                             const scan::Options& options);

  /// How many kinds of search there are.
  unsigned kinds() const { return !programs.empty() + !literals.empty() + (guides != nullptr); }
  /// Whether a search needs a PlanesText, and the letters before an end that this must have.
  bool has_planes() const { return !literals.empty() || guides; }
  std::uint64_t planes_reach() const;
  /// The most hits with one end: of literals, or of queries whose places may be on several diagonals; and of guides,
  /// where an end may be found from several sites, with different distances.
  std::uint64_t most_hits_of_literals() const;
  std::uint64_t most_hits_of_guides() const;
  /// Bytes on the device, with room for the hits of one end.
  std::uint64_t bytes() const { return row_bytes() + literal_bytes() + guide_bytes(); }

 private:
  std::uint64_t row_bytes() const;
  std::uint64_t literal_bytes() const;
  std::uint64_t guide_bytes() const;
  void look_up_parts(const std::vector<scan::Query>& queries, const scan::Options& options, std::uint64_t memory);
  void make(const std::vector<scan::Query>& queries, const scan::Options& options, bool look_up);
};

}  // namespace trawl::gpu
