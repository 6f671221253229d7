// The engine around BatchMapper. It holds what all workers share, and maps on the CPU the reads that the device cannot
// map. `Space` is where the steps run: device_space.cuh, or host_space.hpp for tests.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/stopwatch.hpp"
#include "engine/engine.hpp"
#include "gpu/map/device_slots.hpp"
#include "map/cpu_engine.hpp"

namespace trawl::gpu {

template <class Space>
class BatchEngine final : public engine::Engine {
 public:
  using Device = UsedDevice<Space>;

  /// `reference` must outlive this engine. The devices share the batches; there must be one.
  BatchEngine(const sequence::Reference& reference, const map::Options& options, std::vector<Device> devices)
      : source_(reference), options_(options), slots_(reference, options_, std::move(devices)) {}

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
      left_reads_.clear();
      left_reads_.paired = batch.paired;
      for (const std::uint32_t r : this->left_) {
        left_reads_.add(batch.name(r), batch.bases(r), batch.qualities(r));
      }
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
  map::Options options_;
  align::InsertModel inserts_;  // mutex_
  DeviceSlots<Space> slots_;
  std::mutex mutex_;
  std::once_flag cpu_once_;
  std::unique_ptr<engine::Engine> cpu_;  // set with mutex_ held
};

}  // namespace trawl::gpu
