#include <algorithm>
#include <cstdint>
#include <vector>

#include "gpu/device/devices.hpp"
#include "gpu/scan/text_planes.hpp"
#include "gpu/scan/wu_manber_launch.hpp"
#include "gpu/scan/wu_manber_scan.hpp"

namespace trawl::gpu {

namespace {

// Warps per multiprocessor that keep it busy until the end.
constexpr std::uint64_t kWantedWarps = 64 * 2;

}  // namespace

struct WuManberSearch::State {
  DeviceBuffer<DeviceList> lists;
  DeviceBuffer<std::uint8_t> rows;
  std::uint32_t longest = 0;
  std::uint32_t shortest = 0;
  std::uint32_t max_edits = 0;
  sequence::AmbiguousLimit limit;
  RowKinds kinds = RowKinds::mixed;
  std::uint64_t ids = 0;  // ids are below this number
  HitList hits;
  Stream stream;
  std::uint64_t wanted_warps = kWantedWarps * multiprocessors();

  void launch(const ScanTextView& view, const scan::Region& region, const HitsView& out);
  template <unsigned kLevels>
  void launch_levels(const ScanTextView& view, const scan::Region& region, const HitsView& out);
};

template <unsigned kLevels>
void WuManberSearch::State::launch_levels(const ScanTextView& view, const scan::Region& region, const HitsView& out) {
  const std::uint64_t list_count = lists.size();
  const BlockRange range{block_of(region.begin, view.step), block_of(region.end - 1, view.step) + 1};
  const std::uint64_t block_count = range.last - range.first;
  const std::uint64_t strips = std::max<std::uint64_t>(1, wanted_warps / list_count);
  const std::uint64_t strip = (block_count + strips - 1) / strips;
  const std::uint64_t tasks = (block_count + strip - 1) / strip * list_count;
  const SearchView search{lists.data(), rows.data(), static_cast<std::uint32_t>(list_count), longest, max_edits, limit};
  const WuManberLaunch launch{view, search, region, range, strip, tasks, out, stream};
  if constexpr (kLevels == 1) {
    return launch_wu_manber<1, RowKinds::edits>(launch);  // no row allows any edit, so all kinds are the same
  } else {
    // A program may have fewer edits than kLevels - 1. The kernels for rows of one kind need at least as many rows as
    // levels.
    switch (shortest >= kLevels ? kinds : RowKinds::mixed) {
      case RowKinds::edits:
        return launch_wu_manber<kLevels, RowKinds::edits>(launch);
      case RowKinds::mismatches:
        if constexpr (kLevels <= kMostMismatchLevels) {
          return launch_wu_manber<kLevels, RowKinds::mismatches>(launch);
        }
        [[fallthrough]];
      case RowKinds::mixed:
        return launch_wu_manber<kLevels, RowKinds::mixed>(launch);
    }
  }
}

void WuManberSearch::State::launch(const ScanTextView& view, const scan::Region& region, const HitsView& out) {
  if (region.begin >= region.end || lists.size() == 0) {
    return;
  }
  // Using more levels than needed gives the same hits, but takes longer.
  switch (max_edits) {
    case 0:
      return launch_levels<1>(view, region, out);
    case 1:
      return launch_levels<2>(view, region, out);
    case 2:
      return launch_levels<3>(view, region, out);
    case 3:
      return launch_levels<4>(view, region, out);
    case 4:
      return launch_levels<5>(view, region, out);
    case 5:
      return launch_levels<6>(view, region, out);
    case 6:
      return launch_levels<7>(view, region, out);
    default:
      return max_edits <= 8    ? launch_levels<9>(view, region, out)
             : max_edits <= 12 ? launch_levels<13>(view, region, out)
                               : launch_levels<17>(view, region, out);
  }
}

std::uint64_t WuManberSearch::bytes_of(const scan::WuManberProgram& program) {
  std::uint64_t bytes = 0;
  for (const scan::ProgramList& list : program.lists()) {
    bytes += sizeof(DeviceList) + kBytesAHit + list.length;
  }
  return bytes;
}

WuManberSearch::WuManberSearch(const scan::WuManberProgram& program, const sequence::AmbiguousLimit& limit,
                               std::size_t room)
    : state_(std::make_unique<State>()) {
  std::vector<DeviceList> lists;
  std::vector<std::uint8_t> rows;
  bool all_edits = true;
  bool all_mismatches = true;
  state_->shortest = program.longest();
  for (const scan::ProgramList& list : program.lists()) {
    state_->shortest = std::min(state_->shortest, list.length);
    state_->ids = std::max<std::uint64_t>(state_->ids, std::uint64_t{list.id} + 1);
    lists.push_back({list.id, static_cast<std::uint32_t>(rows.size()), list.length});
    for (std::uint32_t i = 0; i < list.length; ++i) {
      const scan::Row& row = program.rows(list)[i];
      rows.push_back(match::pack_row(row.set, row.kind));
      all_edits = all_edits && row.kind == match::RowKind::edits;
      all_mismatches = all_mismatches && row.kind == match::RowKind::mismatches;
    }
  }
  state_->kinds = all_edits ? RowKinds::edits : all_mismatches ? RowKinds::mismatches : RowKinds::mixed;
  state_->longest = program.longest();
  state_->max_edits = program.max_edits();
  state_->limit = limit;
  state_->lists = DeviceBuffer<DeviceList>(lists.size());
  state_->rows = DeviceBuffer<std::uint8_t>(rows.size());
  state_->hits = HitList(std::max(room, lists.size()), state_->ids);
  state_->lists.copy_from(lists.data(), lists.size(), state_->stream);
  state_->rows.copy_from(rows.data(), rows.size(), state_->stream);
  state_->stream.synchronize();
}

WuManberSearch::~WuManberSearch() = default;

bool WuManberSearch::run(const ScanText& text, const scan::Region& region, std::size_t most,
                         std::vector<scan::Hit>& hits) {
  const std::size_t room = std::min(std::max(most, state_->lists.size()), state_->hits.size());
  if (!state_->hits.fits(region)) {
    return false;
  }
  state_->launch(text.state().view(), region, state_->hits.start(room, region, state_->stream));
  return state_->hits.fetch(state_->stream, hits);
}

void WuManberSearch::run(const ScanText& text, std::vector<scan::Hit>& hits) {
  const std::uint64_t size = text.state().size;
  for (std::uint64_t at = 0; at < size;) {
    at = scan::shrink_until_fits({at, size},
                                 [&](const scan::Region& region) { return run(text, region, SIZE_MAX, hits); });
  }
}

}  // namespace trawl::gpu
