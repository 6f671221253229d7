#include "lab/bench_multi_scan.hpp"

#include <algorithm>
#include <memory>
#include <optional>

#include "lab/bench_clock.hpp"
#include "scan/find/finder.hpp"
#include "scan/find/query.hpp"
#include "scan/options.hpp"
#ifdef TRAWL_WITH_CUDA
#include "gpu/scan/literal_search.hpp"
#endif

namespace trawl::lab {

std::string MultiScan::why_not(const ExactText& text, const matchers::PatternSet& set) {
  if (text.bases.empty()) {
    return "the text has other characters than A, C, G, T and N";
  }
  return set.letters().find_first_not_of("ACGT") == std::string::npos
             ? ""
             : "a pattern has other characters than A, C, G and T";
}

MultiScan::MultiScan(const ExactText& text, const matchers::PatternSet& set)
    : text_(text), set_(set), reference_(make_reference(text)) {}

// Ends are in the coordinate space of the reference.
template <class Hits, class Pattern>
matchers::SetFound MultiScan::as_found(const Hits& hits, Pattern&& pattern_of) const {
  matchers::SetFound found;
  found.patterns.resize(set_.size());
  found.count = hits.size();
  for (const scan::Hit& hit : hits) {
    const std::size_t contig = reference_.contig_at(hit.end);
    const std::uint32_t pattern = pattern_of(hit.id);
    ++found.patterns[pattern];
    found.positions.push_back({text_.bases[contig].begin + (hit.end - reference_.contigs()[contig].offset), pattern});
  }
  return found;
}

MultiScanRun MultiScan::on_cpu(unsigned repeats) const {
  scan::Options options;
  options.strands = scan::Strands::forward;
  options.search = scan::Search::pieces;
  MultiScanRun run;
  std::optional<scan::QueryList> queries;
  std::unique_ptr<scan::Finder> finder;
  run.prepare_seconds = seconds_of([&] {
    sequence::PatternList patterns;
    for (std::uint32_t p = 0; p < set_.size(); ++p) {
      patterns.add("", set_[p]);
    }
    queries.emplace(scan::make_queries(patterns, options));
    finder = scan::make_cpu_finder(*queries, options);
  });
  std::vector<scan::Hit> hits;
  for (unsigned r = 0; r <= repeats; ++r) {
    const double seconds = seconds_of([&] { finder->find(reference_, hits); });
    if (r > 0) {  // the first run finds the caches cold
      run.seconds.push_back(seconds);
    }
  }
  run.found = as_found(hits, [&](std::uint32_t id) { return queries->all()[id].pattern; });
  return run;
}

#ifdef TRAWL_WITH_CUDA
MultiScanRun MultiScan::on_device(unsigned repeats) const {
  MultiScanRun run;
  std::unique_ptr<gpu::LiteralSearch> search;
  const scan::Region all{0, reference_.size()};
  std::size_t room = std::size_t{1} << 20;
  std::vector<scan::LiteralGroup> groups;
  run.prepare_seconds = seconds_of([&] {
    std::vector<scan::Literal> literals;
    for (std::uint32_t p = 0; p < set_.size(); ++p) {
      literals.push_back({p, set_[p]});
    }
    groups = scan::group_literals(std::move(literals));
    search = std::make_unique<gpu::LiteralSearch>(groups, room);
  });
  const gpu::LiteralText text(reference_, all, search->reach());
  std::vector<scan::Hit> hits;
  while (!search->run(text, all, SIZE_MAX, hits)) {
    room *= 4;
    search = std::make_unique<gpu::LiteralSearch>(groups, room);
  }
  run.seconds = search->time(text, all, repeats);
  run.found = as_found(hits, [](std::uint32_t id) { return id; });
  return run;
}
#endif

}  // namespace trawl::lab
