// What a row-wise scan runs: lists of rows, one per pattern (or part of a pattern). They are sorted so that lists with
// the same first rows are neighbours and share these rows.
//
//   const WuManberProgram program(1, {{0, {{1}, {8}, {8}, {1}}}, {1, {{1}, {8}, {8}, {2}}}});    // ATTA and ATTC
//   program.lists()[1].shared == 3
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "match/wu_manber_rows.hpp"

namespace trawl::scan {

/// One pattern character: the bases that it matches, and the edits that it allows.
struct PatternRow {
  std::uint8_t set = 0;  // bit 0 = A .. bit 3 = T
  match::RowKind kind = match::RowKind::edits;

  auto operator<=>(const PatternRow&) const = default;
};

/// The rows of one pattern to search.
struct ProgramSearch {
  std::uint32_t id = 0;  // its hits are reported with this id
  std::vector<PatternRow> rows;
};

/// The rows of one search within a program.
struct ProgramList {
  std::uint32_t id = 0;
  std::uint32_t first = 0;   // index of its first row in WuManberProgram::rows()
  std::uint32_t length = 0;  // rows
  std::uint32_t shared = 0;  // number of first rows that are the same as in the list before
  std::uint32_t kept = 0;    // later lists may begin after at most this many rows of this list
};

class WuManberProgram {
 public:
  /// The most rows that lists share: random patterns seldom share more, and the states of shared rows must be kept.
  static constexpr std::uint32_t kMostShared = 12;

  /// A search may have at most `max_edits` edits; each search must have more rows than that.
  WuManberProgram(std::uint32_t max_edits, std::vector<ProgramSearch> searches);

  std::uint32_t max_edits() const { return max_edits_; }
  const std::vector<ProgramList>& lists() const { return lists_; }
  const PatternRow* rows(const ProgramList& list) const { return rows_.data() + list.first; }
  std::size_t row_count() const { return rows_.size(); }
  /// Rows of the longest list.
  std::uint32_t longest() const { return longest_; }
  /// Bit s: at least one row has the set s.
  std::uint32_t sets() const { return sets_; }

 private:
  std::uint32_t max_edits_;
  std::uint32_t longest_ = 0;
  std::uint32_t sets_ = 0;
  std::vector<PatternRow> rows_;
  std::vector<ProgramList> lists_;
};

/// A hit: a search ends at this position with at most the edits of its program.
struct Hit {
  std::uint64_t end = 0;  // in the coordinate space
  std::uint32_t id = 0;
  std::uint16_t distance = 0;
};

/// How many hits a search of a stretch may find.
struct HitRoom {
  std::size_t most_hits = SIZE_MAX;  // stop after this many hits
  std::size_t room = SIZE_MAX;       // never hold many more hits than this
};

}  // namespace trawl::scan
