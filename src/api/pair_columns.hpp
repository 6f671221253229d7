// The columns of the dynamic programming of two strings, 64 rows in a word (match/myers.hpp), in a band of blocks.
//
//   const RowMasks masks("GATTACA");
//   PairColumns columns(masks, 1);              // a border that costs 1 a letter: the target begins with the query
//   columns.open(0);
//   for (const char letter : std::string("GATT")) {
//     columns.step(letter);
//   }
//   columns.bottom() == 3                       // the distance of GATTACA and GATT
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
  /// `border`: what each letter of the target costs above the first row: 1, or 0 if the query may begin anywhere.
  PairColumns(const RowMasks& masks, int border)
      : masks_(masks), border_(border), words_(masks.blocks()), hn_(masks.blocks()), scores_(masks.blocks()) {}

  /// The first column, before any letter: blocks 0 to `last`.
  void open(std::size_t last) {
    first_ = 0;
    last_ = 0;
    start(0, 0);
    while (last_ < last) {
      add_block();
    }
  }
  std::size_t first() const { return first_; }
  std::size_t last() const { return last_; }
  bool is_at_bottom() const { return last_ + 1 == masks_.blocks(); }

  /// Adds the block below the band. Its rows are as far away as they can be.
  void add_block() {
    ++last_;
    start(last_, scores_[last_ - 1]);
  }
  void drop_first() { ++first_; }
  void drop_last() { --last_; }

  /// Moves on by a letter.
  void step(char letter) {
    const std::uint64_t* const eq = masks_.of(letter);
    int change = first_ == 0 ? border_ : 1;
    for (std::size_t b = first_; b <= last_; ++b) {
      const std::uint64_t row = std::uint64_t{1} << (masks_.rows(b) - 1);
      const auto h =
          match::myers_column(match::PlainOps<std::uint64_t>{}, words_[b].vp, words_[b].vn, eq[b],
                              static_cast<std::uint64_t>(change > 0), static_cast<std::uint64_t>(change < 0));
      hn_[b] = h.hn;
      change = static_cast<int>((h.hp & row) != 0) - static_cast<int>((h.hn & row) != 0);
      scores_[b] += change;
    }
  }

  /// The value in the last row of block b, and of the query.
  std::int64_t score(std::size_t b) const { return scores_[b]; }
  std::int64_t bottom() const { return scores_.back(); }
  /// The rows of block b: differences to the row above, +1 and -1; those that are one less than in the column before.
  const match::MyersWord<std::uint64_t>& word(std::size_t b) const { return words_[b]; }
  std::uint64_t less(std::size_t b) const { return hn_[b]; }

 private:
  void start(std::size_t b, std::int64_t above) {
    words_[b] = {};
    scores_[b] = above + masks_.rows(b);
  }

  const RowMasks& masks_;
  int border_;
  std::size_t first_ = 0;
  std::size_t last_ = 0;
  std::vector<match::MyersWord<std::uint64_t>> words_;
  std::vector<std::uint64_t> hn_;
  std::vector<std::int64_t> scores_;
};

/// The blocks in which a path of at most `most` edits from the first corner of query and target to the last one can
/// lie, column by column (Ukkonen 1985). Column c is the one after c letters of the target.
class PathBand {
 public:
  PathBand(std::size_t query, std::size_t target, std::int64_t most) : query_(static_cast<std::int64_t>(query)) {
    const std::int64_t slant = query_ - static_cast<std::int64_t>(target);
    const std::int64_t slack = std::max<std::int64_t>(0, (most - (slant < 0 ? -slant : slant)) / 2);
    low_ = std::min<std::int64_t>(0, slant) - slack;
    high_ = std::max<std::int64_t>(0, slant) + slack;
  }
  std::size_t first(std::size_t c) const { return block(static_cast<std::int64_t>(c) + low_); }
  std::size_t last(std::size_t c) const { return block(static_cast<std::int64_t>(c) + high_); }

  /// Brings the columns to those of column c, before the step to it.
  void follow(std::size_t c, PairColumns& columns) const {
    while (columns.last() < last(c)) {
      columns.add_block();
    }
    while (columns.first() < first(c)) {
      columns.drop_first();
    }
  }

 private:
  std::size_t block(std::int64_t row) const {
    return static_cast<std::size_t>((std::clamp<std::int64_t>(row, 1, query_) - 1) / 64);
  }

  std::int64_t query_;
  std::int64_t low_ = 0;
  std::int64_t high_ = 0;
};

}  // namespace trawl::api
