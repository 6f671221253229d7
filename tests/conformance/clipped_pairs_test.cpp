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
        "mate 1: 1,?,0 q31\n"
        "mate 2: 1,?,0 q31");
  CHECK(hand.expected("GAACGTAACCTTGGAG", "GGTACAACC").starts_with(
      "concordant, 0 dropped, insert 23\npair 0+4+12 0,0,12 2S12M2S 12 | 0-20+7 0,0,7 2S7M 7\n"));
  // Five bases are too many.
  CHECK(hand.expected("ACGTAACCTTGGAGAGA", "TGGTACAA").starts_with("one end"));

  // The mates are longer than their fragment.
  hand = up_to_four({"TTGACCATTGCAGGCATTACGGATCCAG"});
  CHECK(hand.expected("GACCATTGCAGGTTT", reverse("CCGACCATTGCAGG")).starts_with(
      "concordant, 0 dropped, insert 12\npair 0+2+12 0,0,12 12M3S 12 | 0-2+12 0,0,12 2S12M 12\n"));
}

TEST_CASE("mates are clipped only where they do not fit as a whole, or always", "[clip]") {
  // The second mate is at 26 without its last three bases, and far away as a whole.
  HandCase hand = up_to_four({"TTTTACGTAACCTTGGGCATGCATCAGATTACAGGAAG" + std::string(100, 'T') + "GATTACAGGCTATT"});
  const std::string first = "ACGTAACCTTGG";
  const std::string second = reverse("GATTACAGGCTA");
  const std::string whole =
      "discordant, 0 dropped, insert 0\n"
      "mate 1: 1,?,0 q32\nalone 0+4+12 0,0,12 12M 12\n"
      "mate 2: 1,?,0 q32\nalone 0-138+12 0,0,12 12M 12";
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
      const auto engine = engine::make_engine(name, reference, one.options);
      engine->set_inserts(one.inserts);
      const auto worker = engine->make_worker();
      for (const std::string& bases : {first, "G" + first}) {
        const Mates mates{{"p", bases, ""}, {"p", second, ""}};
        CHECK(text_of_pair(map_with(*worker, std::vector{mates}), 0) == one.expected(bases, second));
      }
    }
  }
}

TEST_CASE("pairs of clipped mates are the oracle's where parts of the reference are repeated", "[clip]") {
  const Reached reached = check_pairs(clipped({1321, 250}));
  for (const auto& [what, count] : reached) {
    UNSCOPED_INFO(what << ": " << count);
  }
  CHECK(false);
}

TEST_CASE("pairs of clipped mates are the oracle's in tandem repeats", "[clip]") {
  const Reached reached = check_pairs(clipped({1322, 80, Kind::tandem}));
  for (const auto& [what, count] : reached) {
    UNSCOPED_INFO(what << ": " << count);
  }
  CHECK(false);
}

TEST_CASE("pairs of longer clipped mates are the oracle's", "[clip]") {
  const Reached reached = check_pairs(clipped({1325, 20, Kind::repeats, 0, map::Ambiguous::mismatch, 130, 12}));
  for (const auto& [what, count] : reached) {
    UNSCOPED_INFO(what << ": " << count);
  }
  CHECK(false);
}

TEST_CASE("pairs of clipped mates are the oracle's where bases are ambiguous and match nothing", "[clip]") {
  const Reached reached = check_pairs(clipped({1323, 60, Kind::mixed, 0.01}));
  for (const auto& [what, count] : reached) {
    UNSCOPED_INFO(what << ": " << count);
  }
  CHECK(false);
}

TEST_CASE("pairs of clipped mates are the oracle's where ambiguous bases match", "[clip]") {
  const Reached reached = check_pairs(clipped({1324, 40, Kind::mixed, 0.01, map::Ambiguous::match}));
  for (const auto& [what, count] : reached) {
    UNSCOPED_INFO(what << ": " << count);
  }
  CHECK(false);
}
