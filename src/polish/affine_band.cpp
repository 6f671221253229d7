#include "polish/affine_band.hpp"

#include <algorithm>

namespace trawl::polish {

namespace {

constexpr std::int32_t kNever = -(1 << 24);
constexpr std::int32_t kOpening = 2 * (AffineBand::kGapOpening + 1) + AffineBand::kPointsOfGap;
constexpr std::int32_t kLonger = 2;
constexpr std::int32_t kLongOpening = 2 * AffineBand::kLongGap + AffineBand::kPointsOfGap;

// The state before a base is in the lowest bits of a cell; those above say which gaps go on.
constexpr unsigned kStateBits = 3;
constexpr std::uint8_t kStateMask = (1u << kStateBits) - 1;

constexpr unsigned bit_of(unsigned state) { return kStateBits + state - 2; }

// A score with the state that it comes from: the larger one is better, or as good and of an earlier state.
constexpr std::int32_t with_state(std::int32_t score, unsigned state) {
  return score * (kStateMask + 1) + static_cast<std::int32_t>(kStateMask - state);
}
constexpr std::int32_t score_of(std::int32_t keyed) { return keyed >> kStateBits; }
constexpr unsigned state_of(std::int32_t keyed) { return kStateMask - (static_cast<unsigned>(keyed) & kStateMask); }

}  // namespace

const AffineBand::Best& AffineBand::align(std::span<const std::uint8_t> read, std::span<const std::uint8_t> text,
                                          Ends ends) {
  const std::size_t diagonals = text.size() - read.size() + 1;
  for (auto* const scores : {&row_.diagonal, &row_.insertion, &row_.long_insertion}) {
    scores->assign(diagonals + 1, kNever);
  }
  row_.best.assign(diagonals + 1, with_state(kNever, none));
  from_.resize(read.size() * diagonals);
  best_ = {.points = kNever, .begin = 0, .bases = 0, .start = 0, .runs = std::move(best_.runs)};
  std::size_t last = 0;
  std::size_t last_diagonal = 0;
  for (std::size_t i = 0; i < read.size(); ++i) {
    const std::int32_t begins = with_state(i == 0 && ends.left ? kPointsOfEnd : 0, none);
    const std::int32_t of_end = i + 1 == read.size() && ends.right ? kPointsOfEnd : 0;
    const std::int32_t differs = 2 * (read[i] == 0 ? kUnknown : kMismatch);
    std::int32_t deleted = kNever;
    std::int32_t long_deleted = kNever;
    std::int32_t before = kNever;  // on the diagonal before, after this base
    for (std::size_t d = 0; d < diagonals; ++d) {
      const std::uint8_t set = text[i + d];
      const std::int32_t from = std::max(row_.best[d], begins);
      unsigned cell = state_of(from);
      // The better way into a gap: it begins after a base, or goes on.
      const auto into_gap = [&cell](std::int32_t begin, std::int32_t longer, State state) {
        cell |= static_cast<unsigned>(longer >= begin) << bit_of(state);
        return std::max(begin, longer);
      };
      const std::int32_t step = (set & read[i]) != 0 ? 2 * kMatch : differs;
      const std::int32_t here = std::max(kNever, score_of(from) + ((set & kOutside) != 0 ? kNever : step));
      deleted = into_gap(before - kOpening, deleted - kLonger, deletion);
      long_deleted = into_gap(before - kLongOpening, long_deleted, long_deletion);
      const std::int32_t above = row_.diagonal[d + 1];
      const std::int32_t inserted = into_gap(above - kOpening, row_.insertion[d + 1] - kLonger, insertion);
      const std::int32_t long_inserted = into_gap(above - kLongOpening, row_.long_insertion[d + 1], long_insertion);
      from_[i * diagonals + d] = static_cast<std::uint8_t>(cell);
      row_.diagonal[d] = before = here;
      row_.insertion[d] = inserted;
      row_.long_insertion[d] = long_inserted;
      row_.best[d] =
          std::max({with_state(here, diagonal), with_state(deleted, deletion), with_state(long_deleted, long_deletion),
                    with_state(inserted, insertion), with_state(long_inserted, long_insertion)});
      if (here + of_end > best_.points) {
        best_.points = here + of_end;
        last = i;
        last_diagonal = d;
      }
    }
  }
  trace(last, last_diagonal, diagonals);
  return best_;
}

void AffineBand::trace(std::size_t base, std::size_t d, std::size_t diagonals) {
  best_.runs.clear();
  const std::size_t end = base + 1;
  for (std::uint8_t state = diagonal;;) {
    const match::Step step = state == diagonal                             ? match::Step::diagonal
                             : state == deletion || state == long_deletion ? match::Step::deletion
                                                                           : match::Step::insertion;
    if (best_.runs.empty() || best_.runs.back().step != step) {
      best_.runs.push_back({step, 0});
    }
    ++best_.runs.back().length;
    const std::uint8_t cell = from_[base * diagonals + d];
    if (state == diagonal) {
      state = cell & kStateMask;
      if (state == none) {
        break;
      }
      --base;
      continue;
    }
    state = (cell >> bit_of(state) & 1u) != 0 ? state : std::uint8_t{diagonal};
    if (step == match::Step::deletion) {
      --d;
    } else {
      --base;
      ++d;
    }
  }
  std::reverse(best_.runs.begin(), best_.runs.end());
  best_.begin = base;
  best_.bases = end - base;
  best_.start = base + d;
}

}  // namespace trawl::polish
