#include "gpu/scan/device_plan.hpp"

#include <utility>

#include "gpu/scan/device_costs.hpp"
#include "gpu/scan/guide_search.hpp"
#include "gpu/scan/literal_plan.hpp"
#include "gpu/scan/wu_manber_scan.hpp"
#include "scan/find/finder.hpp"

namespace trawl::gpu {

namespace {

// From this number on it is faster to look literals up together than to scan the rows of each.
constexpr std::size_t kFewLiterals = 8;

}  // namespace

std::unique_ptr<const scan::GuideSet> DevicePlan::choose_guides(const std::vector<scan::Query>& queries,
                                                                const scan::Options& options) {
  return scan::GuideSet::choose(queries, options, kDeviceCosts);
}

DevicePlan::DevicePlan(const std::vector<scan::Query>& queries, const scan::Options& options, std::uint64_t memory,
                       std::unique_ptr<const scan::GuideSet> chosen)
    : parts(std::make_shared<const scan::PartList>()),
      guides(std::move(chosen)),
      first_part(static_cast<std::uint32_t>(queries.size())),
      limit(scan::end_limit(options)) {
  if (guides && GuideSearch::bytes_of(*guides) + kLeastRoom > memory) {
    guides.reset();
  }
  const bool may_look_up = !options.ambiguous_matches && options.search != scan::Search::rows;
  if (!may_look_up) {
    make(queries, options, false);
  } else if (options.max_edits == 0) {
    look_up_queries(queries, options);
  } else {
    look_up_parts(queries, options, memory);
  }
}

void DevicePlan::look_up_queries(const std::vector<scan::Query>& queries, const scan::Options& options) {
  make(queries, options, true);
  std::size_t count = 0;
  for (const scan::LiteralGroup& group : literals) {
    count += group.ids.size();
  }
  if (count < kFewLiterals && options.search != scan::Search::pieces) {
    make(queries, options, false);
  }
}

void DevicePlan::look_up_parts(const std::vector<scan::Query>& queries, const scan::Options& options,
                               std::uint64_t memory) {
  double saving = 0;
  auto of_queries =
      scan::exact_parts(queries, options, guides ? guides->has() : std::vector<bool>(), kDeviceCosts, saving);
  if (of_queries.all().empty()) {
    return make(queries, options, false);
  }
  parts = std::make_shared<const scan::PartList>(std::move(of_queries));
  make(queries, options, true);
  for (const scan::LiteralGroup& group : literals) {
    saving -= LiteralPlan(group, LiteralPlan::kMostSharedBitsOfParts).nanoseconds();
  }
  places.emplace(queries, options);
  if ((saving < 0 && options.search != scan::Search::pieces) || literal_bytes() + kLeastRoom > memory) {
    places.reset();
    parts = std::make_shared<const scan::PartList>();
    make(queries, options, false);
  }
}

void DevicePlan::make(const std::vector<scan::Query>& queries, const scan::Options& options, bool look_up) {
  auto plan =
      scan::make_plan(queries, parts, {}, options, look_up ? 1 : 0, guides ? guides->has() : std::vector<bool>());
  programs = std::move(plan.programs);
  literals = scan::group_literals(std::move(plan.literals));
  reach = plan.reach;
}

LiteralParts DevicePlan::literal_parts() const {
  return {places->tables(), parts->all(), first_part, places->no_gaps()};
}

std::uint64_t DevicePlan::literal_bytes() const {
  return places ? LiteralSearch::bytes_of(literals, literal_parts()) : LiteralSearch::bytes_of(literals);
}

std::uint64_t DevicePlan::bytes() const {
  return (programs.empty() ? 0 : WuManberSearch::bytes_of(programs[0])) + (literals.empty() ? 0 : literal_bytes()) +
         (guides ? GuideSearch::bytes_of(*guides) : 0);
}

}  // namespace trawl::gpu
