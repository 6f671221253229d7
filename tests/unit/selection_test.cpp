// Which loci are reported, and how sure the primary one is.
#include "align/mapq.hpp"
#include "map/select.hpp"
#include "tests/catch.hpp"

using namespace trawl;

namespace {

const std::vector<map::Locus> kLoci = {
    {100, 2, false}, {300, 1, false}, {900, 3, false}, {50, 1, true}, {300, 2, true}};

std::vector<std::uint32_t> order_of(map::Options options, std::uint64_t hash) {
  map::Selection selection;
  map::select(kLoci, options, hash, selection);
  return selection.order;
}

}  // namespace

TEST_CASE("reports") {
  map::Options options;
  options.report = map::Report::best;
  REQUIRE(order_of(options, 0) == std::vector<std::uint32_t>{1});
  REQUIRE(order_of(options, 1) == std::vector<std::uint32_t>{3});
  options.report = map::Report::strata;
  REQUIRE(order_of(options, 0) == std::vector<std::uint32_t>{1, 3});
  REQUIRE(order_of(options, 3) == std::vector<std::uint32_t>{3, 1});
  options.strata = 1;
  REQUIRE(order_of(options, 0) == std::vector<std::uint32_t>{1, 3, 0, 4});
  options.report = map::Report::all;
  REQUIRE(order_of(options, 0) == std::vector<std::uint32_t>{1, 3, 0, 4, 2});
}

TEST_CASE("counts and the limit") {
  map::Options options;
  options.report = map::Report::all;
  options.max_hits = 2;
  map::Selection selection;
  map::select(kLoci, options, 0, selection);
  REQUIRE(selection.order == std::vector<std::uint32_t>{1, 3});
  REQUIRE(selection.best_count == 2);
  REQUIRE(selection.next_count == 2);
  REQUIRE(selection.dropped == 3);
  map::select({}, options, 7, selection);
  REQUIRE(selection.order.empty());
  REQUIRE(selection.dropped == 0);
}

TEST_CASE("mapping quality") {
  const map::MapqModel model;
  REQUIRE(model.mapq(0) == map::MapqModel::kMaxMapq);
  REQUIRE(model.weight(0) == model.weight(-5));
  REQUIRE(model.mapq(model.weight(0)) == 3);    // two equal loci: wrong half the time
  REQUIRE(model.mapq(model.weight(30)) == 30);  // one rival a thousand times less likely
  REQUIRE(model.mapq(10 * model.weight(30)) == 20);
  for (unsigned q = 1; q < 94; ++q) {
    REQUIRE(model.mismatch_cost(q) >= model.mismatch_cost(q - 1));
  }
  REQUIRE(model.mismatch_cost(200) == model.mismatch_cost(93));
}
