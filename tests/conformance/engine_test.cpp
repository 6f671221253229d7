// Compares every engine with the oracle: the loci, their alignments, and which of them are reported.
#include <set>

#include "align/mapq.hpp"
#include "pipeline/engine_choice.hpp"
#include "tests/catch.hpp"
#include "tests/conformance/map_pairs.hpp"
#include "tests/conformance/map_reads.hpp"
#include "tests/random_cases.hpp"

using namespace trawl;
using namespace trawl::tests;

namespace {

// Maps the reads, and compares what is said of each with the oracle.
void check_reads(const std::string& name, const std::vector<std::string>& contigs, const map::MapOptions& options,
                 const std::vector<Read>& reads) {
  const auto reference = tests::make_reference(contigs);
  const auto alignments = map_with(*pipeline::make_engine(name, reference, options)->make_worker(), reads);
  const ReadOracle oracle(contigs, options);
  for (std::size_t r = 0; r < reads.size(); ++r) {
    INFO("engine " << name << ", edits " << options.max_edits.number << ", read " << r << ": " << reads[r].bases);
    REQUIRE(text_of(alignments, r) == text_of_single(oracle.find(reads[r]), options.report_rule()));
  }
}

// Checks `cases` random inputs: with each engine, the three reports, batches of any size, and workers in any order.
void check_cases(std::uint64_t seed, std::size_t cases, double ambiguity, map::Ambiguous ambiguous,
                 std::size_t longest) {
  tests::RandomCases random(seed);
  for (std::size_t n = 0; n < cases / kFewer; ++n) {
    const auto contigs = random.contigs(ambiguity);
    const auto reference = tests::make_reference(contigs);
    map::MapOptions options;
    options.max_edits = random_max_edits(random);
    options.ambiguous = ambiguous;
    options.eqx = random.chance(0.5);
    options.strands = random_strands(random);
    options.damage = damage_of_case(n);
    options.search = random.chance(0.6)   ? map::SearchMethod::automatic
                     : random.chance(0.5) ? map::SearchMethod::seeds
                                          : map::SearchMethod::scan;
    options.threads = static_cast<unsigned>(random.number(1, 2));
    const auto reads = random_reads(random, contigs, options.max_edits, ambiguity, longest);
    std::vector<ReadLoci> expected;
    for (const Read& read : reads) {
      expected.push_back(ReadOracle(contigs, options).find(read));
    }

    for (const auto report : {map::Report::all, map::Report::best, map::Report::strata}) {
      options.report = report;
      options.strata = report == map::Report::strata ? static_cast<std::uint32_t>(random.number(0, 3)) : 0;
      options.max_hits = random.chance(0.3) ? random.number(1, 4) : 0;
      for (const auto& name : usable_engines()) {
        INFO("engine " << name << ", seed " << seed << ", case " << n);
        const auto engine = pipeline::make_engine(name, reference, options);
        const auto worker = engine->make_worker();
        const auto together = map_with(*worker, reads);
        REQUIRE(together.reads.size() == reads.size());
        const auto other_worker = engine->make_worker();
        for (std::size_t i = reads.size(); i-- > 0;) {
          INFO("report " << static_cast<int>(report) << ", read " << i << ": " << reads[i].bases);
          REQUIRE(text_of(together, i) == text_of_single(expected[i], options.report_rule()));
          REQUIRE(text_of(map_with(*other_worker, {reads[i]}), 0) == text_of(together, i));
        }
        REQUIRE(text_of(map_with(*worker, {reads.front(), reads.back()}), 1) == text_of(together, reads.size() - 1));
      }
    }
  }
}

}  // namespace

TEST_CASE("records are the oracle's loci") { check_cases(101, 100, 0.0, map::Ambiguous::mismatch, 250); }

TEST_CASE("records are the oracle's loci, in more cases", "[long]") {
  check_cases(100, 300, 0.0, map::Ambiguous::mismatch, 250);
}

TEST_CASE("a read is allowed at most 255 edits, however long it is") {
  tests::RandomCases random(109);
  const std::vector<std::string> contigs{random.bases(1500)};
  map::MapOptions options;
  options.max_edits = {true, 50, 0};
  options.report = map::Report::all;
  std::vector<Read> reads;
  for (std::size_t length = 480; length < 700; length += 20) {
    Read read{"read", contigs[0].substr(length, length), ""};
    // The last ones have more edits than 255, and fewer than half their letters.
    for (std::size_t i = 0; i < length; i += 2) {
      read.bases[i] = read.bases[i] == 'A' ? 'C' : 'A';
    }
    reads.push_back(read);
  }
  for (const auto& name : usable_engines()) {
    check_reads(name, contigs, options, reads);
  }
}

TEST_CASE("records are the oracle's loci where bases are ambiguous and match nothing", "[long]") {
  check_cases(102, 400, 0.01, map::Ambiguous::mismatch, 250);
}

TEST_CASE("records are the oracle's loci where ambiguous bases match", "[long]") {
  check_cases(103, 200, 0.01, map::Ambiguous::match, 200);
}

TEST_CASE("records of long reads are the oracle's loci", "[long]") {
  check_cases(104, 25, 0.001, map::Ambiguous::mismatch, 1500);
}

TEST_CASE("a read that is all N, and a reference that is") {
  for (const auto& name : usable_engines()) {
    INFO(name);
    const std::vector<std::string> contigs{std::string(300, 'N'), "ACGTTGCAACGGTACCATGTTTACCAGGAC", "A"};
    const std::vector<Read> reads{{"n", std::string(20, 'N'), ""}, {"one", "A", "I"}, {"plain", "GTTGCAACGGTACC", ""}};
    for (const auto ambiguous : {map::Ambiguous::mismatch, map::Ambiguous::match}) {
      map::MapOptions options;
      options.ambiguous = ambiguous;
      options.report = map::Report::all;
      for (const std::uint32_t edits : {0u, 1u, 19u, 20u}) {
        options.max_edits = {false, 0, edits};
        check_reads(name, contigs, options, reads);
      }
    }
  }
}

TEST_CASE("an empty batch gives an empty result") {
  const auto reference = tests::make_reference({"ACGTACGT"});
  for (const auto& name : usable_engines()) {
    const auto engine = pipeline::make_engine(name, reference, {});
    const auto worker = engine->make_worker();
    align::AlignmentBatch alignments;
    worker->map(batch_of({{"r", "ACGT", ""}}), alignments);
    worker->map({}, alignments);
    CHECK(alignments.reads.empty());
    CHECK(alignments.alignments.empty());
  }
}

TEST_CASE("an engine that this build has not is a usage error") {
  const auto reference = tests::make_reference({"ACGTACGT"});
  CHECK_THROWS(pipeline::make_engine("abacus", reference, {}));
  CHECK(pipeline::make_engine("auto", reference, {}) != nullptr);
}

TEST_CASE("reads of the same bases spread over equal loci by their names") {
  tests::RandomCases random(105);
  const std::string unit = random.bases(60);
  std::vector<std::string> contigs;
  for (int c = 0; c < 8; ++c) {
    contigs.push_back(random.bases(100) + unit + random.bases(100));
  }
  const auto reference = tests::make_reference(contigs);
  std::vector<Read> reads;
  for (int r = 0; r < 200; ++r) {
    reads.push_back({"name" + std::to_string(r), unit, ""});
  }
  for (const auto& name : usable_engines()) {
    INFO(name);
    const auto alignments = map_with(*pipeline::make_engine(name, reference, {})->make_worker(), reads);
    std::set<std::uint32_t> used;
    for (const auto& alignment : alignments.alignments) {
      used.insert(alignment.contig);
    }
    CHECK(used.size() == contigs.size());
  }
}

TEST_CASE("mapping quality falls with every locus that competes") {
  tests::RandomCases random(106);
  for (const auto& name : usable_engines()) {
    for (int n = 0; n < 30; ++n) {
      INFO(name << ", case " << n);
      map::MapOptions options;
      options.max_edits = {false, 0, 6};
      std::vector<std::string> contigs{random.bases(300)};
      Read read{"read", contigs[0].substr(100, 100), std::string(100, 'I')};
      read.bases = random.mutate(read.bases, random.number(0, 1));
      read.qualities.resize(read.bases.size(), 'I');
      unsigned before = align::MapqModel::kMaxMapq;
      for (int copies = 0; copies < 12; ++copies) {
        const auto reference = tests::make_reference(contigs);
        const auto alignments = map_with(*pipeline::make_engine(name, reference, options)->make_worker(), {read});
        const auto& result = alignments.reads[0];
        REQUIRE(result.count == 1);
        const unsigned mapq = alignments.alignments[0].mapq;
        INFO("copies " << copies << ", best " << result.best_count);
        CHECK(mapq <= before);
        if (result.best_count > 1) {
          CHECK(mapq == 0);
          break;
        }
        if (copies == 0) {
          CHECK(mapq >= 40);
        }
        before = mapq;
        std::string copy = contigs[0];
        for (std::size_t k = random.number(1, 5); k > 0; --k) {
          copy[random.number(110, 190)] = random.base();
        }
        contigs.push_back(copy);
      }
    }
  }
}

TEST_CASE("a gap is one event for mapping quality") {
  tests::RandomCases random(108);
  const std::string contig = random.bases(2000);
  const auto reference = tests::make_reference({contig});
  map::MapOptions options;
  options.max_edits = {false, 0, 7};
  for (const auto& name : usable_engines()) {
    const auto engine = pipeline::make_engine(name, reference, options);
    const auto worker = engine->make_worker();
    const auto mapq_of = [&](const std::string& bases, char quality) {
      const auto alignments = map_with(*worker, {{"read", bases, std::string(bases.size(), quality)}});
      REQUIRE(alignments.reads[0].best_count == 1);
      return unsigned{alignments.alignments.at(0).mapq};
    };
    for (const bool deletion : {true, false}) {
      std::vector<unsigned> worse(8, 60);  // [bases of the gap]: with better base qualities
      for (char quality = 'I'; quality > '!'; --quality) {
        unsigned shorter = 60;
        for (std::size_t bases = 0; bases <= 7; ++bases) {
          INFO(name << ": " << (deletion ? "deleted " : "inserted ") << bases << ", quality " << quality - '!');
          const std::string gap = deletion ? "" : random.bases(bases);
          const std::string read = contig.substr(500, 75) + gap + contig.substr(deletion ? 575 + bases : 575, 75);
          const unsigned mapq = mapq_of(read, quality);
          CHECK(mapq <= shorter);
          CHECK(mapq <= worse[bases]);
          CHECK(mapq >= (quality >= '!' + 12 ? 60u : 22u));
          shorter = mapq;
          worse[bases] = mapq;
        }
      }
    }
    // As many mismatches as are allowed: nothing else was found, so the quality is not low.
    std::string read = contig.substr(500, 150);
    for (std::size_t i = 10; i < 150; i += 20) {
      read[i] = read[i] == 'A' ? 'C' : 'A';
    }
    for (char quality = 'I'; quality > '!'; --quality) {
      CHECK(mapq_of(read, quality) >= 22);
    }
  }
}

TEST_CASE("of loci with as many edits, that whose edits damage explains is the better one") {
  tests::RandomCases random(118);
  const std::string middle = random.bases(50);
  const std::string read = "TTGA" + middle + "GTCAA";
  const std::string other = middle.substr(0, 20) + sequence::complement_base(middle[20]) + middle.substr(21);
  struct Case {
    std::string contig, second;  // what is in the place of the read
    std::uint32_t primary;
    unsigned mapq;
    bool single_stranded;
  };
  const std::string first_c = "CTGA" + middle + "GTCAA";
  const std::string last_g = "TTGA" + middle + "GTCAG";
  const std::string inside = "TTGA" + other + "GTCAA";
  for (const bool reverse : {false, true}) {
    for (const Case& c : std::vector<Case>{{first_c, inside, 0, 29, false},  // 10^-(34 - 5) / 10
                                           {inside, last_g, 1, 29, false},
                                           {first_c, last_g, 2, 0, false},  // equally good
                                           {inside, inside, 2, 0, false},
                                           {inside, first_c, 1, 29, true},
                                           {last_g, first_c, 1, 29, true},
                                           {inside, last_g, 2, 0, true}}) {
      map::MapOptions options;
      options.max_edits = {false, 0, 6};
      options.damage = {.first = 0.31, .decay = 0.3, .interior = 0.01, .single_stranded = c.single_stranded};
      const auto turned = [&](const std::string& bases) {
        return reverse ? sequence::reverse_complement(bases) : bases;
      };
      const auto reference = tests::make_reference({random.bases(50) + turned(c.contig) + random.bases(50),
                                                    random.bases(50) + turned(c.second) + random.bases(50)});
      for (const auto& name : usable_engines()) {
        const auto engine = pipeline::make_engine(name, reference, options);
        INFO(name << ", reverse " << reverse << ": " << c.contig << ", " << c.second);
        const auto found = map_with(*engine->make_worker(), {{"read", read, std::string(read.size(), 'I')}});
        REQUIRE(found.reads[0].best_count == 2);
        const align::Alignment& chosen = found.alignments.at(0);
        CHECK((c.primary == 2 || chosen.contig == c.primary));
        CHECK(chosen.mapq == c.mapq);
        // What is set later counts.
        engine->set_damage({});
        CHECK(map_with(*engine->make_worker(), {{"read", read, ""}}).alignments.at(0).mapq == 0);
      }
    }
  }
}

TEST_CASE("mapping quality is the posterior") {
  tests::RandomCases random(107);
  const std::string contig = random.bases(300);
  std::vector<std::string> contigs{contig};
  map::MapOptions options;
  options.max_edits = {false, 0, 6};
  const Read read{"read", contig.substr(100, 100), std::string(100, 'I')};
  // The read has copies with one mismatch of quality 40. The error is 1 in 1 + 10^3.4 / their number.
  const unsigned expected[] = {60, 34, 30, 29, 27};
  for (const unsigned mapq : expected) {
    const auto reference = tests::make_reference(contigs);
    for (const auto& name : usable_engines()) {
      INFO(name << ", contigs " << contigs.size());
      const auto alignments = map_with(*pipeline::make_engine(name, reference, options)->make_worker(), {read});
      CHECK(alignments.alignments.at(0).mapq == mapq);
    }
    std::string copy = contig;
    char& letter = copy[110 + 10 * contigs.size()];
    letter = letter == 'A' ? 'C' : 'A';
    contigs.push_back(copy);
  }
}
