#include "api/pair_path.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

#include "align/alignment.hpp"
#include "api/pair_columns.hpp"

namespace trawl::api {

namespace {

using align::CigarOp;

constexpr std::size_t kMostKept = std::size_t{64} << 20;  // bytes

void put(CigarOp op, std::uint32_t length, std::vector<std::uint32_t>& cigar) {
  if (length > 0 && !cigar.empty() && (cigar.back() & 15u) == static_cast<std::uint32_t>(op)) {
    cigar.back() += length << 4;
  } else if (length > 0) {
    cigar.push_back(length << 4 | static_cast<std::uint32_t>(op));
  }
}

// A block of a column that is kept for the way back.
struct Kept {
  std::uint64_t vp, vn, less;
};

// All columns in the band, and the way back through them.
class KeptColumns {
 public:
  KeptColumns(std::string_view query, std::string_view target, std::int64_t distance)
      : query_(query), target_(target), band_(query.size(), target.size(), distance) {
    const RowMasks masks(query);
    PairColumns columns(masks, 1);
    columns.open(band_.last(0));
    begins_.push_back(0);
    for (std::size_t c = 1; c <= target.size(); ++c) {
      band_.follow(c, columns);
      columns.step(target[c - 1]);
      for (std::size_t b = columns.first(); b <= columns.last(); ++b) {
        kept_.push_back({columns.word(b).vp, columns.word(b).vn, columns.less(b)});
      }
      begins_.push_back(kept_.size());
    }
  }

  // The steps from the last corner to the first one. A substitution is taken before a gap.
  void walk(bool eqx, std::vector<std::uint32_t>& back) const {
    std::size_t i = query_.size(), c = target_.size();
    while (i > 0 && c > 0) {
      const bool same = query_[i - 1] == target_[c - 1];
      if ((i - 1) / 64 < band_.first(c)) {  // above the band
        put(CigarOp::deletion, 1, back);
        --c;
      } else if (same || !is_from_above(i, c) || substitutes(i, c)) {
        if (!same && is_from_left(i, c)) {
          put(CigarOp::deletion, 1, back);
          --c;
          continue;
        }
        put(!eqx ? CigarOp::match : same ? CigarOp::equal : CigarOp::mismatch, 1, back);
        --i;
        --c;
      } else {
        put(CigarOp::insertion, 1, back);
        --i;
      }
    }
    put(CigarOp::insertion, static_cast<std::uint32_t>(i), back);
    put(CigarOp::deletion, static_cast<std::uint32_t>(c), back);
  }

 private:
  // Row i of column c, both from 1.
  const Kept* kept(std::size_t i, std::size_t c) const {
    const std::size_t b = (i - 1) / 64;
    return b < band_.first(c) || b > band_.last(c) ? nullptr : &kept_[begins_[c - 1] + b - band_.first(c)];
  }
  static bool bit(std::uint64_t word, std::size_t i) { return (word >> ((i - 1) % 64) & 1) != 0; }

  // Whether the value is one more than that of the row above.
  bool is_from_above(std::size_t i, std::size_t c) const { return bit(kept(i, c)->vp, i); }
  // If it is: whether it is also one more than that of the row above in the column before.
  bool substitutes(std::size_t i, std::size_t c) const {
    const Kept* const above = i > 1 ? kept(i - 1, c) : nullptr;
    return above != nullptr && !bit(above->less, i - 1);
  }
  // If it comes neither from above nor from equal letters: whether only the column before is one less.
  bool is_from_left(std::size_t i, std::size_t c) const {
    if (is_from_above(i, c)) {
      return false;
    }
    const Kept* const left = c > 1 ? kept(i, c - 1) : nullptr;
    return left != nullptr && bit(left->vn, i);
  }

  std::string_view query_;
  std::string_view target_;
  PathBand band_;
  std::vector<Kept> kept_;
  std::vector<std::size_t> begins_;  // in kept_, of column c at index c - 1
};

// D of each row in the last column, from 0 to the whole query; rows outside the band are far away.
std::vector<std::int64_t> last_column(std::string_view query, std::string_view target, const PathBand& band) {
  constexpr std::int64_t kFar = std::int64_t{1} << 60;
  std::vector<std::int64_t> values(query.size() + 1, kFar);
  values[0] = static_cast<std::int64_t>(target.size());
  const RowMasks masks(query);
  PairColumns columns(masks, 1);
  columns.open(band.last(0));
  for (std::size_t c = 1; c <= target.size(); ++c) {
    band.follow(c, columns);
    columns.step(target[c - 1]);
  }
  for (std::size_t b = columns.first(); b <= columns.last(); ++b) {
    std::int64_t value = columns.score(b);
    for (auto r = static_cast<std::size_t>(masks.rows(b)); r > 0; --r) {
      values[64 * b + r] = value;
      const std::uint64_t bit = std::uint64_t{1} << (r - 1);
      value -= (columns.word(b).vp & bit) != 0 ? 1 : (columns.word(b).vn & bit) != 0 ? -1 : 0;
    }
  }
  return values;
}

// Half of the target with the best first part of the query, then the rest (Hirschberg 1975).
void append_halves(std::string_view query, std::string_view target, std::int64_t distance, bool eqx,
                   std::vector<std::uint32_t>& cigar) {
  const std::size_t half = target.size() / 2;
  const PathBand band(query.size(), target.size(), distance);
  const std::string query_back(query.rbegin(), query.rend()), target_back(target.rbegin(), target.rend());
  const auto first = last_column(query, target.substr(0, half), band);
  const auto second = last_column(query_back, std::string_view(target_back).substr(0, target.size() - half), band);
  std::size_t best = 0;
  for (std::size_t i = 0; i <= query.size(); ++i) {
    if (first[i] + second[query.size() - i] < first[best] + second[query.size() - best]) {
      best = i;
    }
  }
  append_path(query.substr(0, best), target.substr(0, half), first[best], eqx, cigar);
  append_path(query.substr(best), target.substr(half), second[query.size() - best], eqx, cigar);
}

}  // namespace

void append_path(std::string_view query, std::string_view target, std::int64_t distance, bool eqx,
                 std::vector<std::uint32_t>& cigar) {
  if (query.empty() || target.empty()) {
    put(CigarOp::insertion, static_cast<std::uint32_t>(query.size()), cigar);
    put(CigarOp::deletion, static_cast<std::uint32_t>(target.size()), cigar);
    return;
  }
  const PathBand band(query.size(), target.size(), distance);
  const std::size_t middle = target.size() / 2;
  if (target.size() > 1 && (band.last(middle) - band.first(middle) + 1) * sizeof(Kept) * target.size() > kMostKept) {
    append_halves(query, target, distance, eqx, cigar);
    return;
  }
  std::vector<std::uint32_t> back;
  KeptColumns(query, target, distance).walk(eqx, back);
  for (auto element = back.rbegin(); element != back.rend(); ++element) {
    put(static_cast<CigarOp>(*element & 15u), *element >> 4, cigar);
  }
}

}  // namespace trawl::api
