// The matchers of the list on the device: those with edits, and what all have in common. exact_matchers_test.cpp has
// the exact ones.
#include <algorithm>
#include <stdexcept>
#include <string>

#include "base/error.hpp"
#include "base/made_text.hpp"
#include "gpu/device/devices.hpp"
#include "lab/kernels/gpu_matchers.hpp"
#include "lab/matchers/sequential.hpp"
#include "lab/tests/gpu/check_ends.hpp"
#include "lab/tests/matcher_cases.hpp"
#include "tests/catch.hpp"

using namespace trawl;

// Without one, ctest takes the message of this as the reason to skip all.
TEST_CASE("there is a device") { REQUIRE_NOTHROW(gpu::usable_devices(1)); }

TEST_CASE("every matcher with edits on the device", "[matchers][sanitize]") {
  tests::RandomCases random(52);
  tests::for_each_with_edits(gpu::gpu_matchers(), [&](const gpu::GpuMatcher& matcher, unsigned alpha, unsigned k) {
    // Some texts have several blocks: a block has up to 65,536 characters.
    for (int n = 0; n < 4; ++n) {
      const auto c = tests::matcher_case(random, *matcher.facts, k, alpha, n == 3 ? 200'000 : 20'000);
      CAPTURE(matcher.facts->name, alpha);
      tests::check_ends(random, {c.text, c.settings.pattern}, k,
                        [&](const auto& text, auto& ends) { matcher.run(text, c.settings, ends, 1); });
    }
  });
}

TEST_CASE("every matcher with edits meets the borders of stretches thousands of times on the device", "[matchers]") {
  const tests::LongText text(3'000'001);
  tests::for_each_with_edits(gpu::gpu_matchers(), [&](const gpu::GpuMatcher& matcher, unsigned alpha, unsigned k) {
    if (k > 2) {
      return;
    }
    CAPTURE(matcher.facts->name, alpha);
    text.check(9, k, [&](const std::string& pattern, gpu::DeviceEnds& ends) {
      matcher.run(text.on_device, {pattern, k, alpha}, ends, 1);
    });
  });
}

TEST_CASE("every matcher with edits gives the same from host memory, in pieces", "[matchers]") {
  tests::RandomCases random(58);
  tests::for_each_with_edits(gpu::gpu_matchers(), [&](const gpu::GpuMatcher& matcher, unsigned alpha, unsigned k) {
    const auto c = tests::matcher_case(random, *matcher.facts, k, alpha, 5000);
    const auto expected = matchers::sequential_ends(c.text, c.settings.pattern, k);
    const auto output = static_cast<gpu::Output>(random.number(0, 3));
    const gpu::HostTextWork work{
        .streams = static_cast<unsigned>(random.number(1, 3)), .piece = 32 * random.number(1, 40), .output = output};
    CAPTURE(matcher.facts->name, alpha, k, c.text.size(), c.settings.pattern.size(), work.streams, work.piece,
            static_cast<int>(output));
    const auto run = gpu::run_matcher_from_host(matcher.facts->name, gpu::HostCharacters(c.text, random.chance(0.5)),
                                                c.settings, work);
    const auto right = lab::found_ends<std::uint64_t>(
        gpu::Output::bytes, c.text.size(), static_cast<std::uint64_t>(std::count(expected.begin(), expected.end(), 1)),
        expected, {}, {});
    const auto found = lab::found_ends(output, c.text.size(), run.count, run.bytes, run.bits, run.list);
    REQUIRE(lab::fault_of(found, output, right.list) == "");
  });
}

TEST_CASE("a matcher that is not in the list is refused, and so are settings that it does not take", "[matchers]") {
  const gpu::DeviceText text("ACGT");
  gpu::DeviceEnds ends(4, gpu::Output::bytes);
  REQUIRE_THROWS_AS(gpu::run_matcher("no-such-matcher", text, {"A"}, ends, 1), UsageError);
  REQUIRE_THROWS_AS(gpu::run_matcher("brute-force", text, {""}, ends, 1), UsageError);
  REQUIRE_THROWS_AS(gpu::run_matcher("brute-force", text, {"A", 1}, ends, 1), UsageError);
  REQUIRE_THROWS_AS(gpu::run_matcher("gbpr", text, {"ACGT"}, ends, 1, {.stretch = 64}), UsageError);
  const gpu::HostCharacters on_host("ACGT", false);
  REQUIRE_THROWS_AS(gpu::run_matcher_from_host("brute-force", on_host, {"A"}, {.streams = 0}), UsageError);
}

TEST_CASE("every matcher and an empty text on the device", "[matchers]") {
  const gpu::DeviceText text("");
  const gpu::HostCharacters on_host("", true);
  for (const gpu::GpuMatcher& matcher : gpu::gpu_matchers()) {
    const std::string pattern(4, 'A');
    CAPTURE(matcher.facts->name);
    for (const auto output : tests::kOutputs) {
      gpu::DeviceEnds ends(0, output, 10);
      REQUIRE(matcher.run(text, {pattern}, ends, 2).seconds.size() == 2);
      REQUIRE(ends.count() == 0);
      REQUIRE(ends.fetch(0, 0).empty());
    }
    const auto run = gpu::run_matcher_from_host(matcher.facts->name, on_host, {pattern});
    REQUIRE((run.count == 0 && run.list.empty()));
  }
  gpu::DeviceEnds of_another(5, gpu::Output::bytes);
  REQUIRE_THROWS_AS(gpu::run_matcher("gbpr", text, {"ACGT"}, of_another, 1), std::invalid_argument);
}

TEST_CASE("results over one text have the same digest whatever their output, and others another") {
  tests::RandomCases random(57);
  const std::string pattern = tests::random_letters(random, 12, 4);
  const std::string letters = tests::hostile_text(random, pattern, 100'003, 4);
  const gpu::DeviceText text(letters);
  std::vector<gpu::EndsDigest> of_edits;
  for (const unsigned k : {0u, 1u}) {
    gpu::EndsDigest expected;
    const auto expected_ends = matchers::sequential_ends(letters, pattern, k);
    for (std::uint64_t j = 0; j < expected_ends.size(); ++j) {
      expected.count += expected_ends[j];
      expected.hash += expected_ends[j] * mixed(j);
    }
    for (const auto output : tests::kOutputs) {
      gpu::DeviceEnds ends(letters.size(), output, letters.size());
      gpu::run_matcher("gbpr", text, {pattern, k}, ends, 1);
      REQUIRE((ends.digest() == expected));
      REQUIRE(ends.count() == expected.count);
    }
    of_edits.push_back(expected);
  }
  REQUIRE(!(of_edits[0] == of_edits[1]));
  gpu::DeviceEnds too_short(letters.size(), gpu::Output::list, 3);
  gpu::run_matcher("gbpr", text, {pattern, 1}, too_short, 1);
  REQUIRE(too_short.count() == of_edits[1].count);
  REQUIRE_THROWS_AS(too_short.digest(), Error);
  REQUIRE_THROWS_AS(too_short.list(), Error);
  gpu::DeviceEnds number(letters.size(), gpu::Output::count);
  gpu::run_matcher("gbpr", text, {pattern, 1}, number, 1);
  REQUIRE(number.count() == of_edits[1].count);
  REQUIRE_THROWS_AS(number.digest(), std::logic_error);
  REQUIRE_THROWS_AS(number.fetch(0, 1), std::logic_error);
}

TEST_CASE("matchers and a text beyond 4 GiB", "[large]") {
  const tests::PlantedText planted;
  const std::size_t m = planted.pattern.size();
  for (const gpu::GpuMatcher& matcher : gpu::gpu_matchers()) {
    const matchers::MatcherFacts& facts = *matcher.facts;
    const std::string name = facts.name;
    // One kernel runs the exact matchers, so three are enough, beside the one with a kernel of its own.
    const bool other_exact = matcher.takes_work && facts.most_edits == 0 && name != "brute-force" &&
                             name != "shift-or" && name != "horspool";
    for (unsigned k = 0; k <= std::min(2u, facts.most_edits); ++k) {
      for (const unsigned alpha : tests::alphas_of(facts)) {
        if (m > facts.longest || other_exact) {
          continue;
        }
        CAPTURE(name, alpha, k);
        planted.check(k, [&](const auto& text, auto& ends) {
          matcher.run(text, {planted.pattern, k, alpha}, ends, 1);
        });
      }
    }
  }
}
