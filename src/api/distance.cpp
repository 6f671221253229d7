#include "trawl/distance.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "align/alignment.hpp"
#include "api/guarded.hpp"
#include "api/pair_columns.hpp"
#include "api/pair_strips.hpp"
#include "base/error.hpp"
#include "base/stop.hpp"
#include "match/myers.hpp"

namespace trawl::api {

namespace {

using align::CigarOp;

constexpr std::size_t kMostKept = std::size_t{8} << 20;  // bytes
constexpr std::int64_t kFirstBand = 64;
constexpr std::int64_t kFirstMost = 256;
constexpr std::int64_t kFirstBeside = 128;

// In each column c.
void look(std::size_t c) {
  if (c % 256 == 0) {
    Stop::look();
  }
}

void put(CigarOp op, std::uint32_t length, std::vector<std::uint32_t>& cigar) {
  if (length > 0 && !cigar.empty() && (cigar.back() & 15u) == static_cast<std::uint32_t>(op)) {
    cigar.back() += length << 4;
  } else if (length > 0) {
    cigar.push_back(length << 4 | static_cast<std::uint32_t>(op));
  }
}

// What a path costs to the goal, and where it ends; of several the first one.
struct Found {
  std::int64_t distance;
  std::size_t end;
};

std::optional<Found> find_in_strips(const PairStrips& strips, const StripGoal& goal) {
  StripRow row;
  while (row.row < goal.row) {
    if (!strips.advance(row, goal)) {
      return {};
    }
  }
  std::optional<Found> best;
  std::int64_t value = row.value;
  for (std::size_t i = 0;; ++i) {
    const std::size_t column = row.begin + i;
    if (value <= goal.most && (goal.is_end_free ? !best || value < best->distance : column == goal.column)) {
      best = Found{value, column};
    }
    if (i == row.changes.size()) {
      return best;
    }
    value += StripRow::change(row.changes[i]);
  }
}

// What some path costs: the best one near the diagonal, in wider and wider bands, as long as they cost little beside
// the search for the best path of all.
std::int64_t cost_near_diagonal(const PairStrips& strips, StripGoal goal) {
  std::int64_t before = -1;
  for (goal.beside = kFirstBeside; 8 * goal.beside < goal.most && before != goal.most; goal.beside *= 4) {
    before = goal.most;
    if (const auto found = find_in_strips(strips, goal)) {
      goal.most = found->distance;
    }
  }
  return goal.most;
}

// The best path to the goal, by a search that gets a goal: first with few edits, then with as many as some path needs.
template <class Search>
std::optional<Found> find_best(const PairStrips& strips, StripGoal goal, const Search& search) {
  const std::int64_t most = std::exchange(goal.most, std::min(goal.most, kFirstMost));
  auto found = search(goal);
  if (!found && most > goal.most) {
    goal.most = most;
    goal.most = cost_near_diagonal(strips, goal);
    found = search(goal);
  }
  return found;
}

// The way back through the strips, from the last corner to the first one. Of several alignments it takes at each step a
// match, else a substitution, else an insertion, else a deletion.
class WayBack {
 public:
  /// `query` is the query, or with `swapped` the target.
  WayBack(const PairStrips& strips, bool swapped, bool eqx) : strips_(strips), swapped_(swapped), eqx_(eqx) {}

  /// From the goal to the first corner.
  std::optional<Found> walk(const StripGoal& goal) { return walk_to({}, goal); }

  /// Appends the elements.
  void append_to(std::vector<std::uint32_t>& cigar) const {
    for (auto element = back_.rbegin(); element != back_.rend(); ++element) {
      put(static_cast<CigarOp>(*element & 15u), *element >> 4, cigar);
    }
  }

 private:
  // Goes to a column of `top`. Rows between strips are kept, at most about kMostKept bytes of them; what lies between
  // two of these is computed again when the path comes there.
  std::optional<Found> walk_to(const StripRow& top, const StripGoal& goal) {
    std::vector<StripRow> rows(1, top);
    StripRow row = top;
    std::size_t bytes = 0, every = kStripRows;
    while (row.row < goal.row) {
      if (!strips_.advance(row, goal)) {
        return {};
      }
      if (row.row < goal.row && (row.row - top.row) % every == 0) {
        rows.push_back(row);
        bytes += row.changes.size();
      }
      if (bytes > kMostKept && rows.size() > 2) {
        every *= 2;
        bytes = 0;
        std::erase_if(rows, [&](const StripRow& kept) { return (kept.row - top.row) % every != 0; });
        for (const StripRow& kept : rows) {
          bytes += kept.changes.size();
        }
      }
    }
    const std::int64_t distance = row.last();
    if (distance > goal.most || row.begin + row.changes.size() != goal.column) {
      return {};
    }
    at_ = {goal.row, goal.column, distance};
    for (; !rows.empty(); rows.pop_back()) {
      if (at_.row - rows.back().row <= kStripRows) {
        walk_strip(rows.back());
      } else {
        walk_to(rows.back(), StripGoal(at_));
      }
    }
    return Found{distance, goal.column};
  }

  void walk_strip(StripRow top) {
    strips_.keep(top, at_, kept_);
    std::size_t i = at_.row - top.row, c = at_.column - top.begin;
    while (i > 0 && c > 0) {
      const bool same = strips_.query()[top.row + i - 1] == strips_.target()[top.begin + c - 1];
      const std::int64_t above = same ? 0 : difference(kAboveMore, i, c);
      if (same || above + (i > 1 ? difference(kLeftMore, i - 1, c) : StripRow::change(top.changes[c - 1])) == 1) {
        put(!eqx_ ? CigarOp::match : same ? CigarOp::equal : CigarOp::mismatch, 1, back_);
        --i;
        --c;
      } else if (above == 1 && (!swapped_ || difference(kLeftMore, i, c) != 1)) {
        put_above(1);
        --i;
      } else {
        put_left(1);
        --c;
      }
      at_.most -= same ? 0 : 1;
    }
    put_above(i);
    at_ = {top.row, top.begin + c, at_.most - static_cast<std::int64_t>(i)};
    if (top.row == 0) {
      put_left(at_.column);
    }
  }

  // How much more row i of column c, both from 1, is than its neighbour above (kAboveMore) or on the left (kLeftMore).
  std::int64_t difference(StripWord more, std::size_t i, std::size_t c) const {
    const std::size_t b = (i - 1) / 64;
    const std::uint64_t* const words = kept_.data() + ((c - 1 + b) * kStripWords + more) * kStripBlocks + b;
    const std::size_t bit = (i - 1) % 64;
    return static_cast<std::int64_t>(words[0] >> bit & 1) - static_cast<std::int64_t>(words[kStripBlocks] >> bit & 1);
  }
  void put_above(std::size_t length) {
    put(swapped_ ? CigarOp::deletion : CigarOp::insertion, static_cast<std::uint32_t>(length), back_);
  }
  void put_left(std::size_t length) {
    put(swapped_ ? CigarOp::insertion : CigarOp::deletion, static_cast<std::uint32_t>(length), back_);
  }

  const PairStrips& strips_;
  bool swapped_;
  bool eqx_;
  StripGoal at_{};  // where the path is, and the distance there
  std::vector<std::uint64_t> kept_;
  std::vector<std::uint32_t> back_;
};

// Appends the elements of the CIGAR, with `eqx` = and X instead of M, and returns the distance; -1: more than `most`.
// The longer string has the rows, so that a strip has few columns.
std::int64_t append_path(std::string_view query, std::string_view target, std::int64_t most, bool eqx,
                         std::vector<std::uint32_t>& cigar) {
  const bool swapped = query.size() < target.size();
  const PairStrips strips(swapped ? target : query, swapped ? query : target);
  WayBack way(strips, swapped, eqx);
  const auto found = find_best(strips, {strips.query().size(), strips.target().size(), most},
                               [&way](const StripGoal& goal) { return way.walk(goal); });
  way.append_to(cigar);
  return found ? found->distance : -1;
}

// A query of up to 64 kWords letters: all words of a column, without a band.
template <unsigned kWords>
std::optional<Found> find_words(std::string_view query, std::string_view target, Mode mode, std::int64_t most) {
  static thread_local std::array<std::array<std::uint64_t, kWords>, 256> masks{};
  for (std::size_t i = 0; i < query.size(); ++i) {
    masks[static_cast<unsigned char>(query[i])][i / 64] |= std::uint64_t{1} << (i % 64);
  }
  struct Emptied {
    ~Emptied() {
      for (const char letter : query) {
        masks[static_cast<unsigned char>(letter)] = {};
      }
    }
    std::string_view query;
  } const at_the_end{query};
  std::array<match::MyersWord<std::uint64_t>, kWords> columns{};
  const std::size_t last_row = (query.size() - 1) % 64;
  const std::uint64_t border = mode == Mode::infix ? 0 : 1;
  auto distance = static_cast<std::int64_t>(query.size());
  Found best{distance, 0};
  for (std::size_t c = 0; c < target.size(); ++c) {
    look(c);
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
  if (mode == Mode::global) {
    best = {distance, target.size()};
  }
  return best.distance <= most ? std::optional(best) : std::nullopt;
}

// Of the part of the target that is nearest, the distance and the end.
std::optional<Found> find_part(const RowMasks& masks, std::string_view target, std::int64_t most) {
  PairColumns columns(masks);
  const auto blocks = static_cast<std::int64_t>(masks.blocks());
  columns.open(static_cast<std::size_t>(std::min(most / 64 + 1, blocks) - 1));
  std::optional<Found> best;
  if (columns.is_at_bottom() && columns.bottom() <= most) {
    best = Found{columns.bottom(), 0};
  }
  for (std::size_t c = 1; c <= target.size(); ++c) {
    look(c);
    // A row below the band can be within `most` only if its last row was before, or is now.
    if (!columns.is_at_bottom() && columns.score(columns.last()) <= most + 1) {
      columns.add_block();
    }
    columns.step(target[c - 1]);
    while (columns.last() > 0 && columns.score(columns.last()) >= most + 2 + masks.rows(columns.last())) {
      columns.drop_last();
    }
    if (columns.is_at_bottom() && columns.bottom() <= most && (!best || columns.bottom() < best->distance)) {
      best = Found{columns.bottom(), c};
      most = best->distance;
    }
  }
  return best;
}

// How many edits there can be, or as many as are wanted.
std::int64_t limit_of(std::string_view query, std::string_view target, Mode mode, std::int64_t most) {
  if (most < -1 || mode < Mode::global || mode > Mode::infix) {
    throw UsageError(most < -1 ? "most is " + std::to_string(most) + "; give 0 or more, or -1 for no limit"
                               : "there is no such mode; global, prefix and infix are possible");
  }
  const std::size_t possible = mode == Mode::global ? std::max(query.size(), target.size()) : query.size();
  return most < 0 ? static_cast<std::int64_t>(possible) : std::min(most, static_cast<std::int64_t>(possible));
}

std::optional<Found> find(std::string_view query, std::string_view target, Mode mode, std::int64_t most) {
  const auto m = static_cast<std::int64_t>(query.size()), n = static_cast<std::int64_t>(target.size());
  const std::int64_t limit = limit_of(query, target, mode, most);
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
  if (mode != Mode::infix) {
    const bool swapped = mode == Mode::global && m < n;
    const std::string_view part = target.substr(0, static_cast<std::size_t>(m + limit));
    const PairStrips strips(swapped ? target : query, swapped ? query : part);
    const auto found = find_best(strips, {strips.query().size(), strips.target().size(), limit, mode == Mode::prefix},
                                 [&strips](const StripGoal& goal) { return find_in_strips(strips, goal); });
    return found && swapped ? std::optional(Found{found->distance, target.size()}) : found;
  }
  const RowMasks masks(query);
  for (std::int64_t band = std::min(kFirstBand, limit);; band = std::min(2 * band, limit)) {
    const auto found = find_part(masks, target, band);
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
    if (mode == Mode::global && !query.empty() && !target.empty()) {
      const std::int64_t limit = api::limit_of(query, target, mode, most);
      result.distance = api::append_path(query, target, limit, eqx, result.cigar);
      result.end = result.distance < 0 ? 0 : static_cast<std::int64_t>(target.size());
      return result;
    }
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
    if (query.empty() || part.empty()) {
      api::put(api::CigarOp::insertion, static_cast<std::uint32_t>(query.size()), result.cigar);
      api::put(api::CigarOp::deletion, static_cast<std::uint32_t>(part.size()), result.cigar);
    } else {
      api::append_path(query, part, found->distance, eqx, result.cigar);
    }
    return result;
  });
}

}  // namespace trawl::inline v0
