// Highway includes this file once for every instruction set it compiles for.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "scan/report/guide_lanes_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

#include "scan/report/guide_lanes.hpp"

#ifndef TRAWL_SCAN_REPORT_GUIDE_LANES
#define TRAWL_SCAN_REPORT_GUIDE_LANES
namespace trawl::scan {

inline constexpr std::uint32_t kMostLaneEdits = 14;
inline constexpr std::uint8_t kNoCost = 255;

// All rows have GuideLanes::kMost bytes, one for each guide.
struct LaneProblem {
  std::size_t size, length, letters;  // guides; letters of a guide, of a text
  std::int32_t bulges, dna, rna;
  std::uint32_t mismatches;
  const std::uint8_t *high, *low;  // of the texts: 8 letters in a byte
  const std::uint8_t* guides;
  std::uint8_t *texts, *room, *results;
};

}  // namespace trawl::scan
#endif

HWY_BEFORE_NAMESPACE();
namespace trawl::scan::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t kRow = GuideLanes::kMost;
using Bytes = hn::CappedTag<std::uint8_t, kRow>;
using Vector = hn::Vec<Bytes>;

HWY_INLINE Vector at(const std::uint8_t* rows, std::size_t row) { return hn::LoadU(Bytes(), rows + row * kRow); }
HWY_INLINE void put(Vector value, std::uint8_t* rows, std::size_t row) {
  hn::StoreU(value, Bytes(), rows + row * kRow);
}

// The sets of the letters of the texts.
void load_texts(const LaneProblem& p, std::size_t lane) {
  const Bytes d;
  const auto a = hn::Set(d, 1), c = hn::Set(d, 2), g = hn::Set(d, 4), t = hn::Set(d, 8);
  for (std::size_t j = 0; j < p.letters; ++j) {
    const auto bit = hn::Set(d, static_cast<std::uint8_t>(1u << (j % 8)));
    const auto is_low = hn::TestBit(at(p.low + lane, j / 8), bit);
    const auto upper = hn::IfThenElse(is_low, t, g), lower = hn::IfThenElse(is_low, c, a);
    put(hn::IfThenElse(hn::TestBit(at(p.high + lane, j / 8), bit), upper, lower), p.texts + lane, j);
  }
}

// `cost` where base i and letter j do not match.
HWY_INLINE Vector differ(const LaneProblem& p, std::size_t lane, Vector guide, std::size_t j, Vector cost) {
  const auto common = hn::And(guide, at(p.texts + lane, j));
  return hn::IfThenElseZero(hn::Eq(common, hn::Zero(Bytes())), cost);
}

// Row (r, d) of the room has X(i, r, d); after them are the diagonals of base i.
void align_lanes(const LaneProblem& p) {
  const Bytes d8;
  const auto one = hn::Set(d8, 1), never = hn::Set(d8, kNoCost);
  const auto row = [&](std::int32_t r, std::int32_t d) { return static_cast<std::size_t>(r * (p.dna + 1) + d); };
  const std::size_t differs = row(p.rna, p.dna) + 1 + static_cast<std::size_t>(p.rna);
  for (std::size_t lane = 0; lane < p.size; lane += hn::Lanes(d8)) {
    load_texts(p, lane);
    std::uint8_t* const room = p.room + lane;
    for (std::int32_t r = 0; r <= p.rna; ++r) {
      for (std::int32_t d = 0; d <= std::min(p.dna, p.bulges - r); ++d) {
        put(r == 0 ? hn::Zero(d8) : never, room, row(r, d));
      }
    }
    for (std::size_t i = 1; i <= p.length; ++i) {
      const auto guide = at(p.guides + lane, i - 1);
      const auto before = static_cast<std::int32_t>(i) - 1;  // the letter beside base i on the middle diagonal
      for (std::int32_t k = -std::min(p.rna, before); k <= p.dna; ++k) {
        put(differ(p, lane, guide, static_cast<std::size_t>(before + k), one), room,
            differs + static_cast<std::size_t>(k));
      }
      for (std::int32_t r = p.rna; r >= 0; --r) {
        auto last = never;
        for (std::int32_t d = 0; d <= std::min(p.dna, p.bulges - r); ++d) {
          if (before + d - r >= 0) {
            const auto of_letter = at(room, differs + static_cast<std::size_t>(d - r));
            last = hn::Min(last, hn::SaturatedAdd(at(room, row(r, d)), of_letter));
          }
          if (r > 0) {
            last = hn::Min(last, at(room, row(r - 1, d)));
          }
          put(last, room, row(r, d));
        }
      }
    }
    // The fewest edits, and then the fewest bases in bulges.
    const auto most_mismatches = hn::Set(d8, static_cast<std::uint8_t>(p.mismatches));
    auto edits = never, bulges = never;
    for (std::int32_t r = 0; r <= p.rna; ++r) {
      for (std::int32_t d = 0; d <= std::min(p.dna, p.bulges - r); ++d) {
        const auto mismatches = at(room, row(r, d)), of_bulges = hn::Set(d8, static_cast<std::uint8_t>(r + d));
        const auto is_allowed = hn::Eq(hn::Min(mismatches, most_mismatches), mismatches);
        const auto here = hn::IfThenElse(is_allowed, hn::SaturatedAdd(mismatches, of_bulges), never);
        const auto is_better = hn::Or(hn::Lt(here, edits), hn::And(hn::Eq(here, edits), hn::Lt(of_bulges, bulges)));
        edits = hn::IfThenElse(is_better, here, edits);
        bulges = hn::IfThenElse(is_better, of_bulges, bulges);
      }
    }
    put(edits, p.results + lane, 0);
    put(bulges, p.results + lane, 1);
    put(at(room, row(0, 0)), p.results + lane, 2);
  }
}

}  // namespace trawl::scan::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace trawl::scan {

HWY_EXPORT(align_lanes);

GuideLanes::GuideLanes(const GuideLimits& limits) : limits_(limits) {}

bool GuideLanes::takes(std::size_t length) const {
  return limits_.edits <= kMostLaneEdits && length > 0 && length + limits_.bulges <= 64;
}

void GuideLanes::add(std::span<const std::uint8_t> guide, const sequence::PlaneBlock& text) {
  length_ = guide.size();
  if (guides_.size() < length_) {
    guides_.resize(length_);
  }
  for (std::size_t i = 0; i < length_; ++i) {
    guides_[i][size_] = guide[i];
  }
  for (std::size_t w = 0; w < (letters() + 7) / 8; ++w) {
    planes_[0][w][size_] = static_cast<std::uint8_t>(text.high >> (8 * w));
    planes_[1][w][size_] = static_cast<std::uint8_t>(text.low >> (8 * w));
  }
  ++size_;
}

LaneProblem GuideLanes::problem() {
  const auto at_least = [](std::vector<Row>& rows, std::size_t count) {
    rows.resize(std::max(rows.size(), count));
    return rows.data()->data();
  };
  const std::size_t bulges = limits_.bulges;
  return {.size = size_,
          .length = length_,
          .letters = letters(),
          .bulges = static_cast<std::int32_t>(bulges),
          .dna = static_cast<std::int32_t>(limits_.dna),
          .rna = static_cast<std::int32_t>(limits_.rna),
          .mismatches = limits_.mismatches,
          .high = planes_[0].data()->data(),
          .low = planes_[1].data()->data(),
          .guides = guides_.data()->data(),
          .texts = at_least(texts_, letters()),
          .room = at_least(room_, (bulges + 1) * (bulges + 1) + 2 * bulges + 1),
          .results = at_least(results_, 3)};
}

void GuideLanes::align() { HWY_DYNAMIC_DISPATCH(align_lanes)(problem()); }

std::optional<GuideScore> GuideLanes::score(std::size_t lane) const {
  const unsigned edits = results_[0][lane], bulges = results_[1][lane], ungapped = results_[2][lane];
  if (edits > limits_.edits) {
    return std::nullopt;
  }
  return GuideScore{static_cast<std::uint16_t>(edits - bulges), static_cast<std::uint16_t>(bulges),
                    ungapped <= limits_.mismatches ? static_cast<std::uint16_t>(ungapped) : GuideScore::kNone};
}

}  // namespace trawl::scan

#endif  // HWY_ONCE
