// The dynamic programming of two strings in strips of 512 rows, from a row between two strips to the next one.
//
//   const PairStrips strips("GATTACA", "GATACAT");
//   StripRow row;                             // above the first letter of the query: 0, 1, 2, ...
//   strips.advance(row, {7, 7, 3}) == true    // to row 7, for a path of at most 3 edits from corner to corner
//   row.row == 7
//   row.last() == 2                           // the distance of the two
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

namespace trawl::api {

inline constexpr std::size_t kStripBlocks = 8;  // of 64 rows
inline constexpr std::size_t kStripRows = 64 * kStripBlocks;
// What is kept of a step: words of rows that are +1 and -1 beside the column before, and beside the row above.
enum StripWord : std::size_t { kLeftMore, kLeftLess, kAboveMore, kAboveLess, kStripWords };

/// A row between two strips, as far as it is computed.
struct StripRow {
  std::size_t row = 0;                // letters of the query above it
  std::size_t begin = 0;              // letters of the target before its first value
  std::int64_t value = 0;             // the first value: the distance of these letters
  std::vector<std::uint8_t> changes;  // from each value to the next: 1 for +1, 2 for -1

  static std::int64_t change(std::uint8_t coded) { return static_cast<std::int64_t>(coded & 1) - (coded >> 1); }
  std::int64_t last() const;
};

/// Where a path ends, and what it may cost: so what cannot be on it is not computed (Ukkonen 1985).
struct StripGoal {
  std::size_t row;
  std::size_t column;
  std::int64_t most;
  bool is_end_free = false;  // it may end in any column of the row
  /// How many diagonals beside those of begin and end are computed: with fewer than `most`, what is found is the cost
  /// of a path, but there may be a better one.
  std::int64_t beside = std::numeric_limits<std::int64_t>::max() / 4;
};

class PairStrips {
 public:
  /// The letters are bytes. The strings must stay where they are.
  PairStrips(std::string_view query, std::string_view target);

  std::string_view query() const { return query_; }
  std::string_view target() const { return target_; }

  /// Makes of a row the next one, at most 512 below; false if nothing in the row can lie on such a path.
  bool advance(StripRow& row, const StripGoal& goal) const;
  /// As advance(), and keeps of the strip, for column c after the first value and block b, the words
  /// kept[((c - 1 + b) * kStripWords + word) * kStripBlocks + b]. `row` is only narrowed to where the path can lie.
  bool keep(StripRow& row, const StripGoal& goal, std::vector<std::uint64_t>& kept) const;

 private:
  bool narrow(StripRow& row, const StripGoal& goal, std::size_t end) const;
  void compute(const StripRow& row, std::size_t end, std::vector<std::uint8_t>& below, std::uint64_t* kept) const;

  std::string_view query_;
  std::string_view target_;
  unsigned planes_;                  // bits of a letter's number
  std::vector<std::uint64_t> rows_;  // the numbers of the query's letters: kStripBlocks words for each plane and strip
  std::vector<std::uint8_t> back_;   // the numbers of the target's letters, from its end
};

}  // namespace trawl::api
