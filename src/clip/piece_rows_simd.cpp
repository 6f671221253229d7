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

template <class T>
using Lanes = hn::CappedTag<T, kLaneBlock>;

template <class T>
void advance(const RowBlock<T>& block) {
  const Lanes<T> d;
  const std::size_t width = hn::Lanes(d);
  const std::size_t stride = row_stride<T>(block.lanes);
  const auto none = hn::Set(d, kNone<T>);
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
    T* const rows = block.rows + (block.keep ? x : x % 2) * block.level_stride;
    const T* const below = x == 0 ? nullptr : block.rows + (block.keep ? x - 1 : (x + 1) % 2) * block.level_stride;
    T* const state = block.state + x * stride;
    for (std::size_t k = 0; k < block.lanes; k += width) {
      auto value = hn::LoadU(d, state + k);
      hn::StoreU(value, d, rows + k);
      const T* differ = block.differ + k;
      T* row = rows + stride + k;
      if (x == 0) {
        for (std::uint32_t r = 1; r <= block.steps; ++r) {
          const std::uint32_t start = block.done + r;
          const auto from_start = start <= block.clip ? hn::Set(d, static_cast<T>(start)) : none;
          value = hn::Min(hn::Or(value, hn::LoadU(d, differ)), from_start);
          hn::StoreU(value, d, row);
          differ += block.lanes;
          row += stride;
        }
      } else {
        const T* before = below + k;
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

template <class T>
void join(const RowJoin<T>& join, std::uint64_t* bits) {
  const Lanes<T> d;
  const std::size_t width = hn::Lanes(d);
  HWY_ALIGN T valid[kLaneBlock];
  for (std::size_t block = 0; block < join.lanes; block += kLaneBlock) {
    for (std::size_t k = 0; k < kLaneBlock; k += width) {
      auto any = hn::Zero(d);
      for (std::uint32_t z = join.cost; z < join.levels; ++z) {
        const std::uint32_t edits = z - join.cost;
        auto fewest = hn::Set(d, kNone<T>);
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

void advance_8(const RowBlock<std::uint8_t>& block) { advance(block); }
void advance_16(const RowBlock<std::uint16_t>& block) { advance(block); }
void join_8(const RowJoin<std::uint8_t>& rows, std::uint64_t* bits) { join(rows, bits); }
void join_16(const RowJoin<std::uint16_t>& rows, std::uint64_t* bits) { join(rows, bits); }

const char* target_name() { return hwy::TargetName(HWY_TARGET); }

}  // namespace trawl::clip::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace trawl::clip {

HWY_EXPORT(advance_8);
HWY_EXPORT(advance_16);
HWY_EXPORT(join_8);
HWY_EXPORT(join_16);
HWY_EXPORT(target_name);

void advance_rows(const RowBlock<std::uint8_t>& block) { HWY_DYNAMIC_DISPATCH(advance_8)(block); }
void advance_rows(const RowBlock<std::uint16_t>& block) { HWY_DYNAMIC_DISPATCH(advance_16)(block); }
void join_rows(const RowJoin<std::uint8_t>& rows, std::uint64_t* bits) { HWY_DYNAMIC_DISPATCH(join_8)(rows, bits); }
void join_rows(const RowJoin<std::uint16_t>& rows, std::uint64_t* bits) { HWY_DYNAMIC_DISPATCH(join_16)(rows, bits); }
const char* piece_rows_target() { return HWY_DYNAMIC_DISPATCH(target_name)(); }

}  // namespace trawl::clip

#endif  // HWY_ONCE
