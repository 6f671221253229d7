// Every matcher of sets on the device, in each stage of the paper and with each result, against the oracle of the CPU's
// test.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "lab/bench_check.hpp"
#include "lab/kernels/sets/gpu_set_matchers.hpp"
#include "lab/tests/set_cases.hpp"
#include "tests/catch.hpp"

using namespace trawl;
using gpu::GpuSetFound;
using gpu::GpuSetMatcher;
using gpu::GpuSetWork;
using gpu::SetStage;
using matchers::PatternSet;
using matchers::SetOutput;

namespace {

constexpr SetOutput kOutputs[] = {SetOutput::count, SetOutput::stretches, SetOutput::patterns};
// Threads, blocks and stretch: short stretches and blocks of a warp make many borders in short texts, and many tiles.
constexpr struct {
  unsigned threads, blocks, stretch;
} kShares[] = {{0, 0, 0}, {32, 1, 1}, {64, 2, 3}, {32, 0, 4}, {128, 3, 7}, {64, 0, 0}, {256, 1, 12}, {32, 2, 0}};

// A case with its right results.
class Checked {
 public:
  explicit Checked(const tests::SetCase& c)
      : text_(c.text), set_(c.patterns), expected_(lab::expected_set(text_, set_, kStretch)) {
    // The device's memory after the text must not matter: the patterns go on there.
    on_device_ = std::make_unique<gpu::DeviceText>(text_, c.patterns.front() + c.patterns.back() + c.patterns.front());
  }

  const PatternSet& set() const { return set_; }

  void check(const gpu::GpuPreparedSet& prepared, const GpuSetWork& work, unsigned repeats = 0) const {
    const GpuSetFound gpu_found = prepared.search(*on_device_, work, repeats);
    const auto& plan = gpu_found.plan;
    CAPTURE(gpu::name_of(work.stage), static_cast<int>(work.output), text_.size(), set_.size(), set_.shortest(),
            set_.longest(), plan.threads, plan.blocks, plan.stretch, plan.part, plan.tables);
    matchers::SetFound found;
    found.count = gpu_found.count;
    found.patterns = gpu_found.patterns;
    REQUIRE_NOTHROW(check_set("the kernel", found, work.output, expected_, kStretch));
    if (work.output == SetOutput::stretches && !text_.empty()) {
      std::vector<std::uint64_t> of_threads(plan.all_threads());
      for (std::uint64_t end = 0; end < text_.size(); ++end) {
        of_threads.at(plan.thread_of(end)) += expected_.stretches[end];
      }
      REQUIRE((gpu_found.threads == of_threads));
    }
  }

 private:
  static constexpr std::uint64_t kStretch = 1;  // so that each position has its number

  std::string text_;
  PatternSet set_;
  lab::ExpectedSet expected_;
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

// Every matcher, stage and output with the share of the work that the plan chooses.
void check_chosen(const Checked& checked) {
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
    checked.check(*prepared, {.stage = SetStage::st, .output = SetOutput::patterns}, 3);
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

// For compute-sanitizer, whose tools make kernels a hundred times slower or more: each kernel once, with several tiles.
TEST_CASE("matchers of sets on a small text", "[sanitize]") {
  tests::RandomCases random(173);
  const std::string text = random.bases(700);
  check_all({{text.substr(3, 4), text.substr(90, 4), text.substr(91, 7), text.substr(400, 5)}, text, 0}, 1);
}

// Many tiles and blocks, tables that do not fit into shared memory, patterns of mixed lengths.
TEST_CASE("matchers of sets on the device with large sets and long texts", "[matchers][sets]") {
  for (const tests::SetCase& c : {paper_case(3'000'001, 1000, 8, 8), paper_case(1'000'003, 20'000, 8, 8),
                                  paper_case(400'000, 30'000, 5, 40), paper_case(500'000, 300, 64, 64)}) {
    check_chosen(Checked(c));
  }
}

TEST_CASE("dense results of matchers of sets on the device", "[matchers][sets]") {
  const tests::SetCase c{{"A", "AA", "AAA", "AAAA", "AAAAAAA"}, std::string(200'000, 'A'), 0};
  check_all(c, 0);
  check_chosen(Checked(c));
}

TEST_CASE("patterns longer than the shared memory are refused by the stages that need it", "[matchers][sets]") {
  tests::RandomCases random(172);
  const std::string text = random.bases(250'000);
  const PatternSet set({text.substr(1000, 240'000), text.substr(5, 9)});
  const std::uint64_t expected = lab::expected_set(text, set, 4096).count;
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
