// Compares the pairs of every engine with the oracle, on random inputs, and counts what these reached.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "run/engine_choice.hpp"
#include "tests/catch.hpp"
#include "tests/conformance/map_pairs.hpp"
#include "tests/conformance/map_reads.hpp"
#include "tests/pair_oracle.hpp"
#include "tests/random_cases.hpp"

namespace trawl::tests {

// What the cases reached, so that a test cannot pass without having tested it.
using Reached = std::map<std::string, std::size_t>;

inline bool is_clipped(const AlignedLocus& locus) { return locus.cigar.find('S') != std::string::npos; }

inline void note(const PairOracle& oracle, const ReadLoci& first, const ReadLoci& second, const ExpectedPair& expected,
                 Reached& reached) {
  ++reached[kKinds[static_cast<int>(expected.kind)]];
  for (const ExpectedMate& mate : expected.mates) {
    reached["too short"] += mate.too_short;
    reached["alone"] += !mate.alone.empty();
    reached["MAPQ 1 to 59"] += 0 < mate.mapq && mate.mapq < 60;
    reached["X1 known"] += mate.next_known;
    reached["clipped, alone"] += !mate.alone.empty() && is_clipped(*mate.alone.front());
    reached["clipped, alone, MAPQ 1 to 59"] +=
        !mate.alone.empty() && is_clipped(*mate.alone.front()) && 0 < mate.mapq && mate.mapq < 60;
  }
  reached["pairs left out"] += expected.dropped > 0;
  reached["several pairs"] += expected.pairs.size() > 1;
  reached["many pairs"] += expected.pairs.size() > 100;
  if (expected.kind != align::PairKind::concordant) {
    return;
  }
  reached["alone instead of pairs"] += expected.pairs.empty();
  reached["alone beside pairs"] +=
      !expected.pairs.empty() && (!expected.mates[0].alone.empty() || !expected.mates[1].alone.empty());
  if (expected.pairs.empty()) {
    return;
  }
  const OraclePair& primary = expected.pairs.front();
  const AlignedLocus& a = *primary.mates[0];
  const AlignedLocus& b = *primary.mates[1];
  const bool clipped = is_clipped(a) || is_clipped(b);
  reached["one mate clipped"] += is_clipped(a) != is_clipped(b);
  reached["both mates clipped"] += is_clipped(a) && is_clipped(b);
  reached["clipped with edits"] += clipped && a.distance + b.distance > 0;
  reached["clipped at both ends"] += is_clipped(a) && a.cigar.find('S') < a.cigar.size() - 1 && a.cigar.back() == 'S';
  reached["clipped, MAPQ 1 to 59"] += clipped && 0 < expected.mates[0].mapq && expected.mates[0].mapq < 60;
  reached["clipped, one inside the other"] +=
      clipped && ((a.start <= b.start && b.stop() <= a.stop()) || (b.start <= a.start && a.stop() <= b.stop()));
  reached["clipped, same extent"] += clipped && a.start == b.start && a.stop() == b.stop();
  reached["clipped at a contig's begin"] += (a.start == 0 && a.piece.begin > 0) || (b.start == 0 && b.piece.begin > 0);
  reached["clipped, several pairs"] += clipped && expected.pairs.size() > 1;
  reached["whole in some pairs, clipped in others"] +=
      std::any_of(expected.pairs.begin(), expected.pairs.end(), [&](const OraclePair& pair) {
        return is_clipped(*pair.mates[0]) != is_clipped(a) || is_clipped(*pair.mates[1]) != is_clipped(b);
      });
  std::size_t equals = 0;
  for (const OraclePair& pair : oracle.concordant_pairs(first, second)) {
    equals += pair.sum() == primary.sum() && oracle.cost_of(pair) == oracle.cost_of(primary);
  }
  reached["chosen by name"] += equals > 1;
  reached["not the mates' best loci"] += primary.sum() > first.best() + second.best();
  reached["overlap"] += a.start < b.stop() && b.start < a.stop();
  reached["one inside the other"] +=
      (a.start <= b.start && b.stop() <= a.stop()) != (b.start <= a.start && a.stop() <= b.stop());
  reached["same extent"] += a.start == b.start && a.stop() == b.stop();
  reached["first contig end"] += a.start == 0 || b.start == 0;
  reached["another contig"] += a.contig > 0;
  reached["second mate left"] += b.start < a.start;
  reached["both reverse"] += a.reverse && b.reverse;
}

// Checks random inputs in all modes, with batches of any size, and pairs after single reads on the same worker.
inline Reached check_pairs(const Kind& kind) {
  RandomCases random(kind.seed);
  Reached reached;
  const auto engines = usable_engines();
  for (std::size_t n = 0; n < kind.cases / kFewer; ++n) {
    const Case input = random_case(kind, random);
    for (const auto report : {map::Report::all, map::Report::best, map::Report::strata}) {
      map::Options options = input.options;
      options.report = report;
      options.strata = report == map::Report::strata ? static_cast<std::uint32_t>(random.number(0, 3)) : 0;
      options.max_hits = random.chance(0.3) ? random.number(1, 4) : 0;
      options.pairs.discordant = align::Discordant(random.number(0, 2));
      const PairOracle oracle(options, input.inserts);
      std::vector<std::string> expected;
      std::vector<std::string> singles_expected;
      for (std::size_t i = 0; i < input.pairs.size(); ++i) {
        const ExpectedPair pair = oracle.expect(input.first[i], input.second[i]);
        note(oracle, input.first[i], input.second[i], pair, reached);
        expected.push_back(text_of(pair));
        singles_expected.push_back(text_of_single(input.first[i], options.report_rule()));
        singles_expected.push_back(text_of_single(input.second[i], options.report_rule()));
      }
      for (const auto& name : engines) {
        INFO("engine " << name << ", seed " << kind.seed << ", case " << n);
        const auto engine = engine_for(name, input, options);
        const auto worker = engine->make_worker();
        const auto together = map_with(*worker, input.pairs);
        for (std::size_t i = 0; i < input.pairs.size(); ++i) {
          INFO(about(input, options, i));
          REQUIRE(text_of_pair(together, i) == expected[i]);
        }
        const auto other_worker = engine->make_worker();
        for (std::size_t i = input.pairs.size(); i-- > 0;) {
          INFO("alone, " << about(input, options, i));
          REQUIRE(text_of_pair(map_with(*other_worker, std::vector{input.pairs[i]}), 0) == expected[i]);
        }
        std::vector<Read> singles;
        for (const auto& [first, second] : input.pairs) {
          singles.push_back(first);
          singles.push_back(second);
        }
        const auto alone = map_with(*worker, singles);
        CHECK(alone.pairs.empty());
        for (std::size_t i = 0; i < singles.size(); ++i) {
          INFO("single, " << i % 2 << " of " << about(input, options, i / 2));
          REQUIRE(text_of(alone, i) == singles_expected[i]);
        }
        REQUIRE(text_of_pair(map_with(*worker, std::vector{input.pairs.back()}), 0) == expected.back());
      }
    }
  }
  return reached;
}

inline void check_reached(const Reached& reached, const std::vector<std::pair<std::string, std::size_t>>& least) {
  if (kFewer > 1) {
    return;  // among few cases, chance decides
  }
  for (const auto& [what, count] : least) {
    const auto found = reached.find(what);
    INFO(what);
    CHECK((found == reached.end() ? 0 : found->second) >= count / 2);
  }
}

}  // namespace trawl::tests
