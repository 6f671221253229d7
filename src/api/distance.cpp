#include "trawl/distance.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "api/guarded.hpp"
#include "api/pair_columns.hpp"
#include "api/pair_path.hpp"
#include "base/error.hpp"
#include "match/myers.hpp"

namespace trawl::api {

namespace {

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
