// Highway includes this file once for every instruction set it compiles for.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "clip/piece_rows_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

#include "clip/piece_rows.hpp"

HWY_BEFORE_NAMESPACE();
namespace trawl::clip::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<RowValue, kLaneBlock>;

void advance_rows(const RowBlock& block) {
  const D d;
  const std::size_t width = hn::Lanes(d);
  const std::size_t stride = row_stride(block.lanes);
  const auto none = hn::Set(d, kNone);
  for (std::uint32_t r = 0; r < block.steps; ++r) {
    const std::ptrdiff_t at = block.step * static_cast<std::ptrdiff_t>(r);
    const auto set = hn::Set(d, block.read[at]);
    for (std::size_t k = 0; k < block.lanes; k += width) {
      const auto common = hn::And(hn::LoadU(d, block.text + at + k), set);
      hn::StoreU(hn::VecFromMask(d, hn::Eq(common, hn::Zero(d))), d, block.differ + r * block.lanes + k);
    }
  }
  // What leads from the row before by an insertion, and from the same row by a deletion.
  const std::ptrdiff_t inserted = block.step;
  const std::ptrdiff_t deleted = -block.step;
  for (std::uint32_t x = 0; x < block.levels; ++x) {
    RowValue* const rows = block.rows + (block.keep ? x : x % 2) * block.level_stride;
    const RowValue* const below =
        x == 0 ? nullptr : block.rows + (block.keep ? x - 1 : (x + 1) % 2) * block.level_stride;
    RowValue* const state = block.state + x * stride;
    for (std::size_t k = 0; k < block.lanes; k += width) {
      auto value = hn::LoadU(d, state + k);
      hn::StoreU(value, d, rows + k);
      const RowValue* differ = block.differ + k;
      RowValue* row = rows + stride + k;
      if (x == 0) {
        for (std::uint32_t r = 1; r <= block.steps; ++r) {
          const std::uint32_t start = block.done + r;
          const auto from_start = start <= block.clip ? hn::Set(d, static_cast<RowValue>(start)) : none;
          value = hn::Min(hn::Or(value, hn::LoadU(d, differ)), from_start);
          hn::StoreU(value, d, row);
          differ += block.lanes;
          row += stride;
        }
      } else {
        const RowValue* before = below + k;
        for (std::uint32_t r = 1; r <= block.steps; ++r) {
          const auto edited = hn::Min(hn::Min(hn::LoadU(d, before), hn::LoadU(d, before + inserted)),
                                      hn::LoadU(d, before + stride + deleted));
          value = hn::Min(hn::Or(value, hn::LoadU(d, differ)), edited);
          hn::StoreU(value, d, row);
          differ += block.lanes;
          row += stride;
          before += stride;
        }
      }
      hn::StoreU(value, d, state + k);
    }
  }
}

void join_rows(const RowJoin& join, std::uint64_t* bits) {
  const D d;
  const std::size_t width = hn::Lanes(d);
  HWY_ALIGN RowValue valid[kLaneBlock];
  for (std::size_t block = 0; block < join.lanes; block += kLaneBlock) {
    for (std::size_t k = 0; k < kLaneBlock; k += width) {
      auto any = hn::Zero(d);
      for (std::uint32_t z = join.cost; z < join.levels; ++z) {
        const std::uint32_t edits = z - join.cost;
        auto fewest = hn::Set(d, kNone);
        for (std::uint32_t x = 0; x <= edits; ++x) {
          const auto left = hn::LoadU(d, join.left + x * join.left_stride + block + k);
          const auto right = hn::LoadU(d, join.right + (edits - x) * join.right_stride + block + k);
          fewest = hn::Min(fewest, hn::SaturatedAdd(left, right));
        }
        // a <= b, as no instruction set lacks it: min(a, b) == a.
        const auto most = hn::Set(d, join.most_clipped[z]);
        any = hn::Or(any, hn::VecFromMask(d, hn::Eq(hn::Min(fewest, most), fewest)));
      }
      hn::StoreU(any, d, valid + k);
    }
    std::uint64_t word = 0;
    for (std::size_t k = 0; k < kLaneBlock; ++k) {
      word |= static_cast<std::uint64_t>(valid[k] & 1) << k;
    }
    bits[block / kLaneBlock] = word;
  }
}

const char* target_name() { return hwy::TargetName(HWY_TARGET); }

}  // namespace trawl::clip::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace trawl::clip {

HWY_EXPORT(advance_rows);
HWY_EXPORT(join_rows);
HWY_EXPORT(target_name);

void advance_rows(const RowBlock& block) { HWY_DYNAMIC_DISPATCH(advance_rows)(block); }
void join_rows(const RowJoin& rows, std::uint64_t* bits) { HWY_DYNAMIC_DISPATCH(join_rows)(rows, bits); }
const char* piece_rows_target() { return HWY_DYNAMIC_DISPATCH(target_name)(); }

}  // namespace trawl::clip

#endif  // HWY_ONCE
