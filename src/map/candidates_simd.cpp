// Highway includes this file once for every instruction set it compiles for.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "map/candidates_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <bit>

#include "map/candidates.hpp"
#include "sequence/packed_letters.hpp"
#include "sequence/plane_window.hpp"

HWY_BEFORE_NAMESPACE();
namespace trawl::map::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<std::uint64_t, CandidateScreen::kPadding>;
using V = hn::Vec<D>;

// Bits of the letters of the read that differ from the text, `diagonal` letters further.
HWY_INLINE V differing(V text_high, V text_low, V read_high, V read_low, unsigned diagonal) {
  return hn::Or(hn::Xor(hn::ShiftRightSame(text_high, static_cast<int>(diagonal)), read_high),
                hn::Xor(hn::ShiftRightSame(text_low, static_cast<int>(diagonal)), read_low));
}

// 64 bits from bit `shift` of two words, as sequence::funnel_shift_right.
HWY_INLINE V funnel_shift_right(V word, V next, V shift) {
  return hn::Or(hn::Shr(word, shift), hn::Shl(hn::Add(next, next), hn::Sub(hn::Set(D(), 63), shift)));
}

std::size_t keep_matching(const sequence::PlaneBlock* planes, const CandidateScreen& screen, std::uint64_t read_high,
                          std::uint64_t read_low, const std::int64_t* diagonals, std::size_t count, std::int64_t* out) {
  static_assert(sizeof(sequence::PlaneBlock) == 2 * sizeof(std::uint64_t));
  const D d;
  const hn::RebindToSigned<D> di;
  const std::size_t lanes = hn::Lanes(d);
  const auto* const words = reinterpret_cast<const std::uint64_t*>(planes);
  const std::uint32_t edits = screen.edits;
  const V high = hn::Set(d, read_high);
  const V low = hn::Set(d, read_low);
  const V exact = hn::Set(d, screen.exact);
  const V left = hn::Set(d, screen.left);
  const V right = hn::Set(d, screen.right);
  const auto none = hn::Set(di, std::int64_t{edits} + 1);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < count; i += lanes) {
    const std::size_t filled = std::min(lanes, count - i);
    HWY_ALIGN std::int64_t last[CandidateScreen::kPadding];
    const std::int64_t* from = diagonals + i;
    if (filled < lanes) {
      std::fill(std::copy(from, from + filled, last), last + lanes, *from);
      from = last;
    }
    for (std::size_t j = i + 8 * lanes; j < std::min(count, i + 9 * lanes); ++j) {
      __builtin_prefetch(words + static_cast<std::uint64_t>(diagonals[j] + screen.text_begin()) / 64 * 2);
    }
    const auto diagonal = hn::LoadU(di, from);
    const V position = hn::BitCast(d, hn::Add(diagonal, hn::Set(di, screen.text_begin())));
    const V shift = hn::And(position, hn::Set(d, 63));
    const auto word = hn::BitCast(di, hn::ShiftLeft<1>(hn::ShiftRight<6>(position)));
    const V text_high = funnel_shift_right(hn::GatherIndex(d, words, word), hn::GatherIndex(d, words + 2, word), shift);
    const V text_low =
        funnel_shift_right(hn::GatherIndex(d, words + 1, word), hn::GatherIndex(d, words + 3, word), shift);

    V unmatched = differing(text_high, text_low, high, low, edits);
    const auto matches =
        hn::And(hn::RebindMask(di, hn::Eq(hn::And(unmatched, exact), hn::Zero(d))), hn::FirstN(di, filled));
    // The edits that the sides need, as far as they are known.
    auto on_left = none;
    auto on_right = none;
    for (std::uint32_t a = 0;; ++a) {
      const auto needed = hn::Set(di, a);
      const auto next = hn::Set(di, std::int64_t{a} + 1);
      const auto side = [&](V mask) {
        const auto bases = hn::BitCast(di, hn::PopulationCount(hn::And(unmatched, mask)));
        return hn::IfThenElse(hn::Lt(bases, next), needed, none);
      };
      on_left = hn::Min(on_left, side(left));
      on_right = hn::Min(on_right, side(right));
      const auto least = hn::Add(hn::Min(on_left, next), hn::Min(on_right, next));
      if (a == edits || hn::AllFalse(di, hn::And(matches, hn::Lt(least, none)))) {
        break;
      }
      unmatched = hn::And(unmatched, hn::And(differing(text_high, text_low, high, low, edits - a - 1),
                                             differing(text_high, text_low, high, low, edits + a + 1)));
    }
    const auto passes = hn::And(matches, hn::Lt(hn::Add(on_left, on_right), none));
    kept += hn::CompressStore(diagonal, passes, di, out + kept);
  }
  return kept;
}

}  // namespace trawl::map::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace trawl::map {

namespace {

// A slot of marks is for 64 neighbouring diagonals, more than there are edits.
constexpr int kSlotBits = 6;
constexpr std::size_t kSlotsForHit = 8;
constexpr std::size_t kMostSlots = std::size_t{1} << 20;

}  // namespace

HWY_EXPORT(keep_matching);

CandidateScreen CandidateScreen::of(std::uint32_t length, std::uint32_t from, std::uint32_t stretch,
                                    std::uint32_t edits) {
  if (edits == 0 || edits > kMostEdits || length + 2 * edits > 64) {
    return {from, 0, sequence::low_ones(stretch), 0, 0};
  }
  const std::uint64_t left = sequence::low_ones(from);
  const std::uint64_t to_end = sequence::low_ones(from + stretch);
  return {0, edits, to_end & ~left, left, sequence::low_ones(length) & ~to_end};
}

std::size_t CandidateScreen::keep(const sequence::Reference& reference, const sequence::EncodedRead& read,
                                  const std::int64_t* diagonals, std::size_t count, std::int64_t* out) const {
  return HWY_DYNAMIC_DISPATCH(keep_matching)(reference.planes().data(), *this,
                                             sequence::bits_at(read.high.data(), first),
                                             sequence::bits_at(read.low.data(), first), diagonals, count, out);
}

void CandidateFinder::collect(const sequence::Reference& reference, const seed::SeedIndex& index,
                              const seed::SeedSelection& selection, const sequence::EncodedRead& read,
                              std::uint32_t edits) {
  lists_.clear();
  lists_ascend_ = selection.length() == index.q();
  const auto diagonal_of = [](const seed::Seed& seed, const seed::SeedIndex::Shard& shard, std::uint32_t position) {
    return static_cast<std::int64_t>(shard.begin) - seed.begin + position;
  };
  // If there is a spare seed, a hit counts that another seed confirms: it has a hit at most `edits` diagonals away. So
  // hits are marked by seed, those of neighbouring diagonals together; the screen drops those that are too far away.
  static thread_local std::vector<std::uint16_t> marks;
  static_assert(seed::SeedPlan::kMostWithSpare <= 16);
  const bool confirmed = selection.has_spare();
  // A saved index that is damaged may have positions outside the contigs.
  bool outside = false;
  const auto look_at = [&, inside = reference.size() - 2 * sequence::kContigGap](std::uint64_t position) {
    outside |= position - sequence::kContigGap >= inside;
  };
  const auto& seeds = selection.seeds();
  const std::uint64_t marked = confirmed ? selection.hits() + seeds[selection.confirming()].frequency : 0;
  const std::size_t slots = std::min(kMostSlots, std::bit_ceil(kSlotsForHit * marked + 1));
  const auto marks_at = [&](std::int64_t diagonal) -> std::uint16_t& {
    return marks[static_cast<std::uint64_t>(diagonal >> kSlotBits) & (slots - 1)];
  };
  if (confirmed) {
    marks.assign(slots, 0);
    for (const seed::Seed& seed : seeds) {
      for (const auto& shard : index.shards()) {
        for (const std::uint32_t position : index.find(shard, seed.key, selection.length())) {
          look_at(shard.begin + position);
          marks_at(diagonal_of(seed, shard, position)) |= 1u << (&seed - seeds.data());
        }
      }
    }
  }
  std::size_t kept = 0;
  for (const seed::Seed& seed : seeds) {
    if (confirmed && &seed == &seeds[selection.confirming()]) {
      continue;  // at least two seeds have no edit, so one of them is not this one
    }
    const unsigned others = ~(1u << (&seed - seeds.data()) % 32);
    // The 64 bases of the stretch nearest to the seed's begin: they reach back as little as possible.
    const std::uint32_t from = seed.stretch_begin + 63 < seed.begin ? seed.begin - 63 : seed.stretch_begin;
    const auto screen = CandidateScreen::of(static_cast<std::uint32_t>(read.length()), from,
                                            std::min<std::uint32_t>(seed.stretch_end - from, 64), edits);
    for (const auto& shard : index.shards()) {
      const auto positions = index.find(shard, seed.key, selection.length());
      const std::size_t begin = kept;
      hits_.resize(std::max(hits_.size(), begin + positions.size()));
      for (const std::uint32_t position : positions) {
        const std::int64_t diagonal = diagonal_of(seed, shard, position);
        hits_[kept] = diagonal;
        kept += !confirmed || ((marks_at(diagonal - edits) | marks_at(diagonal + edits)) & others) != 0;
      }
      for (std::size_t i = begin; i < kept; ++i) {
        look_at(static_cast<std::uint64_t>(hits_[i]) + seed.begin);
        const sequence::PlaneBlock* block = reference.planes().data() + (hits_[i] + screen.text_begin()) / 64;
        __builtin_prefetch(block);
        __builtin_prefetch(block + 1);
      }
      lists_.push_back({begin, kept, screen});
    }
  }
  if (outside) {
    seed::SeedIndex::fail_damaged();
  }
}

const std::vector<std::int64_t>& CandidateFinder::filter(const sequence::Reference& reference,
                                                         const sequence::EncodedRead& read) {
  kept_.resize((lists_.empty() ? 0 : lists_.back().end) + CandidateScreen::kPadding);
  bounds_.assign(1, 0);
  std::size_t kept = 0;
  for (const List& list : lists_) {
    kept += list.screen.keep(reference, read, hits_.data() + list.begin, list.end - list.begin, kept_.data() + kept);
    if (kept > bounds_.back()) {
      bounds_.push_back(kept);
    }
  }
  kept_.resize(kept);
  if (lists_ascend_) {
    merge_lists();
    if (!std::is_sorted(kept_.begin(), kept_.end())) {
      seed::SeedIndex::fail_damaged();
    }
  } else {
    std::sort(kept_.begin(), kept_.end());
  }
  kept_.erase(std::unique(kept_.begin(), kept_.end()), kept_.end());
  return kept_;
}

// Merges the sorted lists kept_[bounds_[i], bounds_[i + 1]) pair by pair.
void CandidateFinder::merge_lists() {
  merged_.resize(kept_.size());
  while (bounds_.size() > 2) {
    next_bounds_.assign(1, 0);
    for (std::size_t b = 0; b + 1 < bounds_.size(); b += 2) {
      const std::int64_t* left = kept_.data() + bounds_[b];
      const std::int64_t* const left_end = kept_.data() + bounds_[b + 1];
      const std::int64_t* right = left_end;
      const std::int64_t* const right_end = b + 2 < bounds_.size() ? kept_.data() + bounds_[b + 2] : left_end;
      std::int64_t* out = merged_.data() + bounds_[b];
      while (left != left_end && right != right_end) {
        const bool take_right = *right < *left;
        *out++ = take_right ? *right : *left;
        right += take_right;
        left += !take_right;
      }
      out = std::copy(left, left_end, out);
      std::copy(right, right_end, out);
      next_bounds_.push_back(static_cast<std::size_t>(right_end - kept_.data()));
    }
    kept_.swap(merged_);
    bounds_.swap(next_bounds_);
  }
}

}  // namespace trawl::map

#endif  // HWY_ONCE
