#include "scan/find/adaptive_plan.hpp"

#include <algorithm>
#include <utility>

namespace trawl::scan {

namespace {

// Savings of this many positions may be spent in advance: a few repeats at the beginning say little about the text.
constexpr double kCredit = 1 << 20;

}  // namespace

AdaptivePlan::AdaptivePlan(const std::vector<Query>& queries, const Options& options)
    : AdaptivePlan(queries, options, choose_part_list(queries, options)) {}

AdaptivePlan::AdaptivePlan(const std::vector<Query>& queries, const Options& options, PartChoice choice)
    : queries_(queries),
      options_(options),
      most_words_(choice.most_words),
      parts_(std::make_shared<const PartList>(std::move(choice.parts))),
      guides_(GuideSet::choose(queries, options)),
      positions_(kCredit),
      guide_positions_(kCredit) {
  // Without parts nothing is checked.
  const std::size_t with_parts = parts_->all().empty() ? 0 : queries.size();
  is_given_up_.resize(with_parts);
  spent_.resize(with_parts);
  for (std::uint32_t q = 0; q < with_parts; ++q) {
    const auto parts = parts_->of(q);
    costs_.push_back(part_costs(queries[q], {parts.begin(), parts.end()}, options, most_words_));
  }
  SearchPlan plan =
      make_plan(queries_, parts_, {}, options_, most_words_, guides_ ? guides_->has() : std::vector<bool>());
  literals_ = make_literal_tables(plan.literals, plan.has_near_words ? 1 : 0);
  plan.literals = {};
  plan.words = {};
  plan_ = std::make_shared<const SearchPlan>(std::move(plan));
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
    if (!is_given_up_[query] && !parts_->of(query).empty() && spent_[query] > costs_[query].saving * positions_) {
      is_given_up_[query] = true;
      given_up_.push_back(query);
    }
  }
  if (given_up_.size() > before) {
    change_plan();
  }
}

void AdaptivePlan::add_guides(std::uint64_t positions, double nanoseconds) {
  const std::lock_guard lock(mutex_);
  guide_positions_ += static_cast<double>(positions);
  guides_spent_ += nanoseconds;
  if (!guides_are_given_up_ && guides_spent_ > guides_->cost_by_rows() * guide_positions_ &&
      options_.search != Search::pieces) {
    guides_are_given_up_ = true;
    change_plan();
  }
}

void AdaptivePlan::change_plan() {
  const bool has_guides = guides_ && !guides_are_given_up_;
  SearchPlan plan = make_plan(queries_, parts_, is_given_up_, options_, most_words_,
                              has_guides ? guides_->has() : std::vector<bool>(), false);
  plan_ = std::make_shared<const SearchPlan>(std::move(plan));
}

std::vector<std::uint32_t> AdaptivePlan::given_up() const {
  const std::lock_guard lock(mutex_);
  auto queries = given_up_;
  std::sort(queries.begin(), queries.end());
  return queries;
}

}  // namespace trawl::scan
