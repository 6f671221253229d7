// Compares the pairs of every engine, and the same mates as single reads, with the oracle, on random inputs, and counts
// what these reached. Mates may be clipped or not.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/engine_choice.hpp"
#include "sequence/alphabet.hpp"
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

bool is_clipped(const AlignedLocus& locus) { return locus.cigar.find('S') != std::string::npos; }

void note(const PairOracle& oracle, const ReadLoci& first, const ReadLoci& second, const ExpectedPair& expected,
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
Reached check_pairs(const Kind& kind) {
  RandomCases random(kind.seed);
  Reached reached;
  const auto engines = usable_engines();
  for (std::size_t n = 0; n < kind.cases / kFewer; ++n) {
    const Case input = random_case(kind, random);
    for (const auto report : {map::Report::all, map::Report::best, map::Report::strata}) {
      map::MapOptions options = input.options;
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

void check_reached(const Reached& reached, const std::vector<std::pair<std::string, std::size_t>>& least) {
  if (kFewer > 1) {
    return;  // among few cases, chance decides
  }
  for (const auto& [what, count] : least) {
    const auto found = reached.find(what);
    INFO(what);
    CHECK((found == reached.end() ? 0 : found->second) >= count / 2);
  }
}

Kind clipped(Kind kind) {
  kind.clip = true;
  return kind;
}

// Mates without edits that leave out up to four bases.
HandCase up_to_four(std::vector<std::string> contigs) {
  HandCase hand{std::move(contigs), {}};
  hand.options.max_edits = kEdits(0);
  hand.options.clip.most = {false, 0, 4};
  return hand;
}

std::string reverse(const std::string& bases) { return sequence::reverse_complement(bases); }

}  // namespace

TEST_CASE("pairs are the oracle's where parts of the reference are repeated", "[long]") {
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

TEST_CASE("pairs are the oracle's in tandem repeats", "[long]") {
  const Reached reached = check_pairs({702, 200, Kind::tandem});
  check_reached(reached, {{"concordant", 500},
                          {"several pairs", 100},
                          {"many pairs", 10},
                          {"pairs left out", 50},
                          {"chosen by name", 100},
                          {"overlap", 100}});
}

TEST_CASE("pairs of longer mates with many edits are the oracle's", "[long]") {
  const Reached reached = check_pairs({705, 120, Kind::repeats, 0, map::Ambiguous::mismatch, 200, 16});
  check_reached(reached, {{"concordant", 300}, {"not the mates' best loci", 20}, {"overlap", 100}});
}

TEST_CASE("pairs are the oracle's where bases are ambiguous and match nothing", "[long]") {
  const Reached reached = check_pairs({703, 200, Kind::mixed, 0.01});
  check_reached(reached, {{"concordant", 300}, {"discordant", 100}, {"one end", 100}});
}

TEST_CASE("pairs are the oracle's where ambiguous bases match", "[long]") {
  const Reached reached = check_pairs({704, 120, Kind::mixed, 0.01, map::Ambiguous::match});
  check_reached(reached, {{"concordant", 200}, {"discordant", 50}, {"one end", 50}});
}

TEST_CASE("pairs without gaps are the oracle's") {
  const Reached reached =
      check_pairs({706, 200, Kind::mixed, 0.005, map::Ambiguous::mismatch, 60, 5, false, map::Metric::hamming});
  check_reached(reached, {{"concordant", 300}, {"discordant", 100}, {"one end", 100}, {"several pairs", 50}});
}

TEST_CASE("the oracle's pairs of clipped mates, as found by hand", "[clip]") {
  // ACGTAACCTTGG at 4-16, TTGTACCA at 20-28.
  HandCase hand = up_to_four({"TTTTACGTAACCTTGGCCAATTGTACCATTTT"});
  // By chance 12 bases match with probability 10^(-7.2 + 2 + 1.8): 64 positions, and 100 for the choice of the piece.
  // That is added to the 10^-3.2 of whole mates: a place beyond the allowed distance leaves out as many bases.
  CHECK(hand.expected("ACGTAACCTTGGAGA", "TGGTACAA") ==
        "concordant, 0 dropped, insert 24\n"
        "pair 0+4+12 0,0,12 12M3S 12 | 0-20+8 0,0,8 8M 8\n"
        "mate 1: 1,?,0 q53\n"
        "mate 2: 1,?,0 q53");
  CHECK(hand.expected("GAACGTAACCTTGGAG", "GGTACAACC")
            .starts_with("concordant, 0 dropped, insert 23\npair 0+4+12 0,0,12 2S12M2S 12 | 0-20+7 0,0,7 2S7M 7\n"));
  // Five bases are too many.
  CHECK(hand.expected("ACGTAACCTTGGAGAGA", "TGGTACAA").starts_with("one end"));

  // The mates are longer than their fragment.
  hand = up_to_four({"TTGACCATTGCAGGCATTACGGATCCAG"});
  CHECK(hand.expected("GACCATTGCAGGTTT", reverse("CCGACCATTGCAGG"))
            .starts_with("concordant, 0 dropped, insert 12\npair 0+2+12 0,0,12 12M3S 12 | 0-2+12 0,0,12 2S12M 12\n"));
}

TEST_CASE("mates are clipped only where they do not fit as a whole, or always", "[clip]") {
  // The second mate is at 26 without its last three bases, and far away as a whole.
  HandCase hand = up_to_four({"TTTTACGTAACCTTGGGCATGCATCAGATTACAGGAAG" + std::string(100, 'T') + "GATTACAGGCTATT"});
  const std::string first = "ACGTAACCTTGG";
  const std::string second = reverse("GATTACAGGCTA");
  const std::string whole =
      "discordant, 0 dropped, insert 0\n"
      "mate 1: 1,?,0 q53\nalone 0+4+12 0,0,12 12M 12\n"
      "mate 2: 1,?,0 q53\nalone 0-138+12 0,0,12 12M 12";
  const std::string clipped =
      "concordant, 0 dropped, insert 31\n"
      "pair 0+4+12 0,0,12 12M 12 | 0-26+9 0,0,9 9M3S 9\n"
      "mate 1: 1,?,0 q";
  CHECK(hand.expected(first, second) == whole);
  HandCase always = hand;
  always.options.clip.when = align::ClipWhen::always;
  CHECK(always.expected(first, second).starts_with(clipped));
  // If the first mate does not fit as a whole, the second one is still taken as a whole.
  CHECK(hand.expected("GACGTAACCTTGG", second).starts_with("discordant"));
  CHECK(always.expected("GACGTAACCTTGG", second).starts_with("concordant"));
  for (const HandCase& one : {hand, always}) {
    const auto reference = make_reference(one.contigs);
    for (const auto& name : usable_engines()) {
      INFO(name);
      const auto engine = pipeline::make_engine(name, reference, one.options);
      engine->set_inserts(one.inserts);
      const auto worker = engine->make_worker();
      for (const std::string& bases : {first, "G" + first}) {
        const Mates mates{{"p", bases, ""}, {"p", second, ""}};
        CHECK(text_of_pair(map_with(*worker, std::vector{mates}), 0) == one.expected(bases, second));
      }
    }
  }
}

TEST_CASE("pairs of clipped mates are the oracle's where parts of the reference are repeated", "[clip][long]") {
  const Reached reached = check_pairs(clipped({1321, 160}));
  check_reached(reached, {{"concordant", 1300},
                          {"discordant", 1500},
                          {"one end", 1000},
                          {"unmapped", 250},
                          {"too short", 80},
                          {"X1 known", 3000},
                          {"one mate clipped", 500},
                          {"both mates clipped", 250},
                          {"clipped with edits", 450},
                          {"clipped at both ends", 150},
                          {"clipped at a contig's begin", 30},
                          {"clipped, MAPQ 1 to 59", 400},
                          {"clipped, alone", 1300},
                          {"clipped, alone, MAPQ 1 to 59", 700},
                          {"clipped, one inside the other", 150},
                          {"clipped, several pairs", 200},
                          {"whole in some pairs, clipped in others", 50},
                          {"alone instead of pairs", 12},
                          {"alone beside pairs", 160},
                          {"pairs left out", 70},
                          {"chosen by name", 220},
                          {"not the mates' best loci", 150},
                          {"second mate left", 600},
                          {"both reverse", 100}});
}

TEST_CASE("pairs of clipped mates are the oracle's in tandem repeats", "[clip][long]") {
  const Reached reached = check_pairs(clipped({1322, 80, Kind::tandem}));
  check_reached(reached, {{"concordant", 600},
                          {"one mate clipped", 200},
                          {"both mates clipped", 100},
                          {"clipped, alone", 500},
                          {"clipped, several pairs", 130},
                          {"many pairs", 40},
                          {"pairs left out", 80},
                          {"chosen by name", 200}});
}

TEST_CASE("pairs of longer clipped mates are the oracle's", "[clip][long]") {
  const Reached reached = check_pairs(clipped({1325, 20, Kind::repeats, 0, map::Ambiguous::mismatch, 130, 12}));
  check_reached(reached,
                {{"concordant", 150}, {"one mate clipped", 40}, {"both mates clipped", 20}, {"clipped, alone", 60}});
}

TEST_CASE("pairs of clipped mates are the oracle's where bases are ambiguous and match nothing", "[clip][long]") {
  const Reached reached = check_pairs(clipped({1323, 60, Kind::mixed, 0.01}));
  check_reached(reached,
                {{"concordant", 250}, {"one mate clipped", 80}, {"both mates clipped", 20}, {"clipped, alone", 120}});
}

TEST_CASE("pairs of clipped mates are the oracle's where ambiguous bases match", "[clip]") {
  const Reached reached = check_pairs(clipped({1324, 40, Kind::mixed, 0.01, map::Ambiguous::match}));
  check_reached(reached,
                {{"concordant", 150}, {"one mate clipped", 50}, {"both mates clipped", 15}, {"clipped, alone", 80}});
}
