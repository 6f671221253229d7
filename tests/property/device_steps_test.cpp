// The steps of the device's searches, run on the host: together they find the ends that the CPU finder finds by rows,
// in every region and with any part of the text; each place of parts, and each pair of a site and a guide, once.
#include <algorithm>
#include <map>

#include "gpu/scan/device_plan.hpp"
#include "scan/find/guide_steps.hpp"
#include "scan/find/place_check.hpp"
#include "scan/find/text_view.hpp"
#include "tests/catch.hpp"
#include "tests/finder_ends.hpp"
#include "tests/scan_cases.hpp"

using namespace trawl;

namespace {

// A part of a reference as a device has it (gpu/scan/hit_search.hpp, PlanesText), in host memory.
class HostText {
 public:
  HostText(const sequence::Reference& reference, const scan::Region& region, std::uint64_t reach) {
    const std::uint64_t all = reference.size() / 64;
    last_ = std::min(all, (region.end + 63) / 64);
    first_ = std::min(last_, (region.begin - std::min(region.begin, reach + 64)) / 64);
    planes_.resize(last_ + 2 - first_);
    ambiguous_.resize(planes_.size(), ~std::uint64_t{0});
    const std::uint64_t copied = std::min(all, last_ + 2) - first_;
    std::copy_n(reference.planes().data() + first_, copied, planes_.begin());
    std::copy_n(reference.ambiguous().data() + first_, copied, ambiguous_.begin());
  }
  scan::TextView view() const { return {planes_.data(), ambiguous_.data(), first_, last_}; }

 private:
  std::uint64_t first_, last_;
  std::vector<sequence::PlaneBlock> planes_;
  std::vector<std::uint64_t> ambiguous_;
};

// The ends of all regions, of up to so many letters, are those that the rows find for the queries that are searched.
// `search(region, hits)` adds those of a region. Returns how many there are.
template <class Search, class IsSearched>
std::size_t check_regions(tests::RandomCases& random, const std::vector<scan::Query>& queries,
                          scan::ScanOptions options, const sequence::Reference& reference, std::size_t most_letters,
                          const Search& search, const IsSearched& is_searched) {
  CAPTURE(options.max_edits, options.max_bulges, options.pam.bases, options.pam.is_last,
          static_cast<int>(options.metric), queries.size());
  std::vector<scan::Hit> hits;
  for (std::uint64_t at = 0; at < reference.size();) {
    const std::uint64_t end =
        random.chance(0.2) ? reference.size() : at + random.number(1, random.chance(0.5) ? 70 : most_letters);
    search(scan::Region{at, std::min(end, reference.size())}, hits);
    at = end;
  }
  scan::tidy_ends(reference, queries, options, hits);
  auto expected = tests::by_rows(queries, options, reference);
  std::erase_if(expected, [&](const auto& end) { return !is_searched(end.first.first); });
  REQUIRE(tests::ends_of(hits) == expected);
  return hits.size();
}

// The positions where each literal ends, in the whole reference.
std::vector<std::vector<std::uint64_t>> occurrences(const std::vector<std::string>& contigs,
                                                    const sequence::Reference& reference,
                                                    const std::vector<scan::Query>& queries,
                                                    const scan::PartList& parts) {
  std::vector<std::vector<std::uint64_t>> ends;
  for (const scan::QueryPart& part : parts.all()) {
    auto& of_part = ends.emplace_back();
    const auto bases = queries[part.query].bases.substr(part.first, part.length);
    for (std::size_t c = 0; c < contigs.size(); ++c) {
      for (std::size_t at = contigs[c].find(bases); at != std::string::npos; at = contigs[c].find(bases, at + 1)) {
        of_part.push_back(reference.contigs()[c].offset + at + part.length - 1);
      }
    }
  }
  return ends;
}

void check_places(tests::RandomCases& random, std::size_t& found, std::size_t& twice) {
  auto c = tests::make_piece_case(random);
  c.options.search = scan::ScanMethod::pieces;
  const auto queries = scan::make_queries(c.patterns, c.options);
  double saving = 0;
  const auto parts = scan::exact_parts(queries, c.options, {}, gpu::kDeviceCosts, saving);
  const auto reference = tests::make_reference(c.contigs);
  const scan::PlaceCheck places(queries, c.options);
  scan::PlaceView view = places.view();
  view.parts = parts.all().data();
  std::uint64_t longest = 0, lead = 0;
  for (const scan::QueryPart& part : parts.all()) {
    REQUIRE(part.edits == 0);
    REQUIRE(parts.of(part.query).size() == c.options.max_edits + 1);
    longest = std::max<std::uint64_t>(longest, queries[part.query].length());
    lead = std::max<std::uint64_t>(lead, part.after + c.options.max_edits);
  }
  const auto occur = occurrences(c.contigs, reference, queries, parts);
  const auto search = [&](const scan::Region& region, std::vector<scan::Hit>& hits) {
    const HostText on_host(reference, region, scan::place_reach(longest));
    const auto text = on_host.view();
    std::map<std::pair<std::uint32_t, std::uint64_t>, unsigned> checked;
    for (std::uint32_t p = 0; p < parts.all().size(); ++p) {
      for (const std::uint64_t end : occur[p]) {
        const std::uint64_t place = scan::place_of(view, p, end);
        if (end + lead < region.begin || end >= region.end || !scan::may_end_in(view, text, p, place, region)) {
          continue;
        }
        if (!scan::is_first_part(text, view, p, place)) {
          ++twice;
          continue;
        }
        const std::uint32_t query = parts.all()[p].query;
        REQUIRE(checked[{query, place}]++ == 0);
        scan::check_place(text, view, p, place, [&](std::uint64_t match, std::uint32_t distance) {
          if (match >= region.begin && match < region.end) {
            hits.push_back({match, query, static_cast<std::uint16_t>(distance)});
          }
        });
      }
    }
  };
  found += check_regions(random, queries, c.options, reference, 3000, search,
                         [&](std::uint32_t query) { return !parts.of(query).empty(); });
}

using scan::Side;

// What the kernel does, one site after the other.
template <Side kSide>
void search(const scan::TextView& text, const scan::GuideView& view, const scan::Region& region,
            std::vector<scan::Hit>& hits) {
  const auto [first, last] = scan::words_of_sites<kSide>(text, region, view);
  std::vector<std::pair<std::uint64_t, std::uint32_t>> compared;
  for (std::uint64_t w = first; w < last; ++w) {
    for (std::uint64_t sites = scan::sites_in_word<kSide>(text, view, w); sites != 0; sites &= sites - 1) {
      const std::uint64_t site = 64 * w + lowest_bit(sites);
      const auto beside = scan::letters_beside<kSide>(text, site);
      for (std::uint32_t l = 0; l < view.look_ups; ++l) {
        const auto& table = view.table(l);
        const std::uint32_t edits = view.look_up[l].edits;
        const std::uint32_t word = scan::word_of(view, beside, l);
        if (!table.may_have(word, edits)) {
          continue;
        }
        for (std::uint32_t e = table.starts[word]; e < table.starts[word + 1]; ++e) {
          const std::uint32_t guide = table.entries[e] / scan::GuideTable::kCosts;
          if (table.entries[e] % scan::GuideTable::kCosts > edits || scan::is_found_before(view, beside, guide, l)) {
            continue;
          }
          compared.emplace_back(site, guide);
          scan::compare_guide<kSide>(text, view, site, guide, [&](std::uint64_t end, std::uint32_t distance) {
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
void search(const scan::TextView& text, const scan::GuideSet& set, const scan::GuideGroup& group,
            const scan::Region& region, std::vector<scan::Hit>& hits) {
  if (const scan::GuideView view(set, group, kSide); view.pam_length > 0) {
    search<kSide>(text, view, region, hits);
  }
}

// All ends of a region.
std::vector<scan::Hit> ends_in(const sequence::Reference& reference, const scan::GuideSet& set,
                               const scan::Region& region) {
  const HostText on_host(reference, region, scan::kGuideReach);
  const auto text = on_host.view();
  std::vector<scan::Hit> hits;
  for (const auto& group : set.groups()) {
    search<Side::right>(text, set, group, region, hits);
    search<Side::left>(text, set, group, region, hits);
  }
  return hits;
}

void check_guides(tests::RandomCases& random, std::size_t most_letters, std::size_t most_guides, std::size_t& found) {
  auto c = tests::make_guide_case(random, most_letters, most_guides);
  c.options.search = scan::ScanMethod::pieces;
  const auto queries = scan::make_queries(c.patterns, c.options);
  const auto set = queries.empty() ? nullptr : scan::GuideSet::choose(queries, c.options);
  if (!set) {
    return;
  }
  const auto reference = tests::make_reference(c.contigs);
  const auto search = [&](const scan::Region& region, std::vector<scan::Hit>& hits) {
    const auto some = ends_in(reference, *set, region);
    hits.insert(hits.end(), some.begin(), some.end());
  };
  found += check_regions(random, queries, c.options, reference, 2 * most_letters, search,
                         [&](std::uint32_t query) { return set->has()[query]; });
}

}  // namespace

TEST_CASE("the device's steps check the places of parts") {
  tests::RandomCases random(162);
  std::size_t found = 0, twice = 0;
  for (int n = 0; n < 400; ++n) {
    CAPTURE(n);
    check_places(random, found, twice);
  }
  REQUIRE(found > 20000);
  REQUIRE(twice > 10000);
}

TEST_CASE("the device's steps find guides from their sites") {
  tests::RandomCases random(161);
  std::size_t found = 0;
  for (int n = 0; n < 300; ++n) {
    CAPTURE(n);
    check_guides(random, 700, 8, found);
  }
  for (int n = 0; n < 10; ++n) {
    CAPTURE(n);
    check_guides(random, 20000, 60, found);
  }
  REQUIRE(found > 20000);
}
