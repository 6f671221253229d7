#include "polish/gap_settling.hpp"

#include <cstdlib>
#include <span>

namespace trawl::polish {

namespace {

std::int32_t cost_of_gap(std::int32_t length) { return gap_cost(static_cast<std::uint32_t>(length)); }

}  // namespace

void GapSettling::load(const View& view, const Chain& chain, std::int64_t around) {
  around_ = static_cast<std::int32_t>(around);
  const std::int64_t loaded = around + kBeside;
  // How far the chain goes to the left and to the right of the diagonal of its first base.
  std::int64_t left = 0, right = 0, diagonal = 0;
  for (const align::AlignedRun& run : chain.runs) {
    const auto length = static_cast<std::int64_t>(run.length);
    diagonal += run.step == match::Step::deletion ? length : run.step == match::Step::insertion ? -length : 0;
    left = std::max(left, -diagonal);
    right = std::max(right, diagonal);
  }
  const std::size_t bases = view.length() - chain.left - chain.right;
  read_sets_.resize(bases);
  for (std::size_t i = 0; i < bases; ++i) {
    read_sets_[i] = static_cast<std::uint8_t>(view.read.set(chain.left + i));
  }
  text_begin_ = chain.start - left - loaded;
  text_sets_.assign(read_sets_.size() + static_cast<std::size_t>(left + right + 2 * loaded), kOutside);
  const std::int64_t begin = std::max(text_begin_, view.text_begin());
  const std::int64_t end = std::min(text_begin_ + static_cast<std::int64_t>(text_sets_.size()), view.text_end());
  view.load(begin, end);
  const auto sets = view.text.sets(begin, end);
  std::copy(sets.begin(), sets.end(), text_sets_.begin() + (begin - text_begin_));
}

void GapSettling::follow(const Chain& chain) {
  bases_.resize(read_sets_.size());
  penalty_ = 0;
  auto diagonal = static_cast<std::int32_t>(chain.start - text_begin_);
  first_ = last_ = diagonal;
  std::int32_t base = 0;
  for (const align::AlignedRun& run : chain.runs) {
    const auto length = static_cast<std::int32_t>(run.length);
    if (run.step == match::Step::diagonal) {
      for (const std::int32_t end = base + length; base < end; ++base) {
        const std::int32_t before = penalty_;
        penalty_ += penalty_of<false>(base, diagonal);
        bases_[static_cast<std::size_t>(base)] = {diagonal, before, penalty_};
      }
      first_ = std::min(first_, diagonal);
      last_ = std::max(last_, diagonal);
      continue;
    }
    penalty_ += cost_of_gap(length);
    if (run.step == match::Step::deletion) {
      diagonal += length;
      continue;
    }
    diagonal -= length;
    for (const std::int32_t end = base + length; base < end; ++base) {
      bases_[static_cast<std::size_t>(base)] = {kInserted, penalty_, ++penalty_};
    }
  }
  for (Base& of_chain : bases_) {
    of_chain.after = penalty_ - of_chain.after;
  }
}

template <bool kTurned>
std::int32_t GapSettling::gain_on(std::int32_t diagonal) {
  const std::int32_t inserted_at_least = std::max(kTurned ? first_ - diagonal : diagonal - last_, 0);
  const std::int32_t inserted_at_most = std::max(kTurned ? last_ - diagonal : diagonal - first_, 0);
  const std::int32_t most = penalty_ - cost_of_gap(std::max(distance_of(diagonal), 1)) - inserted_at_least;
  const auto length = static_cast<std::int32_t>(bases_.size());
  differing_.assign(1, 0);
  std::int32_t gain = 0;
  for (std::int32_t k = inserted_at_least + 1; k < length; ++k) {
    while (differing_.back() < most && static_cast<std::int32_t>(differing_.size()) <= k) {
      const auto i = static_cast<std::int32_t>(differing_.size()) - 1;
      differing_.push_back(differing_.back() + penalty_of<kTurned>(i, diagonal));
    }
    const auto known = static_cast<std::int32_t>(differing_.size()) - 1;
    if (k - inserted_at_most > known) {
      break;
    }
    const Base& base = bases_[static_cast<std::size_t>(kTurned ? length - 1 - k : k)];
    if (base.diagonal == kInserted || base.diagonal == diagonal) {
      continue;
    }
    const std::int32_t gap = kTurned ? diagonal - base.diagonal : base.diagonal - diagonal;
    const std::int32_t inserted = std::max(-gap, 0);
    const std::int32_t bases = k - inserted;
    if (bases > 0 && bases <= known) {
      const std::int32_t there = differing_[static_cast<std::size_t>(bases)] + cost_of_gap(std::abs(gap)) + inserted;
      gain = std::max(gain, (kTurned ? base.after : base.before) - there);
    }
  }
  return gain;
}

template <bool kTurned>
std::optional<std::int32_t> GapSettling::better_diagonal() {
  const auto length = static_cast<std::int32_t>(bases_.size());
  events_.clear();
  for (std::int32_t k = 1, before = 0; k < length; ++k) {
    const Base& base = bases_[static_cast<std::size_t>(kTurned ? length - 1 - k : k)];
    const std::int32_t penalty = kTurned ? base.after : base.before;
    if (penalty > before) {
      events_.push_back({k, penalty});
      before = penalty;
    }
  }
  std::optional<std::int32_t> best;
  std::int32_t best_gain = 0;
  for (std::int32_t diagonal = first_ - around_; diagonal <= last_ + around_; ++diagonal) {
    // Nothing is gained unless `bases` bases fit there with a smaller penalty than `most`.
    const std::int32_t least =
        cost_of_gap(std::max(distance_of(diagonal), 1)) + std::max(kTurned ? first_ - diagonal : diagonal - last_, 0);
    const auto event =
        std::find_if(events_.begin(), events_.end(), [&](const PenaltyStep& e) { return e.penalty > least; });
    if (event == events_.end()) {
      continue;
    }
    const std::int32_t bases = event->base - std::max(kTurned ? last_ - diagonal : diagonal - first_, 0);
    const std::int32_t most = penalty_ - least;
    std::int32_t there = 0;
    for (std::int32_t i = 0; i < bases && there < most; ++i) {
      there += penalty_of<kTurned>(i, diagonal);
    }
    if (there >= most) {
      continue;
    }
    const std::int32_t gain = gain_on<kTurned>(diagonal);
    if (gain > best_gain || (best && gain == best_gain && distance_of(diagonal) < distance_of(*best))) {
      best_gain = gain;
      best = diagonal;
    }
  }
  return best;
}

std::int32_t GapSettling::points_on_a_diagonal(AffineBand::Ends ends) const {
  std::int32_t most = 0;
  std::int32_t before = kInserted;
  for (const Base& of_chain : bases_) {
    if (of_chain.diagonal == kInserted || of_chain.diagonal == before) {
      continue;
    }
    before = of_chain.diagonal;
    std::int32_t points = ends.left ? kPointsOfEnd : 0;
    for (std::size_t i = 0; i < read_sets_.size(); ++i) {
      const std::uint8_t set = text_sets_[i + static_cast<std::size_t>(before)];
      points = std::max(points, 0);
      if ((set & kOutside) != 0) {
        points = 0;
        continue;
      }
      points += 2 * ((set & read_sets_[i]) != 0 ? kMatch : read_sets_[i] == 0 ? kUnknown : kMismatch);
      most = std::max(most, points + (ends.right && i + 1 == read_sets_.size() ? kPointsOfEnd : 0));
    }
  }
  return most;
}

bool GapSettling::settle(const View& view, Chain& chain, std::uint32_t most_left_out) {
  load(view, chain, kBeside);
  follow(chain);
  // A longer gap costs kLongGap.
  if (penalty_ > kLongGap && longest_ > kBeside) {
    load(view, chain, longest_);
    follow(chain);
  }
  const AffineBand::Ends ends{chain.left == 0, chain.right == 0};
  const std::size_t gaps = chain.runs.size() / 2;
  const std::optional<std::int32_t> of_left = better_diagonal<false>();
  const std::optional<std::int32_t> of_right = better_diagonal<true>();
  if (gaps == 0 && !of_left && !of_right) {
    return false;
  }
  const std::int32_t points = best_part_of(view, chain).points();
  const bool is_gap_alone = gaps == 1 && edits_of(view, chain) == chain.runs[1].length;
  if (is_gap_alone && !of_left && !of_right && points_on_a_diagonal(ends) <= points) {
    return false;
  }
  constexpr auto kAround = static_cast<std::int32_t>(kBeside);
  const std::int32_t from = std::min({first_, of_left.value_or(first_), of_right.value_or(first_)}) - kAround;
  const std::int32_t to = std::max({last_, of_left.value_or(last_), of_right.value_or(last_)}) + kAround;
  const auto size = read_sets_.size() + static_cast<std::size_t>(to - from);
  const AffineAlignment& best =
      band_.align(read_sets_, std::span(text_sets_).subspan(static_cast<std::size_t>(from), size), ends);
  const auto all = static_cast<std::uint32_t>(read_sets_.size());
  Chain settled{best.runs, text_begin_ + from + static_cast<std::int64_t>(best.start),
                chain.left + static_cast<std::uint32_t>(best.begin),
                chain.right + all - static_cast<std::uint32_t>(best.begin + best.bases)};
  if (best.points <= points || settled.left + settled.right > most_left_out ||
      !view.allows(static_cast<std::uint32_t>(best.bases), settled.start, settled.end())) {
    return false;
  }
  chain = std::move(settled);
  return true;
}

}  // namespace trawl::polish
