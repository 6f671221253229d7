// Which loci are reported, and the mapping quality of the primary one.
#include <algorithm>

#include "align/mapq.hpp"
#include "align/select.hpp"
#include "tests/catch.hpp"

using namespace trawl;

namespace {

const std::vector<align::Locus> kLoci = {
    {100, 2, false}, {300, 1, false}, {900, 3, false}, {50, 1, true}, {300, 2, true}};

std::vector<std::uint32_t> order_of(align::ReportRule options, std::uint64_t hash) {
  align::Selection selection;
  align::select(kLoci, options, hash, selection);
  return selection.order;
}

}  // namespace

TEST_CASE("reports") {
  align::ReportRule options;
  options.report = align::Report::best;
  REQUIRE(order_of(options, 0) == std::vector<std::uint32_t>{1});
  REQUIRE(order_of(options, 1) == std::vector<std::uint32_t>{3});
  options.report = align::Report::strata;
  REQUIRE(order_of(options, 0) == std::vector<std::uint32_t>{1, 3});
  REQUIRE(order_of(options, 3) == std::vector<std::uint32_t>{3, 1});
  options.strata = 1;
  REQUIRE(order_of(options, 0) == std::vector<std::uint32_t>{1, 3, 0, 4});
  options.report = align::Report::all;
  REQUIRE(order_of(options, 0) == std::vector<std::uint32_t>{1, 3, 0, 4, 2});
}

TEST_CASE("counts and the limit") {
  align::ReportRule options;
  options.report = align::Report::all;
  options.max_hits = 2;
  align::Selection selection;
  align::select(kLoci, options, 0, selection);
  REQUIRE(selection.order == std::vector<std::uint32_t>{1, 3});
  REQUIRE(selection.best_count == 2);
  REQUIRE(selection.next_count == 2);
  REQUIRE(selection.dropped == 3);
  align::select({}, options, 7, selection);
  REQUIRE(selection.order.empty());
  REQUIRE(selection.dropped == 0);
}

TEST_CASE("which of equal records have room is the name's choice, and each is chosen as often") {
  for (std::uint64_t equals = 1; equals < 8; ++equals) {
    for (std::uint64_t room = 0; room < equals; ++room) {
      // Two better records, the equal ones, and a worse one.
      const auto distance = [&](std::uint64_t i) { return i < 2 ? i : i < 2 + equals ? 5 : 6; };
      std::vector<std::uint64_t> chosen(3 + equals);
      for (std::uint64_t upper = 0; upper < equals; ++upper) {
        const align::KeptRecords kept(3 + equals, 2 + room, distance, upper << 32);
        std::vector<bool> used(2 + room);
        for (std::uint64_t i = 0; i < 3 + equals; ++i) {
          if (const std::uint64_t place = kept.place(i); place != align::KeptRecords::kNone) {
            REQUIRE(place < used.size());
            REQUIRE(!used[place]);
            used[place] = true;
            ++chosen[i];
          }
        }
        REQUIRE(std::count(used.begin(), used.end(), true) == static_cast<std::ptrdiff_t>(used.size()));
        REQUIRE((kept.place(0) == 0 && kept.place(1) == 1));
      }
      for (std::uint64_t i = 0; i < equals; ++i) {
        REQUIRE(chosen[2 + i] == room);
      }
      REQUIRE(chosen.back() == 0);
    }
  }
  const align::KeptRecords all(
      3, 3, [](std::uint64_t i) { return i; }, 5);
  REQUIRE((all.place(0) == 0 && all.place(2) == 2));
}

TEST_CASE("the model of mapping quality") {
  const align::MapqModel model;
  const std::uint64_t one = model.weight(0);
  REQUIRE(one == std::uint64_t{1} << 32);
  REQUIRE(one == model.weight(-5));
  REQUIRE(model.weight(10) == 429496730);
  REQUIRE(model.weight(34) == 1709857);
  REQUIRE(model.weight(1000) == 0);
  REQUIRE(model.mapq(0) == align::MapqModel::kMaxMapq);
  REQUIRE(model.mapq(one) == 3);                // two equal loci: wrong in half of the cases
  REQUIRE(model.mapq(model.weight(30)) == 30);  // one other locus, a thousand times less likely
  REQUIRE(model.mapq(10 * model.weight(30)) == 20);
  REQUIRE(model.mapq(100 * one) == 0);
  REQUIRE(model.mismatch_cost(40) == 34);  // -10 log10((10^-4 + 10^-3) / 3)
  REQUIRE(model.mismatch_cost(30) == 32);
  REQUIRE(model.mismatch_cost(0) == 5);
  REQUIRE(model.mismatch_cost(200) == model.mismatch_cost(93));
  REQUIRE(align::MapqModel::gap_cost(1) == 35);
  REQUIRE(align::MapqModel::gap_cost(6) == 50);
  // Worse qualities, larger costs and more others never make it better.
  for (unsigned q = 1; q < 94; ++q) {
    REQUIRE(model.mismatch_cost(q) >= model.mismatch_cost(q - 1));
  }
  for (int extra = -9; extra < 200; ++extra) {
    REQUIRE(model.weight(extra) <= model.weight(extra - 1));
  }
  unsigned before = align::MapqModel::kMaxMapq;
  for (std::uint64_t others = 0; others < 200 * one; others += others / 8 + 1) {
    const unsigned mapq = model.mapq(others);
    REQUIRE(mapq <= before);
    before = mapq;
  }
}
