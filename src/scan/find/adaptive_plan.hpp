// The search plan that learns from the text: it stops using parts that occur too often in the text.
//
//   with: const std::vector<Query>& queries, const Options& options, std::uint64_t positions
//   AdaptivePlan adaptive(queries, options);
//   const auto plan = adaptive.plan();              // search with it, then check around the hits of its parts
//   adaptive.add(positions, {{.query = 0, .cost = 250}});    // from any thread; after it plan() may give another plan
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "scan/find/guide_set.hpp"
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

  /// Starts with the parts of choose_parts(). `queries` must outlive the plan.
  AdaptivePlan(const std::vector<Query>& queries, const Options& options);

  /// The plan without its literals.
  std::shared_ptr<const SearchPlan> plan() const;
  /// The literals of every plan. Those of queries that were given up stay in it; SearchPlan::given_up tells which.
  const std::vector<LiteralTable>& literals() const { return literals_; }
  /// Whether there are parts, and those that can be looked up are.
  bool parts_are_looked_up() const { return most_words_ > 0 && !parts_->all().empty(); }

  /// Searched if the plan says so. May be null.
  const GuideSet* guides() const { return guides_.get(); }

  const PartCosts& costs(std::uint32_t query) const { return costs_[query]; }

  /// Call it after a search of `positions`. If the checks of a query have cost more than its parts have saved so far,
  /// the query is searched whole from now on. Apart from a credit at the start, parts never cost more than twice the
  /// cost of searching all queries whole.
  void add(std::uint64_t positions, const std::vector<Spent>& spent);
  /// The same for the comparisons of guides; after too many, all guides are searched by rows.
  void add_guides(std::uint64_t positions, double nanoseconds);

  /// Queries that are no longer searched by parts, in ascending order.
  std::vector<std::uint32_t> given_up() const;

 private:
  AdaptivePlan(const std::vector<Query>& queries, const Options& options, PartChoice choice);
  void change_plan();

  const std::vector<Query>& queries_;
  const Options options_;
  std::size_t most_words_;  // as in choose_parts()
  std::shared_ptr<const PartList> parts_;
  std::vector<PartCosts> costs_;  // by query
  std::vector<LiteralTable> literals_;
  std::unique_ptr<const GuideSet> guides_;
  mutable std::mutex mutex_;  // protects the members below
  std::vector<bool> is_given_up_;
  std::vector<double> spent_;
  double positions_;
  std::vector<std::uint32_t> given_up_;
  bool guides_are_given_up_ = false;
  double guide_positions_;
  double guides_spent_ = 0;
  std::shared_ptr<const SearchPlan> plan_;
};

}  // namespace trawl::scan
