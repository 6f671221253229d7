// The plan of a search that learns from the text: parts that it holds too often are given up.
//
//   AdaptivePlan adaptive(queries, options);
//   const auto plan = adaptive.plan();                  // search with it, check what its parts hit
//   adaptive.add(positions, {{query, cost}, ..});       // from any thread; plan() may be another one now
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "scan/find/search_plan.hpp"
#include "scan/options.hpp"
#include "scan/query.hpp"

namespace trawl::scan {

class AdaptivePlan {
 public:
  /// What the checks of a query's part hits have cost, in the unit of PartCosts.
  struct Spent {
    std::uint32_t query = 0;
    double cost = 0;
  };

  /// Begins with the parts of choose_parts(). `queries` must outlive the plan.
  AdaptivePlan(const std::vector<Query>& queries, const Options& options);

  std::shared_ptr<const SearchPlan> plan() const;
  const PartCosts& costs(std::uint32_t query) const { return costs_[query]; }

  /// After a search of `positions`. A query whose checks have by now cost more than its parts have saved is searched
  /// whole from here on: apart from a credit at the start, parts never cost more than twice what searching all
  /// queries whole would have.
  void add(std::uint64_t positions, const std::vector<Spent>& spent);

  /// Queries whose parts were given up, ascending.
  std::vector<std::uint32_t> given_up() const;

 private:
  const std::vector<Query>& queries_;
  const Options options_;
  std::vector<PartCosts> costs_;  // by query
  mutable std::mutex mutex_;      // of what follows
  std::vector<std::vector<Part>> by_parts_;
  std::vector<double> spent_;
  double positions_;
  std::vector<std::uint32_t> given_up_;
  std::shared_ptr<const SearchPlan> plan_;
};

}  // namespace trawl::scan
