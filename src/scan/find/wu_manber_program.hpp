// What a row-wise scan runs: lists of rows, one a pattern (or a part of one), sorted so that lists with a common
// beginning stand together and share its rows.
//
//   WuManberProgram program(2, {{0, rows_of("GATTACA")}, {1, rows_of("GATTTTT")}});
//   program.lists()[1].shared == 4
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "match/wu_manber_rows.hpp"

namespace trawl::scan {

/// One pattern character: the bases that it matches, and what may be spent on it.
struct Row {
  std::uint8_t set = 0;  // bit 0 = A .. bit 3 = T
  match::RowKind kind = match::RowKind::edits;

  auto operator<=>(const Row&) const = default;
};

/// The rows of one search.
struct ProgramSearch {
  std::uint32_t id = 0;  // what hits are reported under
  std::vector<Row> rows;
};

/// Rows in a program.
struct ProgramList {
  std::uint32_t id = 0;
  std::uint32_t first = 0;   // of its rows, in WuManberProgram::rows()
  std::uint32_t length = 0;  // rows
  std::uint32_t shared = 0;  // the first rows, the same as those of the list before
  std::uint32_t kept = 0;    // rows up to which the lists behind may begin
};

class WuManberProgram {
 public:
  /// Rows that lists may share: random patterns share no more, and states have to be kept for them.
  static constexpr std::uint32_t kMostShared = 12;

  /// At most `max_edits` edits a search; each search has more rows than that.
  WuManberProgram(std::uint32_t max_edits, std::vector<ProgramSearch> searches);

  std::uint32_t max_edits() const { return max_edits_; }
  const std::vector<ProgramList>& lists() const { return lists_; }
  const Row* rows(const ProgramList& list) const { return rows_.data() + list.first; }
  std::size_t row_count() const { return rows_.size(); }
  /// Of the longest list.
  std::uint32_t longest() const { return longest_; }
  /// Bit s: some row has the set s.
  std::uint32_t sets() const { return sets_; }

 private:
  std::uint32_t max_edits_;
  std::uint32_t longest_ = 0;
  std::uint32_t sets_ = 0;
  std::vector<Row> rows_;
  std::vector<ProgramList> lists_;
};

/// A search ends at a position with at most its program's edits.
struct Hit {
  std::uint64_t end = 0;  // in the coordinate space
  std::uint32_t id = 0;
  std::uint16_t distance = 0;
};

}  // namespace trawl::scan
