// The oracle of pairs on cases found by hand, and the engines on some of them.
#include <string>
#include <utility>
#include <vector>

#include "pipeline/engine_choice.hpp"
#include "tests/catch.hpp"
#include "tests/conformance/map_pairs.hpp"
#include "tests/conformance/map_reads.hpp"
#include "tests/pair_oracle.hpp"
#include "tests/random_cases.hpp"

using namespace trawl;
using namespace trawl::tests;

TEST_CASE("the oracle's pairs, as found by hand: what is concordant") {
  // ACGTAACC at 4-12, TTGTACCA at 20-28.
  HandCase hand{{"TTTTACGTAACCTTGGCCAATTGTACCATTTT"}, {}};
  // The error is that one mate lies beyond the allowed distance: 10^-3.2, as the one edit it then has costs 32.
  CHECK(hand.expected("ACGTAACC", "TGGTACAA") ==
        "concordant, 0 dropped, insert 24\n"
        "pair 0+4+8 0,0,0 8M 8 | 0-20+8 0,0,0 8M 8\n"
        "mate 1: 1,?,0 q53\n"
        "mate 2: 1,?,0 q53");
  hand.inserts = {24, 24, 0, 0};
  CHECK(hand.expected("TGGTACAA", "ACGTAACC").starts_with("concordant, 0 dropped, insert 24\npair 0-20+8"));
  const std::string apart =
      "\nmate 1: 1,?,0 q53\nalone 0+4+8 0,0,0 8M 8"
      "\nmate 2: 1,?,0 q53\nalone 0-20+8 0,0,0 8M 8";
  for (const std::uint32_t wrong : {23u, 25u}) {
    hand.inserts = {wrong, wrong, 0, 0};
    CHECK(hand.expected("ACGTAACC", "TGGTACAA") == "discordant, 0 dropped, insert 0" + apart);
  }
  hand.options.pairs.discordant = align::Discordant::never;
  CHECK(hand.expected("ACGTAACC", "TGGTACAA") == "discordant, 0 dropped, insert 0\nmate 1: 1,?,0\nmate 2: 1,?,0");
  CHECK(hand.expected("ACGTAACC", "GGGGGGGG") ==
        "one end, 0 dropped, insert 0\nmate 1: 1,?,0 q53\nalone 0+4+8 0,0,0 8M 8\nmate 2: 0,?,0 no locus");
  hand.options.max_edits = kEdits(2);
  CHECK(hand.expected("AC", "GGGGGGGG") ==
        "unmapped, 0 dropped, insert 0\nmate 1: 0,?,0 too short\nmate 2: 0,?,0 no locus");

  // Every orientation fits one order of the mates, and its mirror image.
  const std::string left = "ACGTAACC";
  const std::string right = "TTGTACCA";
  const auto other = [](const std::string& bases) { return sequence::reverse_complement(bases); };
  const auto fits = [&](align::Orientation orientation, const std::string& first, const std::string& second) {
    HandCase one{hand.contigs, {}};
    one.options.pairs.orientation = orientation;
    return one.expected(first, second).starts_with("concordant");
  };
  for (const bool first_is_left : {true, false}) {
    for (const bool left_reverse : {true, false}) {
      for (const bool right_reverse : {true, false}) {
        const std::string a = left_reverse ? other(left) : left;
        const std::string b = right_reverse ? other(right) : right;
        INFO(first_is_left << left_reverse << right_reverse);
        const auto is = [&](align::Orientation orientation) {
          return fits(orientation, first_is_left ? a : b, first_is_left ? b : a);
        };
        CHECK(is(align::Orientation::fr) == (!left_reverse && right_reverse));
        CHECK(is(align::Orientation::rf) == (left_reverse && !right_reverse));
        CHECK(is(align::Orientation::ff) == (left_reverse == right_reverse && first_is_left != left_reverse));
      }
    }
  }
}

TEST_CASE("the oracle's pairs, as found by hand: mates that overlap") {
  const HandCase hand{{"TTGACCATTGCAGGCATTACGGATCCAG"}, {}};
  const auto reverse = [](const char* bases) { return sequence::reverse_complement(bases); };
  CHECK(hand.expected("GACCATTGCAGG", reverse("TTGCAGGCATTA")).starts_with("concordant, 0 dropped, insert 17\n"));
  CHECK(hand.expected("GACCATTGCAGG", reverse("CATTGC")).starts_with("concordant, 0 dropped, insert 12\n"));
  CHECK(hand.expected("CATTGC", reverse("GACCATTGCAGG")).starts_with("concordant, 0 dropped, insert 12\n"));
  CHECK(hand.expected("GACCATTG", reverse("GACCATTG")).starts_with("concordant, 0 dropped, insert 8\n"));
  CHECK(hand.expected("GACCATTG", reverse("GACCATTGCA")).starts_with("concordant, 0 dropped, insert 10\n"));
  CHECK(hand.expected("GACCATTGCA", reverse("ATTGCA")).starts_with("concordant, 0 dropped, insert 10\n"));
  CHECK(hand.expected("GACCATTGCA", reverse("TTGACCATTG")).starts_with("discordant"));  // they dovetail
  CHECK(hand.expected("GACCATTGCA", reverse("TTGACCATTGCA")).starts_with("concordant, 0 dropped, insert 12\n"));
  HandCase turned = hand;
  turned.options.pairs.orientation = align::Orientation::ff;
  CHECK(turned.expected("TTGACCATTG", "GACCATTGCA").starts_with("concordant, 0 dropped, insert 12\n"));
  CHECK(turned.expected("GACCATTGCA", "TTGACCATTG").starts_with("discordant"));
}

TEST_CASE("the oracle's pairs, as found by hand: order, ties and what is reported") {
  // The first mate, ACGTTGCAGA, is at 2 and, with a mismatch, at 16. TGGACCATGC is at 32 and at 46.
  HandCase hand{{"TTACGTTGCAGATTTTACGTTCCAGATTTTTTTGGACCATGCTTTTTGGACCATGCTT"}, {}};
  const std::string& contig = hand.contigs[0];
  REQUIRE(contig.find("ACGTTGCAGA") == 2);
  REQUIRE(contig.find("ACGTTCCAGA") == 16);
  REQUIRE(contig.find("TGGACCATGC") == 32);
  REQUIRE(contig.find("TGGACCATGC", 33) == 46);
  const std::string first = "ACGTTGCAGA";
  const std::string second = sequence::reverse_complement("TGGACCATGC");
  const std::string a0 = "0+2+10 0,0,0 10M 10";
  const std::string a1 = "0+16+10 1,1,-1 10M 5C4";
  const std::string b0 = "0-32+10 0,0,0 10M 10";
  const std::string b1 = "0-46+10 0,0,0 10M 10";
  const auto pair = [](const std::string& a, const std::string& b) { return "\npair " + a + " | " + b; };
  const auto counts = [](const std::string& text) { return text.substr(text.find("\nmate")); };
  hand.options.max_edits = kEdits(1);
  hand.options.report = map::Report::all;
  // Hash of the name modulo 2 chooses between the two pairs without an edit.
  std::string names[2];
  for (char c = 'a'; names[0].empty() || names[1].empty(); ++c) {
    names[oracle_name_hash(std::string(1, c)) % 2] = c;
  }
  CHECK(hand.expected(first, second, names[0])
            .starts_with("concordant, 0 dropped, insert 40" + pair(a0, b0) + pair(a0, b1) + pair(a1, b0) +
                         pair(a1, b1) + "\nmate"));
  CHECK(hand.expected(first, second, names[1])
            .starts_with("concordant, 0 dropped, insert 54" + pair(a0, b1) + pair(a0, b0) + pair(a1, b0) +
                         pair(a1, b1) + "\nmate"));
  // The second mate lies at two equally good places; the first one's other place costs 32 more.
  CHECK(counts(hand.expected(first, second, names[1])) == "\nmate 1: 1,1,0 q28\nmate 2: 2,0,0 q0");
  hand.options.max_hits = 3;
  CHECK(hand.expected(first, second, names[0])
            .starts_with("concordant, 1 dropped, insert 40" + pair(a0, b0) + pair(a0, b1) + pair(a1, b0) + "\nmate"));
  hand.options.report = map::Report::strata;
  CHECK(hand.expected(first, second, names[0])
            .starts_with("concordant, 0 dropped, insert 40" + pair(a0, b0) + pair(a0, b1) + "\nmate"));
  // The likeliest insert wins over the name.
  hand.inserts = {1, 100, 54, 5};
  hand.options.report = map::Report::best;
  for (const std::string& name : names) {
    CHECK(hand.expected(first, second, name).starts_with("concordant, 0 dropped, insert 54" + pair(a0, b1) + "\nmate"));
  }

  // Only the first mate's worse locus is in a pair.
  hand.inserts = {1, 30, 0, 0};
  const std::string near = pair(a1, b0);
  hand.options.max_hits = 0;
  CHECK(hand.expected(first, second).starts_with("concordant, 0 dropped, insert 26" + near + "\nmate"));
  hand.options.pairs.discordant = align::Discordant::always;
  CHECK(hand.expected(first, second, names[1]) ==
        "concordant, 0 dropped, insert 0\nmate 1: 1,1,0 q32\nalone " + a0 + "\nmate 2: 2,0,0 q0\nalone " + b1);
  hand.options.report = map::Report::all;
  const std::string beside = hand.expected(first, second, names[1]);
  CHECK(beside.starts_with("concordant, 0 dropped, insert 26" + near + "\nmate 1: 1,1,0"));
  CHECK(beside.find("\nalone " + a0 + "\nmate 2: 2,0,0") != std::string::npos);
  CHECK(beside.ends_with("\nalone " + b1));
  hand.options.max_hits = 1;  // of the first mate only a0 is reported, and of the second the chosen b1
  const std::string fewer = hand.expected(first, second, names[1]);
  CHECK(fewer.find("\nmate 1: 1,1,1") != std::string::npos);
  CHECK(fewer.ends_with("\nalone " + b1));
}

TEST_CASE("the oracle's cost of an insert size") {
  const PairOracle oracle({}, {100, 500, {300, 20}, {}});
  const std::pair<std::size_t, int> costs[] = {{300, 0}, {309, 0},  {310, 1},  {320, 2}, {340, 9},
                                               {260, 9}, {385, 39}, {386, 40}, {500, 40}};
  for (const auto& [size, cost] : costs) {
    INFO(size);
    CHECK(oracle.insert_cost(size) == cost);
  }
  CHECK(PairOracle({}, {100, 500, {300, 0}, {}}).insert_cost(500) == 0);
  CHECK(PairOracle({}, {100, 500, {300, 20}, {800, 50}}).insert_cost(750) == 2);
  for (const std::uint32_t deviation : {0u, 1u, 7u, 20u, 333u}) {
    for (const align::InsertSizes& others : {align::InsertSizes(), {800, 5}, {320, 100}}) {
      const align::InsertModel model{100, 500, {300, deviation}, others};
      const PairOracle other({}, model);
      for (std::size_t size = 1; size < 2000; ++size) {
        INFO(deviation << " " << others.mean << " " << size);
        REQUIRE(static_cast<std::uint32_t>(other.insert_cost(size)) == model.cost(size));
      }
    }
  }
}

TEST_CASE("the mapping quality of a pair whose mates have many copies elsewhere") {
  // Each mate has a mismatch where it forms a pair, and 100 better places in other contigs.
  RandomCases random(710);
  const std::string units[] = {random.bases(40), random.bases(40)};
  std::string near[] = {units[0], units[1]};
  near[0][20] = near[0][20] == 'A' ? 'C' : 'A';
  near[1][20] = near[1][20] == 'A' ? 'C' : 'A';
  HandCase hand;
  hand.contigs = {random.bases(50) + near[0] + random.bases(20) + near[1] + random.bases(50)};
  for (const std::string& unit : units) {
    std::string contig;
    for (int copy = 0; copy < 100; ++copy) {
      contig += unit + random.bases(30);
    }
    hand.contigs.push_back(contig);
  }
  hand.options.max_edits = kEdits(4);
  hand.inserts = {1, 300, 200, 5};  // the pair's size costs 40, half of what mates in two places cost
  const Mates mates{{"p", units[0], ""}, {"p", sequence::reverse_complement(units[1]), ""}};
  // So each combination of places has a weight of 10^-4, and there are 10,000 of them: the pair's quality is 0.
  const std::string expected = hand.expected(mates.first.bases, mates.second.bases);
  CHECK(expected == "concordant, 0 dropped, insert 100\npair 0+50+40 1,1,-1 40M 20" + std::string(1, near[0][20]) +
                        "19 | 0-110+40 1,1,-1 40M 20" + near[1][20] + "19\nmate 1: 100,1,0 q0\nmate 2: 100,1,0 q0");
  const auto reference = make_reference(hand.contigs);
  for (const auto& name : usable_engines()) {
    INFO(name);
    const auto engine = pipeline::make_engine(name, reference, hand.options);
    engine->set_inserts(hand.inserts);
    CHECK(text_of_pair(map_with(*engine->make_worker(), std::vector{mates}), 0) == expected);
  }
}
