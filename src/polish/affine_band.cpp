#include "polish/affine_band.hpp"

#include <algorithm>

namespace trawl::polish {

namespace {

constexpr std::int32_t kNever = -(1 << 28);
constexpr std::int32_t kOpening = 2 * (AffineBand::kGapOpening + 1) + AffineBand::kPointsOfGap;
constexpr std::int32_t kLonger = 2;
constexpr std::int32_t kLongOpening = 2 * AffineBand::kLongGap + AffineBand::kPointsOfGap;

// The state before a base is in the lowest bits of a cell; those above say which gaps go on.
constexpr unsigned kStateBits = 3;
constexpr std::uint8_t kStateMask = (1u << kStateBits) - 1;

constexpr std::uint8_t goes_on(unsigned state) { return static_cast<std::uint8_t>(1u << (kStateBits + state - 1)); }

// The better way into a gap: it begins after a base, or goes on. `bit` is set in `cell` if it goes on.
std::int32_t into_gap(std::int32_t begins, std::int32_t longer, std::uint8_t bit, std::uint8_t& cell) {
  cell = static_cast<std::uint8_t>(longer >= begins ? cell | bit : cell);
  return std::max(begins, longer);
}

}  // namespace

const AffineBand::Best& AffineBand::align(std::span<const std::uint8_t> read, std::span<const std::uint8_t> text,
                                          Ends ends) {
  const std::size_t diagonals = text.size() - read.size() + 1;
  for (auto* const scores : {&row_.diagonal, &row_.insertion, &row_.long_insertion, &row_.best}) {
    scores->assign(diagonals + 1, kNever);
  }
  row_.best_state.assign(diagonals + 1, none);
  from_.resize(read.size() * diagonals);
  best_ = {.points = kNever, .begin = 0, .bases = 0, .start = 0, .runs = std::move(best_.runs)};
  std::size_t last = 0;
  std::size_t last_diagonal = 0;
  for (std::size_t i = 0; i < read.size(); ++i) {
    const std::int32_t begins = i == 0 && ends.left ? kPointsOfEnd : 0;
    const std::int32_t of_end = i + 1 == read.size() && ends.right ? kPointsOfEnd : 0;
    const std::int32_t differs = read[i] == 0 ? kUnknown : kMismatch;
    std::int32_t deleted = kNever;
    std::int32_t long_deleted = kNever;
    std::int32_t before = kNever;  // on the diagonal before, after this base
    for (std::size_t d = 0; d < diagonals; ++d) {
      std::uint8_t cell = row_.best[d] > begins ? row_.best_state[d] : static_cast<std::uint8_t>(none);
      const std::uint8_t set = text[i + d];
      const std::int32_t step = (set & kOutside) != 0 ? kNever : 2 * ((set & read[i]) != 0 ? kMatch : differs);
      const std::int32_t here = std::max(kNever, std::max(row_.best[d], begins) + step);
      deleted = into_gap(before - kOpening, deleted - kLonger, goes_on(deletion), cell);
      long_deleted = into_gap(before - kLongOpening, long_deleted, goes_on(long_deletion), cell);
      const std::int32_t inserted =
          into_gap(row_.diagonal[d + 1] - kOpening, row_.insertion[d + 1] - kLonger, goes_on(insertion), cell);
      const std::int32_t long_inserted =
          into_gap(row_.diagonal[d + 1] - kLongOpening, row_.long_insertion[d + 1], goes_on(long_insertion), cell);
      from_[i * diagonals + d] = cell;
      row_.diagonal[d] = here;
      row_.insertion[d] = inserted;
      row_.long_insertion[d] = long_inserted;
      std::int32_t best = here;
      std::uint8_t state = diagonal;
      const auto take = [&](std::int32_t score, State other) {
        state = score > best ? static_cast<std::uint8_t>(other) : state;
        best = std::max(best, score);
      };
      take(deleted, deletion);
      take(long_deleted, long_deletion);
      take(inserted, insertion);
      take(long_inserted, long_insertion);
      row_.best[d] = best;
      row_.best_state[d] = state;
      before = here;
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
    state = (cell & goes_on(state)) != 0 ? state : std::uint8_t{diagonal};
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
