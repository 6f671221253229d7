// Compares pairs whose mates may be clipped, and the same mates as single reads, with the oracle.
#include "tests/catch.hpp"
#include "tests/conformance/pair_check.hpp"

using namespace trawl;
using namespace trawl::tests;

namespace {

Kind clipped(Kind kind) {
  kind.clip = true;
  return kind;
}

}  // namespace

TEST_CASE("pairs of clipped mates are the oracle's where parts of the reference are repeated", "[clip]") {
  const Reached reached = check_pairs(clipped({1321, 100}));
  for (const auto& [what, count] : reached) {
    UNSCOPED_INFO(what << ": " << count);
  }
  CHECK(false);
}

TEST_CASE("pairs of clipped mates are the oracle's in tandem repeats", "[clip]") {
  const Reached reached = check_pairs(clipped({1322, 40, Kind::tandem}));
  for (const auto& [what, count] : reached) {
    UNSCOPED_INFO(what << ": " << count);
  }
  CHECK(false);
}
