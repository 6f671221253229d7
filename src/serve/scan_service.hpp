// Searches the patterns of queries in the held reference. Queries with the same options are one search.
//
//   with: const HeldReference& held, std::vector<Job>& jobs
//   ScanService service(held, "auto", {});
//   service.answer(jobs);                        // from several threads; calls each job's done()
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "serve/held_reference.hpp"
#include "serve/job_queue.hpp"
#include "serve/queries.hpp"

namespace trawl::serve {

class ScanService {
 public:
  /// `engine`: the value of --engine. `held` must outlive this object.
  ScanService(const HeldReference& held, std::string engine, const Limits& limits)
      : held_(held), engine_(std::move(engine)), limits_(limits) {}

  /// Answers jobs with the same key, whose queries are ScanQuery. Throws nothing.
  void answer(std::vector<Job>& jobs);

 private:
  class Part;

  void search(std::vector<std::unique_ptr<Part>>& parts) const;

  const HeldReference& held_;
  std::string engine_;
  Limits limits_;
};

}  // namespace trawl::serve
