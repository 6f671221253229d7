// Which loci are reported, and the mapping quality of the primary one.
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string>

#include "align/damage.hpp"
#include "align/mapq.hpp"
#include "align/select.hpp"
#include "sequence/alphabet.hpp"
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

TEST_CASE("damage costs what damage costs") {
  const align::DamageRates rates{.first = 0.3, .decay = 0.5, .interior = 0.01};
  CHECK(rates.at(3) == 0.01 + 0.29 / 8);
  const align::MapqModel usual;
  const align::MapqModel model(rates);
  REQUIRE((model.weighs_damage() && !usual.weighs_damage()));
  const auto cost = [&](const align::MapqModel& by, const char* letters, std::uint32_t base, bool reverse) {
    return by.mismatch_cost(40, letters[0], letters[1], base, 50, reverse);
  };
  for (const bool reverse : {false, true}) {
    CHECK(cost(model, "CT", 0, reverse) == 5);    // -10 log10(0.3 + 0.0011 / 3)
    CHECK(cost(model, "CT", 1, reverse) == 8);    // 0.155
    CHECK(cost(model, "CT", 24, reverse) == 20);  // 0.01
    CHECK(cost(model, "CT", 49, reverse) == 20);
    CHECK(cost(model, "GA", 49, reverse) == 5);
    CHECK(cost(model, "GA", 0, reverse) == 20);
    for (const char* letters : {"TC", "AG", "CA", "GT", "NT", "C"}) {
      CHECK(cost(model, letters, 0, reverse) == usual.mismatch_cost(40));
    }
  }
  const align::MapqModel single({.first = 0.3, .decay = 0.5, .interior = 0.01, .single_stranded = true});
  for (const std::uint32_t end : {0u, 49u}) {
    CHECK(cost(single, "CT", end, false) == 5);
    CHECK(cost(single, "GA", end, true) == 5);
    CHECK(cost(single, "CT", end, true) == 34);
    CHECK(cost(single, "GA", end, false) == 34);
  }
}

TEST_CASE("rates of damage from counts") {
  const auto counts_of = [](const align::DamageRates& rates, std::uint64_t bases) {
    align::DamageCounts counts{.library = align::kUsualDamage};
    for (std::uint32_t i = 0; i < align::kDamagedBases; ++i) {
      counts.five_prime[i] = counts.three_prime[i] = bases;
      counts.five_prime_damaged[i] = counts.three_prime_damaged[i] =
          static_cast<std::uint64_t>(std::llround(rates.at(i) * static_cast<double>(bases)));
    }
    return counts;
  };
  for (const align::DamageRates& rates : {align::DamageRates{0.3, 0.3, 0.01}, align::DamageRates{0.05, 0.6, 0.002}}) {
    const align::DamageRates found = counts_of(rates, 100'000).rates();
    CHECK(std::abs(found.first - rates.first) < 0.002);
    CHECK(std::abs(found.decay - rates.decay) < 0.02);
    CHECK(std::abs(found.interior - rates.interior) < 0.001);
    CHECK_FALSE(found.estimated);
  }
  const align::DamageRates none = counts_of({}, 1'000).rates();
  CHECK((none.on() && none.first < 0.001 && none.interior == 0));
  CHECK(counts_of({}, 99).rates().first == align::kUsualDamage.first);  // too few
}

TEST_CASE("bases of the reference that were read as damaged ones would be") {
  align::AlignmentBatch batch;
  batch.md = "0C2^CC3G0";
  batch.cigar = {3u << 4, 2u << 4 | 1, 2u << 4 | 2, 4u << 4};  // 3M2I2D4M
  align::Alignment alignment{.cigar_length = 4, .md_length = 9};
  for (const bool reverse : {false, true}) {
    alignment.reverse = reverse;
    align::DamageCounts counts{.library = align::kUsualDamage};
    const std::string forward = "TCGCCACGA";  // beside C C G - - A C G G
    counts.add(batch, alignment, reverse ? sequence::reverse_complement(forward) : forward);
    const auto few = [](std::initializer_list<std::uint64_t> first) {
      align::DamageCounts::Counts all{};
      std::copy(first.begin(), first.end(), all.begin());
      return all;
    };
    // The other strand has C C G T - - C G G beside TCGTGGCGA.
    CHECK(counts.five_prime == few({1, 1, 0, 0, 0, 0, 1}));
    CHECK(counts.five_prime_damaged == few({1}));
    CHECK(counts.three_prime == few({1, 1, 0, 0, 0, 0, 1}));
    CHECK(counts.three_prime_damaged == few({1}));
    counts = {.library = {.first = 0.3, .single_stranded = true}};
    counts.add(batch, alignment, reverse ? sequence::reverse_complement(forward) : forward);
    CHECK(counts.three_prime == few({0, 0, 1, 0, 0, 0, 0, 1, 1}));
    CHECK(counts.three_prime_damaged == few({0, 0, 0, 0, 0, 0, 0, 0, 1}));
  }
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
