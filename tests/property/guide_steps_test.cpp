// The steps of the device's search of guides, run on the host: together they find the ends that the CPU finder finds by
// rows, each pair of a site and a guide once, in every region and in any part of the text.
#include "gpu/scan/guide_steps.hpp"

#include <algorithm>
#include <map>

#include "scan/find/finder.hpp"
#include "tests/catch.hpp"
#include "tests/finder_ends.hpp"
#include "tests/guide_cases.hpp"
#include "tests/host_text.hpp"
#include "tests/random_cases.hpp"

using namespace trawl;

namespace {

using gpu::Side;

// What the kernel does, one site after the other.
template <Side kSide>
void search(const gpu::LiteralTextView& text, const gpu::GuideView& view, const scan::Region& region,
            std::vector<scan::Hit>& hits) {
  const auto [first, last] = gpu::words_of_sites<kSide>(text, region, view);
  std::vector<std::pair<std::uint64_t, std::uint32_t>> compared;
  for (std::uint64_t w = first; w < last; ++w) {
    for (std::uint64_t sites = gpu::sites_in_word<kSide>(text, view, w); sites != 0; sites &= sites - 1) {
      const std::uint64_t site = 64 * w + lowest_bit(sites);
      const auto beside = gpu::letters_beside<kSide>(text, site);
      for (std::uint32_t l = 0; l < view.look_ups; ++l) {
        const auto& table = view.table(l);
        const std::uint32_t edits = view.look_up[l].edits;
        const std::uint32_t word = gpu::word_of(view, beside, l);
        if (!table.may_have(word, edits)) {
          continue;
        }
        for (std::uint32_t e = table.starts[word]; e < table.starts[word + 1]; ++e) {
          const std::uint32_t guide = table.entries[e] / scan::GuideTable::kCosts;
          if (table.entries[e] % scan::GuideTable::kCosts > edits || gpu::is_found_before(view, beside, guide, l)) {
            continue;
          }
          compared.emplace_back(site, guide);
          gpu::compare_guide<kSide>(text, view, site, guide, [&](std::uint64_t end, std::uint32_t distance) {
            for (std::uint32_t i = view.first_query[guide]; i < view.first_query[guide + 1]; ++i) {
              if (end >= region.begin && end < region.end) {
                hits.push_back({end, view.queries[i], static_cast<std::uint16_t>(distance)});
              }
            }
          });
        }
      }
    }
  }
  std::sort(compared.begin(), compared.end());
  REQUIRE(std::adjacent_find(compared.begin(), compared.end()) == compared.end());
}

template <Side kSide>
void search(const gpu::LiteralTextView& text, const scan::GuideSet& set, const scan::GuideGroup& group,
            const scan::Region& region, std::vector<scan::Hit>& hits) {
  const auto put = [](const scan::GuideTable& table, gpu::GuideTableView& view, std::vector<std::uint64_t>& bitmaps) {
    for (const auto& bitmap : table.bitmaps) {
      REQUIRE(bitmap.size() == view.bitmap_words());
      bitmaps.insert(bitmaps.end(), bitmap.begin(), bitmap.end());
    }
    view.bitmaps = bitmaps.data();
    view.starts = table.starts.data();
    view.entries = table.entries.data();
  };
  std::vector<std::uint64_t> near, far;
  const gpu::GuideIds ids(group);
  auto view = gpu::guide_view(set, group, kSide);
  put(group.near_table, view.near, near);
  if (!group.shifts.empty()) {
    put(group.far_table, view.far, far);
  }
  view.guides = group.guides.data();
  view.first_query = ids.first[static_cast<unsigned>(kSide)].data();
  view.queries = ids.queries[static_cast<unsigned>(kSide)].data();
  if (view.pam_length > 0) {
    search<kSide>(text, view, region, hits);
  }
}

// All ends of a region.
std::vector<scan::Hit> ends_in(const sequence::Reference& reference, const scan::GuideSet& set,
                               const scan::Region& region) {
  const tests::HostText on_host(reference, region, gpu::kGuideReach);
  const auto text = on_host.view();
  std::vector<scan::Hit> hits;
  for (const auto& group : set.groups()) {
    search<Side::right>(text, set, group, region, hits);
    search<Side::left>(text, set, group, region, hits);
  }
  return hits;
}

using tests::Ends, tests::ends_of;

void check(tests::RandomCases& random, std::size_t most_letters, std::size_t most_guides, std::size_t& found) {
  auto c = tests::make_guide_case(random, most_letters, most_guides);
  c.options.search = scan::Search::pieces;
  const auto queries = scan::make_queries(c.patterns, c.options);
  const auto set = queries.empty() ? nullptr : scan::GuideSet::choose(queries, c.options);
  if (!set) {
    return;
  }
  const auto reference = tests::make_reference(c.contigs);
  c.options.search = scan::Search::rows;
  std::vector<scan::Hit> expected;
  scan::make_cpu_finder(queries, c.options)->find(reference, expected);
  std::erase_if(expected, [&](const scan::Hit& hit) { return !set->has()[hit.id]; });
  CAPTURE(c.options.max_edits, c.options.max_bulges, c.options.pam.bases, c.options.pam.is_last, queries.size());
  std::vector<scan::Hit> hits;
  for (std::uint64_t at = 0; at < reference.size();) {
    const std::uint64_t end =
        random.chance(0.1) ? reference.size() : at + random.number(1, random.chance(0.5) ? 100 : 2 * most_letters);
    const auto some = ends_in(reference, *set, {at, std::min(end, reference.size())});
    hits.insert(hits.end(), some.begin(), some.end());
    at = end;
  }
  scan::tidy_ends(reference, queries, c.options, hits);
  REQUIRE(ends_of(hits) == ends_of(expected));
  found += hits.size();
}

}  // namespace

TEST_CASE("the device's steps find guides from their sites") {
  tests::RandomCases random(161);
  std::size_t found = 0;
  for (int n = 0; n < 300; ++n) {
    CAPTURE(n);
    check(random, 700, 8, found);
  }
  for (int n = 0; n < 10; ++n) {
    CAPTURE(n);
    check(random, 20000, 60, found);
  }
  REQUIRE(found > 20000);
}
