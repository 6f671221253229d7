// Makes contigs, pairs and options from bytes, as the conformance tests make them from seeds, and compares the engine's
// pairs with the oracle: concordant and discordant ones, clipped ends, mapping qualities; and each mate as a single
// read.
#include <cstdio>
#include <cstdlib>

#include "tests/fuzz/memory_file.hpp"
#define REQUIRE(holds) trawl::fuzz::check(holds)  // of Catch2, in the headers of the conformance tests

#include "tests/conformance/map_pairs.hpp"

using namespace trawl;

namespace {

void compare(const std::string& found, const std::string& expected, const std::string& about) {
  if (found != expected) {
    std::fprintf(stderr, "found %s\nexpected %s\n%s\n", found.c_str(), expected.c_str(), about.c_str());
    std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tests::RandomCases random(std::string_view(reinterpret_cast<const char*>(data), size));
  tests::Kind kind{.seed = 0, .cases = 1};
  kind.input = static_cast<decltype(kind.input)>(random.number(0, 2));
  kind.ambiguity = random.chance(0.3) ? 0.01 : 0;
  kind.ambiguous = kind.ambiguity > 0 && random.chance(0.5) ? map::Ambiguous::match : map::Ambiguous::mismatch;
  kind.clip = random.chance(0.5);
  kind.metric = !kind.clip && random.chance(0.2) ? map::Metric::hamming : map::Metric::levenshtein;
  const tests::Case input = tests::random_case(kind, random);
  map::Options options = input.options;
  options.report = static_cast<map::Report>(random.number(0, 2));
  options.strata = options.report == map::Report::strata ? static_cast<std::uint32_t>(random.number(0, 3)) : 0;
  options.max_hits = random.chance(0.3) ? random.number(1, 4) : 0;
  options.pairs.discordant = align::Discordant(random.number(0, 2));
  const tests::PairOracle oracle(options, input.inserts);
  const auto engine = tests::engine_for("cpu", input, options);
  const auto worker = engine->make_worker();
  const auto found = tests::map_with(*worker, input.pairs);
  for (std::size_t i = 0; i < input.pairs.size(); ++i) {
    compare(tests::text_of_pair(found, i), tests::text_of(oracle.expect(input.first[i], input.second[i])),
            tests::about(input, options, i));
  }
  const auto& [first, second] = input.pairs.front();
  const auto alone = tests::map_with(*worker, std::vector{first, second});
  compare(tests::text_of(alone, 0), tests::text_of_single(input.first.front(), options.report_rule()),
          tests::about(input, options, 0));
  compare(tests::text_of(alone, 1), tests::text_of_single(input.second.front(), options.report_rule()),
          tests::about(input, options, 0));
  return 0;
}
