// The devices of a run, and who may use which when: each has slots, one for each batch that it works on.
//
//   DeviceSlots<Space> slots(reference, options, std::move(devices));
//   typename DeviceSlots<Space>::Turn turn(slots);        // waits for a free slot, and holds it
//   turn.mapper().map(batch, false, inserts, alignments, left);
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "gpu/map/batch_mapper.hpp"
#include "gpu/map/device_reference.hpp"
#include "map/options.hpp"

namespace trawl::gpu {

/// How the memory of a device is divided.
struct MemoryPlan {
  bool bases_on_host = false;
  IndexPlan index;
  std::uint64_t slot_bytes = 0;  // working memory of one batch
  unsigned slots = 1;            // batches in work at the same time

  static constexpr std::uint64_t kMaxSlotBytes = std::uint64_t{1} << 30;  // offsets in it have 32 bits
  static constexpr std::uint64_t kGoodSlotBytes = std::uint64_t{256} << 20;
  static constexpr unsigned kMaxSlots = 6;
  static constexpr std::uint64_t kLeastRoom = std::uint64_t{2} << 20;  // for one index part and one batch

  /// `memory`: bytes of the device that may be used. `most_positions`: the most positions in an index part, for tests;
  /// 0: no limit.
  template <class Space>
  static MemoryPlan make(const sequence::Reference& reference, const map::Options& options, std::uint64_t memory,
                         std::uint64_t most_positions = 0) {
    const std::uint64_t needed = DeviceReference<Space>::other_bytes(reference);
    const std::uint64_t bases = DeviceReference<Space>::base_bytes(reference);
    if (memory < needed + kLeastRoom) {
      throw Error("mapping to this reference takes at least " + std::to_string((needed + kLeastRoom + 0xfffff) >> 20) +
                  " MiB of device memory, and " + std::to_string(memory >> 20) +
                  " MiB may be used; give more (--devices), or use --engine cpu");
    }
    MemoryPlan plan;
    // Rather keep the bases on the host than leave too little room for the batches or the index.
    plan.bases_on_host = memory - needed < bases + std::max(bases / 4, kLeastRoom);
    const std::uint64_t rest = memory - needed - (plan.bases_on_host ? 0 : bases);
    if (options.search != map::Search::scan) {
      plan.index = IndexPlan::make(reference.size(), reference.bases(),
                                   rest - std::min(rest / 4, kMaxSlots * kMaxSlotBytes), most_positions);
    }
    const std::uint64_t left = rest - plan.index.bytes();
    if (plan.index.resident) {
      plan.slots = static_cast<unsigned>(
          std::clamp<std::uint64_t>(left / kGoodSlotBytes, 1, std::min(kMaxSlots, std::max(1u, options.threads))));
    }
    plan.slot_bytes = std::min(left / plan.slots, kMaxSlotBytes);
    return plan;
  }
};

/// A device to use: its name, how to make a space on it (from any thread), and how its memory is divided.
template <class Space>
struct UsedDevice {
  std::string name;
  std::function<std::unique_ptr<Space>()> make_space;
  MemoryPlan plan;

  /// For the user.
  std::string description() const {
    std::string text = name;
    text += plan.index.parts > 0 ? ", seeds of " + std::to_string(plan.index.q) : ", a scan";
    if (plan.bases_on_host) {
      text += ", reference in the host's memory";
    }
    if (!plan.index.resident) {
      text += ", index in " + std::to_string(plan.index.parts) + " parts by turns";
    }
    return text + ", " + std::to_string(plan.slots) + (plan.slots == 1 ? " batch of " : " batches of ") +
           std::to_string(plan.slot_bytes >> 20) + " MiB under way";
  }
};

template <class Space>
class DeviceSlots {
  // What one batch holds on a device while it is mapped.
  struct Slot {
    std::unique_ptr<Space> space;
    typename Space::template Buffer<char> memory;
    BatchMapper<Space> mapper;

    Slot(DeviceReference<Space>& reference, const map::Options& options, std::unique_ptr<Space> own,
         std::uint64_t bytes)
        : space(std::move(own)),
          memory(bytes),
          mapper(reference, options, *space, Arena(memory.data(), memory.size())) {}
  };

  // One device and its part of the work.
  struct Share {
    std::unique_ptr<DeviceReference<Space>> reference;
    std::vector<std::unique_ptr<Slot>> slots;
    std::vector<Slot*> free;
    std::uint64_t batches = 0;  // batches started so far
  };

 public:
  /// `reference` must outlive this object. The devices share the batches; there must be one.
  DeviceSlots(const sequence::Reference& reference, const map::Options& options, std::vector<UsedDevice<Space>> devices)
      : devices_(std::move(devices)), shares_(devices_.size()) {
    for (const UsedDevice<Space>& device : devices_) {
      if (device.plan.bases_on_host && host_bases_.data() == nullptr) {
        host_bases_ = DeviceReference<Space>::make_host_bases(reference, *device.make_space());
      }
      size_ += device.plan.slots;
    }
    // Brings the reference to the devices and makes their slots.
    const auto prepare = [&](const UsedDevice<Space>& device, Share& share) {
      auto space = device.make_space();
      share.reference = std::make_unique<DeviceReference<Space>>(
          reference, device.plan.index, device.plan.bases_on_host ? host_bases_.data() : nullptr, *space);
      for (unsigned s = 0; s < device.plan.slots; ++s) {
        share.slots.push_back(
            std::make_unique<Slot>(*share.reference, options, device.make_space(), device.plan.slot_bytes));
        share.free.push_back(share.slots.back().get());
      }
    };
    std::vector<std::future<void>> prepared;
    for (std::size_t d = 0; d < devices_.size(); ++d) {
      prepared.push_back(std::async(std::launch::async, [&, d] { prepare(devices_[d], shares_[d]); }));
    }
    for (auto& share : prepared) {
      share.get();
    }
  }

  const std::vector<UsedDevice<Space>>& devices() const { return devices_; }
  /// The number of slots of all devices.
  std::size_t size() const { return size_; }

  /// Holds a slot as long as it lives: on the device with the most free slots; of equal ones the one that started the
  /// fewest batches.
  class Turn {
   public:
    explicit Turn(DeviceSlots& all) : all_(all) {
      std::unique_lock lock(all.mutex_);
      all.freed_.wait(lock, [&] {
        share_ = &*std::max_element(all.shares_.begin(), all.shares_.end(), [](const Share& a, const Share& b) {
          return std::pair(a.free.size(), b.batches) < std::pair(b.free.size(), a.batches);
        });
        return !share_->free.empty();
      });
      slot_ = share_->free.back();
      share_->free.pop_back();
      ++share_->batches;
    }
    ~Turn() {
      {
        const std::lock_guard lock(all_.mutex_);
        share_->free.push_back(slot_);
      }
      all_.freed_.notify_one();
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

    BatchMapper<Space>& mapper() {
      slot_->space->enter();
      return slot_->mapper;
    }

   private:
    DeviceSlots& all_;
    Share* share_ = nullptr;
    Slot* slot_ = nullptr;
  };

 private:
  std::vector<UsedDevice<Space>> devices_;
  typename Space::template HostBuffer<Block> host_bases_;  // used by all devices that have no room for the bases
  std::vector<Share> shares_;                              // one per device
  std::size_t size_ = 0;
  std::mutex mutex_;
  std::condition_variable freed_;
};

}  // namespace trawl::gpu
