#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <optional>

#include "base/error.hpp"
#include "gpu/device/devices.hpp"
#include "gpu/scan/cuda_finder.hpp"
#include "gpu/scan/device_plan.hpp"
#include "gpu/scan/hit_search.hpp"

namespace trawl::gpu {

namespace {

// Places that wait to be checked, on each device: 128 MiB.
constexpr std::uint64_t kMostPlaces = std::uint64_t{1} << 23;

// One device, its searches, and the part of the text that it has.
struct SearchDevice {
  Device device;
  std::uint64_t blocks = 0;  // the most blocks of the text that it has room for
  std::vector<std::unique_ptr<HitSearch>> searches;
  DeviceTexts texts;                   // one stretch of the reference
  std::uint64_t stretch = UINT64_MAX;  // number of this stretch
};

// The device memory for a block of the text, in bytes.
std::uint64_t block_bytes(const DevicePlan& plan) {
  const auto positions = static_cast<double>(match::kRowBlock);
  return (plan.programs.empty() ? 0 : RowText::kMostBlockBytes) +
         (plan.has_planes() ? static_cast<std::uint64_t>(positions * PlanesText::kBytesAPosition) + 64 : 0);
}

// `device` must be the calling thread's device. `room`: the most hits to make room for.
SearchDevice make_share(const Device& device, std::uint64_t memory, const DevicePlan& plan, std::size_t room) {
  const std::uint64_t needed = plan.bytes();
  if (memory < needed + DevicePlan::kLeastRoom) {
    throw Error("searching these patterns takes at least " +
                std::to_string((needed + DevicePlan::kLeastRoom + 0xfffff) >> 20) + " MiB of device memory, and " +
                std::to_string(memory >> 20) + " MiB may be used; give more (--devices), or use --engine cpu");
  }
  const std::uint64_t left = memory - needed;
  const std::uint64_t hits = std::min<std::uint64_t>(room, left / 2 / DevicePlan::kBytesAHit / plan.kinds());
  const std::uint64_t places =
      plan.places ? std::min<std::uint64_t>(kMostPlaces, left / 8 / DevicePlan::kBytesAPlace) : 0;
  SearchDevice share;
  share.device = device;
  share.blocks =
      (left - plan.kinds() * hits * DevicePlan::kBytesAHit - places * DevicePlan::kBytesAPlace) / block_bytes(plan);
  if (!plan.programs.empty()) {
    share.searches.push_back(make_row_search(plan, hits));
  }
  if (!plan.literals.empty()) {
    share.searches.push_back(make_literal_search(plan, hits, places));
  }
  if (plan.guides) {
    share.searches.push_back(make_guide_search(plan, hits));
  }
  return share;
}

struct Started {
  std::vector<Device> devices;
  std::uint64_t memory = UINT64_MAX;  // of each
};

Started start_devices(const scan::ScanOptions& options) {
  Started started{devices_to_use(options)};
  for (const Device& device : started.devices) {
    start(device);
    started.memory = std::min(started.memory, usable_memory(options));
  }
  return started;
}

// The reference is cut into stretches that fit in the memory of every device. There is at least one stretch per device.
// The devices take them in turns.
class CudaFinder final : public scan::Finder {
 public:
  CudaFinder(const std::vector<scan::Query>& queries, const scan::ScanOptions& options, std::size_t room)
      : queries_(queries), options_(options) {
    // The tables of guides are made while the devices start, which takes about as long. Where there is no device, that
    // is known at once, and tables would be made for nothing.
    auto starting = std::async(std::launch::async, [&] { return start_devices(options); });
    std::optional<Started> started;
    if (starting.wait_for(std::chrono::milliseconds(20)) == std::future_status::ready) {
      started = starting.get();
    }
    auto guides = scan::GuideSet::choose(queries, options, kDeviceCosts);
    if (!started) {
      started = starting.get();
    }
    const auto& [devices, memory] = *started;
    for (const Device& device : devices) {
      names_ += (names_.empty() ? "" : ", ") + device.name;
    }
    const DevicePlan plan(queries, options, memory, std::move(guides));
    steps_ = BlockSteps(plan.reach);
    planes_reach_ = plan.planes_reach();
    has_rows_ = !plan.programs.empty();
    has_planes_ = plan.has_planes();
    by_ = scan::searched_by(!plan.programs.empty(), !plan.literals.empty(), plan.guides != nullptr);
    for (const Device& device : devices) {
      use(device);
      if (plan.kinds() > 0) {
        shares_.push_back(make_share(device, memory, plan, room));
      }
    }
  }

  void load(const sequence::Reference& reference) override {
    reference_ = &reference;
    blocks_ = steps_.count(reference.size());
    stretch_blocks_ = shares_.empty() ? 1 : (blocks_ + shares_.size() - 1) / shares_.size();
    for (SearchDevice& share : shares_) {
      forget_text(share);
      stretch_blocks_ = std::min(stretch_blocks_, share.blocks);
    }
    stretch_blocks_ = std::max<std::uint64_t>(stretch_blocks_, 1);
  }

  std::uint64_t find(const scan::Region& region, std::size_t most, std::vector<scan::Hit>& ends) override {
    ends.clear();
    if (shares_.empty() || region.begin >= region.end) {
      return region.end;
    }
    const BlockRange blocks = steps_.blocks_of(region);
    const std::uint64_t first = blocks.first / stretch_blocks_;
    std::vector<StretchEnds> outcomes((blocks.last - 1) / stretch_blocks_ - first + 1);
    std::atomic<bool> is_enough{false};
    std::atomic<std::uint64_t> found{0};
    // Searches the stretches of one device in order. The first stretch of the region is always searched.
    const auto work = [&](SearchDevice& share, std::uint64_t begin) {
      use(share.device);
      for (std::uint64_t s = begin; s < outcomes.size() && (s == 0 || !is_enough); s += shares_.size()) {
        outcomes[s] = find_in(share, first + s, region, most);
        found += outcomes[s].count;
        if (found > most || outcomes[s].stop < outcomes[s].end) {
          is_enough = true;
        }
      }
    };
    std::vector<std::future<void>> others;
    for (std::uint64_t s = 1; s < std::min<std::uint64_t>(shares_.size(), outcomes.size()); ++s) {
      others.push_back(std::async(std::launch::async, work, std::ref(shares_[(first + s) % shares_.size()]), s));
    }
    work(shares_[first % shares_.size()], 0);
    for (auto& other : others) {
      other.get();
    }
    // Take the ends up to the first stretch that was left out or cut, or that has too many ends.
    std::uint64_t stop = region.begin;
    std::vector<std::vector<scan::Hit>> parts;
    std::size_t count = 0;
    for (StretchEnds& outcome : outcomes) {
      if (outcome.stop == 0 || (stop > region.begin && count + outcome.count > most)) {
        break;
      }
      count += outcome.count;
      for (auto& of_search : outcome.ends) {
        if (!of_search.empty()) {
          parts.push_back(std::move(of_search));
        }
      }
      stop = outcome.stop;
      if (stop < outcome.end) {
        break;
      }
    }
    if (parts.size() == 1) {
      ends = std::move(parts.front());
    } else {
      scan::join_ends(parts, ends);
    }
    scan::EndFilter filter(*reference_, queries_, options_);
    std::erase_if(ends, [&](const scan::Hit& hit) { return !filter.keeps(hit); });
    return stop;
  }

  std::string description() const override { return "cuda (" + names_ + by_ + ")"; }

 private:
  static void forget_text(SearchDevice& share) {
    share.texts.rows.reset();
    share.texts.planes.reset();
    share.stretch = UINT64_MAX;
  }

  // The ends of a stretch up to `stop`. If `stop` equals `end`, these are all ends of the stretch in the region.
  struct StretchEnds {
    std::uint64_t stop = 0;  // 0: not searched
    std::uint64_t end = 0;
    std::vector<std::vector<scan::Hit>> ends;  // by search; each is sorted
    std::size_t count = 0;                     // of them
  };

  StretchEnds find_in(SearchDevice& share, std::uint64_t stretch, const scan::Region& region, std::size_t most) const {
    const BlockRange range{stretch * stretch_blocks_, std::min(blocks_, (stretch + 1) * stretch_blocks_)};
    const scan::Region all = steps_.ends_of(range);
    if (share.stretch != stretch) {
      forget_text(share);  // its memory is needed for the next one
      if (has_rows_) {
        share.texts.rows.emplace(*reference_, options_.ambiguous_matches, steps_, range);
      }
      if (has_planes_) {
        share.texts.planes.emplace(*reference_, all, planes_reach_);
      }
      share.stretch = stretch;
    }
    const scan::Region part{std::max(all.begin, region.begin), std::min(all.end, region.end)};
    StretchEnds outcome;
    outcome.end = part.end;
    outcome.stop = scan::shrink_until_fits(part, [&](const scan::Region& some) {
      outcome.ends.assign(share.searches.size(), {});
      outcome.count = 0;
      for (std::size_t s = 0; s < share.searches.size(); ++s) {
        if (!share.searches[s]->run(share.texts, some, most, outcome.ends[s])) {
          return false;
        }
        outcome.count += outcome.ends[s].size();
      }
      return true;
    });
    return outcome;
  }

  const std::vector<scan::Query>& queries_;
  scan::ScanOptions options_;
  std::string names_;
  std::string by_;  // how it searches
  bool has_rows_ = false, has_planes_ = false;
  std::uint64_t planes_reach_ = 0;
  BlockSteps steps_;
  std::vector<SearchDevice> shares_;  // one per device; empty if there is nothing to search
  const sequence::Reference* reference_ = nullptr;
  std::uint64_t blocks_ = 0;
  std::uint64_t stretch_blocks_ = 1;
};

}  // namespace

std::string why_not_searched_on_device(const std::vector<scan::Query>& queries, const scan::ScanOptions& options) {
  if (options.max_edits > kRowsMostEdits) {
    return "a GPU takes up to " + std::to_string(kRowsMostEdits) + " edits";
  }
  for (const scan::Query& query : queries) {
    if (query.length() > kRowsLongest) {
      return "a GPU takes patterns of up to " + std::to_string(kRowsLongest) + " letters";
    }
  }
  return "";
}

std::unique_ptr<scan::Finder> make_cuda_finder(const std::vector<scan::Query>& queries,
                                               const scan::ScanOptions& options, std::size_t room) {
  if (const std::string why = why_not_searched_on_device(queries, options); !why.empty()) {
    throw Error(why);
  }
  return std::make_unique<CudaFinder>(queries, options, room);
}

}  // namespace trawl::gpu
