// The engine around BatchMapper. It holds what all workers share, decides who may use the device when, and maps on the
// CPU the reads that the device cannot map. `Space` is where the steps run: device_space.cuh, or host_space.hpp for
// tests.
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

template <class Space>
class BatchEngine final : public engine::Engine {
 public:
  /// A device to use: its name, how to make a space on it (from any thread), and how its memory is divided.
  struct Device {
    std::string name;
    std::function<std::unique_ptr<Space>()> make_space;
    MemoryPlan plan;
  };

  /// `reference` must outlive this engine. The devices share the batches; there must be one.
  BatchEngine(const sequence::Reference& reference, const map::Options& options, std::vector<Device> devices)
      : source_(reference), options_(options), devices_(std::move(devices)), shares_(devices_.size()) {
    for (const Device& device : devices_) {
      if (device.plan.bases_on_host && host_bases_.data() == nullptr) {
        host_bases_ = DeviceReference<Space>::make_host_bases(source_, *device.make_space());
      }
      slots_ += device.plan.slots;
    }
    std::vector<std::future<void>> prepared;
    for (std::size_t d = 0; d < devices_.size(); ++d) {
      prepared.push_back(std::async(std::launch::async, [this, d] { prepare(devices_[d], shares_[d]); }));
    }
    for (auto& share : prepared) {
      share.get();
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

  // If parts of the index take turns, every batch builds all of them again. So a batch has as many reads as the device
  // has room for.
  std::size_t reads_per_batch() const override {
    const std::size_t usual = options_.report == map::Report::best ? 16384 : 8192;
    const std::uint64_t bytes_a_read = options_.report == map::Report::best ? kBytesARead : 2 * kBytesARead;
    std::uint64_t fit = 0;
    for (const Device& device : devices_) {
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
    return slots_ + (reads_per_batch() > kLargeBatch ? 3 : threads + 2);
  }

  unsigned waiting_threads() const override { return static_cast<unsigned>(slots_); }

  std::string description() const override {
    std::string text;
    for (const Device& device : devices_) {
      text += (text.empty() ? "cuda (" : "; ") + description(device);
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

  static std::string description(const Device& device) {
    const MemoryPlan& plan = device.plan;
    std::string text = device.name;
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

  // Brings the reference to the device and makes its slots.
  void prepare(const Device& device, Share& share) {
    auto space = device.make_space();
    share.reference = std::make_unique<DeviceReference<Space>>(
        source_, device.plan.index, device.plan.bases_on_host ? host_bases_.data() : nullptr, *space);
    for (unsigned s = 0; s < device.plan.slots; ++s) {
      share.slots.push_back(
          std::make_unique<Slot>(*share.reference, options_, device.make_space(), device.plan.slot_bytes));
      share.free.push_back(share.slots.back().get());
    }
  }

  // The device with the most free slots; of equal ones the one that started the fewest batches.
  Share& least_busy() {
    return *std::max_element(shares_.begin(), shares_.end(), [](const Share& a, const Share& b) {
      return std::pair(a.free.size(), b.batches) < std::pair(b.free.size(), a.batches);
    });
  }

  // Holds a slot as long as it lives.
  class Turn {
   public:
    explicit Turn(BatchEngine& engine) : engine_(engine) {
      std::unique_lock lock(engine.mutex_);
      engine.freed_.wait(lock, [&] {
        share_ = &engine.least_busy();
        return !share_->free.empty();
      });
      slot_ = share_->free.back();
      share_->free.pop_back();
      ++share_->batches;
    }
    ~Turn() {
      {
        const std::lock_guard lock(engine_.mutex_);
        share_->free.push_back(slot_);
      }
      engine_.freed_.notify_one();
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

    Slot& slot() { return *slot_; }

   private:
    BatchEngine& engine_;
    Share* share_ = nullptr;
    Slot* slot_ = nullptr;
  };

  class BatchWorker final : public engine::Worker {
   public:
    BatchWorker(BatchEngine& engine, bool single) : engine_(engine), single_(single) {}

    void map(const sequence::ReadBatch& batch, align::AlignmentBatch& out) override {
      {
        Turn turn(engine_);
        turn.slot().space->enter();
        turn.slot().mapper.map(batch, single_, engine_.inserts(), out, left_);
        seconds_ += turn.slot().mapper.take_seconds();
      }
      map_left(batch, out);
    }

    engine::StageSeconds seconds() const override {
      engine::StageSeconds sum = seconds_;
      if (cpu_) {
        sum += cpu_->seconds();
      }
      return sum;
    }

   private:
    engine::Worker& cpu() {
      if (!cpu_) {
        cpu_ = single_ ? engine_.cpu().make_single_worker() : engine_.cpu().make_worker();
      }
      return *cpu_;
    }

    // The CPU maps the reads that the device left.
    void map_left(const sequence::ReadBatch& batch, align::AlignmentBatch& out) {
      if (left_.empty()) {
        return;
      }
      left_reads_.clear();
      left_reads_.paired = batch.paired;
      for (const std::uint32_t r : left_) {
        left_reads_.add(batch.name(r), batch.bases(r), batch.qualities(r));
      }
      cpu().map(left_reads_, left_out_);
      align::put_results(left_out_, left_, out);
    }

    BatchEngine& engine_;
    bool single_;
    std::unique_ptr<engine::Worker> cpu_;
    engine::StageSeconds seconds_;
    std::vector<std::uint32_t> left_;
    sequence::ReadBatch left_reads_;
    align::AlignmentBatch left_out_;
  };

  class BatchRangeFinder final : public engine::RangeFinder {
   public:
    explicit BatchRangeFinder(BatchEngine& engine) : engine_(engine) {}

    void find(std::span<const engine::RangeQuery> queries, engine::EndRanges& out) override {
      find_on_device(queries, false, out);
      if (left_.empty()) {
        return;
      }
      // The CPU searches for those that the device left.
      left_queries_.clear();
      for (const std::uint32_t q : left_) {
        left_queries_.push_back(queries[q]);
      }
      cpu().find(left_queries_, left_out_);
      out.put(left_, left_out_);
    }

    void count(std::span<const engine::RangeQuery> queries, engine::EndRanges& out) override {
      find_on_device(queries, true, out);
      if (!left_.empty()) {
        find(queries, out);
      }
    }

    engine::StageSeconds seconds() const override {
      engine::StageSeconds sum = seconds_;
      if (cpu_) {
        sum += cpu_->seconds();
      }
      return sum;
    }

   private:
    void find_on_device(std::span<const engine::RangeQuery> queries, bool only_count, engine::EndRanges& out) {
      Turn turn(engine_);
      turn.slot().space->enter();
      turn.slot().mapper.find_ranges(queries, only_count, out, left_);
      seconds_ += turn.slot().mapper.take_seconds();
    }

    engine::RangeFinder& cpu() {
      if (!cpu_) {
        cpu_ = engine_.cpu().make_range_finder();
      }
      return *cpu_;
    }

    BatchEngine& engine_;
    std::unique_ptr<engine::RangeFinder> cpu_;
    engine::StageSeconds seconds_;
    std::vector<std::uint32_t> left_;
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
  map::Options options_;
  align::InsertModel inserts_;  // mutex_
  std::vector<Device> devices_;
  typename Space::template HostBuffer<Block> host_bases_;  // used by all devices that have no room for the bases
  std::vector<Share> shares_;                              // one per device
  std::size_t slots_ = 0;                                  // of all devices
  std::mutex mutex_;
  std::condition_variable freed_;
  std::once_flag cpu_once_;
  std::unique_ptr<engine::Engine> cpu_;  // set with mutex_ held
};

}  // namespace trawl::gpu
