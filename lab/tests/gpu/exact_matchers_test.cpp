// Every exact matcher of the list on the device: on the cases of exact_cases.hpp, with each kind of memory and output.
#include <algorithm>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "gpu/device/devices.hpp"
#include "lab/kernels/gpu_matchers.hpp"
#include "lab/tests/exact_cases.hpp"
#include "lab/tests/gpu/check_ends.hpp"
#include "tests/catch.hpp"

using namespace trawl;
using gpu::GpuMatcher;
using gpu::GpuWork;
using gpu::Output;
using gpu::TableMemory;

namespace {

constexpr TableMemory kMemories[] = {TableMemory::automatic, TableMemory::constant, TableMemory::shared,
                                     TableMemory::global};
// Stretches of a few characters and blocks of a warp make many borders in short texts, and many tiles.
constexpr GpuWork kWorks[] = {
    {},
    {TableMemory::global, 1, 32, 0},
    {TableMemory::shared, 3, 64, 1},
    {TableMemory::constant, 28, 32, 0},
    {TableMemory::global, 7, 32, 2},
    {TableMemory::automatic, 0, 32, 3},
    {TableMemory::constant, 0, 256, 0},
    {TableMemory::shared, 33, 32, 0},
    {TableMemory::global, 0, 0, 1},
};

// The same work with the table in global memory where it does not fit what was asked for.
GpuWork possible(const GpuMatcher& matcher, const std::string& pattern, GpuWork work) {
  if (matcher.facts->name == std::string("word-compare")) {
    return {};
  }
  if (work.memory == TableMemory::automatic || work.memory == TableMemory::global) {
    return work;
  }
  // Automata have 512 bytes for each of 2 m states, and tables of letter pairs 128 KiB.
  static const gpu::DeviceText none("A");
  gpu::DeviceEnds ends(1, Output::list);
  try {
    matcher.run(none, pattern, ends, 0, work);
  } catch (const UsageError&) {
    work.memory = TableMemory::global;
  }
  return work;
}

// A text on the device with memory for its results. After the text comes what completes a match or is one.
class OnDevice {
 public:
  explicit OnDevice(const tests::ExactCase& c)
      : case_(c),
        text_(c.text, c.pattern.substr(c.pattern.size() / 2) + c.pattern),
        ends_(c.text.size(), Output::list, c.text.size()) {}

  void check(const GpuMatcher& matcher, const GpuWork& work) {
    matcher.run(text_, case_.pattern, ends_, 0, work);
    if (const auto fault = tests::fault_of(ends_.list(), case_.ends); !fault.empty()) {
      CAPTURE(matcher.facts->name, case_.kind, case_.pattern.size(), case_.text.size(), static_cast<int>(work.memory),
              work.stretch, work.threads, work.blocks);
      FAIL_CHECK(fault);
    }
  }

 private:
  const tests::ExactCase& case_;
  gpu::DeviceText text_;
  gpu::DeviceEnds ends_;
};

// A case with every matcher; the work changes from one to the next.
void check_all(const std::vector<GpuMatcher>& matchers, const tests::ExactCase& c, unsigned turn) {
  OnDevice on_device(c);
  for (const GpuMatcher& matcher : matchers) {
    ++turn;
    GpuWork work = kWorks[turn % std::size(kWorks)];
    // Automata of long patterns do not fit.
    if (c.pattern.size() > 60 && work.memory != TableMemory::automatic) {
      work.memory = TableMemory::global;
    }
    on_device.check(matcher, possible(matcher, c.pattern, work));
  }
}

// A text with the pattern many times, and some near misses.
tests::ExactCase long_case(std::uint64_t seed, std::size_t m, unsigned sigma, std::size_t size) {
  tests::RandomCases random(seed);
  tests::ExactCase c;
  c.kind = "long";
  c.pattern = tests::random_letters(random, m, sigma);
  c.text = tests::hostile_text(random, c.pattern, size, sigma);
  c.ends = lab::ends_of(c.text, c.pattern, 0);
  return c;
}

// Expects the case's ends of a run from host memory.
void check_from_host(const GpuMatcher& matcher, const tests::ExactCase& c, const gpu::HostCharacters& text,
                     const gpu::HostTextWork& work) {
  CAPTURE(matcher.facts->name, c.kind, c.pattern.size(), c.text.size(), work.streams, work.piece);
  REQUIRE((matcher.run_from_host(text, c.pattern, work).list == c.ends));
}

}  // namespace

// Without one, ctest takes the message of this as the reason to skip all.
TEST_CASE("there is a device") { REQUIRE_NOTHROW(gpu::usable_devices(1)); }

TEST_CASE("every exact matcher on the device, for each pattern length", "[matchers]") {
  const auto& matchers = gpu::gpu_matchers();
  unsigned turn = 0;
  for (const unsigned m : tests::exact_lengths()) {
    const auto cases = tests::exact_cases(m);
    // All kinds of texts for short patterns and for lengths next to those of words; some for each other length.
    const bool all = m <= 12 || (m % 32 <= 1 && m <= 130) || (m % 32 == 31 && m <= 130);
    for (std::size_t i = 0; i < cases.size(); ++i) {
      if (all || (i + m) % 5 == 0) {
        check_all(matchers, cases[i], turn += 5);
      }
    }
  }
}

TEST_CASE("every exact matcher with each memory on the device", "[matchers]") {
  for (const unsigned m : {1u, 9u, 77u, 300u}) {
    // Long enough for thousands of stretches.
    const auto c = long_case(60 + m, m, m < 5 ? 20 : 2, 3'000'001);
    REQUIRE(c.ends.size() > 200);
    OnDevice on_device(c);
    for (const GpuMatcher& matcher : gpu::gpu_matchers()) {
      for (const TableMemory memory : kMemories) {
        const GpuWork work = possible(matcher, c.pattern, {.memory = memory});
        on_device.check(matcher, work);
      }
    }
  }
}

TEST_CASE("the memory that is asked for is used, and what cannot be is refused", "[matchers]") {
  const gpu::DeviceText text("GATTACAGATTACA");
  gpu::DeviceEnds ends(text.size(), Output::list, 10);
  for (const TableMemory memory : {TableMemory::constant, TableMemory::shared, TableMemory::global}) {
    for (const char* name : {"brute-force", "shift-or"}) {
      const GpuWork asked{memory, 12, 64, 1};
      const auto run = gpu::gpu_matcher(name).run(text, "ACA", ends, 3, asked);
      REQUIRE((run.chosen == asked));
      REQUIRE(run.seconds.size() == 3);
      REQUIRE((ends.list() == std::vector<std::uint64_t>{6, 13}));
    }
  }
  const GpuMatcher& brute_force = gpu::gpu_matcher("brute-force");
  REQUIRE(brute_force.run(text, "ACA", ends, 1).chosen.memory == TableMemory::shared);
  REQUIRE_THROWS_AS(brute_force.run(text, "ACA", ends, 1, {.threads = 33}), UsageError);
  REQUIRE_THROWS_AS(brute_force.run(text, "ACA", ends, 1, {.stretch = 1u << 20}), UsageError);
  REQUIRE_THROWS_AS(brute_force.run(text, "", ends, 1), UsageError);
  REQUIRE_THROWS_AS(gpu::gpu_matcher("word-compare").run(text, "ACA", ends, 1, {.stretch = 64}), UsageError);
  REQUIRE_THROWS_AS(gpu::gpu_matcher("no-such-matcher"), UsageError);
  REQUIRE_THROWS_AS(brute_force.run_from_host(gpu::HostCharacters("ACGT", false), "A", {.streams = 0}), UsageError);
  gpu::DeviceEnds bytes(text.size(), Output::bytes), of_another(5, Output::list);
  REQUIRE_THROWS_AS(brute_force.run(text, "ACA", bytes, 1), std::invalid_argument);
  REQUIRE_THROWS_AS(brute_force.run(text, "ACA", of_another, 1), std::invalid_argument);
}

TEST_CASE("every exact matcher and an empty text on the device", "[matchers]") {
  const gpu::DeviceText text("");
  for (const GpuMatcher& matcher : gpu::gpu_matchers()) {
    CAPTURE(matcher.facts->name);
    gpu::DeviceEnds ends(0, Output::list, 10);
    REQUIRE(matcher.run(text, "AAAA", ends, 2).seconds.size() == 2);
    REQUIRE(ends.count() == 0);
    REQUIRE(matcher.run_from_host(gpu::HostCharacters("", true), "AAAA").list.empty());
  }
}

// Every position is an end, and no list is too long.
TEST_CASE("dense results of exact matchers on the device", "[matchers]") {
  for (const unsigned m : {1u, 2u, 6u, 11u}) {
    tests::ExactCase c{"one letter", std::string(1'000'003, 'A'), std::string(m, 'A'), {}};
    c.ends.resize(c.text.size() - m + 1);
    std::iota(c.ends.begin(), c.ends.end(), std::uint64_t{m - 1});
    OnDevice on_device(c);
    for (const GpuMatcher& matcher : gpu::gpu_matchers()) {
      on_device.check(matcher, {});
    }
    const gpu::DeviceText text(c.text);
    for (const std::uint64_t room : {0, 1000}) {
      gpu::DeviceEnds too_short(c.text.size(), Output::list, room);
      for (const char* name : {"brute-force", "word-compare"}) {
        gpu::gpu_matcher(name).run(text, c.pattern, too_short, 0);
        REQUIRE(too_short.count() == c.ends.size());
        REQUIRE_THROWS_AS(too_short.list(), Error);
      }
    }
  }
}

// A warp of its kernel has 512 places at once, and the last ones need the characters of the next 512.
TEST_CASE("word-compare finds a pattern at every place that a warp has", "[matchers]") {
  for (const unsigned m : {2u, 4u, 5u, 7u, 8u, 9u, 30u}) {
    tests::ExactCase c{"at every place", std::string(513 * 512 + m, 'x'), "", {}};
    for (unsigned i = 0; i < m; ++i) {
      c.pattern += static_cast<char>('A' + i);
    }
    for (std::uint64_t at = 0; at + m <= c.text.size(); at += 513) {
      c.text.replace(at, m, c.pattern);
      c.ends.push_back(at + m - 1);
    }
    OnDevice on_device(c);
    on_device.check(gpu::gpu_matcher("word-compare"), {});
  }
}

TEST_CASE("every exact matcher gives the same from host memory, in pieces and streams", "[matchers]") {
  unsigned turn = 0;
  for (const unsigned m : {1u, 5u, 33u, 200u}) {
    const auto c = long_case(70 + m, m, 2, 20'011);
    const gpu::HostCharacters pageable(c.text, false), pinned(c.text, true);
    for (const GpuMatcher& matcher : gpu::gpu_matchers()) {
      ++turn;
      const std::uint64_t pieces[] = {0, 32, 1000, 4096, ~std::uint64_t{0}};
      check_from_host(matcher, c, turn % 2 == 0 ? pageable : pinned,
                      {.streams = 1 + turn % 3, .piece = turn % 5 == 1 && m > 1 ? 640 : pieces[turn % 5]});
    }
  }
  // Every piece has more ends than come with their number.
  const tests::ExactCase dense = [] {
    tests::ExactCase c{"one letter", std::string(100'000, 'A'), "AA", {}};
    c.ends.resize(c.text.size() - 1);
    std::iota(c.ends.begin(), c.ends.end(), std::uint64_t{1});
    return c;
  }();
  for (const char* name : {"brute-force", "word-compare"}) {
    for (const unsigned streams : {1u, 3u}) {
      check_from_host(gpu::gpu_matcher(name), dense, gpu::HostCharacters(dense.text, true),
                      {.streams = streams, .piece = 9'000});
    }
  }
}

// For compute-sanitizer, whose tools make kernels a hundred times slower or more. Each matcher has several tiles, a
// block with several tiles.
TEST_CASE("every exact matcher on small cases", "[sanitize]") {
  const auto& matchers = gpu::gpu_matchers();
  unsigned turn = 0;
  for (const unsigned m : {2u, 13u, 70u}) {
    for (const auto& c : tests::exact_cases(m)) {
      if (c.kind == "hostile" || c.kind == "both ends" || c.kind == "one letter") {
        check_all(matchers, c, turn += 7);
      }
    }
  }
  const auto c = long_case(80, 12, 2, 3'000);
  for (const char* name : {"brute-force", "word-compare"}) {
    check_from_host(gpu::gpu_matcher(name), c, gpu::HostCharacters(c.text, true), {.streams = 2, .piece = 640});
  }
}

// One kernel runs all but word-compare, so these are enough.
TEST_CASE("exact matchers and a text beyond 4 GiB", "[large]") {
  const tests::PlantedText planted;
  for (const char* name : {"brute-force", "shift-or", "horspool", "word-compare"}) {
    CAPTURE(name);
    planted.check({Output::list}, 0,
                  [&](const auto& text, auto& ends) { gpu::gpu_matcher(name).run(text, planted.pattern, ends, 1); });
  }
}
