#include "clip/clear_place.hpp"

#include <algorithm>
#include <bit>

#include "base/wide_word.hpp"
#include "match/banded_myers.hpp"

namespace trawl::clip {

namespace {

// Mismatches of the diagonal in the core.
constexpr unsigned kMostMismatches = 2;

// How many bits are set from bit `i` on, without a break.
std::int32_t ones_from(const std::uint64_t* words, std::int32_t i) {
  std::int32_t count = 0;
  for (std::int32_t at = i;;) {
    const std::uint64_t zeros = ~words[at / 64] >> (at % 64);
    if (zeros != 0) {
      return count + std::countr_zero(zeros);
    }
    count += 64 - at % 64;
    at = i + count;
  }
}

// How many bits are set before bit `i`, without a break.
std::int32_t ones_before(const std::uint64_t* words, std::int32_t i) {
  std::int32_t left = i;
  while (left > 0) {
    const std::int32_t last = left - 1;
    const std::uint64_t zeros = ~words[last / 64] << (63 - last % 64);
    if (zeros != 0) {
      return i - left + std::countl_zero(zeros);
    }
    left -= last % 64 + 1;
  }
  return i;
}

void set_lanes(std::uint64_t& word, std::uint64_t low, std::uint64_t) { word = low; }

void set_lanes(WideWord<2>& word, std::uint64_t low, std::uint64_t high) { word.limbs = {low, high}; }

// Whether D > edits at the ends in lanes first .. last.
template <class Word>
bool all_exceed(const match::BandState<Word>& state, std::uint32_t distance, std::uint32_t edits, unsigned first,
                unsigned last) {
  for (unsigned b = 0; b < last; ++b) {
    if (b >= first && distance <= edits) {
      return false;
    }
    distance = distance + (bit(state.vp, b) ? 1 : 0) - (bit(state.vn, b) ? 1 : 0);
  }
  return distance > edits;
}

}  // namespace

void ClearPlace::start(const sequence::EncodedRead& strand, const align::PieceLimits& limits) {
  strand_ = &strand;
  limits_ = &limits;
  edits_ = limits.max_edits();
  words_ = limits.length / 64 + 1;
  for (unsigned code = 0; code < 4; ++code) {
    bases_[code].assign(words_, 0);
  }
  if (strand.sets.empty()) {
    for (std::size_t w = 0; w < words_; ++w) {
      const std::size_t left = limits.length - 64 * w;
      const std::uint64_t used = left >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << left) - 1;
      const std::uint64_t high = strand.high[w];
      const std::uint64_t low = strand.low[w];
      bases_[0][w] = ~high & ~low & used;
      bases_[1][w] = ~high & low & used;
      bases_[2][w] = high & ~low & used;
      bases_[3][w] = high & low & used;
    }
    return;
  }
  for (std::size_t i = 0; i < limits.length; ++i) {
    for (unsigned code = 0; code < 4; ++code) {
      bases_[code][i / 64] |= std::uint64_t{(strand.sets[i] >> code) & 1u} << (i % 64);
    }
  }
}

bool ClearPlace::find(std::int64_t first, std::int64_t last, std::uint32_t row, const sequence::Contig& contig) {
  if (edits_ > kMostEdits) {
    return false;
  }
  row_ = row;
  contig_ = &contig;
  Outcome outcome = judge(first, last, rows_64_);
  if (outcome == Outcome::too_narrow) {
    outcome = judge(first, last, rows_128_);
  }
  if (outcome != Outcome::found) {
    return false;
  }
  known_.fill(false);
  matches_.resize(known_.size() * words_);
  if (!find_best()) {
    return false;
  }
  find_ends();
  return true;
}

template <class Word>
ClearPlace::Outcome ClearPlace::judge(std::int64_t first, std::int64_t last, std::vector<Word>& rows) {
  constexpr std::int64_t kBits = 8 * sizeof(Word);
  // The band needs E diagonals beside those that are judged: the diagonals wanted, and 2 E + 1 on both sides of k.
  const std::int64_t reach = 2 * edits_ + 1;
  if (std::max(last - first, 2 * reach) + 2 * edits_ >= kBits) {
    return Outcome::too_narrow;
  }
  const std::int64_t band = first + (last - first + 1) / 2 - kBits / 2;  // the diagonal of bit 0
  text_begin_ = band - edits_;
  text_.load(reference_, text_begin_, limits_->length + static_cast<std::size_t>(kBits + 2 * edits_),
             ambiguous_matches_);
  const std::uint32_t begin = limits_->clip();
  const std::uint32_t end = limits_->length - begin;
  rows.resize(end - begin);
  std::array<Word, kMostMismatches + 1> more{};  // [n]: lanes with more than n mismatches in the core
  for (std::uint32_t i = begin; i < end; ++i) {
    const std::size_t at = i + static_cast<std::size_t>(edits_);
    Word& equal = rows[i - begin];
    set_lanes(equal, text_.match_bits(*strand_, i, at), kBits > 64 ? text_.match_bits(*strand_, i, at + 64) : 0);
    const Word differ = ~equal;
    for (unsigned n = kMostMismatches; n > 0; --n) {
      more[n] = more[n] | (more[n - 1] & differ);
    }
    more[0] = more[0] | differ;
  }
  // k: a diagonal with the fewest mismatches.
  std::int64_t lane = -1;
  for (unsigned n = 0; n <= kMostMismatches && lane < 0; ++n) {
    for (std::int64_t l = first - band; l <= last - band && lane < 0; ++l) {
      lane = bit(more[n], static_cast<unsigned>(l)) ? -1 : l;
    }
  }
  diagonal_ = band + lane;
  const std::int64_t node = diagonal_ + row_ - static_cast<std::int64_t>(contig_->offset);
  if (lane < 0 || node < 0 || node > static_cast<std::int64_t>(contig_->length)) {
    return Outcome::unclear;
  }
  const std::int64_t from = std::min(first - band, lane - reach);
  const std::int64_t to = std::max(last - band, lane + reach);
  if (from < edits_ || to + edits_ >= kBits) {
    return Outcome::too_narrow;
  }
  // The fewest edits without a match on k, in the upper and in the lower half: two chains that do not depend on each
  // other.
  const match::PlainOps<Word> ops;
  const Word others = ~(Word{1} << static_cast<unsigned>(lane));
  const std::uint32_t half = row_ - begin;
  const std::uint32_t lower_half = end - row_;
  match::BandState<Word> upper, lower;
  std::uint32_t upper_distance = half, lower_distance = lower_half;
  for (std::uint32_t i = 0; i < std::max(half, lower_half); ++i) {
    if (i < half) {
      upper_distance -= bit(match::banded_row(ops, upper, rows[i] & others).d0, 0) ? 1 : 0;
    }
    if (i < lower_half) {
      lower_distance -= bit(match::banded_row(ops, lower, rows[half + i] & others).d0, 0) ? 1 : 0;
    }
  }
  const auto edits = static_cast<std::uint32_t>(edits_);
  return all_exceed(upper, upper_distance, edits, static_cast<unsigned>(from), static_cast<unsigned>(to)) &&
                 all_exceed(lower, lower_distance, edits, static_cast<unsigned>(from), static_cast<unsigned>(to))
             ? Outcome::found
             : Outcome::unclear;
}

const std::uint64_t* ClearPlace::matches(std::int32_t lane) {
  const auto slot = static_cast<std::size_t>(lane + static_cast<std::int32_t>(kMostEdits));
  std::uint64_t* const words = matches_.data() + slot * words_;
  if (!known_[slot]) {
    known_[slot] = true;
    const auto at = static_cast<std::size_t>(diagonal_ + lane - text_begin_);
    for (std::size_t w = 0; w < words_; ++w) {
      std::uint64_t equal = 0;
      for (unsigned code = 0; code < 4; ++code) {
        equal |= bases_[code][w] & text_.bits(code, at + 64 * w);
      }
      words[w] = equal;
    }
  }
  return words;
}

std::int32_t ClearPlace::reach_right(std::uint32_t edits) {
  const auto most = static_cast<std::int32_t>(limits_->length);
  const auto middle = static_cast<std::int32_t>(kMostEdits);
  const auto reach = static_cast<std::int32_t>(edits);
  auto& rows = right_[edits];
  std::int32_t furthest = 0;
  for (std::int32_t lane = -reach; lane <= reach; ++lane) {
    const auto at = static_cast<std::size_t>(middle + lane);
    std::int32_t row = static_cast<std::int32_t>(row_);
    if (edits > 0) {
      const auto& before = right_[edits - 1];
      const bool is_inside = lane > -reach && lane < reach;
      const std::int32_t mismatch = is_inside ? before[at] + 1 : -1;
      const std::int32_t insertion = lane < reach - 1 ? before[at + 1] + 1 : -1;
      const std::int32_t deletion = lane > -reach + 1 ? before[at - 1] : -1;
      row = std::min(std::max({mismatch, insertion, deletion}), most);
    }
    rows[at] = row + ones_from(matches(lane), row);
    furthest = std::max(furthest, rows[at]);
  }
  return furthest;
}

std::int32_t ClearPlace::reach_left(std::uint32_t edits) {
  const auto none = static_cast<std::int32_t>(limits_->length) + 1;
  const auto middle = static_cast<std::int32_t>(kMostEdits);
  const auto reach = static_cast<std::int32_t>(edits);
  auto& rows = left_[edits];
  std::int32_t furthest = none;
  for (std::int32_t lane = -reach; lane <= reach; ++lane) {
    const auto at = static_cast<std::size_t>(middle + lane);
    std::int32_t row = static_cast<std::int32_t>(row_);
    if (edits > 0) {
      const auto& before = left_[edits - 1];
      const bool is_inside = lane > -reach && lane < reach;
      const std::int32_t mismatch = is_inside ? before[at] - 1 : none;
      const std::int32_t insertion = lane > -reach + 1 ? before[at - 1] - 1 : none;
      const std::int32_t deletion = lane < reach - 1 ? before[at + 1] : none;
      row = std::max(std::min({mismatch, insertion, deletion}), 0);
    }
    rows[at] = row - ones_before(matches(lane), row);
    furthest = std::min(furthest, rows[at]);
  }
  return furthest;
}

bool ClearPlace::find_best() {
  best_ = {};
  left_levels_ = right_levels_ = 0;
  const std::uint32_t length = limits_->length;
  for (std::uint32_t x = 0; x <= edits_; ++x) {
    // With x edits or more on one side the penalty is at least this.
    if (align::kEditPoints * x > best_.penalty) {
      break;
    }
    if (left_levels_ == 0 || left_clipped_[left_levels_ - 1] > 0) {
      left_clipped_[x] = static_cast<std::uint32_t>(reach_left(x));
      ++left_levels_;
      for (std::uint32_t y = 0; y < right_levels_; ++y) {
        best_.offer(*limits_, left_clipped_[x], x, right_clipped_[y], y);
      }
    }
    if (right_levels_ == 0 || right_clipped_[right_levels_ - 1] > 0) {
      right_clipped_[x] = length - static_cast<std::uint32_t>(reach_right(x));
      ++right_levels_;
      for (std::uint32_t y = 0; y < left_levels_; ++y) {
        best_.offer(*limits_, left_clipped_[y], y, right_clipped_[x], x);
      }
    }
  }
  return best_.is_found();
}

void ClearPlace::find_ends() {
  const align::Piece piece = best_.piece(limits_->length);
  const auto piece_end = static_cast<std::int32_t>(piece.end);
  const std::uint32_t right_edits = piece.edits - best_.left_edits;
  const auto reach = static_cast<std::int32_t>(right_edits);
  // The piece ends more than E rows after X: half the core alone can cost more than E.
  const auto reaches = [&](std::uint32_t edits, std::int32_t lane) {
    return right_[edits][static_cast<std::size_t>(static_cast<std::int32_t>(kMostEdits) + lane)] >= piece_end;
  };
  std::int32_t first = -reach;
  while (!reaches(right_edits, first)) {
    ++first;
  }
  std::int32_t last = reach;
  const auto contig_end = static_cast<std::int64_t>(contig_->offset + contig_->length);
  while (!reaches(right_edits, last) || diagonal_ + last + piece_end > contig_end) {
    --last;
  }
  end_ = diagonal_ + first + piece_end - 1;
  // The run of ends goes on while D <= e of the piece. D is what is left of X and the fewest edits from there.
  const std::uint32_t allowed = most_edits(*limits_, best_.clipped);
  const auto gap = static_cast<std::uint32_t>(last - first);
  if (piece.edits + gap / 2 > allowed) {
    for (; right_levels_ <= allowed - best_.left_edits; ++right_levels_) {
      reach_right(right_levels_);
    }
    for (std::int32_t lane = first; lane < last; ++lane) {
      const std::uint32_t distance = static_cast<std::uint32_t>(lane < 0 ? -lane : lane);
      bool within = false;
      for (std::uint32_t y = distance; y <= allowed - best_.left_edits && !within; ++y) {
        within = reaches(y, lane);
      }
      if (!within) {
        last = lane;
      }
    }
    while (!reaches(right_edits, last)) {
      --last;
    }
  }
  spread_ = static_cast<std::uint32_t>(last - first);
}

}  // namespace trawl::clip
