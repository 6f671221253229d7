// Every matcher of sets on the device, in each stage of the paper and with each result, against the oracle of the CPU's
// test.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "lab/kernels/sets/gpu_set_matchers.hpp"
#include "lab/tests/set_cases.hpp"
#include "tests/catch.hpp"

using namespace trawl;
using gpu::GpuSetFound;
using gpu::GpuSetMatcher;
using gpu::GpuSetWork;
using gpu::SetStage;
using matchers::PatternSet;
using matchers::SetMatch;
using matchers::SetOutput;

namespace {

constexpr SetOutput kOutputs[] = {SetOutput::count, SetOutput::stretches, SetOutput::patterns, SetOutput::positions};
// Threads, blocks and stretch: short stretches and blocks of a warp make many borders in short texts, and many tiles.
constexpr struct {
  unsigned threads, blocks, stretch;
} kShares[] = {{0, 0, 0}, {32, 1, 1}, {64, 2, 3}, {32, 0, 4}, {128, 3, 7}, {64, 0, 0}, {256, 1, 12}, {32, 2, 0}};

// A case with its right results.
class Checked {
 public:
  explicit Checked(const tests::SetCase& c)
      : text_(c.text), set_(c.patterns), expected_(tests::expected_matches(c.text, set_)), of_patterns_(set_.size()) {
    for (const SetMatch& match : expected_) {
      ++of_patterns_[match.pattern];
      hash_ += matchers::hash_of(match);
    }
    // The device's memory after the text must not matter: the patterns go on there.
    on_device_ = std::make_unique<gpu::DeviceText>(text_, c.patterns.front() + c.patterns.back() + c.patterns.front());
  }

  const PatternSet& set() const { return set_; }
  std::uint64_t count() const { return expected_.size(); }

  void check(const gpu::GpuPreparedSet& prepared, GpuSetWork work, unsigned repeats = 0) const {
    work.room = expected_.size();
    const GpuSetFound found = prepared.search(*on_device_, work, repeats);
    const std::string fault = fault_of(found, work);
    if (!fault.empty()) {
      CAPTURE(gpu::name_of(work.stage), static_cast<int>(work.output), text_.size(), set_.size(), set_.shortest(),
              set_.longest(), found.plan.threads, found.plan.blocks, found.plan.stretch, found.plan.part,
              found.plan.tables);
      FAIL_CHECK(fault);
    }
  }

 private:
  std::string fault_of(const GpuSetFound& found, const GpuSetWork& work) const {
    if (found.count != expected_.size()) {
      return "counts " + std::to_string(found.count) + " in place of " + std::to_string(expected_.size());
    }
    if (work.output == SetOutput::stretches && !text_.empty()) {
      std::vector<std::uint64_t> of_threads(found.plan.all_threads());
      for (const SetMatch& match : expected_) {
        ++of_threads.at(found.plan.thread_of(match.end));
      }
      return found.threads == of_threads ? "" : "has other counts of threads";
    }
    if (work.output == SetOutput::patterns) {
      return found.patterns == of_patterns_ ? "" : "has other counts of patterns";
    }
    if (work.output == SetOutput::positions) {
      if (found.hash != hash_) {
        return "has another hash of the positions";
      }
      return found.positions == (work.fetch ? expected_ : std::vector<SetMatch>{}) ? "" : "has other positions";
    }
    return found.threads.empty() && found.patterns.empty() && found.positions.empty() ? "" : "has more than a count";
  }

  std::string text_;
  PatternSet set_;
  std::vector<SetMatch> expected_;
  std::vector<std::uint64_t> of_patterns_;
  std::uint64_t hash_ = 0;
  std::unique_ptr<gpu::DeviceText> on_device_;
};

// Every matcher, stage and output; the share of the work changes from one to the next.
void check_all(const tests::SetCase& c, unsigned turn) {
  const Checked checked(c);
  for (const GpuSetMatcher& matcher : gpu::gpu_set_matchers()) {
    CAPTURE(matcher.facts->name);
    const auto prepared = matcher.prepare(checked.set());
    for (const SetStage stage : gpu::kSetStages) {
      for (const SetOutput output : kOutputs) {
        const auto& share = kShares[turn++ % std::size(kShares)];
        checked.check(*prepared, {.stage = stage,
                                  .output = output,
                                  .threads = share.threads,
                                  .blocks = share.blocks,
                                  .stretch = share.stretch});
      }
      turn += 3;
    }
  }
}

// Patterns from a text of DNA, as in the paper, and the text.
tests::SetCase paper_case(std::size_t size, std::size_t patterns, std::size_t shortest, std::size_t longest) {
  tests::RandomCases random(size + patterns + longest);
  tests::SetCase c{{}, random.bases(size), 0};
  for (std::size_t p = 0; p < patterns; ++p) {
    const std::size_t m = random.number(shortest, longest);
    c.patterns.push_back(c.text.substr(random.number(0, size - m), m));
  }
  return c;
}

}  // namespace

TEST_CASE("every matcher of sets finds on the device what the oracle finds", "[matchers][sets]") {
  tests::RandomCases random(171);
  for (unsigned n = 0; n < 60; ++n) {
    CAPTURE(n);
    check_all(tests::random_set_case(random), n);
  }
}

TEST_CASE("matchers of sets meet hostile sets on the device", "[matchers][sets]") {
  unsigned turn = 0;
  for (const tests::SetCase& c : tests::hostile_set_cases()) {
    check_all(c, turn++);
    check_all(c, turn++);
  }
}

// Many tiles and blocks, tables that do not fit into shared memory, patterns of mixed lengths.
TEST_CASE("matchers of sets on the device with large sets and long texts", "[matchers][sets]") {
  for (const tests::SetCase& c : {paper_case(3'000'001, 1000, 8, 8), paper_case(1'000'003, 20'000, 8, 8),
                                  paper_case(400'000, 30'000, 5, 40), paper_case(500'000, 300, 64, 64)}) {
    const Checked checked(c);
    for (const GpuSetMatcher& matcher : gpu::gpu_set_matchers()) {
      CAPTURE(matcher.facts->name);
      const auto prepared = matcher.prepare(checked.set());
      REQUIRE(prepared->prepare_seconds > 0);
      REQUIRE(prepared->table_bytes() > 0);
      for (const SetStage stage : gpu::kSetStages) {
        for (const SetOutput output : kOutputs) {
          checked.check(*prepared, {.stage = stage, .output = output});
        }
      }
      checked.check(*prepared, {.stage = SetStage::st, .output = SetOutput::positions, .fetch = false}, 3);
    }
  }
}

// Every position has several occurrences, so that the places for them in shared memory do not suffice.
TEST_CASE("dense results of matchers of sets on the device", "[matchers][sets]") {
  const tests::SetCase c{{"A", "AA", "AAA", "AAAA", "AAAAAAA"}, std::string(200'000, 'A'), 0};
  check_all(c, 0);
  const Checked checked(c);
  for (const GpuSetMatcher& matcher : gpu::gpu_set_matchers()) {
    const auto prepared = matcher.prepare(checked.set());
    for (const SetStage stage : gpu::kSetStages) {
      for (const SetOutput output : kOutputs) {
        checked.check(*prepared, {.stage = stage, .output = output});
      }
      const gpu::DeviceText text(c.text);
      REQUIRE_THROWS_AS(prepared->search(text, {.stage = stage, .output = SetOutput::positions, .room = 1000}), Error);
    }
  }
}

TEST_CASE("patterns longer than the shared memory are refused by the stages that need it", "[matchers][sets]") {
  tests::RandomCases random(172);
  const std::string text = random.bases(250'000);
  const PatternSet set({text.substr(1000, 240'000), text.substr(5, 9)});
  const std::uint64_t expected = tests::expected_matches(text, set).size();
  const gpu::DeviceText on_device(text);
  for (const GpuSetMatcher& matcher : gpu::gpu_set_matchers()) {
    CAPTURE(matcher.facts->name);
    const auto prepared = matcher.prepare(set);
    for (const SetStage stage : {SetStage::u, SetStage::tc}) {
      REQUIRE(prepared->search(on_device, {.stage = stage, .threads = 32, .stretch = 10'000}).count == expected);
    }
    for (const SetStage stage : {SetStage::cr, SetStage::r16, SetStage::cw, SetStage::st}) {
      REQUIRE_THROWS_AS(prepared->search(on_device, {.stage = stage}), UsageError);
    }
  }
}

// For compute-sanitizer, whose tools make kernels a hundred times slower or more: each stage and result, with several
// tiles and blocks, and tables of which a part is in shared memory.
TEST_CASE("every matcher of sets on small cases", "[sanitize][sets]") {
  unsigned turn = 0;
  for (const tests::SetCase& c : tests::hostile_set_cases()) {
    check_all(c, turn++);
  }
  check_all({{"A", "AA", "AAA"}, std::string(3'000, 'A'), 0}, turn);
  const Checked checked(paper_case(20'000, 12'000, 8, 8));
  for (const GpuSetMatcher& matcher : gpu::gpu_set_matchers()) {
    const auto prepared = matcher.prepare(checked.set());
    for (const SetOutput output : kOutputs) {
      for (const SetStage stage : {SetStage::cw, SetStage::st}) {
        checked.check(*prepared, {.stage = stage, .output = output, .blocks = 2});
      }
    }
  }
}
