// Which reads are too short to be searched.
#include "map/search_depth.hpp"
#include "tests/catch.hpp"
#include "tests/pattern_oracle.hpp"
#include "tests/random_cases.hpp"

using namespace trawl;

TEST_CASE("reads that are expected at more than 1,000 places by chance are too short") {
  const auto shortest = [](const map::MapOptions& options, std::uint64_t reference) {
    const map::ShortReads short_reads(options, reference);
    std::string read;
    while (short_reads.is_too_short(read)) {
      read += 'A';
    }
    return read.size();
  };
  map::MapOptions options;                    // e = 5%
  CHECK(shortest(options, 50'000'000) == 9);  // 100,000,000 / 4^9 is 381
  CHECK(shortest(options, 3'100'000'000) == 12);
  CHECK(shortest(options, 5'000) == 2);  // of 10,000 places 625 are expected
  CHECK(shortest(options, 100) == 1);
  options.max_edits = {false, 0, 2};
  CHECK(shortest(options, 100) == 3);  // shorter ones match everywhere
  CHECK(shortest(options, 3'100'000'000) == 18);
  options.metric = map::Metric::hamming;
  CHECK(shortest(options, 3'100'000'000) == 17);
  options.min_length = 5;
  CHECK(shortest(options, 3'100'000'000) == 5);
  options.min_length = 1;
  CHECK(shortest(options, 3'100'000'000) == 3);

  map::MapOptions ambiguous;
  const std::string n = std::string(90, 'N') + "ACGTACGTAC";
  CHECK(!map::ShortReads(ambiguous, 50'000'000).is_too_short(n));
  ambiguous.ambiguous = map::Ambiguous::match;
  CHECK(map::ShortReads(ambiguous, 50'000'000).is_too_short(n));
  CHECK(!map::ShortReads(ambiguous, 50'000'000).is_too_short(std::string(100, 'R')));
  ambiguous.min_length = 1;
  CHECK(!map::ShortReads(ambiguous, 50'000'000).is_too_short(n));
  CHECK(map::ShortReads(ambiguous, 50'000'000).is_too_short(std::string(100, 'N')));
}

TEST_CASE("too short, as the oracle says", "[long]") {
  tests::RandomCases random(31);
  for (int n = 0; n < 20'000; ++n) {
    map::MapOptions options;
    options.max_edits = {random.chance(0.5), 1.0 * static_cast<double>(random.number(0, 40)),
                         static_cast<std::uint32_t>(random.number(0, 20))};
    options.metric = random.chance(0.5) ? map::Metric::hamming : map::Metric::levenshtein;
    options.ambiguous = random.chance(0.5) ? map::Ambiguous::match : map::Ambiguous::mismatch;
    const std::string read = random.contig(random.number(1, random.chance(0.9) ? 60 : 1500), 0.2);
    const std::uint64_t bases = std::uint64_t{1} << random.number(1, 33);
    const map::ShortReads short_reads(options, bases);
    CAPTURE(n, read, bases, options.max_edits.percent, options.max_edits.number);
    REQUIRE(short_reads.is_too_short(read) == tests::is_too_short(read, options.allowed_edits(read.size()), 2 * bases,
                                                                  options.gaps(),
                                                                  options.ambiguous == map::Ambiguous::match));
  }
}
