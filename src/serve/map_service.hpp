// Maps the reads of queries. Queries whose reads are few are mapped together, in one batch of an engine.
//
//   with: const HeldReference& held, std::vector<Job>& jobs
//   MapService service(held, {.threads = 8}, "auto", {});
//   service.answer(jobs);                        // from several threads; calls each job's done()
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/work_options.hpp"
#include "serve/held_reference.hpp"
#include "serve/job_queue.hpp"
#include "serve/queries.hpp"

namespace trawl::serve {

struct HeldEngine;
struct OpenMapQuery;

class MapService {
 public:
  /// `engine`: the value of --engine. `held` must outlive this object. Makes an engine, so that the first query does
  /// not wait for it. Throws Error, UsageError.
  MapService(const HeldReference& held, const WorkOptions& work, std::string engine, const Limits& limits);
  ~MapService();

  /// Answers jobs with the same key, whose queries are MapQuery. Throws nothing.
  void answer(std::vector<Job>& jobs);

  /// Null if the engines are not the CPU's.
  const std::shared_ptr<const seed::SeedIndex>& seeds() const { return seeds_; }
  /// What the engines run on.
  const std::string& description() const { return description_; }

 private:
  std::shared_ptr<HeldEngine> engine_for(const MapQuery& query);
  std::unique_ptr<HeldEngine> make_engine(map::MapOptions options) const;
  bool open(OpenMapQuery& part) const;
  void map_together(std::span<std::unique_ptr<OpenMapQuery>> parts, HeldEngine& engine) const;
  Answer map_alone(OpenMapQuery& part, HeldEngine& engine) const;

  const HeldReference& held_;
  WorkOptions work_;
  std::string engine_;
  Limits limits_;
  std::string description_;
  bool on_cpu_ = true;
  std::shared_ptr<const seed::SeedIndex> seeds_;  // null: engines make their own
  std::mutex mutex_;
  std::list<std::pair<std::string, std::shared_ptr<HeldEngine>>> engines_;  // the one used last comes first
};

}  // namespace trawl::serve
