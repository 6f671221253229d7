// Compares the pairs of every engine with the oracle, on random inputs.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/registry.hpp"
#include "tests/catch.hpp"
#include "tests/conformance/map_pairs.hpp"
#include "tests/conformance/map_reads.hpp"
#include "tests/pair_oracle.hpp"
#include "tests/random_cases.hpp"

using namespace trawl;
using namespace trawl::tests;

namespace {

// What the cases reached, so that a test cannot pass without having tested it.
using Reached = std::map<std::string, std::size_t>;

void note(const PairOracle& oracle, const ReadLoci& first, const ReadLoci& second, const ExpectedPair& expected,
          Reached& reached) {
  ++reached[kKinds[static_cast<int>(expected.kind)]];
  for (const ExpectedMate& mate : expected.mates) {
    reached["too short"] += mate.too_short;
    reached["alone"] += !mate.alone.empty();
    reached["MAPQ 1 to 59"] += 0 < mate.mapq && mate.mapq < 60;
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
Reached check_pairs(const Kind& kind) {
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
      for (std::size_t i = 0; i < input.pairs.size(); ++i) {
        const ExpectedPair pair = oracle.expect(input.first[i], input.second[i]);
        note(oracle, input.first[i], input.second[i], pair, reached);
        expected.push_back(text_of(pair));
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
        const std::vector<Read> singles{input.pairs.front().first, input.pairs.back().second};
        const auto alone = tests::map_with(*worker, singles);
        CHECK(alone.pairs.empty());
        CHECK(tests::text_of(alone, 0) ==
              tests::text_of(
                  tests::map_with(*engine::make_engine(name, input.reference, options)->make_worker(), singles), 0));
        REQUIRE(text_of_pair(map_with(*worker, std::vector{input.pairs.back()}), 0) == expected.back());
      }
    }
  }
  return reached;
}

void check_reached(const Reached& reached, const std::vector<std::pair<std::string, std::size_t>>& least) {
  for (const auto& [what, count] : least) {
    const auto found = reached.find(what);
    INFO(what);
    CHECK((found == reached.end() ? 0 : found->second) >= count / kFewer / 2);
  }
}

}  // namespace

TEST_CASE("pairs are the oracle's where parts of the reference are repeated") {
  const Reached reached = check_pairs({701, 400});
  check_reached(reached, {{"concordant", 2000},
                          {"discordant", 1000},
                          {"one end", 500},
                          {"unmapped", 50},
                          {"too short", 50},
                          {"several pairs", 500},
                          {"pairs left out", 60},
                          {"chosen by name", 500},
                          {"not the mates' best loci", 100},
                          {"alone instead of pairs", 16},
                          {"alone beside pairs", 200},
                          {"overlap", 100},
                          {"one inside the other", 30},
                          {"same extent", 10},
                          {"first contig end", 30},
                          {"another contig", 100},
                          {"second mate left", 100},
                          {"both reverse", 10},
                          {"MAPQ 1 to 59", 3000}});
}

TEST_CASE("pairs are the oracle's in tandem repeats") {
  const Reached reached = check_pairs({702, 200, Kind::tandem});
  check_reached(reached, {{"concordant", 500},
                          {"several pairs", 100},
                          {"many pairs", 10},
                          {"pairs left out", 50},
                          {"chosen by name", 100},
                          {"overlap", 100}});
}

TEST_CASE("pairs of longer mates with many edits are the oracle's") {
  const Reached reached = check_pairs({705, 120, Kind::repeats, 0, map::Ambiguous::mismatch, 200, 16});
  check_reached(reached, {{"concordant", 300}, {"not the mates' best loci", 20}, {"overlap", 100}});
}

TEST_CASE("pairs are the oracle's where bases are ambiguous and match nothing") {
  const Reached reached = check_pairs({703, 200, Kind::mixed, 0.01});
  check_reached(reached, {{"concordant", 300}, {"discordant", 100}, {"one end", 100}});
}

TEST_CASE("pairs are the oracle's where ambiguous bases match") {
  const Reached reached = check_pairs({704, 120, Kind::mixed, 0.01, map::Ambiguous::match});
  check_reached(reached, {{"concordant", 200}, {"discordant", 50}, {"one end", 50}});
}
