// The engine of one query, which stops when the query has more records than it may. It counts after each few reads.
//
//   with: engine::Engine& all, const sequence::ReadBatch& batch, align::AlignmentBatch& found
//   Budget budget(Limits{.records = 1000});
//   LimitedEngine engine({.all = &all, .reads = 256}, budget);
//   engine.make_worker()->map(batch, found);             // throws Refusal
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>

#include "align/alignment.hpp"
#include "engine/engine.hpp"
#include "sequence/read_batch.hpp"
#include "serve/job_queue.hpp"
#include "serve/queries.hpp"

namespace trawl::serve {

/// What a query has used of what it may use. For several threads.
class Budget {
 public:
  explicit Budget(const Limits& limits) : limits_(limits) {}

  /// Each of these throws Refusal.
  void add_text(std::size_t bytes);
  void add_reads(std::uint64_t reads);
  void add_records(std::uint64_t records);
  void check_lengths(const sequence::ReadBatch& batch) const;
  void check_time() const;
  /// The time, and whether one of those who asked still waits.
  void check(std::span<const Job* const> askers) const;

  /// The time begins now, and not when the query was opened.
  void start() { begin_ = std::chrono::steady_clock::now(); }
  double seconds() const;

  std::mutex for_many;  // one read with very many records at a time

 private:
  const Limits limits_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::atomic<std::uint64_t> text_{0};
  std::atomic<std::uint64_t> reads_{0};
  std::atomic<std::uint64_t> records_{0};
};

/// Engines with the same options, except for the records of a read.
struct Engines {
  engine::Engine* all = nullptr;
  /// Stops at a number of records of a read with which those of `reads` reads are few. A read that has more is mapped
  /// alone. Null: reads have few records.
  engine::Engine* few = nullptr;
  std::size_t reads = 0;  // whose records are counted together, an even number; 0: a whole batch
};

/// Their workers.
struct Workers {
  explicit Workers(const Engines& engines)
      : all(engines.all->make_worker()), few(engines.few ? engines.few->make_worker() : nullptr) {}
  explicit Workers(std::unique_ptr<engine::Worker> one) : all(std::move(one)) {}
  std::unique_ptr<engine::Worker> all, few;
};

class LimitedWorker final : public engine::Worker {
 public:
  /// `counts`: the records.
  LimitedWorker(std::shared_ptr<Workers> workers, std::size_t reads, Budget& budget, bool counts = true)
      : workers_(std::move(workers)), most_(reads), budget_(budget), counts_(counts) {}

  void map(const sequence::ReadBatch& batch, align::AlignmentBatch& out) override;
  engine::StageSeconds seconds() const override { return workers_->all->seconds(); }

 private:
  void count(const align::AlignmentBatch& found);
  void map_piece(const sequence::ReadBatch& piece, align::AlignmentBatch& out);
  void map_alone(const sequence::ReadBatch& piece, std::size_t read, align::AlignmentBatch& out);

  std::shared_ptr<Workers> workers_;
  std::size_t most_;
  Budget& budget_;
  bool counts_;
  sequence::ReadBatch piece_, one_;
  align::AlignmentBatch found_, of_one_;
};

class LimitedEngine final : public engine::EngineAround {
 public:
  LimitedEngine(const Engines& engines, Budget& budget)
      : EngineAround(*engines.all), engines_(engines), budget_(budget) {}

  std::unique_ptr<engine::Worker> make_worker() override {
    return std::make_unique<LimitedWorker>(std::make_shared<Workers>(engines_), engines_.reads, budget_);
  }
  std::unique_ptr<engine::Worker> make_single_worker() override {
    auto workers = std::make_shared<Workers>(inside().make_single_worker());
    return std::make_unique<LimitedWorker>(std::move(workers), engines_.reads, budget_, false);
  }
  void set_inserts(const align::InsertModel& inserts) override {
    EngineAround::set_inserts(inserts);
    if (engines_.few) {
      engines_.few->set_inserts(inserts);
    }
  }

 private:
  Engines engines_;
  Budget& budget_;
};

}  // namespace trawl::serve
