// Compares every engine with the oracle of pairs.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/registry.hpp"
#include "tests/catch.hpp"
#include "tests/conformance/map_reads.hpp"
#include "tests/pair_oracle.hpp"
#include "tests/random_cases.hpp"

using namespace trawl;
using namespace trawl::tests;

namespace {

using Mates = std::pair<Read, Read>;

constexpr const char* kKinds[] = {"unmapped", "one end", "discordant", "concordant"};

sequence::ReadBatch batch_of(const std::vector<Mates>& pairs) {
  std::vector<Read> reads;
  for (const auto& [first, second] : pairs) {
    reads.push_back(first);
    reads.push_back(second);
  }
  auto batch = tests::batch_of(reads);
  batch.paired = true;
  return batch;
}

align::AlignmentBatch map_with(engine::Worker& worker, const std::vector<Mates>& pairs) {
  align::AlignmentBatch alignments;
  worker.map(batch_of(pairs), alignments);
  REQUIRE(alignments.reads.size() == 2 * pairs.size());
  REQUIRE(alignments.pairs.size() == pairs.size());
  return alignments;
}

// All that is known about pair i, as text.
std::string text_of_pair(const align::AlignmentBatch& batch, std::size_t i) {
  const auto& pair = batch.pairs[i];
  std::string text = std::string(kKinds[static_cast<int>(pair.kind)]) + ", " + std::to_string(pair.dropped) +
                     " dropped, insert " + std::to_string(pair.insert);
  const auto mate_of = [&](std::size_t k, std::size_t m) -> const align::Alignment& {
    return batch.alignments.at(batch.concordant_pairs.at(pair.first + k).mates[m]);
  };
  for (std::size_t k = 0; k < pair.count; ++k) {
    text += "\npair " + text_of(batch, mate_of(k, 0)) + " | " + text_of(batch, mate_of(k, 1));
  }
  for (std::size_t m = 0; m < 2; ++m) {
    const auto& mate = batch.reads[2 * i + m];
    text += "\nmate " + std::to_string(m + 1) + ": " + std::to_string(mate.best_count) + "," +
            (mate.next_known ? std::to_string(mate.next_count) : "?") + "," + std::to_string(mate.dropped);
    if (mate.best_count == 0) {
      text += mate.unmapped == align::Unmapped::too_short ? " too short" : " no locus";
    }
    if (pair.count > 0) {
      text += " q" + std::to_string(mate_of(0, m).mapq);
    } else if (mate.count > 0) {
      text += " q" + std::to_string(batch.alignments.at(mate.first).mapq);
    }
    for (std::size_t k = 0; k < mate.count; ++k) {
      text += "\nalone " + text_of(batch, batch.alignments.at(mate.first + k));
    }
  }
  return text;
}

std::string text_of(const AlignedLocus& locus) {
  return std::to_string(locus.contig) + (locus.reverse ? "-" : "+") + std::to_string(locus.start) + "+" +
         std::to_string(locus.span) + " " + std::to_string(locus.distance) + "," + std::to_string(locus.edits) + " " +
         locus.cigar + " " + locus.md;
}

// The same for what the oracle expects.
std::string text_of(const ExpectedPair& pair) {
  std::string text = std::string(kKinds[static_cast<int>(pair.kind)]) + ", " + std::to_string(pair.dropped) +
                     " dropped, insert " + std::to_string(pair.pairs.empty() ? 0 : pair.pairs.front().insert);
  for (const OraclePair& reported : pair.pairs) {
    text += "\npair " + text_of(*reported.mates[0]) + " | " + text_of(*reported.mates[1]);
  }
  for (int m = 0; m < 2; ++m) {
    const ExpectedMate& mate = pair.mates[m];
    text += "\nmate " + std::to_string(m + 1) + ": " + std::to_string(mate.best_count) + "," +
            (mate.next_known ? std::to_string(mate.next_count) : "?") + "," + std::to_string(mate.dropped);
    if (mate.best_count == 0) {
      text += mate.too_short ? " too short" : " no locus";
    }
    if (!pair.pairs.empty() || !mate.alone.empty()) {
      text += " q" + std::to_string(mate.mapq);
    }
    for (const AlignedLocus* locus : mate.alone) {
      text += "\nalone " + text_of(*locus);
    }
  }
  return text;
}

std::string first_line_with(const std::string& text, const std::string& start) {
  const std::size_t at = text.find("\n" + start);
  return at == std::string::npos ? "" : text.substr(at, text.find('\n', at + 1) - at);
}

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
    equals += pair.sum() == primary.sum() && oracle.insert_cost(pair.insert) == oracle.insert_cost(primary.insert);
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

struct Kind {
  std::uint64_t seed;
  std::size_t cases;
  enum { repeats, tandem, mixed } input = repeats;
  double ambiguity = 0;
  map::Ambiguous ambiguous = map::Ambiguous::mismatch;
  std::size_t longest = 60;
  std::size_t most_edits = 5;
};

// Blocks of two units with a spacer, copied with few edits, in order and turned around, to one or more contigs.
std::vector<std::string> repeats(RandomCases& random) {
  const std::string units[] = {random.bases(random.number(20, 60)), random.bases(random.number(20, 60))};
  const std::string block = units[0] + random.bases(random.number(0, 80)) + units[1];
  std::vector<std::string> contigs;
  for (std::size_t c = random.number(1, 3); c > 0; --c) {
    std::string contig = random.chance(0.5) ? "" : random.bases(random.number(1, 80));
    for (std::size_t n = random.number(1, 5); n > 0; --n) {
      std::string piece = random.chance(0.6) ? block : units[random.number(0, 1)];
      piece = random.mutate(piece, random.chance(0.5) ? 0 : random.number(1, 4));
      contig += random.chance(0.7) ? piece : sequence::reverse_complement(piece);
      contig += random.bases(random.chance(0.5) ? 0 : random.number(1, 90));
    }
    contigs.push_back(contig.empty() ? "A" : contig);
  }
  return contigs;
}

// Loci with many ends, or many loci a period apart.
std::vector<std::string> tandem_repeats(RandomCases& random) {
  std::vector<std::string> contigs;
  for (std::size_t c = random.number(1, 2); c > 0; --c) {
    std::string contig = random.bases(random.number(0, 40));
    for (std::size_t n = random.number(1, 2); n > 0; --n) {
      const std::string unit = random.bases(random.number(1, random.chance(0.5) ? 6 : 25));
      std::string repeat;
      while (repeat.size() < 180) {
        repeat += unit;
      }
      contig += random.mutate(repeat, random.number(0, 5)) + random.bases(random.number(0, 60));
    }
    contigs.push_back(contig);
  }
  return contigs;
}

std::vector<std::string> contigs_for(const Kind& kind, RandomCases& random) {
  switch (kind.input) {
    case Kind::repeats:
      return repeats(random);
    case Kind::tandem:
      return tandem_repeats(random);
    default: {
      std::vector<std::string> contigs;
      for (std::size_t c = random.number(1, 4); c > 0; --c) {
        contigs.push_back(random.contig(random.number(1, 400), kind.ambiguity));
      }
      return contigs;
    }
  }
}

// Two mates of a fragment, or of none. Fragments may be shorter than the mates, and reach beyond a contig's ends.
Mates random_mates(RandomCases& random, const std::vector<std::string>& contigs, const map::Options& options,
                   double ambiguity, std::size_t longest) {
  const std::string& contig = contigs[random.number(0, contigs.size() - 1)];
  const std::size_t lengths[2] = {random.number(random.chance(0.1) ? 1 : 14, longest),
                                  random.number(random.chance(0.1) ? 1 : 14, longest)};
  const std::size_t insert = random.chance(0.3) ? random.number(1, 60) : random.number(40, 260);
  const std::size_t begin = random.chance(0.15) ? 0 : random.number(0, contig.size() - 1);
  const std::size_t end = random.chance(0.1) ? contig.size() : std::min(contig.size(), begin + insert);
  std::string left = contig.substr(begin, lengths[0]);
  std::string right = contig.substr(end > lengths[1] ? end - lengths[1] : 0, std::min(lengths[1], end));
  if (random.chance(0.08)) {
    right = contig.substr(std::min(contig.size() - 1, begin + random.number(0, 5)), random.number(10, lengths[0] + 10));
  }
  const auto orientation = random.chance(0.8) ? options.pairs.orientation : align::Orientation(random.number(0, 2));
  if (orientation == align::Orientation::fr) {
    right = sequence::reverse_complement(right);
  } else if (orientation == align::Orientation::rf) {
    left = sequence::reverse_complement(left);
  }
  if (random.chance(0.5)) {  // the same fragment from its other strand
    std::swap(left, right);
    if (orientation == align::Orientation::ff) {
      left = sequence::reverse_complement(left);
      right = sequence::reverse_complement(right);
    }
  }
  const auto far_away = [&](std::string& bases) {
    bases = random.chance(0.5) ? random.bases(random.number(1, 60)) : random.read(contigs, random.number(10, 60), 0, 0);
  };
  if (random.chance(0.12)) {
    far_away(left);
  }
  if (random.chance(0.12)) {
    far_away(right);
  }
  if (random.chance(0.05)) {
    right = left;
  }
  Mates mates;
  mates.first.name = mates.second.name = "pair" + std::to_string(random.number(0, 100000));
  std::string* const bases[2] = {&left, &right};
  Read* const reads[2] = {&mates.first, &mates.second};
  for (int m = 0; m < 2; ++m) {
    const std::size_t edits = std::min<std::size_t>(8, options.max_edits.of(bases[m]->size()));
    reads[m]->bases = random.mutate(*bases[m], random.chance(0.4) ? 0 : random.number(0, edits + edits / 4));
    for (char& letter : reads[m]->bases) {
      letter = random.chance(ambiguity) ? random.ambiguous_letter() : letter;
    }
    if (reads[m]->bases.empty()) {
      reads[m]->bases = "A";
    }
    if (random.chance(0.6)) {
      while (reads[m]->qualities.size() < reads[m]->bases.size()) {
        reads[m]->qualities += static_cast<char>(random.number('#', 'J'));
      }
    }
  }
  return mates;
}

align::InsertModel random_inserts(RandomCases& random) {
  align::InsertModel inserts;
  inserts.min = static_cast<std::uint32_t>(random.chance(0.5) ? 1 : random.number(1, 120));
  inserts.max =
      inserts.min + static_cast<std::uint32_t>(random.chance(0.3) ? random.number(0, 30) : random.number(60, 400));
  inserts.mean = static_cast<std::uint32_t>(random.number(inserts.min, inserts.max));
  inserts.deviation = static_cast<std::uint32_t>(random.chance(0.4) ? 0 : random.number(1, 60));
  return inserts;
}

struct Case {
  std::vector<std::string> contigs;
  sequence::Reference reference;
  map::Options options;
  align::InsertModel inserts;
  std::vector<Mates> pairs;
  std::vector<ReadLoci> first;
  std::vector<ReadLoci> second;
};

Case random_case(const Kind& kind, RandomCases& random) {
  Case made;
  made.contigs = contigs_for(kind, random);
  made.reference = make_reference(made.contigs);
  map::Options& options = made.options;
  options.max_edits = random.chance(0.3)
                          ? map::MaxEdits{true, static_cast<double>(random.number(0, 120)) / 10, 0}
                          : map::MaxEdits{false, 0, static_cast<std::uint32_t>(random.number(0, kind.most_edits))};
  options.ambiguous = kind.ambiguous;
  options.eqx = random.chance(0.3);
  options.search = random.chance(0.3)   ? map::Search::automatic
                   : random.chance(0.7) ? map::Search::seeds
                                        : map::Search::scan;
  options.pairs.orientation = random.chance(0.5) ? align::Orientation::fr : align::Orientation(random.number(0, 2));
  made.inserts = random_inserts(random);
  for (std::size_t n = random.number(1, 16); n > 0; --n) {
    made.pairs.push_back(random_mates(random, made.contigs, options, kind.ambiguity, kind.longest));
  }
  const ReadOracle oracle(made.contigs, options);
  for (const auto& [first, second] : made.pairs) {
    made.first.push_back(oracle.find(first));
    made.second.push_back(oracle.find(second));
  }
  return made;
}

std::unique_ptr<engine::Engine> engine_for(const std::string& name, const Case& input, const map::Options& options) {
  auto engine = engine::make_engine(name, input.reference, options);
  engine->set_inserts(input.inserts);
  return engine;
}

std::string about(const Case& input, const map::Options& options, std::size_t i) {
  std::string text = "pair " + std::to_string(i) + " " + input.pairs[i].first.name + ": " + input.pairs[i].first.bases +
                     " " + input.pairs[i].second.bases + "\n";
  for (const auto& contig : input.contigs) {
    text += "contig " + contig + "\n";
  }
  const auto& edits = options.max_edits;
  return text + "e " + (edits.is_fraction ? std::to_string(edits.percent) + "%" : std::to_string(edits.edits)) +
         ", inserts " + std::to_string(input.inserts.min) + "-" + std::to_string(input.inserts.max) + " mean " +
         std::to_string(input.inserts.mean) + " sd " + std::to_string(input.inserts.deviation) + ", orientation " +
         std::to_string(static_cast<int>(options.pairs.orientation)) + ", discordant " +
         std::to_string(static_cast<int>(options.pairs.discordant)) + ", report " +
         std::to_string(static_cast<int>(options.report)) + " strata " + std::to_string(options.strata) + " max_hits " +
         std::to_string(options.max_hits) + ", search " + std::to_string(static_cast<int>(options.search));
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

namespace {

struct HandCase {
  std::vector<std::string> contigs;
  map::Options options;
  align::InsertModel inserts{1, 100, 0, 0};

  std::string expected(const std::string& first, const std::string& second, const std::string& name = "p") const {
    const ReadOracle reads(contigs, options);
    const ReadLoci a = reads.find({name, first, ""});
    const ReadLoci b = reads.find({name, second, ""});
    return text_of(PairOracle(options, inserts).expect(a, b));
  }
};

constexpr auto kEdits = [](std::uint32_t edits) { return map::MaxEdits{false, 0, edits}; };

}  // namespace

TEST_CASE("the oracle's pairs, as found by hand: what is concordant") {
  // ACGTAACC at 4-12, TTGTACCA at 20-28.
  HandCase hand{{"TTTTACGTAACCTTGGCCAATTGTACCATTTT"}, {}};
  // The error is that one mate lies beyond the allowed distance: 10^-3.2, as the one edit it then has costs 32.
  CHECK(hand.expected("ACGTAACC", "TGGTACAA") ==
        "concordant, 0 dropped, insert 24\n"
        "pair 0+4+8 0,0 8M 8 | 0-20+8 0,0 8M 8\n"
        "mate 1: 1,?,0 q31\n"
        "mate 2: 1,?,0 q31");
  hand.inserts = {24, 24, 0, 0};
  CHECK(hand.expected("TGGTACAA", "ACGTAACC").starts_with("concordant, 0 dropped, insert 24\npair 0-20+8"));
  const std::string apart =
      "\nmate 1: 1,?,0 q32\nalone 0+4+8 0,0 8M 8"
      "\nmate 2: 1,?,0 q32\nalone 0-20+8 0,0 8M 8";
  for (const std::uint32_t wrong : {23u, 25u}) {
    hand.inserts = {wrong, wrong, 0, 0};
    CHECK(hand.expected("ACGTAACC", "TGGTACAA") == "discordant, 0 dropped, insert 0" + apart);
  }
  hand.options.pairs.discordant = align::Discordant::never;
  CHECK(hand.expected("ACGTAACC", "TGGTACAA") == "discordant, 0 dropped, insert 0\nmate 1: 1,?,0\nmate 2: 1,?,0");
  CHECK(hand.expected("ACGTAACC", "GGGGGGGG") ==
        "one end, 0 dropped, insert 0\nmate 1: 1,?,0 q32\nalone 0+4+8 0,0 8M 8\nmate 2: 0,?,0 no locus");
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
  const std::string a0 = "0+2+10 0,0 10M 10";
  const std::string a1 = "0+16+10 1,1 10M 5C4";
  const std::string b0 = "0-32+10 0,0 10M 10";
  const std::string b1 = "0-46+10 0,0 10M 10";
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
  const PairOracle oracle({}, {100, 500, 300, 20});
  const std::pair<std::size_t, int> costs[] = {{300, 0}, {309, 0},  {310, 1},  {320, 2}, {340, 9},
                                               {260, 9}, {385, 39}, {386, 40}, {500, 40}};
  for (const auto& [size, cost] : costs) {
    INFO(size);
    CHECK(oracle.insert_cost(size) == cost);
  }
  CHECK(PairOracle({}, {100, 500, 300, 0}).insert_cost(500) == 0);
  align::InsertModel model{100, 500, 300, 0};
  for (const std::uint32_t deviation : {0u, 1u, 7u, 20u, 333u}) {
    model.deviation = deviation;
    const PairOracle other({}, model);
    for (std::size_t size = 1; size < 2000; ++size) {
      INFO(deviation << " " << size);
      REQUIRE(static_cast<std::uint32_t>(other.insert_cost(size)) == model.cost(size));
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
  CHECK(expected == "concordant, 0 dropped, insert 100\npair 0+50+40 1,1 40M 20" + std::string(1, near[0][20]) +
                        "19 | 0-110+40 1,1 40M 20" + near[1][20] + "19\nmate 1: 100,1,0 q0\nmate 2: 100,1,0 q0");
  const auto reference = make_reference(hand.contigs);
  for (const auto& name : usable_engines()) {
    INFO(name);
    const auto engine = engine::make_engine(name, reference, hand.options);
    engine->set_inserts(hand.inserts);
    CHECK(text_of_pair(map_with(*engine->make_worker(), std::vector{mates}), 0) == expected);
  }
}

TEST_CASE("a worker for single reads takes mates as such, and gives the best locus of each") {
  RandomCases random(711);
  std::size_t mapped = 0;
  for (std::size_t n = 0; n < 40 / kFewer; ++n) {
    Case input = random_case({711, 1}, random);
    input.options.report = random.chance(0.5) ? map::Report::all : map::Report::strata;
    input.options.max_hits = random.number(0, 2);
    map::Options best = input.options;
    best.report = map::Report::best;
    best.max_hits = 0;
    std::vector<Read> reads;
    for (const auto& [first, second] : input.pairs) {
      reads.push_back(first);
      reads.push_back(second);
    }
    for (const auto& name : usable_engines()) {
      INFO(name << ", case " << n);
      const auto engine = engine_for(name, input, input.options);
      const auto worker = engine->make_single_worker();
      align::AlignmentBatch found;
      worker->map(batch_of(input.pairs), found);
      const auto expected = tests::map_with(*engine::make_engine(name, input.reference, best)->make_worker(), reads);
      REQUIRE(found.reads.size() == reads.size());
      for (std::size_t r = 0; r < reads.size(); ++r) {
        REQUIRE(tests::text_of(found, r) == tests::text_of(expected, r));
        mapped += found.reads[r].count;
      }
      // It does not change what the engine's other workers do.
      const auto pairs = map_with(*engine->make_worker(), input.pairs);
      const PairOracle oracle(input.options, input.inserts);
      for (std::size_t i = 0; i < input.pairs.size(); ++i) {
        REQUIRE(text_of_pair(pairs, i) == text_of(oracle.expect(input.first[i], input.second[i])));
      }
    }
  }
  CHECK(mapped >= 100 / kFewer);
}

TEST_CASE("the best pair is the first of all pairs") {
  RandomCases random(712);
  std::size_t compared = 0;
  for (std::size_t n = 0; n < 60 / kFewer; ++n) {
    const Case input = random_case({712, 1}, random);
    for (const auto& name : usable_engines()) {
      map::Options options = input.options;
      const auto best = map_with(*engine_for(name, input, options)->make_worker(), input.pairs);
      options.report = map::Report::all;
      const auto all = map_with(*engine_for(name, input, options)->make_worker(), input.pairs);
      for (std::size_t i = 0; i < input.pairs.size(); ++i) {
        INFO(name << ", case " << n << ", " << about(input, options, i));
        const std::string best_text = text_of_pair(best, i);
        const std::string all_text = text_of_pair(all, i);
        for (const char* line : {"pair ", "mate 1", "mate 2"}) {
          REQUIRE(first_line_with(best_text, line) == first_line_with(all_text, line));
        }
        compared += best.pairs[i].count > 0;
      }
    }
  }
  CHECK(compared >= 100 / kFewer);
}

TEST_CASE("a batch of many pairs, in one and in many parts") {
  RandomCases random(713);
  Case input;
  for (int c = 0; c < 2; ++c) {
    input.contigs.push_back(random.contig(700, 0.002));
  }
  input.reference = make_reference(input.contigs);
  input.options.max_edits = kEdits(3);
  input.inserts = {40, 300, 150, 50};
  for (std::size_t n = 0; n < 1500; ++n) {
    input.pairs.push_back(random_mates(random, input.contigs, input.options, 0.001, 60));
  }
  const PairOracle oracle(input.options, input.inserts);
  const ReadOracle reads(input.contigs, input.options);
  std::vector<std::string> expected;
  for (const auto& [first, second] : input.pairs) {
    const ReadLoci a = reads.find(first);
    const ReadLoci b = reads.find(second);
    expected.push_back(text_of(oracle.expect(a, b)));
  }
  for (const auto& name : usable_engines()) {
    const auto engine = engine_for(name, input, input.options);
    const auto worker = engine->make_worker();
    const auto together = map_with(*worker, input.pairs);
    for (std::size_t i = 0; i < input.pairs.size(); ++i) {
      INFO(name << ", " << about(input, input.options, i));
      REQUIRE(text_of_pair(together, i) == expected[i]);
    }
    for (std::size_t begin = 0; begin < input.pairs.size();) {
      const std::size_t end = std::min(input.pairs.size(), begin + random.number(1, 200));
      const auto part = map_with(*worker, std::vector<Mates>(input.pairs.begin() + static_cast<std::ptrdiff_t>(begin),
                                                             input.pairs.begin() + static_cast<std::ptrdiff_t>(end)));
      for (std::size_t i = begin; i < end; ++i) {
        INFO(name << ", part from " << begin << ", " << about(input, input.options, i));
        REQUIRE(text_of_pair(part, i - begin) == expected[i]);
      }
      begin = end;
    }
  }
}
