// Workers and batches of pairs: what one worker does must not depend on others, nor on the batches.
#include <string>
#include <vector>

#include "pipeline/engine_choice.hpp"
#include "tests/catch.hpp"
#include "tests/conformance/map_pairs.hpp"
#include "tests/conformance/map_reads.hpp"
#include "tests/pair_oracle.hpp"
#include "tests/random_cases.hpp"

using namespace trawl;
using namespace trawl::tests;

TEST_CASE("a worker for single reads takes mates as such, and gives the best locus of each") {
  RandomCases random(711);
  std::size_t mapped = 0;
  for (std::size_t n = 0; n < 40 / kFewer; ++n) {
    Case input = random_case({711, 1}, random);
    input.options.report = random.chance(0.5) ? map::Report::all : map::Report::strata;
    input.options.max_hits = random.number(0, 2);
    map::MapOptions best = input.options;
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
      const auto expected = tests::map_with(*pipeline::make_engine(name, input.reference, best)->make_worker(), reads);
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
      map::MapOptions options = input.options;
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
