#include "align/insert_estimate.hpp"

#include <algorithm>

#include "tests/catch.hpp"

using namespace trawl::align;

namespace {

AlignmentBatch two_mates(const Alignment& first, const Alignment& second) {
  AlignmentBatch results;
  results.alignments = {first, second};
  results.reads.resize(2);
  for (std::uint32_t r = 0; r < 2; ++r) {
    results.reads[r].first = r;
    results.reads[r].count = 1;
    results.reads[r].best_count = 1;
  }
  return results;
}

Alignment at(std::uint64_t start, std::uint32_t span, bool reverse, std::uint8_t mapq = 20) {
  Alignment alignment;
  alignment.start = start;
  alignment.span = span;
  alignment.reverse = reverse;
  alignment.mapq = mapq;
  return alignment;
}

bool is(const InsertModel& model, std::uint32_t min, std::uint32_t max, std::uint32_t mean, std::uint32_t deviation) {
  INFO(model.min << "-" << model.max << ", mean " << model.most.mean << ", deviation " << model.most.deviation);
  const bool same =
      model.min == min && model.max == max && model.most.mean == mean && model.most.deviation == deviation;
  CHECK(same);
  return same;
}

}  // namespace

TEST_CASE("pairs whose insert size is certain") {
  const Alignment left = at(100, 50, false);
  const Alignment right = at(300, 60, true);
  CHECK(certain_insert(Orientation::fr, two_mates(left, right), 0) == 260u);
  CHECK(certain_insert(Orientation::fr, two_mates(right, left), 0) == 260u);
  CHECK(!certain_insert(Orientation::rf, two_mates(left, right), 0));
  CHECK(!certain_insert(Orientation::ff, two_mates(left, right), 0));
  CHECK(certain_insert(Orientation::ff, two_mates(left, at(300, 60, false)), 0) == 260u);
  CHECK(!certain_insert(Orientation::fr, two_mates(at(300, 60, false), at(100, 50, true)), 0));

  CHECK(!certain_insert(Orientation::fr, two_mates(at(100, 50, false, 19), right), 0));
  CHECK(!certain_insert(Orientation::fr, two_mates(left, at(300, 60, true, 19)), 0));
  Alignment elsewhere = right;
  elsewhere.contig = 1;
  CHECK(!certain_insert(Orientation::fr, two_mates(left, elsewhere), 0));
  CHECK(certain_insert(Orientation::fr, two_mates(left, at(100'040, 60, true)), 0) == 100'000u);
  CHECK(!certain_insert(Orientation::fr, two_mates(left, at(100'041, 60, true)), 0));

  AlignmentBatch results = two_mates(left, right);
  results.reads[1].best_count = 2;
  CHECK(!certain_insert(Orientation::fr, results, 0));
  results = two_mates(left, right);
  results.reads[0].count = 0;
  CHECK(!certain_insert(Orientation::fr, results, 0));

  // The second pair of a batch.
  results = two_mates(left, right);
  results.reads.insert(results.reads.begin(), 2, ReadResult());
  CHECK(!certain_insert(Orientation::fr, results, 0));
  CHECK(certain_insert(Orientation::fr, results, 1) == 260u);
}

TEST_CASE("in which orientation pairs lie") {
  const auto counted = [](const Alignment& first, const Alignment& second) {
    OrientationCounts counts;
    count_orientation(two_mates(first, second), 0, counts);
    return std::vector<std::uint64_t>{counts.of[0], counts.of[1], counts.of[2], counts.pairs};
  };
  using Counts = std::vector<std::uint64_t>;
  const Alignment left = at(100, 100, false);
  const Alignment right = at(300, 100, true);
  for (const bool exchanged : {false, true}) {
    const auto both = [&](const Alignment& a, const Alignment& b) { return exchanged ? counted(b, a) : counted(a, b); };
    CHECK(both(left, right) == Counts{1, 0, 0, 1});
    CHECK(both(at(100, 100, true), at(200, 100, false)) == Counts{0, 1, 0, 1});
    CHECK(both(left, at(150, 100, true)) == Counts{1, 0, 0, 1});
    CHECK(both(left, at(100, 100, true)) == Counts{1, 0, 0, 1});  // the insert is as long as the reads
    CHECK(both(left, at(120, 50, true)) == Counts{1, 0, 0, 1});   // one inside the other
    CHECK(both(left, at(50, 100, true)) == Counts{0, 0, 0, 1});   // the insert is shorter: they dovetail
    CHECK(both(left, at(100'000, 100, true)) == Counts{1, 0, 0, 1});
    CHECK(both(left, at(100'001, 100, true)) == Counts{0, 0, 0, 0});
    CHECK(both(left, at(300, 100, true, 19)) == Counts{0, 0, 0, 0});
  }
  CHECK(counted(left, at(300, 100, false)) == Counts{0, 0, 1, 1});
  CHECK(counted(at(300, 100, false), left) == Counts{0, 0, 0, 1});
  CHECK(counted(at(300, 100, true), at(100, 100, true)) == Counts{0, 0, 1, 1});
  Alignment elsewhere = right;
  elsewhere.contig = 1;
  CHECK(counted(left, elsewhere) == Counts{0, 0, 0, 0});
}

TEST_CASE("the orientation of most pairs") {
  OrientationCounts counts{{10, 24, 0}, 40};
  CHECK(!counts.most());
  counts += {{0, 1, 0}, 1};
  CHECK(counts.most() == Orientation::rf);
  counts += {{0, 0, 0}, 9};
  CHECK(!counts.most());  // 25 of 50
  counts += {{0, 1, 0}, 1};
  CHECK(counts.most() == Orientation::rf);
  CHECK(!OrientationCounts().most());
}

TEST_CASE("the model of insert sizes") {
  std::vector<std::uint32_t> sizes(24, 300);
  is(insert_model(sizes), 1, 1000, 0, 0);
  is(insert_model({}), 1, 1000, 0, 0);
  sizes.push_back(300);
  is(insert_model(sizes), 296, 304, 300, 1);

  // 1 to 100: quartiles 26 and 76, range 50; mean 50.5, deviation 28.87.
  sizes.clear();
  for (std::uint32_t size = 100; size > 0; --size) {
    sizes.push_back(size);
  }
  is(insert_model(sizes), 1, 226, 51, 29);
  // The same, moved, and with outliers, which change the quartiles by one place: 426 and 477.
  std::for_each(sizes.begin(), sizes.end(), [](std::uint32_t& size) { size += 400; });
  is(insert_model(sizes), 276, 626, 451, 29);
  sizes.insert(sizes.end(), {9000, 100'000});
  is(insert_model(sizes), 273, 630, 451, 29);
  // The limit between sizes that count and outliers: q1 - 2 ranges and q3 + 2 ranges, inclusive.
  sizes.assign(30, 500);
  sizes.insert(sizes.end(), 30, 510);
  sizes.insert(sizes.end(), {480, 530});
  const InsertModel with = insert_model(sizes);
  sizes.insert(sizes.end(), {479, 531});
  is(insert_model(sizes), with.min, with.max, with.most.mean, with.most.deviation);
  is(with, 470, 540, 505, 7);
}

// `count` sizes around `mean`: evenly from mean - half to mean + half.
void add(std::vector<std::uint32_t>& sizes, std::size_t count, std::uint32_t mean, std::uint32_t half) {
  for (std::size_t i = 0; i < count; ++i) {
    sizes.push_back(mean - half + static_cast<std::uint32_t>(i * (2 * half + 1) / count));
  }
}

TEST_CASE("a library with two sizes") {
  struct Case {
    std::size_t few, many;
    std::uint32_t others, most;
  };
  for (const Case& sizes_of : {Case{200, 9800, 600, 200}, Case{200, 9800, 200, 600}, Case{4000, 6000, 600, 200},
                               Case{4000, 6000, 200, 600}, Case{30, 70, 200, 600}, Case{2600, 7400, 200, 6000}}) {
    INFO(sizes_of.few << " of about " << sizes_of.others << ", " << sizes_of.many << " of about " << sizes_of.most);
    std::vector<std::uint32_t> sizes;
    add(sizes, sizes_of.few, sizes_of.others, 30);
    add(sizes, sizes_of.many, sizes_of.most, 50);
    const InsertModel model = insert_model(sizes);
    CHECK(model.has_two_sizes());
    CHECK(model.most.mean + 1 >= sizes_of.most);
    CHECK(model.most.mean <= sizes_of.most + 1);
    CHECK(model.others.mean + 2 >= sizes_of.others);
    CHECK(model.others.mean <= sizes_of.others + 2);
    CHECK(model.min <= std::min(sizes_of.most - 50, sizes_of.others - 30));
    CHECK(model.max >= std::max(sizes_of.most + 50, sizes_of.others + 30));
    CHECK(model.max <= 7000);
    CHECK(model.cost(sizes_of.others) == 0);
    CHECK(model.cost(sizes_of.most) == 0);
    CHECK(model.cost(400) == InsertSizes::kMostCost);
  }
}

TEST_CASE("a long tail is allowed") {
  std::vector<std::uint32_t> sizes;
  add(sizes, 9000, 300, 60);
  add(sizes, 1000, 800, 200);
  const InsertModel model = insert_model(sizes);
  CHECK(model.most.mean == 300);
  CHECK(model.others.mean == 800);
  CHECK(model.max >= 1000);
}

TEST_CASE("one size, and artefacts") {
  std::vector<std::uint32_t> one;
  add(one, 9000, 300, 60);
  const InsertModel alone = insert_model(one);
  CHECK(!alone.has_two_sizes());
  SECTION("too few") { add(one, 180, 900, 20); }
  SECTION("spread evenly") { add(one, 900, 50'001, 49'999); }
  SECTION("near") { add(one, 900, 330, 10); }
  const InsertModel model = insert_model(one);
  CHECK(!model.has_two_sizes());
  CHECK(model.max < 900);
  // A normal distribution, and an even one, have no valley.
  std::vector<std::uint32_t> even;
  add(even, 10'000, 500, 400);
  CHECK(!insert_model(even).has_two_sizes());
}

TEST_CASE("the largest sizes do not overflow") {
  std::vector<std::uint32_t> sizes(5000, 1);
  sizes.insert(sizes.end(), 5000, 100'000);
  const InsertModel two = insert_model(sizes);
  is(two, 1, 100'004, 1, 1);
  CHECK(two.others.mean == 100'000);
  // Without a valley: 1 to 100,000.
  for (std::uint32_t i = 0; i < sizes.size(); ++i) {
    sizes[i] = 1 + i * 10;
  }
  is(insert_model(sizes), 1, 225'001, 49'996, 28'868);
}
