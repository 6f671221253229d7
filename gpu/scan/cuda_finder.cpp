#include "gpu/scan/cuda_finder.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <optional>

#include "base/error.hpp"
#include "gpu/device/devices.hpp"
#include "gpu/scan/device_plan.hpp"
#include "gpu/scan/guide_search.hpp"
#include "gpu/scan/literal_search.hpp"
#include "gpu/scan/wu_manber_scan.hpp"
#include "match/wu_manber_warp.hpp"

namespace trawl::gpu {

namespace {

// Places that wait to be checked, on each device: 128 MiB.
constexpr std::uint64_t kMostPlaces = std::uint64_t{1} << 23;

// One device and its part of the plan.
struct Share {
  Device device;
  std::uint64_t blocks = 0;              // the most blocks of the text that it has room for
  std::unique_ptr<WuManberSearch> rows;  // null: there are none
  std::unique_ptr<LiteralSearch> literals;
  std::unique_ptr<GuideSearch> guides;
  std::unique_ptr<ScanText> row_text;  // one stretch of the reference
  std::unique_ptr<LiteralText> planes_text;
  std::uint64_t stretch = UINT64_MAX;  // number of this stretch
};

// The device memory for a block of the text, in bytes.
std::uint64_t block_bytes(const DevicePlan& plan) {
  const auto positions = static_cast<double>(match::kRowBlock);
  return (plan.programs.empty() ? 0 : ScanText::kMostBlockBytes) +
         (plan.has_planes() ? static_cast<std::uint64_t>(positions * LiteralText::kBytesAPosition) + 64 : 0);
}

// `device` must be the calling thread's device. `room`: the most hits to make room for.
Share make_share(const Device& device, std::uint64_t memory, const DevicePlan& plan, std::size_t room) {
  const std::uint64_t needed = plan.bytes();
  if (memory < needed + DevicePlan::kLeastRoom) {
    throw Error("searching these patterns takes at least " +
                std::to_string((needed + DevicePlan::kLeastRoom + 0xfffff) >> 20) + " MiB of device memory, and " +
                std::to_string(memory >> 20) + " MiB may be used; give more (--devices), or use --engine cpu");
  }
  const std::uint64_t left = memory - needed;
  const std::uint64_t hits = std::min<std::uint64_t>(room, left / 2 / kBytesAHit / plan.kinds());
  const std::uint64_t places =
      plan.places ? std::min<std::uint64_t>(kMostPlaces, left / 8 / LiteralSearch::kBytesAPlace) : 0;
  Share share;
  share.device = device;
  share.blocks = (left - plan.kinds() * hits * kBytesAHit - places * LiteralSearch::kBytesAPlace) / block_bytes(plan);
  if (!plan.programs.empty()) {
    share.rows = std::make_unique<WuManberSearch>(plan.programs[0], plan.limit, hits);
  }
  if (!plan.literals.empty()) {
    share.literals = plan.places ? std::make_unique<LiteralSearch>(plan.literals, plan.literal_parts(), hits, places)
                                 : std::make_unique<LiteralSearch>(plan.literals, hits);
  }
  if (plan.guides) {
    share.guides = std::make_unique<GuideSearch>(*plan.guides, hits);
  }
  return share;
}

struct Started {
  std::vector<Device> devices;
  std::uint64_t memory = UINT64_MAX;  // of each
};

Started start_devices(const scan::Options& options) {
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
  CudaFinder(const std::vector<scan::Query>& queries, const scan::Options& options, std::size_t room)
      : queries_(queries), options_(options) {
    // The tables of guides are made while the devices start, which takes about as long. Where there is no device, that
    // is known at once, and tables would be made for nothing.
    auto starting = std::async(std::launch::async, [&] { return start_devices(options); });
    std::optional<Started> started;
    if (starting.wait_for(std::chrono::milliseconds(20)) == std::future_status::ready) {
      started = starting.get();
    }
    auto guides = DevicePlan::choose_guides(queries, options);
    if (!started) {
      started = starting.get();
    }
    const auto& [devices, memory] = *started;
    for (const Device& device : devices) {
      names_ += (names_.empty() ? "" : ", ") + device.name;
    }
    const DevicePlan plan(queries, options, memory, std::move(guides));
    reach_ = plan.reach;
    by_ = scan::searched_by(!plan.programs.empty(), !plan.literals.empty(), plan.guides != nullptr);
    for (const Device& device : devices) {
      use(device);
      if (!plan.is_empty()) {
        shares_.push_back(make_share(device, memory, plan, room));
      }
    }
  }

  using Finder::find;

  void load(const sequence::Reference& reference) override {
    reference_ = &reference;
    blocks_ = ScanText::all_blocks(reference.size(), reach_).last;
    stretch_blocks_ = shares_.empty() ? 1 : (blocks_ + shares_.size() - 1) / shares_.size();
    for (Share& share : shares_) {
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
    const BlockRange blocks = ScanText::blocks_of(region, reach_);
    const std::uint64_t first = blocks.first / stretch_blocks_;
    std::vector<Outcome> outcomes((blocks.last - 1) / stretch_blocks_ - first + 1);
    std::atomic<bool> is_enough{false};
    std::atomic<std::uint64_t> found{0};
    // Searches the stretches of one device in order. The first stretch of the region is always searched.
    const auto work = [&](Share& share, std::uint64_t begin) {
      use(share.device);
      for (std::uint64_t s = begin; s < outcomes.size() && (s == 0 || !is_enough); s += shares_.size()) {
        outcomes[s] = find_in(share, first + s, region, most);
        found += outcomes[s].count();
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
    for (Outcome& outcome : outcomes) {
      if (outcome.stop == 0 || (stop > region.begin && count + outcome.count() > most)) {
        break;
      }
      count += outcome.count();
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
      scan::merge_ends(parts, ends);
    }
    scan::EndFilter filter(*reference_, queries_, options_);
    std::erase_if(ends, [&](const scan::Hit& hit) { return !filter.keeps(hit); });
    return stop;
  }

  std::string description() const override { return "cuda (" + names_ + by_ + ")"; }

 private:
  static void forget_text(Share& share) {
    share.row_text.reset();
    share.planes_text.reset();
    share.stretch = UINT64_MAX;
  }

  // The ends of a stretch up to `stop`. If `stop` equals `end`, these are all ends of the stretch in the region.
  struct Outcome {
    std::uint64_t stop = 0;  // 0: not searched
    std::uint64_t end = 0;
    std::vector<scan::Hit> ends[3];  // by kind of search: rows, literals, guides; each is sorted

    std::size_t count() const { return ends[0].size() + ends[1].size() + ends[2].size(); }
  };

  Outcome find_in(Share& share, std::uint64_t stretch, const scan::Region& region, std::size_t most) const {
    const BlockRange range{stretch * stretch_blocks_, std::min(blocks_, (stretch + 1) * stretch_blocks_)};
    if (share.stretch != stretch) {
      forget_text(share);  // its memory is needed for the next one
      if (share.rows) {
        share.row_text = std::make_unique<ScanText>(*reference_, options_.ambiguous_matches, reach_, range);
      }
      if (share.literals || share.guides) {
        const std::uint64_t before = std::max(share.literals ? share.literals->reach() : 0, GuideSearch::reach());
        share.planes_text = std::make_unique<LiteralText>(*reference_, ScanText::ends_of(range, reach_), before);
      }
      share.stretch = stretch;
    }
    scan::Region part = ScanText::ends_of(range, reach_);
    part = {std::max(part.begin, region.begin), std::min(part.end, region.end)};
    Outcome outcome;
    outcome.end = part.end;
    outcome.stop = scan::shrink_until_fits(part, [&](const scan::Region& some) {
      if ((!share.rows || share.rows->run(*share.row_text, some, most, outcome.ends[0])) &&
          (!share.literals || share.literals->run(*share.planes_text, some, most, outcome.ends[1])) &&
          (!share.guides || share.guides->run(*share.planes_text, some, most, outcome.ends[2]))) {
        return true;
      }
      for (auto& of_search : outcome.ends) {
        of_search.clear();
      }
      return false;
    });
    return outcome;
  }

  const std::vector<scan::Query>& queries_;
  scan::Options options_;
  std::string names_;
  std::string by_;  // how it searches
  std::uint64_t reach_ = 0;
  std::vector<Share> shares_;  // one per device; empty if there is nothing to search
  const sequence::Reference* reference_ = nullptr;
  std::uint64_t blocks_ = 0;
  std::uint64_t stretch_blocks_ = 1;
};

}  // namespace

std::string why_not_searched_on_device(const std::vector<scan::Query>& queries, const scan::Options& options) {
  if (options.max_edits > kWuManberMostEdits) {
    return "a GPU takes up to " + std::to_string(kWuManberMostEdits) + " edits";
  }
  for (const scan::Query& query : queries) {
    if (query.length() > kWuManberLongest) {
      return "a GPU takes patterns of up to " + std::to_string(kWuManberLongest) + " letters";
    }
  }
  return "";
}

std::unique_ptr<scan::Finder> make_cuda_finder(const std::vector<scan::Query>& queries, const scan::Options& options,
                                               std::size_t room) {
  if (const std::string why = why_not_searched_on_device(queries, options); !why.empty()) {
    throw Error(why);
  }
  return std::make_unique<CudaFinder>(queries, options, room);
}

}  // namespace trawl::gpu
