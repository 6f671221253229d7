// The engine around BatchMapper. It holds what all workers share, and maps on the CPU the reads that the device cannot
// map. `Space` is where the steps run: device_space.cuh, or host_space.hpp for tests.
// Each device has slots, one for each batch that it works on:
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
#include "base/stopwatch.hpp"
#include "engine/engine.hpp"
#include "gpu/map/batch_mapper.hpp"
#include "gpu/map/device_reference.hpp"
#include "map/cpu_engine.hpp"
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
  static MemoryPlan make(const sequence::Reference& reference, const map::MapOptions& options, std::uint64_t memory,
                         std::uint64_t most_positions = 0) {
    const std::uint64_t needed = DeviceReference<Space>::other_bytes(reference);
    const std::uint64_t bases = DeviceReference<Space>::base_bytes(reference);
    if (memory < needed + kLeastRoom) {
      throw Error("mapping to this reference takes at least " + std::to_string((needed + kLeastRoom + 0xfffff) >> 20) +
                  " MiB of device memory, and " + std::to_string(memory >> 20) +
                  " MiB may be used; give more (--devices), or use --engine cpu");
    }
    MemoryPlan plan;
    // The bases stay on the host if they would leave too little room for the batches or the index.
    plan.bases_on_host = memory - needed < bases + std::max(bases / 4, kLeastRoom);
    const std::uint64_t rest = memory - needed - (plan.bases_on_host ? 0 : bases);
    if (options.search != map::SearchMethod::scan) {
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
  struct BatchSlot {
    std::unique_ptr<Space> space;
    typename Space::template Buffer<char> memory;
    BatchMapper<Space> mapper;

    BatchSlot(DeviceReference<Space>& reference, const map::MapOptions& options, std::unique_ptr<Space> own,
              std::uint64_t bytes)
        : space(std::move(own)),
          memory(bytes),
          mapper(reference, options, *space, Arena(memory.data(), memory.size())) {}
  };

  // One device and its part of the work.
  struct DeviceShare {
    std::unique_ptr<DeviceReference<Space>> reference;
    std::vector<std::unique_ptr<BatchSlot>> slots;
    std::vector<BatchSlot*> free;
    std::uint64_t batches = 0;  // batches started so far
  };

 public:
  /// `reference` must outlive this object. The devices share the batches; there must be one.
  DeviceSlots(const sequence::Reference& reference, const map::MapOptions& options,
              std::vector<UsedDevice<Space>> devices)
      : devices_(std::move(devices)), shares_(devices_.size()) {
    for (const UsedDevice<Space>& device : devices_) {
      if (device.plan.bases_on_host && host_bases_.data() == nullptr) {
        host_bases_ = DeviceReference<Space>::make_host_bases(reference, *device.make_space());
      }
      size_ += device.plan.slots;
    }
    // Brings the reference to the devices and makes their slots.
    const auto prepare = [&](const UsedDevice<Space>& device, DeviceShare& share) {
      auto space = device.make_space();
      share.reference = std::make_unique<DeviceReference<Space>>(
          reference, device.plan.index, device.plan.bases_on_host ? host_bases_.data() : nullptr, *space);
      for (unsigned s = 0; s < device.plan.slots; ++s) {
        share.slots.push_back(
            std::make_unique<BatchSlot>(*share.reference, options, device.make_space(), device.plan.slot_bytes));
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
  void set_damage(const align::DamageRates& damage) {
    for (const DeviceShare& share : shares_) {
      Space& space = *share.slots.front()->space;
      space.enter();
      share.reference->set_damage(damage, space);
    }
  }
  /// The number of slots of all devices.
  std::size_t size() const { return size_; }

  /// Holds a slot as long as it lives: on the device with the most free slots; of equal ones the one that started the
  /// fewest batches.
  class Turn {
   public:
    explicit Turn(DeviceSlots& all) : all_(all) {
      std::unique_lock lock(all.mutex_);
      all.freed_.wait(lock, [&] {
        share_ =
            &*std::max_element(all.shares_.begin(), all.shares_.end(), [](const DeviceShare& a, const DeviceShare& b) {
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
    DeviceShare* share_ = nullptr;
    BatchSlot* slot_ = nullptr;
  };

 private:
  std::vector<UsedDevice<Space>> devices_;
  typename Space::template HostBuffer<BaseBlock> host_bases_;  // used by all devices that have no room for the bases
  std::vector<DeviceShare> shares_;                            // one per device
  std::size_t size_ = 0;
  std::mutex mutex_;
  std::condition_variable freed_;
};

template <class Space>
class BatchEngine final : public engine::Engine {
 public:
  using Device = UsedDevice<Space>;

  /// `reference` must outlive this engine. The devices share the batches; there must be one.
  BatchEngine(const sequence::Reference& reference, const map::MapOptions& options, std::vector<Device> devices)
      : source_(reference), options_(options), slots_(reference, options_, std::move(devices)) {
    if (options_.damage.on()) {
      slots_.set_damage(options_.damage);
    }
  }

  std::unique_ptr<engine::Worker> make_worker() override { return std::make_unique<BatchWorker>(*this, false); }
  std::unique_ptr<engine::Worker> make_single_worker() override { return std::make_unique<BatchWorker>(*this, true); }
  std::unique_ptr<engine::RangeFinder> make_range_finder() override {
    return std::make_unique<BatchRangeFinder>(*this);
  }
  // Single reads may be mapped meanwhile.
  void set_inserts(const align::InsertModel& inserts) override {
    const std::lock_guard lock(mutex_);
    inserts_ = inserts;
    if (cpu_) {
      cpu_->set_inserts(inserts);
    }
  }

  void set_damage(const align::DamageRates& damage) override {
    const std::lock_guard lock(mutex_);
    slots_.set_damage(damage);
    options_.damage = damage;
    if (cpu_) {
      cpu_->set_damage(damage);
    }
  }

  // If parts of the index take turns, every batch builds all of them again. So a batch has as many reads as the device
  // has room for.
  std::size_t reads_per_batch() const override {
    const std::size_t usual = options_.report == map::Report::best ? 16384 : 8192;
    const std::uint64_t bytes_a_read = options_.report == map::Report::best ? kBytesARead : 2 * kBytesARead;
    std::uint64_t fit = 0;
    for (const Device& device : slots_.devices()) {
      fit = std::max(fit, device.plan.index.resident ? 0 : device.plan.slot_bytes / bytes_a_read);
    }
    return std::clamp<std::size_t>(fit, usual, kMostReads);
  }
  std::size_t bases_per_batch() const override {
    return std::max(Engine::bases_per_batch(), reads_per_batch() * kBasesARead);
  }

  // One batch per slot of the devices, and one for every thread that formats records. Large batches come slowly, so
  // fewer are needed.
  std::size_t batches_under_way(unsigned threads) const override {
    return slots_.size() + (reads_per_batch() > kLargeBatch ? 3 : threads + 2);
  }

  unsigned waiting_threads() const override { return static_cast<unsigned>(slots_.size()); }

  std::string description() const override {
    std::string text;
    for (const Device& device : slots_.devices()) {
      text += (text.empty() ? "cuda (" : "; ") + device.description();
    }
    return text + ")";
  }

 private:
  // Used for batches that are as large as the device allows: the working memory per read, and the bases of an average
  // read of 100 to 150 bases.
  static constexpr std::uint64_t kBytesARead = 4096;
  static constexpr std::size_t kBasesARead = 128;
  static constexpr std::size_t kMostReads = std::size_t{1} << 18;
  static constexpr std::size_t kLargeBatch = std::size_t{1} << 16;

  // Works on a device, and on the CPU for what the device leaves. `Base`: engine::Worker or engine::RangeFinder.
  template <class Base>
  class OnDevice : public Base {
   public:
    explicit OnDevice(BatchEngine& engine) : engine_(engine) {}

    engine::StageSeconds seconds() const final {
      engine::StageSeconds sum = seconds_;
      if (cpu_) {
        sum += cpu_->seconds();
      }
      return sum;
    }

   protected:
    /// Calls work(mapper).
    template <class Work>
    void take_turn(const Work& work) {
      typename DeviceSlots<Space>::Turn turn(engine_.slots_);
      BatchMapper<Space>& mapper = turn.mapper();
      work(mapper);
      seconds_ += mapper.take_seconds();
    }

    BatchEngine& engine_;
    std::unique_ptr<Base> cpu_;  // made when it is needed
    std::vector<std::uint32_t> left_;

   private:
    engine::StageSeconds seconds_;
  };

  class BatchWorker final : public OnDevice<engine::Worker> {
   public:
    BatchWorker(BatchEngine& engine, bool single) : OnDevice<engine::Worker>(engine), single_(single) {}

    void map(const sequence::ReadBatch& batch, align::AlignmentBatch& out) override {
      this->take_turn(
          [&](BatchMapper<Space>& mapper) { mapper.map(batch, single_, this->engine_.inserts(), out, this->left_); });
      if (this->left_.empty()) {
        return;
      }
      if (!this->cpu_) {
        engine::Engine& cpu = this->engine_.cpu();
        this->cpu_ = single_ ? cpu.make_single_worker() : cpu.make_worker();
      }
      left_reads_.take_some(batch, this->left_);
      this->cpu_->map(left_reads_, left_out_);
      align::put_results(left_out_, this->left_, out);
    }

   private:
    bool single_;
    sequence::ReadBatch left_reads_;
    align::AlignmentBatch left_out_;
  };

  class BatchRangeFinder final : public OnDevice<engine::RangeFinder> {
   public:
    using OnDevice<engine::RangeFinder>::OnDevice;

    void find(std::span<const engine::RangeQuery> queries, engine::EndRanges& out) override {
      this->take_turn([&](BatchMapper<Space>& mapper) { mapper.find_ranges(queries, false, out, this->left_); });
      if (this->left_.empty()) {
        return;
      }
      if (!this->cpu_) {
        this->cpu_ = this->engine_.cpu().make_range_finder();
      }
      left_queries_.clear();
      for (const std::uint32_t q : this->left_) {
        left_queries_.push_back(queries[q]);
      }
      this->cpu_->find(left_queries_, left_out_);
      out.put(this->left_, left_out_);
    }

    void count(std::span<const engine::RangeQuery> queries, engine::EndRanges& out) override {
      this->take_turn([&](BatchMapper<Space>& mapper) { mapper.find_ranges(queries, true, out, this->left_); });
      if (!this->left_.empty()) {
        find(queries, out);
      }
    }

   private:
    std::vector<engine::RangeQuery> left_queries_;
    engine::EndRanges left_out_;
  };

  // The CPU's index costs memory and time, so it is built when the first read needs it.
  engine::Engine& cpu() {
    std::call_once(cpu_once_, [this] {
      auto made = map::make_cpu_engine(source_, options_);
      const std::lock_guard lock(mutex_);
      made->set_inserts(inserts_);
      cpu_ = std::move(made);
    });
    return *cpu_;
  }

  align::InsertModel inserts() {
    const std::lock_guard lock(mutex_);
    return inserts_;
  }

  const sequence::Reference& source_;
  map::MapOptions options_;
  align::InsertModel inserts_;  // mutex_
  DeviceSlots<Space> slots_;
  std::mutex mutex_;
  std::once_flag cpu_once_;
  std::unique_ptr<engine::Engine> cpu_;  // set with mutex_ held
};

}  // namespace trawl::gpu
