// Searches the patterns of queries in the held reference. Queries with the same options are one search.
//
//   with: const HeldReference& held, const MapService& map, std::vector<Job>& jobs
//   ScanService service(held, map.seeds(), "auto", {});
//   service.answer(jobs);                        // from several threads; calls each job's done()
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "serve/held_reference.hpp"
#include "serve/job_queue.hpp"
#include "serve/queries.hpp"

namespace trawl::serve {

class OpenScanQuery;

class ScanService {
 public:
  /// `engine`: the value of --engine; `seeds`: null if it is not the CPU's. `held` must outlive this object.
  ScanService(const HeldReference& held, std::shared_ptr<const seed::SeedIndex> seeds, std::string engine,
              const Limits& limits)
      : held_(held), seeds_(std::move(seeds)), engine_(std::move(engine)), limits_(limits) {}

  /// Answers jobs with the same key, whose queries are ScanQuery. Throws nothing.
  void answer(std::vector<Job>& jobs);

 private:
  void search(std::vector<std::unique_ptr<OpenScanQuery>>& parts) const;

  const HeldReference& held_;
  std::shared_ptr<const seed::SeedIndex> seeds_;
  std::string engine_;
  Limits limits_;
};

}  // namespace trawl::serve
