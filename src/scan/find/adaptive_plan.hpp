// The search plan that learns from the text: it stops using parts that occur too often in the text.
//
//   with: const std::vector<Query>& queries, const ScanOptions& options, std::uint64_t positions
//   AdaptivePlan adaptive(queries, options);
//   const auto plan = adaptive.plan();              // search with it, then check around the hits of its parts
//   adaptive.add(positions, {{.query = 0, .cost = 250}});    // from any thread; after it plan() may give another plan
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "scan/find/guide_set.hpp"
#include "scan/find/near_set.hpp"
#include "scan/find/query.hpp"
#include "scan/find/search_plan.hpp"
#include "scan/options.hpp"

namespace trawl::scan {

class AdaptivePlan {
 public:
  /// What the checks around a query's part hits have cost, in the unit of PartCosts.
  struct Spent {
    std::uint32_t query = 0;
    double cost = 0;
  };

  /// Starts with the parts of choose_part_list(). `queries` must outlive the plan.
  AdaptivePlan(const std::vector<Query>& queries, const ScanOptions& options);

  /// The plan without its literals.
  std::shared_ptr<const SearchPlan> plan() const;
  /// The literals of every plan. Those of queries that were given up stay in it; see SearchPlan::given_up.
  const std::vector<LiteralTable>& literals() const { return literals_; }
  /// Whether there are parts, and those that can be looked up are.
  bool parts_are_looked_up() const { return parts_->most_words() > 0 && !parts_->all().empty(); }

  /// Searched if the plan says so. May be null.
  const GuideSet* guides() const { return guides_.get(); }
  /// If it is not null, all queries are searched with it, and in no other way.
  const NearSet* near() const { return near_.get(); }

  const PartCosts& costs(std::uint32_t query) const { return costs_[query]; }

  /// Call it after a search of `positions`. If the checks of a query have cost more than its parts have saved so far,
  /// the query is searched whole from now on. Apart from a credit at the start, parts never cost more than twice the
  /// cost of searching all queries whole. `of_guides`: what the comparisons of guides have cost, in nanoseconds; after
  /// too many, all guides are searched by rows.
  void add(std::uint64_t positions, const std::vector<Spent>& spent, double of_guides = 0);

 private:
  const std::vector<Query>& queries_;
  const ScanOptions options_;
  std::unique_ptr<const NearSet> near_;
  std::shared_ptr<const PartList> parts_;
  std::vector<PartCosts> costs_;  // by query
  std::vector<LiteralTable> literals_;
  std::unique_ptr<const GuideSet> guides_;
  mutable std::mutex mutex_;   // protects the members below
  std::vector<double> spent_;  // by query
  double positions_;
  double guides_spent_ = 0;
  std::shared_ptr<const SearchPlan> plan_;
};

}  // namespace trawl::scan
