// The best pieces of a read in a window of the reference: local alignment (Smith and Waterman 1981) by the penalty of
// align/clip_rule.hpp, or with gaps as events (Gotoh 1982). The work is done in SIMD lanes (Highway; the instruction
// set is chosen at run time): a lane is a text position on an antidiagonal of the matrix.
//
//   WindowScores scores;
//   scores.find(std::vector<std::uint8_t>{2, 1, 4}, std::vector<std::uint8_t>{8, 2, 1, 4, 4});     // CAG in TCAGG
//   scores.at(3).score == 3
//   scores.at(3).bases == 3
//   scores.at(3).read_end == 3
//   scores.at(2).score == 2                                                                        // CA
//   scores.find_best(std::vector<std::uint8_t>{2, 1, 4}, std::vector<std::uint8_t>{8, 2, 1, 4, 4}).last == 3
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace trawl::rescue {

inline constexpr std::size_t kWindowPad = 64;

/// What a search works on, in lanes of type T. All have kWindowPad elements more than are used, which are 0.
template <class T>
struct WindowRows {
  /// A value of find() is a score times this plus the number of bases, so that of equal scores the longest piece is
  /// best.
  static constexpr std::int32_t kScoreUnit = sizeof(T) == 2 ? 256 : 8192;

  std::size_t read_length = 0, text_length = 0;
  std::vector<T> read;  // sets, backwards
  std::vector<T> text;
  std::vector<T> rows[3];                  // the last antidiagonals, [1 + text position]
  std::vector<T> deleted[2], inserted[2];  // of find_best(): those that end in a gap
  std::vector<T> best, read_end;           // of each text position
};

/// A piece: `bases` bases of the read, the last of them before `read_end`.
struct LocalPiece {
  std::int32_t score = 0;  // bases, minus 5 for each edit, minus 2 for each one that is not known
  std::uint32_t bases = 0;
  std::uint32_t read_end = 0;

  std::uint32_t read_begin() const { return read_end - bases; }
};

/// The best score of all pieces, and the first and the last text position where the alignment of such a piece ends.
struct BestScore {
  std::int32_t score = 0;
  std::size_t first = 0;
  std::size_t last = 0;
};

class WindowScores {
 public:
  /// Longer reads are not taken.
  static constexpr std::size_t kLongestRead = 5000;

  /// A base of the read that is not known: its penalty is 2 where it lies on a base that is known, and 7 elsewhere.
  static constexpr std::uint8_t kUnknown = 0x10;

  /// `read`, `text`: sets of bases (bit 0 = A .. bit 3 = T). Bases match if their sets have one in common. A set
  /// of the text that is empty matches nothing, not even a base that is not known.
  void find(std::span<const std::uint8_t> read, std::span<const std::uint8_t> text);

  /// The best score of all pieces where a gap costs 6 and 1 for each base, and inserted bases count nothing; and the
  /// first and the last text position where the alignment of such a piece ends. Faster than find(), and what at()
  /// returns stays.
  BestScore find_best(std::span<const std::uint8_t> read, std::span<const std::uint8_t> text);

  /// The piece with the best score whose alignment ends with text position `end`; of equal ones the longest, then the
  /// one that ends first in the read. Score 0: there is none.
  LocalPiece at(std::size_t end) const;

 private:
  // The scores of shorter reads fit into narrow lanes.
  static constexpr std::size_t kShort = 255;

  bool is_short_ = false;  // the read of find()
  WindowRows<std::uint16_t> found_16_;
  WindowRows<std::int32_t> found_32_;
  WindowRows<std::uint8_t> rows_8_;
  WindowRows<std::uint16_t> rows_16_;
};

}  // namespace trawl::rescue
