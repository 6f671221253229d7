#include "scan/find/adaptive_plan.hpp"

#include <algorithm>

namespace trawl::scan {

namespace {

// Savings of this many positions may be spent in advance: a few repeats at the beginning say little about the text.
constexpr double kCredit = 1 << 20;

}  // namespace

AdaptivePlan::AdaptivePlan(const std::vector<Query>& queries, const Options& options)
    : queries_(queries), options_(options), spent_(queries.size()), positions_(kCredit) {
  for (const Query& query : queries) {
    by_parts_.push_back(choose_parts(query, options));
    costs_.push_back(part_costs(query, by_parts_.back(), options));
  }
  plan_ = std::make_shared<const SearchPlan>(make_plan(queries_, by_parts_, options_));
}

std::shared_ptr<const SearchPlan> AdaptivePlan::plan() const {
  const std::lock_guard lock(mutex_);
  return plan_;
}

void AdaptivePlan::add(std::uint64_t positions, const std::vector<Spent>& spent) {
  const std::lock_guard lock(mutex_);
  positions_ += static_cast<double>(positions);
  const std::size_t before = given_up_.size();
  for (const auto& [query, cost] : spent) {
    spent_[query] += cost;
    if (!by_parts_[query].empty() && spent_[query] > costs_[query].saving * positions_) {
      by_parts_[query].clear();
      given_up_.push_back(query);
    }
  }
  if (given_up_.size() > before) {
    plan_ = std::make_shared<const SearchPlan>(make_plan(queries_, by_parts_, options_));
  }
}

std::vector<std::uint32_t> AdaptivePlan::given_up() const {
  const std::lock_guard lock(mutex_);
  auto queries = given_up_;
  std::sort(queries.begin(), queries.end());
  return queries;
}

}  // namespace trawl::scan
