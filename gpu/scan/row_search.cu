// The row-wise scan on the device (match/wu_manber_warp.hpp): each warp runs one list of rows over a strip of the text.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/with_constant.hpp"
#include "gpu/scan/hit_search.hpp"
#include "gpu/scan/row_launch.hpp"

namespace trawl::gpu {

namespace {

// Warps per multiprocessor that keep it busy until the end.
constexpr std::uint64_t kWantedWarps = 64 * 2;

template <unsigned kLevels>
void launch_levels(const RowLaunch& launch, RowKinds kinds) {
  if constexpr (kLevels == 1) {
    return launch_rows<1, RowKinds::edits>(launch);  // no row allows any edit, so all kinds are the same
  } else {
    switch (kinds) {
      case RowKinds::edits:
        return launch_rows<kLevels, RowKinds::edits>(launch);
      case RowKinds::mismatches:
        if constexpr (kLevels <= kMostMismatchLevels) {
          return launch_rows<kLevels, RowKinds::mismatches>(launch);
        }
        [[fallthrough]];
      case RowKinds::mixed:
        return launch_rows<kLevels, RowKinds::mixed>(launch);
    }
  }
}

class RowSearch final : public HitSearch {
 public:
  RowSearch(const DevicePlan& plan, std::size_t room)
      : HitSearch(room, plan.programs[0].lists().size(), ids_of(plan.programs[0])),
        shortest_(plan.programs[0].longest()),
        wanted_warps_(kWantedWarps * multiprocessors()) {
    const scan::WuManberProgram& program = plan.programs[0];
    std::vector<DeviceList> lists;
    std::vector<std::uint8_t> rows;
    bool all_edits = true;
    bool all_mismatches = true;
    for (const scan::ProgramList& list : program.lists()) {
      shortest_ = std::min(shortest_, list.length);
      lists.push_back({list.id, static_cast<std::uint32_t>(rows.size()), list.length});
      for (std::uint32_t i = 0; i < list.length; ++i) {
        const scan::PatternRow& row = program.rows(list)[i];
        rows.push_back(match::pack_row(row.set, row.kind));
        all_edits = all_edits && row.kind == match::RowKind::edits;
        all_mismatches = all_mismatches && row.kind == match::RowKind::mismatches;
      }
    }
    kinds_ = all_edits ? RowKinds::edits : all_mismatches ? RowKinds::mismatches : RowKinds::mixed;
    lists_ = DeviceBuffer<DeviceList>(lists, stream_);
    rows_ = DeviceBuffer<std::uint8_t>(rows, stream_);
    stream_.synchronize();
    view_ = {lists_.data(),     rows_.data(),        static_cast<std::uint32_t>(lists.size()),
             program.longest(), program.max_edits(), plan.limit};
  }

 private:
  static std::uint64_t ids_of(const scan::WuManberProgram& program) {
    std::uint64_t ids = 0;
    for (const scan::ProgramList& list : program.lists()) {
      ids = std::max(ids, std::uint64_t{list.id} + 1);
    }
    return ids;
  }

  void launch(const DeviceTexts& texts, const scan::Region& region, const HitsView& out) override {
    if (region.begin >= region.end) {
      return;
    }
    const BlockRange range = texts.rows->steps().blocks_of(region);
    const std::uint64_t block_count = range.last - range.first;
    const std::uint64_t strips = std::max<std::uint64_t>(1, wanted_warps_ / view_.list_count);
    const std::uint64_t strip = (block_count + strips - 1) / strips;
    const std::uint64_t tasks = (block_count + strip - 1) / strip * view_.list_count;
    const RowLaunch launch{texts.rows->view(), view_, region, range, strip, tasks, out, stream_};
    // Using more levels than needed gives the same hits, but takes longer. The kernels for rows of one kind need at
    // least as many rows as levels.
    const auto with_levels = [&](auto levels) {
      launch_levels<levels>(launch, shortest_ >= levels ? kinds_ : RowKinds::mixed);
    };
    if (view_.max_edits < kMostMismatchLevels) {
      with_constant<kMostMismatchLevels - 1>(
          view_.max_edits, [&](auto edits) { with_levels(std::integral_constant<unsigned, edits + 1>()); });
    } else if (view_.max_edits <= 8) {
      with_levels(std::integral_constant<unsigned, 9>());
    } else if (view_.max_edits <= 12) {
      with_levels(std::integral_constant<unsigned, 13>());
    } else {
      with_levels(std::integral_constant<unsigned, 17>());
    }
  }

  DeviceBuffer<DeviceList> lists_;
  DeviceBuffer<std::uint8_t> rows_;
  RowSearchView view_{};
  std::uint32_t shortest_;
  RowKinds kinds_ = RowKinds::mixed;
  std::uint64_t wanted_warps_;
};

}  // namespace

std::unique_ptr<HitSearch> make_row_search(const DevicePlan& plan, std::size_t room) {
  return std::make_unique<RowSearch>(plan, room);
}

}  // namespace trawl::gpu
