// Highway includes this file once for every instruction set it compiles for.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "api/pair_strips_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "api/pair_strips.hpp"
#include "base/stop.hpp"
#include "match/hwy_ops.hpp"
#include "match/myers.hpp"

#ifndef TRAWL_API_STRIP_COLUMNS
#define TRAWL_API_STRIP_COLUMNS

namespace trawl::api {

constexpr std::uint8_t kAbsent = 128;  // a letter that the query does not have
constexpr std::size_t kChunk = 1024;   // columns; their letters stay in the first cache

// One strip, and the columns of it that are computed.
struct StripColumns {
  const std::uint64_t* rows;    // of the strip
  const std::uint8_t* letters;  // numbers, from the last column to the first one
  const std::uint8_t* above;    // changes in the row above
  std::uint8_t* below;          // and in row `last`
  std::size_t columns;
  std::size_t last;
  std::uint64_t* kept;  // or nullptr
};

}  // namespace trawl::api

#endif

HWY_BEFORE_NAMESPACE();
namespace trawl::api::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using match::HWY_NAMESPACE::HwyOps;
#include "match/myers.inc"

const hn::CappedTag<std::uint64_t, 4> kWords;
using Words = hn::Vec<decltype(kWords)>;

// The vector that begins with the last lane of `below` and goes on with all but the last one of `words`.
HWY_INLINE Words shift_lane_in(Words below, [[maybe_unused]] Words words) {
#if HWY_TARGET == HWY_SCALAR
  return below;
#else
  if constexpr (hn::MaxLanes(kWords) == 4) {
    below = hn::ConcatLowerUpper(kWords, words, below);
  }
  return hn::CombineShiftRightBytes<8>(kWords, words, below);
#endif
}

// Lane b, that is block b of the strip, is b columns behind lane 0: so what it needs from the block above is that of
// the step before (as in A*PA2, Groot Koerkamp 2024), and all blocks of a step are computed at once.
template <unsigned kPlanes, bool kKeeps>
void strip(const StripColumns& s) {
  constexpr std::size_t kLanes = hn::MaxLanes(kWords);
  constexpr std::size_t kVectors = kStripBlocks / kLanes;
  // Of the letters of a chunk from its last column to its first: each bit as a word; whether the query lacks it.
  HWY_ALIGN std::array<std::array<std::uint64_t, kChunk + kStripBlocks>, kPlanes + 1> letters;
  HWY_ALIGN std::array<std::uint64_t, kStripBlocks * kStripWords> unkept;
  Words rows[kPlanes][kVectors], vp[kVectors], vn[kVectors], hp[kVectors], hn[kVectors];
  for (std::size_t v = 0; v < kVectors; ++v) {
    for (unsigned p = 0; p < kPlanes; ++p) rows[p][v] = hn::LoadU(kWords, s.rows + p * kStripBlocks + v * kLanes);
    vp[v] = hn::Set(kWords, ~std::uint64_t{0});
    vn[v] = hp[v] = hn[v] = hn::Zero(kWords);
  }
  const auto columns = static_cast<std::ptrdiff_t>(s.columns);
  const auto behind = static_cast<std::ptrdiff_t>(s.last / 64);
  const std::size_t bit = s.last % 64;
  std::uint64_t* kept = kKeeps ? s.kept : unkept.data();
  for (std::ptrdiff_t first = 0; first < columns + behind; first += kChunk) {
    Stop::look();
    const auto after = first + static_cast<std::ptrdiff_t>(kChunk);
    const std::ptrdiff_t stop = std::min(after, columns + behind);
    // Before the first column nothing matches and the row above stays as it is: so do the blocks.
    for (auto& words : letters) {
      std::fill(words.begin() + (after - stop), words.end(), ~std::uint64_t{0});
    }
    const std::uint8_t* const from = s.letters + (columns - after);
    const std::ptrdiff_t begin = std::max(after - stop, after - columns);
    const std::ptrdiff_t end = std::min<std::ptrdiff_t>(kChunk + kStripBlocks, after);
    for (unsigned p = 0; p <= kPlanes; ++p) {
      const unsigned bit_of = p < kPlanes ? p : 7;
      std::uint64_t* const words = letters[p].data();
      for (std::ptrdiff_t i = begin; i < end; ++i) {
        words[i] = p == 8 ? 0 : std::uint64_t{0} - (from[i] >> bit_of & 1);
      }
    }
    for (std::ptrdiff_t step = first; step < stop; ++step) {
      const std::uint64_t in = step < columns ? s.above[step] : 0;
      const auto at = static_cast<std::size_t>(after - 1 - step);
      for (std::size_t v = kVectors; v-- > 0;) {
        const Words hp_above = v > 0 ? hp[v - 1] : hn::Set(kWords, in << 63);
        const Words hn_above = v > 0 ? hn[v - 1] : hn::Set(kWords, in >> 1 << 63);
        Words differs = hn::LoadU(kWords, letters[kPlanes].data() + at + v * kLanes);
        for (unsigned p = 0; p < kPlanes; ++p) {
          differs = hn::Or(differs, hn::Xor(rows[p][v], hn::LoadU(kWords, letters[p].data() + at + v * kLanes)));
        }
        const auto h = myers_column(HwyOps<decltype(kWords)>(), vp[v], vn[v], hn::Not(differs),
                                    hn::ShiftRight<63>(shift_lane_in(hp_above, hp[v])),
                                    hn::ShiftRight<63>(shift_lane_in(hn_above, hn[v])));
        hp[v] = h.hp;
        hn[v] = h.hn;
        hn::StoreU(hp[v], kWords, kept + kLeftMore * kStripBlocks + v * kLanes);
        hn::StoreU(hn[v], kWords, kept + kLeftLess * kStripBlocks + v * kLanes);
        if constexpr (kKeeps) {
          hn::StoreU(vp[v], kWords, kept + kAboveMore * kStripBlocks + v * kLanes);
          hn::StoreU(vn[v], kWords, kept + kAboveLess * kStripBlocks + v * kLanes);
        }
      }
      if (step >= behind) {
        s.below[step - behind] =
            static_cast<std::uint8_t>((kept[kLeftMore * kStripBlocks + s.last / 64] >> bit & 1) |
                                      (kept[kLeftLess * kStripBlocks + s.last / 64] >> bit & 1) << 1);
      }
      if constexpr (kKeeps) kept += kStripBlocks * kStripWords;
    }
  }
}

template <unsigned kPlanes>
void strip_of(const StripColumns& s) {
  if (s.kept != nullptr) {
    strip<kPlanes, true>(s);
  } else {
    strip<kPlanes, false>(s);
  }
}

void strip_2(const StripColumns& s) { strip_of<2>(s); }
void strip_3(const StripColumns& s) { strip_of<3>(s); }
void strip_8(const StripColumns& s) { strip_of<8>(s); }

}  // namespace trawl::api::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace trawl::api {

HWY_EXPORT(strip_2);
HWY_EXPORT(strip_3);
HWY_EXPORT(strip_8);

std::int64_t StripRow::last() const {
  std::int64_t sum = value;
  for (const std::uint8_t coded : changes) sum += change(coded);
  return sum;
}

PairStrips::PairStrips(std::string_view query, std::string_view target) : query_(query), target_(target) {
  std::array<std::uint8_t, 256> number;
  number.fill(kAbsent);
  unsigned letters = 0;
  for (const char letter : query) {
    std::uint8_t& of_letter = number[static_cast<unsigned char>(letter)];
    if (of_letter == kAbsent && letters < 9) of_letter = static_cast<std::uint8_t>(letters++);
  }
  planes_ = letters <= 4 ? 2 : letters <= 8 ? 3 : 8;
  if (planes_ == 8) {
    for (std::size_t i = 0; i < number.size(); ++i) number[i] = static_cast<std::uint8_t>(i);
  }
  rows_.assign((query.size() + kStripRows - 1) / kStripRows * kStripBlocks * planes_, 0);
  for (std::size_t i = 0; i < query.size(); ++i) {
    const std::uint64_t of_letter = number[static_cast<unsigned char>(query[i])];
    std::uint64_t* const words = rows_.data() + i / kStripRows * kStripBlocks * planes_ + i / 64 % kStripBlocks;
    for (unsigned p = 0; p < planes_; ++p) words[p * kStripBlocks] |= (of_letter >> p & 1) << i % 64;
  }
  back_.reserve(target.size());
  for (auto letter = target.rbegin(); letter != target.rend(); ++letter) {
    back_.push_back(number[static_cast<unsigned char>(*letter)]);
  }
}

// Leaves of a row what can lie on a path to the goal, and goes on to the last column that the path can reach above row
// `end`.
bool PairStrips::narrow(StripRow& row, const StripGoal& goal, std::size_t end) const {
  const auto r = static_cast<std::int64_t>(row.row), m = static_cast<std::int64_t>(goal.row);
  const auto n = static_cast<std::int64_t>(goal.column);
  const std::int64_t lowest = r + std::min<std::int64_t>(0, n - m) - goal.beside;
  const std::int64_t highest =
      static_cast<std::int64_t>(end) + (goal.is_end_free ? 0 : std::max<std::int64_t>(0, n - m)) + goal.beside;
  // How many more letters of the query are left than of the target. Each costs an edit.
  const auto left = [&](std::int64_t column) { return column - r - (n - m); };
  const auto is_far = [&](std::int64_t column, std::int64_t value) {
    const std::int64_t more = left(column);
    return value + (goal.is_end_free ? std::max<std::int64_t>(0, more) : std::abs(more)) > goal.most;
  };
  if (row.begin > goal.column) return false;
  row.changes.resize(std::min(row.changes.size(), goal.column - row.begin));
  std::int64_t last_value = row.last();
  std::size_t first = 0;
  auto column = static_cast<std::int64_t>(row.begin);
  while (column < lowest || is_far(column, row.value)) {
    if (first == row.changes.size()) return false;
    row.value += StripRow::change(row.changes[first++]);
    ++column;
  }
  row.changes.erase(row.changes.begin(), row.changes.begin() + static_cast<std::ptrdiff_t>(first));
  row.begin = static_cast<std::size_t>(column);
  std::int64_t last = column + static_cast<std::int64_t>(row.changes.size());
  for (; is_far(last, last_value); --last) {
    last_value -= StripRow::change(row.changes.back());
    row.changes.pop_back();
  }
  // A path from the last value can gain so many columns on the rows; beyond the goal, each is paid on the way back,
  // too.
  const std::int64_t gain = left(last) + goal.most - last_value;
  const std::int64_t reach = static_cast<std::int64_t>(end) + n - m + (gain > 0 ? gain / 2 : gain);
  row.changes.resize(static_cast<std::size_t>(std::clamp(std::min(reach, highest), last, n) - column), 1);
  return true;
}

void PairStrips::compute(const StripRow& row, std::size_t end, std::vector<std::uint8_t>& below,
                         std::uint64_t* kept) const {
  const std::size_t columns = row.changes.size();
  below.resize(columns);
  const StripColumns strip{rows_.data() + row.row / kStripRows * kStripBlocks * planes_,
                           back_.data() + (target_.size() - row.begin - columns),
                           row.changes.data(),
                           below.data(),
                           columns,
                           end - row.row - 1,
                           kept};
  switch (planes_) {
    case 2:
      return HWY_DYNAMIC_DISPATCH(strip_2)(strip);
    case 3:
      return HWY_DYNAMIC_DISPATCH(strip_3)(strip);
    default:
      return HWY_DYNAMIC_DISPATCH(strip_8)(strip);
  }
}

bool PairStrips::advance(StripRow& row, const StripGoal& goal) const {
  const std::size_t end = std::min(row.row + kStripRows, goal.row);
  if (!narrow(row, goal, end)) return false;
  std::vector<std::uint8_t> below;
  compute(row, end, below, nullptr);
  row.changes.swap(below);
  row.value += static_cast<std::int64_t>(end - row.row);
  row.row = end;
  return true;
}

bool PairStrips::keep(StripRow& row, const StripGoal& goal, std::vector<std::uint64_t>& kept) const {
  if (!narrow(row, goal, goal.row)) return false;
  std::vector<std::uint8_t> below;
  kept.resize((row.changes.size() + kStripBlocks) * kStripWords * kStripBlocks);
  compute(row, goal.row, below, kept.data());
  return true;
}

}  // namespace trawl::api

#endif  // HWY_ONCE
