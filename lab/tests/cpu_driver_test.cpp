// The CPU driver by itself: what becomes of the ends that a matcher emits.
#include <stdexcept>

#include "lab/matchers/cpu_matchers.hpp"
#include "lab/tests/exact_check.hpp"
#include "tests/catch.hpp"

using namespace trawl;
using matchers::CpuEnds;
using matchers::CpuWork;
using matchers::Output;
using matchers::internal::EndSink;

namespace {

constexpr Output kOutputs[] = {Output::bytes, Output::bits, Output::list, Output::count};

template <class Search>
CpuEnds search(std::uint64_t size, const CpuWork& how, Search&& work) {
  static constexpr matchers::MatcherFacts facts = {.name = "test"};
  return matchers::internal::search_in_stretches(facts, size, 3, how, work);
}

tests::ExactCase case_of(std::uint64_t size, std::vector<std::uint64_t> ends) {
  return {"", std::string(size, 'a'), "", std::move(ends)};
}

}  // namespace

TEST_CASE("ends may be emitted in any order, one by one or as bits", "[matchers]") {
  constexpr std::uint64_t kSize = 5000;
  tests::RandomCases random(84);
  for (const double density : {0.001, 0.05, 0.9}) {
    std::vector<std::uint64_t> ends;
    for (std::uint64_t j = 0; j < kSize; ++j) {
      if (random.chance(density)) {
        ends.push_back(j);
      }
    }
    const auto c = case_of(kSize, ends);
    for (const Output output : kOutputs) {
      for (const std::uint64_t stretch : {std::uint64_t{0}, std::uint64_t{64}, std::uint64_t{100}}) {
        for (const bool all_threads : {false, true}) {
          CAPTURE(density, static_cast<unsigned>(output), stretch, all_threads);
          const CpuWork how{.all_threads = all_threads, .stretch = stretch, .output = output};
          const auto in = [&](std::uint64_t j, std::uint64_t begin, std::uint64_t end) {
            return j >= begin && j < end && std::binary_search(ends.begin(), ends.end(), j);
          };
          const auto backwards = [&](std::uint64_t begin, std::uint64_t end, EndSink& emit) {
            for (std::uint64_t j = end; j-- > begin;) {
              if (in(j, begin, end)) {
                emit(j);
              }
            }
          };
          REQUIRE(tests::fault_of(search(kSize, how, backwards), c, output) == "");
          const auto as_bits = [&](std::uint64_t begin, std::uint64_t end, EndSink& emit) {
            for (std::uint64_t j = begin; j < end; j += 37) {
              std::uint64_t bits = 0;
              for (std::uint64_t i = 0; i < 37; ++i) {
                bits |= std::uint64_t{in(j + i, begin, end)} << i;
              }
              emit.emit_bits(j, bits);
            }
          };
          REQUIRE(tests::fault_of(search(kSize, how, as_bits), c, output) == "");
        }
      }
    }
  }
}

TEST_CASE("a list takes no more memory than all positions need, in whatever order the ends come", "[matchers]") {
  constexpr std::uint64_t kSize = 100'000;
  const auto found = search(kSize, {.output = Output::list}, [](std::uint64_t begin, std::uint64_t end, EndSink& emit) {
    for (std::uint64_t j = end; j-- > begin;) {
      emit(j);
    }
  });
  REQUIRE(found.list.size() == kSize);
  REQUIRE(found.list.capacity() <= kSize);
}

TEST_CASE("an end outside its stretch is an error", "[matchers]") {
  for (const Output output : kOutputs) {
    CAPTURE(static_cast<unsigned>(output));
    const CpuWork how{.stretch = 100, .output = output};
    const auto emits = [&](auto&& emit_one) {
      search(250, how, [&](std::uint64_t begin, std::uint64_t end, EndSink& emit) {
        if (begin == 100) {
          emit_one(end, emit);
        }
      });
    };
    REQUIRE_NOTHROW(emits([](std::uint64_t end, EndSink& emit) { emit(end - 1), emit(end - 100); }));
    REQUIRE_THROWS_AS(emits([](std::uint64_t end, EndSink& emit) { emit(end); }), std::logic_error);
    REQUIRE_THROWS_AS(emits([](std::uint64_t end, EndSink& emit) { emit(end - 101); }), std::logic_error);
    REQUIRE_NOTHROW(emits([](std::uint64_t end, EndSink& emit) { emit.emit_bits(end - 2, 3); }));
    REQUIRE_THROWS_AS(emits([](std::uint64_t end, EndSink& emit) { emit.emit_bits(end - 2, 5); }), std::logic_error);
    REQUIRE_THROWS_AS(emits([](std::uint64_t end, EndSink& emit) { emit.emit_bits(end - 101, 3); }), std::logic_error);
  }
}

TEST_CASE("the driver measures the times", "[matchers]") {
  const auto found = search(10, {}, [](std::uint64_t begin, std::uint64_t, EndSink& emit) { emit(begin + 4); });
  REQUIRE(found.search_seconds > 0);
  REQUIRE(found.ends == std::vector<std::uint8_t>{0, 0, 0, 0, 1, 0, 0, 0, 0, 0});
  const auto& matcher = matchers::cpu_matchers().front();
  REQUIRE(matcher.run("GATTACA", {.pattern = "TTA"}, {}).prepare_seconds > 0);
}
