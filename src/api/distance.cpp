#include "trawl/distance.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "align/alignment.hpp"
#include "api/guarded.hpp"
#include "api/pair_columns.hpp"
#include "base/error.hpp"
#include "match/myers.hpp"

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

void append_path(std::string_view query, std::string_view target, std::int64_t distance, bool eqx,
                 std::vector<std::uint32_t>& cigar);

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

// Appends the elements of its CIGAR; with `eqx`, = and X instead of M. Time: |target| for each 64 rows of a band of
// `distance` rows. Memory: at most about 64 MB.
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

constexpr std::int64_t kFirstBand = 64;

// The smallest distance, and the first end of the target that has it.
struct Found {
  std::int64_t distance;
  std::size_t end;
};

// A query of up to 64 kWords letters: all words of a column, without a band.
template <unsigned kWords>
std::optional<Found> find_words(std::string_view query, std::string_view target, Mode mode, std::int64_t most) {
  static thread_local std::array<std::array<std::uint64_t, kWords>, 256> masks{};
  for (std::size_t i = 0; i < query.size(); ++i) {
    masks[static_cast<unsigned char>(query[i])][i / 64] |= std::uint64_t{1} << (i % 64);
  }
  std::array<match::MyersWord<std::uint64_t>, kWords> columns{};
  const std::size_t last_row = (query.size() - 1) % 64;
  const std::uint64_t border = mode == Mode::infix ? 0 : 1;
  auto distance = static_cast<std::int64_t>(query.size());
  Found best{distance, 0};
  for (std::size_t c = 0; c < target.size(); ++c) {
    const auto& eq = masks[static_cast<unsigned char>(target[c])];
    match::HorizontalDeltas<std::uint64_t> h{border << 63, 0};
    for (unsigned w = 0; w < kWords; ++w) {
      h = match::myers_column(match::PlainOps<std::uint64_t>{}, columns[w].vp, columns[w].vn, eq[w], h.hp >> 63,
                              h.hn >> 63);
    }
    distance += static_cast<std::int64_t>(h.hp >> last_row & 1) - static_cast<std::int64_t>(h.hn >> last_row & 1);
    if (distance < best.distance) {
      best = {distance, c + 1};
    }
  }
  for (const char letter : query) {
    masks[static_cast<unsigned char>(letter)] = {};
  }
  if (mode == Mode::global) {
    best = {distance, target.size()};
  }
  return best.distance <= most ? std::optional(best) : std::nullopt;
}

// With at most `most` edits.
std::optional<Found> find_global(const RowMasks& masks, std::string_view target, std::int64_t most) {
  const PathBand band(masks.length(), target.size(), most);
  PairColumns columns(masks, 1);
  columns.open(band.last(0));
  for (std::size_t c = 1; c <= target.size(); ++c) {
    band.follow(c, columns);
    columns.step(target[c - 1]);
  }
  return columns.bottom() <= most ? std::optional(Found{columns.bottom(), target.size()}) : std::nullopt;
}

std::optional<Found> find_part(const RowMasks& masks, std::string_view target, bool anywhere, std::int64_t most) {
  PairColumns columns(masks, anywhere ? 0 : 1);
  const auto blocks = static_cast<std::int64_t>(masks.blocks());
  columns.open(static_cast<std::size_t>(std::min(most / 64 + 1, blocks) - 1));
  std::optional<Found> best;
  if (columns.is_at_bottom() && columns.bottom() <= most) {
    best = Found{columns.bottom(), 0};
  }
  const std::size_t reach = masks.length() + static_cast<std::size_t>(most);
  const std::size_t end = anywhere ? target.size() : std::min(target.size(), reach);
  for (std::size_t c = 1; c <= end; ++c) {
    // A row below the band can be within `most` only if its last row was before, or is now.
    if (!columns.is_at_bottom() && columns.score(columns.last()) <= most + 1) {
      columns.add_block();
    }
    columns.step(target[c - 1]);
    while (columns.last() > columns.first() && columns.score(columns.last()) >= most + 2 + masks.rows(columns.last())) {
      columns.drop_last();
    }
    if (columns.is_at_bottom() && columns.bottom() <= most && (!best || columns.bottom() < best->distance)) {
      best = Found{columns.bottom(), c};
      most = best->distance;
    }
  }
  return best;
}

std::optional<Found> find(std::string_view query, std::string_view target, Mode mode, std::int64_t most) {
  const auto m = static_cast<std::int64_t>(query.size()), n = static_cast<std::int64_t>(target.size());
  if (most < -1 || mode < Mode::global || mode > Mode::infix) {
    throw UsageError(most < -1 ? "most is " + std::to_string(most) + "; give 0 or more, or -1 for no limit"
                               : "there is no such mode; global, prefix and infix are possible");
  }
  const std::int64_t possible = mode == Mode::global ? std::max(m, n) : m;
  const std::int64_t limit = most < 0 ? possible : std::min(most, possible);
  if (m == 0 || n == 0) {
    const Found found{m == 0 ? (mode == Mode::global ? n : 0) : m, mode == Mode::global ? target.size() : 0};
    return found.distance <= limit ? std::optional(found) : std::nullopt;
  }
  if (mode == Mode::global && (m > n ? m - n : n - m) > limit) {
    return {};
  }
  switch ((m + 63) / 64) {
    case 1:
      return find_words<1>(query, target, mode, limit);
    case 2:
      return find_words<2>(query, target, mode, limit);
    case 3:
      return find_words<3>(query, target, mode, limit);
    default:
      break;
  }
  const RowMasks masks(query);
  for (std::int64_t band = std::min(kFirstBand, limit);; band = std::min(2 * band, limit)) {
    const auto found =
        mode == Mode::global ? find_global(masks, target, band) : find_part(masks, target, mode == Mode::infix, band);
    if (found || band == limit) {
      return found;
    }
  }
}

}  // namespace

}  // namespace trawl::api

namespace trawl::inline v0 {

std::int64_t distance(std::string_view query, std::string_view target, Mode mode, std::int64_t most) {
  return api::guarded([&] {
    const auto found = api::find(query, target, mode, most);
    return found ? found->distance : -1;
  });
}

PairAlignment align(std::string_view query, std::string_view target, Mode mode, std::int64_t most, bool eqx) {
  return api::guarded([&] {
    PairAlignment result;
    const auto found = api::find(query, target, mode, most);
    if (!found) {
      return result;
    }
    result.distance = found->distance;
    result.end = static_cast<std::int64_t>(found->end);
    std::string_view part = target.substr(0, found->end);
    if (mode == Mode::infix) {
      // Backwards from the end, the query is a prefix.
      const std::size_t reach = std::min(part.size(), query.size() + static_cast<std::size_t>(found->distance));
      const std::string_view near = part.substr(part.size() - reach);
      const std::string query_back(query.rbegin(), query.rend()), near_back(near.rbegin(), near.rend());
      const auto back = api::find(query_back, near_back, Mode::prefix, found->distance);
      part = part.substr(part.size() - back->end);
      result.start = result.end - static_cast<std::int64_t>(back->end);
    }
    api::append_path(query, part, found->distance, eqx, result.cigar);
    return result;
  });
}

}  // namespace trawl::inline v0
