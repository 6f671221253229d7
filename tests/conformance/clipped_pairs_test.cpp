// Compares pairs whose mates may be clipped, and the same mates as single reads, with the oracle.
#include <string>
#include <vector>

#include "sequence/alphabet.hpp"
#include "tests/catch.hpp"
#include "tests/conformance/map_pairs.hpp"
#include "tests/conformance/pair_check.hpp"

using namespace trawl;
using namespace trawl::tests;

namespace {

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
      const auto engine = run::make_engine(name, reference, one.options);
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
