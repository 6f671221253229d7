// The columns of the dynamic programming of a query that may begin anywhere in a target, 64 rows in a word
// (match/myers.hpp), as many blocks as are wanted.
//
//   const RowMasks masks("GATTACA");
//   PairColumns columns(masks);
//   columns.open(0);
//   for (const char letter : std::string("CCGATT")) {
//     columns.step(letter);
//   }
//   columns.bottom() == 3                       // of GATTACA and GATT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "match/myers.hpp"

namespace trawl::api {

/// Which rows of a query match a letter. The letters are bytes.
class RowMasks {
 public:
  explicit RowMasks(std::string_view query) : length_(query.size()), blocks_((query.size() + 63) / 64) {
    row_of_.fill(0);
    masks_.assign(blocks_, 0);  // of letters that the query does not have
    for (std::size_t i = 0; i < query.size(); ++i) {
      std::uint32_t& row = row_of_[static_cast<unsigned char>(query[i])];
      if (row == 0) {
        row = static_cast<std::uint32_t>(masks_.size() / blocks_);
        masks_.resize(masks_.size() + blocks_, 0);
      }
      masks_[row * blocks_ + i / 64] |= std::uint64_t{1} << (i % 64);
    }
  }

  std::size_t length() const { return length_; }
  std::size_t blocks() const { return blocks_; }
  /// How many rows block b has.
  std::int64_t rows(std::size_t b) const {
    return b + 1 < blocks_ ? 64 : static_cast<std::int64_t>(length_ - 64 * (blocks_ - 1));
  }
  const std::uint64_t* of(char letter) const {
    return masks_.data() + row_of_[static_cast<unsigned char>(letter)] * blocks_;
  }

 private:
  std::size_t length_;
  std::size_t blocks_;
  std::array<std::uint32_t, 256> row_of_;  // 0: the query has no such letter
  std::vector<std::uint64_t> masks_;
};

/// One column, which moves on by a letter of the target. Blocks outside the band are not computed; what is in the band
/// is then at least the distance, and equal to it where a path within the band has it.
class PairColumns {
 public:
  explicit PairColumns(const RowMasks& masks) : masks_(masks), words_(masks.blocks()), scores_(masks.blocks()) {}

  /// The first column, before any letter: blocks 0 to `last`.
  void open(std::size_t last) {
    last_ = 0;
    start(0, 0);
    while (last_ < last) {
      add_block();
    }
  }
  std::size_t last() const { return last_; }
  bool is_at_bottom() const { return last_ + 1 == masks_.blocks(); }

  /// Adds the block below the band. Its rows are as far away as they can be.
  void add_block() {
    ++last_;
    start(last_, scores_[last_ - 1]);
  }
  void drop_last() { --last_; }

  /// Moves on by a letter.
  void step(char letter) {
    const std::uint64_t* const eq = masks_.of(letter);
    int change = 0;
    for (std::size_t b = 0; b <= last_; ++b) {
      change = match::myers_step(words_[b], eq[b], change, std::uint64_t{1} << (masks_.rows(b) - 1));
      scores_[b] += change;
    }
  }

  /// The value in the last row of block b, and of the query.
  std::int64_t score(std::size_t b) const { return scores_[b]; }
  std::int64_t bottom() const { return scores_.back(); }

 private:
  void start(std::size_t b, std::int64_t above) {
    words_[b] = {};
    scores_[b] = above + masks_.rows(b);
  }

  const RowMasks& masks_;
  std::size_t last_ = 0;
  std::vector<match::MyersWord<std::uint64_t>> words_;
  std::vector<std::int64_t> scores_;
};

}  // namespace trawl::api
