#include "gpu/scan/device_plan.hpp"

#include <utility>

#include "scan/find/finder.hpp"
#include "scan/find/guide_steps.hpp"

namespace trawl::gpu {

namespace {

// From this number on it is faster to look literals up together than to scan the rows of each.
constexpr std::size_t kFewLiterals = 8;

}  // namespace

DevicePlan::DevicePlan(const std::vector<scan::Query>& queries, const scan::ScanOptions& options, std::uint64_t memory,
                       std::unique_ptr<const scan::GuideSet> chosen)
    : parts(std::make_shared<const scan::PartList>()),
      guides(std::move(chosen)),
      query_count(static_cast<std::uint32_t>(queries.size())),
      limit(scan::end_limit(options)) {
  if (guide_bytes() + kLeastRoom > memory) {
    guides.reset();
  }
  const bool may_look_up = !options.ambiguous_matches && options.search != scan::ScanMethod::rows;
  if (!may_look_up) {
    make(queries, options, false);
  } else if (options.max_edits == 0) {
    make(queries, options, true);
    if (most_hits_of_literals() < kFewLiterals && options.search != scan::ScanMethod::pieces) {
      make(queries, options, false);
    }
  } else {
    look_up_parts(queries, options, memory);
  }
}

void DevicePlan::look_up_parts(const std::vector<scan::Query>& queries, const scan::ScanOptions& options,
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
    saving -= LiteralPlan(group, true).nanoseconds();
  }
  places.emplace(queries, options);
  if ((saving < 0 && options.search != scan::ScanMethod::pieces) || literal_bytes() + kLeastRoom > memory) {
    places.reset();
    parts = std::make_shared<const scan::PartList>();
    make(queries, options, false);
  }
}

void DevicePlan::make(const std::vector<scan::Query>& queries, const scan::ScanOptions& options, bool look_up) {
  auto plan =
      scan::make_plan(queries, parts, {}, options, look_up ? 1 : 0, guides ? guides->has() : std::vector<bool>());
  programs = std::move(plan.programs);
  literals = scan::group_literals(std::move(plan.literals));
  reach = plan.reach;
}

std::uint64_t DevicePlan::planes_reach() const {
  std::uint64_t letters = scan::kGuideReach;
  for (const scan::LiteralGroup& group : literals) {
    letters = std::max<std::uint64_t>(letters, group.longest);
  }
  for (const scan::QueryPart& part : parts->all()) {
    letters = std::max(letters, scan::place_reach(places->queries()[part.query].length));
  }
  return letters;
}

std::uint64_t DevicePlan::most_hits_of_literals() const {
  if (places) {
    const scan::PlaceView view = places->view();
    return parts->all().size() / (view.max_edits + 1) * (2 * view.slack() + 1);
  }
  std::uint64_t hits = 0;
  for (const scan::LiteralGroup& group : literals) {
    hits += group.ids.size();
  }
  return hits;
}

std::uint64_t DevicePlan::most_hits_of_guides() const {
  const std::uint64_t sites = guides->no_gaps() ? 1 : 2 * guides->max_edits() + 1;
  std::uint64_t hits = 0;
  for (const scan::GuideGroup& group : guides->groups()) {
    hits += group.queries[0].ids.size() * sites + group.queries[1].ids.size();
  }
  return hits;
}

std::uint64_t DevicePlan::row_bytes() const {
  std::uint64_t bytes = 0;
  for (const scan::WuManberProgram& program : programs) {
    bytes += program.lists().size() * (kBytesAList + kBytesAHit) + program.row_count();
  }
  return bytes;
}

std::uint64_t DevicePlan::literal_bytes() const {
  if (literals.empty()) {
    return 0;
  }
  std::uint64_t bytes = most_hits_of_literals() * kBytesAHit;
  for (const scan::LiteralGroup& group : literals) {
    bytes += LiteralPlan(group, places.has_value()).bytes() +
             group.literals.size() * sizeof(scan::LiteralGroup::Different) +
             group.blocks.size() * sizeof(sequence::PlaneBlock) + group.ids.size() * sizeof(std::uint32_t);
  }
  if (places) {
    bytes += places->queries().size() * sizeof(scan::PlaceQuery) +
             places->more().size() * sizeof(sequence::PlaneBlock) + parts->all().size_bytes();
  }
  return bytes;
}

std::uint64_t DevicePlan::guide_bytes() const {
  if (!guides) {
    return 0;
  }
  std::uint64_t bytes = most_hits_of_guides() * kBytesAHit;
  for (const scan::GuideGroup& group : guides->groups()) {
    for (const scan::GuideTable* table : {&group.near_table, &group.far_table}) {
      bytes += table->bitmaps.size() * 8 + (table->starts.size() + table->entries.size()) * 4;
    }
    bytes += group.guides.size() * sizeof(scan::GuideGroup::GuidePlanes);
    for (const auto& [first, ids] : group.queries) {
      bytes += (first.size() + ids.size()) * 4;
    }
  }
  return bytes;
}

}  // namespace trawl::gpu
