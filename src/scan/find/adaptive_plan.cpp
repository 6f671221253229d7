#include "scan/find/adaptive_plan.hpp"

#include <utility>

namespace trawl::scan {

namespace {

// Savings of this many positions may be spent in advance: a few repeats at the beginning say little about the text.
constexpr double kCredit = 1 << 20;

std::vector<bool> guides_of(const GuideSet* guides) { return guides != nullptr ? guides->has() : std::vector<bool>(); }

}  // namespace

AdaptivePlan::AdaptivePlan(const std::vector<Query>& queries, const ScanOptions& options)
    : queries_(queries),
      options_(options),
      near_(NearSet::estimated_cost(queries, options) < estimated_cost(queries, options, false)
                ? std::make_unique<const NearSet>(queries, options)
                : nullptr),
      parts_(std::make_shared<const PartList>(near_ ? PartList() : choose_part_list(queries, options))),
      guides_(near_ ? nullptr : GuideSet::choose(queries, options)),
      positions_(kCredit) {
  if (near_) {
    SearchPlan none;
    none.parts = parts_;
    plan_ = std::make_shared<const SearchPlan>(std::move(none));
    return;
  }
  // Without parts nothing is checked.
  spent_.resize(parts_->all().empty() ? 0 : queries.size());
  for (std::uint32_t q = 0; q < spent_.size(); ++q) {
    const auto parts = parts_->of(q);
    costs_.push_back(part_costs(queries[q], {parts.begin(), parts.end()}, options, parts_->most_words()));
  }
  SearchPlan plan = make_plan(queries_, parts_, {}, options_, parts_->most_words(), guides_of(guides_.get()));
  literals_ = make_literal_tables(plan.literals, plan.has_near_words ? 1 : 0);
  plan.literals = {};
  plan.words = {};
  plan_ = std::make_shared<const SearchPlan>(std::move(plan));
}

std::shared_ptr<const SearchPlan> AdaptivePlan::plan() const {
  const std::lock_guard lock(mutex_);
  return plan_;
}

void AdaptivePlan::add(std::uint64_t positions, const std::vector<Spent>& spent, double of_guides) {
  const std::lock_guard lock(mutex_);
  positions_ += static_cast<double>(positions);
  guides_spent_ += of_guides;
  const bool has_guides = plan_->has_guides && (options_.search == ScanMethod::pieces ||
                                                guides_spent_ <= guides_->cost_by_rows() * positions_);
  std::vector<bool> given_up;  // empty: no more than before
  for (const auto& [query, cost] : spent) {
    spent_[query] += cost;
    const std::vector<bool>& known = given_up.empty() ? plan_->given_up : given_up;
    const bool is_given_up = !known.empty() && known[query];
    if (!is_given_up && !parts_->of(query).empty() && spent_[query] > costs_[query].saving * positions_) {
      given_up = known;
      given_up.resize(spent_.size());
      given_up[query] = true;
    }
  }
  if (!given_up.empty() || has_guides != plan_->has_guides) {
    plan_ = std::make_shared<const SearchPlan>(
        make_plan(queries_, parts_, given_up.empty() ? plan_->given_up : std::move(given_up), options_,
                  parts_->most_words(), guides_of(has_guides ? guides_.get() : nullptr), false));
  }
}

}  // namespace trawl::scan
