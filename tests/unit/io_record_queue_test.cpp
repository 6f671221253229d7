// The queue of waiting records keeps the output's order, however many records fit in memory.
#include <algorithm>
#include <tuple>

#include "io/write/record_queue.hpp"
#include "tests/catch.hpp"
#include "tests/random_cases.hpp"

using namespace trawl;

namespace {

std::string line_of(const scan::Record& r) {
  std::string line;
  for (const std::uint64_t n :
       {r.contig, r.start, r.end, std::uint64_t{r.pattern}, std::uint64_t{r.reverse}, std::uint64_t{r.distance},
        std::uint64_t{r.edits}, std::uint64_t{r.mismatches}, std::uint64_t{r.dna_bulges}, std::uint64_t{r.rna_bulges},
        std::uint64_t{r.is_packed}, std::uint64_t{r.gaps}, r.high, r.low}) {
    line += std::to_string(n) + ' ';
  }
  if (!r.texts) {
    return line + "exact";
  }
  line += r.texts->cigar + ' ' + r.texts->md + ' ' + r.texts->text;
  return r.texts->ungapped ? line + " beside " + line_of(*r.texts->ungapped) : line;
}

}  // namespace

TEST_CASE("records that wait come out in order, in memory or not") {
  for (const std::uint64_t most_bytes :
       {std::uint64_t{0}, std::uint64_t{3000}, std::uint64_t{40000}, std::uint64_t{1} << 30}) {
    tests::RandomCases random(301);
    io::RecordQueue queue(most_bytes);
    // The key of each record, and its line.
    std::vector<std::tuple<std::uint64_t, std::uint64_t, std::uint32_t, bool, std::uint64_t, std::string>> all;
    std::vector<std::string> found;
    std::pair<std::uint64_t, std::uint64_t> limit{0, 0};
    const auto write = [&](std::span<const scan::Record> records) {
      for (const auto& record : records) {
        REQUIRE(std::pair(record.contig, record.start) < limit);
        found.push_back(line_of(record));
      }
    };
    for (int step = 0; step < 300; ++step) {
      std::vector<scan::Record> records(random.number(0, 30));
      for (auto& r : records) {
        r.contig = limit.first + (random.chance(0.1) ? 1 : 0);
        r.start = (r.contig == limit.first ? limit.second : 0) + random.number(0, 5000);
        r.end = r.start + random.number(1, 50);
        r.pattern = static_cast<std::uint32_t>(all.size());
        r.reverse = random.chance(0.5);
        r.distance = static_cast<std::uint16_t>(random.number(0, 9));
        r.edits = static_cast<std::uint16_t>(random.number(0, 9));
        r.mismatches = static_cast<std::uint16_t>(random.number(0, 9));
        r.dna_bulges = static_cast<std::uint16_t>(random.number(0, 9));
        r.rna_bulges = static_cast<std::uint16_t>(random.number(0, 9));
        if (random.chance(0.5)) {
          r.is_packed = true;
          r.gaps = static_cast<std::uint32_t>(random.number(0, UINT32_MAX));
          r.high = random.number(0, UINT64_MAX);
          r.low = random.number(0, UINT64_MAX);
        }
        if (random.chance(0.7)) {
          r.texts = std::make_unique<scan::RecordTexts>();
          r.texts->cigar = random.chance(0.1) ? "" : "20M";
          r.texts->md = random.bases(random.number(0, 40));
          // Some records are larger than what is read at a time.
          r.texts->text = random.bases(random.chance(0.002) ? 200000 : random.number(0, 60));
        }
        if (r.texts && random.chance(0.3)) {
          scan::Record beside = scan::copy_of(r);
          beside.start += random.number(0, 3);
          beside.texts->cigar = "23M";
          r.texts->ungapped = std::make_shared<const scan::Record>(std::move(beside));
        }
        all.push_back({r.contig, r.start, r.pattern, r.reverse, r.end, line_of(r)});
      }
      queue.take(records);
      REQUIRE(records.empty());
      if (random.chance(0.7)) {
        // Sometimes nothing may be written for a long time.
        limit.second += step > 100 && step < 200 ? 0 : random.number(0, 2000);
        if (random.chance(0.05)) {
          limit = {limit.first + 1, 0};
        }
        queue.write_until(limit, write);
      }
    }
    limit = {UINT64_MAX, 0};
    queue.write_until(limit, write);
    std::sort(all.begin(), all.end());
    REQUIRE(found.size() == all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      REQUIRE(found[i] == std::get<5>(all[i]));
    }
    REQUIRE((queue.spilled_bytes() > 0) == (most_bytes < std::uint64_t{1} << 30));
  }
}

TEST_CASE("more records than are written at a time, of three contigs and many at one place") {
  for (const std::uint64_t most_bytes : {std::uint64_t{4} << 20, std::uint64_t{1} << 30}) {
    tests::RandomCases random(302);
    io::RecordQueue queue(most_bytes);
    using Key = std::tuple<std::uint64_t, std::uint64_t, std::uint32_t>;
    std::vector<Key> expected;
    std::vector<std::vector<scan::Record>> pieces(300);
    for (auto& piece : pieces) {
      piece.resize(1000);
      for (scan::Record& record : piece) {
        record.contig = random.number(5, 7);
        record.start = random.chance(0.3) ? 4000 : random.number(0, 100000);
        record.pattern = static_cast<std::uint32_t>(expected.size() * 7919 % 300000);
        expected.emplace_back(record.contig, record.start, record.pattern);
      }
    }
    std::sort(expected.begin(), expected.end());
    std::vector<Key> found;
    const auto write = [&](std::span<const scan::Record> records) {
      for (const auto& record : records) {
        found.emplace_back(record.contig, record.start, record.pattern);
      }
    };
    queue.take(pieces);
    queue.write_until({5, 4000}, write);
    REQUIRE(found.size() > 1000);
    REQUIRE(std::get<0>(expected[found.size()]) == 5);
    REQUIRE(std::get<1>(expected[found.size()]) >= 4000);
    queue.write_until({UINT64_MAX, 0}, write);
    REQUIRE((found == expected));
    REQUIRE((queue.spilled_bytes() > 0) == (most_bytes < std::uint64_t{1} << 30));
  }
}
