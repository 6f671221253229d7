// The sites of guides and the sums of their scores, on each engine: the same as by comparing all words.
#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "pipeline/engine_choice.hpp"
#include "scan/report/guide_scores.hpp"
#include "tests/catch.hpp"
#include "tests/conformance/map_reads.hpp"
#include "tests/conformance/position_counts.hpp"
#include "tests/guide_oracle.hpp"
#include "tests/random_cases.hpp"
#include "words/site_join.hpp"

using namespace trawl;
using namespace trawl::tests;

namespace {

struct PlainSite {
  std::uint64_t start = 0;  // in the coordinate space
  bool reverse = false;
  std::string bases, pam;
};

// By the definition, from the letters.
std::vector<PlainSite> plain_sites(const sequence::Reference& reference, const std::vector<std::string>& contigs,
                                   const words::SiteRule& rule) {
  std::vector<PlainSite> sites;
  for (std::size_t c = 0; c < contigs.size(); ++c) {
    for (std::size_t at = 0; at + rule.length + rule.pam_size() <= contigs[c].size(); ++at) {
      for (const bool reverse : {false, true}) {
        std::string text = contigs[c].substr(at, rule.length + rule.pam_size());
        text = reverse ? sequence::reverse_complement(text) : text;
        const PlainSite site{reference.contigs()[c].offset + at, reverse,
                             text.substr(rule.is_last() ? 0 : rule.pam_size(), rule.length),
                             text.substr(rule.is_last() ? rule.length : 0, rule.pam_size())};
        if (std::ranges::any_of(rule.pams, [&](const scan::Pam& pam) {
              return std::ranges::any_of(
                  pam.motifs, [&](const std::string& motif) { return matches_at(motif, site.pam, 0, false); });
            })) {
          sites.push_back(site);
        }
      }
    }
  }
  return sites;
}

words::SiteSums plain_sums(const PlainSite& guide, const std::vector<PlainSite>& sites, const words::SiteRule& rule) {
  words::SiteSums sums;
  for (const PlainSite& site : sites) {
    std::size_t mismatches = 0;
    for (std::size_t i = 0; i < rule.length; ++i) {
      mismatches += pattern_matches(guide.bases[i], site.bases[i], false) ? 0 : 1;
    }
    if (mismatches > rule.max_mismatches) {
      continue;
    }
    ++sums.sites[mismatches];
    const auto scores = scan::guide_scores(guide.bases, site.bases, site.pam);
    if (rule.has_scores() && scores) {
      sums.scores.cfd += static_cast<std::uint64_t>(std::llround(scores->cfd / scan::kScoreUnit));
      sums.scores.mit += static_cast<std::uint64_t>(std::llround(*scores->mit / scan::kScoreUnit));
    } else if (site.bases.find_first_not_of("ACGT") != std::string::npos) {
      ++sums.without_score;
    }
  }
  return sums;
}

// Asks for a share of the guides, and compares what is said of about `checked` of them. Returns how many have other
// sites.
std::size_t check(RandomCases& random, const std::vector<std::string>& contigs, const words::SiteRule& rule,
                  double share, std::size_t checked) {
  const auto reference = make_reference(contigs);
  const auto sites = plain_sites(reference, contigs, rule);
  std::vector<std::tuple<std::uint64_t, bool>> expected, found;
  for (const PlainSite& site : sites) {
    const auto ambiguous = std::ranges::count_if(site.bases, [](char base) { return sequence::base_code(base) > 3; });
    if (ambiguous <= rule.max_mismatches) {
      expected.emplace_back(site.start, site.reverse);
    }
  }
  const words::GuideSiteFinder finder(reference, rule);
  std::vector<words::GuideSite> guides;
  for (std::size_t block = 0; block < finder.blocks(); ++block) {
    finder.for_each(block, rule.max_mismatches, [&](const words::GuideSite& site) {
      found.emplace_back(site.start, site.reverse);
      if (site.ambiguous == 0) {
        guides.push_back(site);
      }
    });
  }
  REQUIRE(found == expected);
  words::SiteWords all(reference, rule);
  all.forget_asked();
  std::erase_if(guides, [&](const auto&) { return !random.chance(share); });
  for (const words::GuideSite& guide : guides) {
    all.ask(all.number(guide.word));
  }
  all.end_asking();
  auto sums = words::own_sums(all);
  REQUIRE(sums.size() == all.asked());
  pipeline::GuideChoice choice(kTested.empty() ? "cpu" : kTested, {});
  choice.make(all)->add(all, sums, [](double) {});
  std::size_t others = 0;
  for (const words::GuideSite& guide : guides) {
    if (random.chance(static_cast<double>(checked) / static_cast<double>(guides.size()))) {
      const auto plain = std::ranges::find_if(
          sites, [&](const PlainSite& site) { return site.start == guide.start && site.reverse == guide.reverse; });
      const words::SiteSums wanted = plain_sums(*plain, sites, rule);
      const words::SiteSums& got = sums[all.place(all.number(guide.word))];
      INFO("guide " << plain->bases << ' ' << plain->pam);
      REQUIRE(std::ranges::equal(got.sites, wanted.sites));
      REQUIRE(got.without_score == wanted.without_score);
      REQUIRE(got.scores.cfd == wanted.scores.cfd);
      REQUIRE(got.scores.mit == wanted.scores.mit);
      others += wanted.sites[0] + wanted.sites[1] + wanted.sites[rule.max_mismatches] > 1 ? 1 : 0;
    }
  }
  return others;
}

}  // namespace

TEST_CASE("the sites of guides are those of an exhaustive comparison") {
  RandomCases random(5401);
  std::size_t others = 0;
  for (int n = 0; n < 120; ++n) {
    std::vector<std::string> contigs = repetitive_contigs(random, random.chance(0.5) ? 0 : 0.02);
    contigs.push_back(random.bases(random.number(0, 40)) + "GG");
    words::SiteRule rule;
    rule.length = random.chance(0.6) ? 20 : static_cast<std::uint32_t>(random.number(12, 28));
    rule.max_mismatches = static_cast<std::uint32_t>(random.number(0, 4));
    const bool is_last = random.chance(0.8);
    rule.pams = {scan::make_pam({is_last ? "NGG" : "TTV"}, is_last, 0)};
    if (random.chance(0.5)) {
      rule.pams.push_back(scan::make_pam({random.chance(0.5) ? "NAG" : "NNN"}, is_last, 0));
    }
    CAPTURE(n, rule.length, rule.max_mismatches, rule.pams.size());
    others += check(random, contigs, rule, random.chance(0.5) ? 1 : 0.2, 100);
  }
  CHECK(others > 1000);
}

// More words with the same key than one thread compares, whatever the choice of parts: they differ in the last bases.
TEST_CASE("the sites of guides in a large family of repeats") {
  RandomCases random(5402);
  std::string text;
  const std::string fixed = random.bases(13);
  for (int n = 0; n < 20'000; ++n) {
    text += fixed + random.bases(7) + "AGG" + random.bases(5);
  }
  for (const std::uint32_t most : {3u, 4u}) {
    CHECK(check(random, {text}, {20, {scan::make_pam({"NGG"}, true, 0)}, most}, 1, 60) > 30);
  }
}
