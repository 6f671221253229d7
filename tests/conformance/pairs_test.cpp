// Compares the pairs of every engine with the oracle, on random inputs.
#include "tests/catch.hpp"
#include "tests/conformance/pair_check.hpp"

using namespace trawl;
using namespace trawl::tests;

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
