#include "gpu/scan/cuda_finder.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <future>

#include "base/error.hpp"
#include "gpu/device/devices.hpp"
#include "gpu/scan/wu_manber_scan.hpp"
#include "scan/find/search_plan.hpp"

namespace trawl::gpu {

namespace {

// The least memory of a device for a stretch of the text and its hits.
constexpr std::uint64_t kLeastRoom = std::uint64_t{2} << 20;

// One device and its part of the work.
struct Share {
  Device device;
  std::uint64_t blocks;  // the most blocks of the text that it has room for
  std::unique_ptr<WuManberSearch> search;
  std::unique_ptr<ScanText> text;  // one stretch of the reference
  std::uint64_t stretch = 0;       // number of this stretch, if there is a text
};

// `device` must be the calling thread's device. `room`: the most hits to make room for.
Share make_share(const Device& device, const scan::WuManberProgram& program, const scan::Options& options,
                 std::size_t room) {
  const std::uint64_t memory = usable_memory(options);
  const std::uint64_t needed = WuManberSearch::bytes_of(program);
  if (memory < needed + kLeastRoom) {
    throw Error("searching these patterns takes at least " + std::to_string((needed + kLeastRoom + 0xfffff) >> 20) +
                " MiB of device memory, and " + std::to_string(memory >> 20) +
                " MiB may be used; give more (--device-memory), or use --engine cpu");
  }
  const std::uint64_t left = memory - needed;
  const std::uint64_t hits = std::min<std::uint64_t>(room, left / 2 / sizeof(scan::Hit));
  return {device, (left - hits * sizeof(scan::Hit)) / ScanText::kMostBlockBytes,
          std::make_unique<WuManberSearch>(program, scan::n_edits(options), hits), nullptr};
}

// The reference is cut into stretches that fit in the memory of every device. There is at least one stretch per device.
// The devices take them in turns.
class CudaFinder final : public scan::Finder {
 public:
  CudaFinder(const std::vector<scan::Query>& queries, const scan::Options& options, std::size_t room)
      : queries_(queries), options_(options) {
    const auto programs = scan::make_whole_plan(queries, options).programs;  // at most one
    for (const Device& device : devices_to_use(options)) {
      start(device);
      names_ += (names_.empty() ? "" : ", ") + device.name;
      for (const auto& program : programs) {
        reach_ = program.longest() + program.max_edits();
        shares_.push_back(make_share(device, program, options, room));
      }
    }
  }

  using Finder::find;

  void load(const sequence::Reference& reference) override {
    reference_ = &reference;
    blocks_ = ScanText::all_blocks(reference.size(), reach_).last;
    stretch_blocks_ = shares_.empty() ? 1 : (blocks_ + shares_.size() - 1) / shares_.size();
    for (Share& share : shares_) {
      share.text.reset();
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
        found += outcomes[s].ends.size();
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
    for (const Outcome& outcome : outcomes) {
      if (outcome.stop == 0 || (stop > region.begin && ends.size() + outcome.ends.size() > most)) {
        break;
      }
      ends.insert(ends.end(), outcome.ends.begin(), outcome.ends.end());
      stop = outcome.stop;
      if (stop < outcome.end) {
        break;
      }
    }
    scan::tidy_ends(*reference_, queries_, options_, ends);
    return stop;
  }

  std::string description() const override { return "cuda (" + names_ + ")"; }

 private:
  // The ends of a stretch up to `stop`. If `stop` equals `end`, these are all ends of the stretch in the region.
  struct Outcome {
    std::uint64_t stop = 0;  // 0: not searched
    std::uint64_t end = 0;
    std::vector<scan::Hit> ends;
  };

  Outcome find_in(Share& share, std::uint64_t stretch, const scan::Region& region, std::size_t most) const {
    const BlockRange range{stretch * stretch_blocks_, std::min(blocks_, (stretch + 1) * stretch_blocks_)};
    if (!share.text || share.stretch != stretch) {
      share.text.reset();  // free its memory before the next one is made
      share.text = std::make_unique<ScanText>(*reference_, options_.ambiguous_matches, reach_, range);
      share.stretch = stretch;
    }
    scan::Region part = ScanText::ends_of(range, reach_);
    part = {std::max(part.begin, region.begin), std::min(part.end, region.end)};
    Outcome outcome;
    outcome.end = part.end;
    outcome.stop = scan::shrink_until_fits(
        part, [&](const scan::Region& some) { return share.search->run(*share.text, some, most, outcome.ends); });
    return outcome;
  }

  const std::vector<scan::Query>& queries_;
  scan::Options options_;
  std::string names_;
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
