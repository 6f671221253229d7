// Compares the seed index with a naive search, and the chosen seeds with all possible choices.
#include <algorithm>

#include "seed/seed_index.hpp"
#include "seed/seed_selection.hpp"
#include "tests/catch.hpp"
#include "tests/random_cases.hpp"

using namespace trawl;

namespace {

// The q codes that start at a position. After the first ambiguous base all bases count as A.
std::uint32_t key_at(const sequence::Reference& reference, std::uint64_t position, unsigned q) {
  std::uint32_t key = 0;
  bool cut = false;
  for (unsigned k = 0; k < q; ++k) {
    const std::uint64_t p = position + k;
    const std::uint8_t code =
        p < reference.size() ? sequence::base_code(reference.letter(p)) : std::uint8_t{sequence::kAmbiguous};
    cut = cut || code == sequence::kAmbiguous;
    key = key << 2 | (cut ? 0u : code);
  }
  return key;
}

std::vector<std::uint64_t> scan(const sequence::Reference& reference, std::uint32_t key, unsigned q, unsigned length) {
  std::vector<std::uint64_t> positions;
  for (std::uint64_t p = 0; p < reference.size(); ++p) {
    const bool is_base = sequence::base_code(reference.letter(p)) != sequence::kAmbiguous;
    if (is_base && key_at(reference, p, q) >> 2 * (q - length) == key >> 2 * (q - length)) {
      positions.push_back(p);
    }
  }
  return positions;
}

std::vector<std::uint64_t> find(const seed::SeedIndex& index, std::uint32_t key, unsigned length) {
  std::vector<std::uint64_t> positions;
  for (const auto& shard : index.shards()) {
    const auto hits = index.find(shard, key, length);
    if (length == index.q()) {
      REQUIRE(std::is_sorted(hits.begin(), hits.end()));
    }
    for (const std::uint32_t hit : hits) {
      REQUIRE(shard.begin + hit < shard.end);
      positions.push_back(shard.begin + hit);
    }
  }
  std::sort(positions.begin(), positions.end());
  return positions;
}

// The smallest sum for `seeds` disjoint pieces of `length` bases. Each starts at a multiple of `step`, and none before
// `begin`. A very large number if there are none.
std::uint64_t smallest_sum(const std::vector<std::uint64_t>& frequencies, std::size_t begin, std::size_t seeds,
                           unsigned length, unsigned step) {
  std::uint64_t smallest = seeds == 0 ? 0 : std::uint64_t{1} << 60;
  for (std::size_t i = (begin + step - 1) / step * step; seeds > 0 && i < frequencies.size(); i += step) {
    smallest = std::min(smallest, frequencies[i] + smallest_sum(frequencies, i + length, seeds - 1, length, step));
  }
  return smallest;
}

}  // namespace

TEST_CASE("the index finds what a scan finds, for all lengths and any shards") {
  tests::RandomCases random(201);
  for (int n = 0; n < 25; ++n) {
    const auto contigs = random.contigs(random.chance(0.5) ? 0.02 : 0);
    const auto reference = tests::make_reference(contigs);
    const unsigned q = static_cast<unsigned>(random.number(seed::SeedIndex::kMinQ, 10));
    const std::uint64_t shard = random.chance(0.7) ? random.number(1, 1500) : std::uint64_t{1} << 31;
    const seed::SeedIndex index(reference, q, static_cast<unsigned>(random.number(1, 2)), shard);
    CAPTURE(n, q, shard);
    CHECK(index.shards().front().begin == 0);
    CHECK(index.shards().back().end == reference.size());
    for (int k = 0; k < 6; ++k) {
      const std::uint32_t key = random.chance(0.8)
                                    ? key_at(reference, random.number(0, reference.size() - 1), q)
                                    : static_cast<std::uint32_t>(random.number(0, (std::size_t{1} << 2 * q) - 1));
      for (unsigned length = 1; length <= q; ++length) {
        CAPTURE(key, length);
        REQUIRE(find(index, key, length) == scan(reference, key, q, length));
      }
    }
  }
}

TEST_CASE("an index of runs of one base and of contigs without a full seed") {
  for (const auto& contigs : std::vector<std::vector<std::string>>{
           {std::string(700, 'A')}, {"A", "C", "G", "T"}, {std::string(130, 'N')}, {std::string(64, 'T'), "ACG"}}) {
    const auto reference = tests::make_reference(contigs);
    for (const std::uint64_t shard : {64u, 128u, 100000u}) {
      const seed::SeedIndex index(reference, 8, 2, shard);
      for (const std::uint32_t key : {0u, 0xffffu, 0x4000u, 0x1b1bu}) {
        for (unsigned length = 1; length <= 8; ++length) {
          CAPTURE(contigs[0].size(), shard, key, length);
          CHECK(find(index, key, length) == scan(reference, key, 8, length));
        }
      }
    }
  }
}

// While the index is built, a position is a step from the one before it that has the same first bases. A step of 2^18
// bases or more is too wide.
TEST_CASE("an index of positions that are far from all others with the same first bases") {
  tests::RandomCases random(203);
  const std::string run(600000, 'A');
  const std::string gap(600000, 'N');
  const std::string start = random.bases(100);
  const auto reference = tests::make_reference({start + run + random.bases(100) + gap + start, run + start});
  for (const std::uint64_t shard : {std::uint64_t{1000000}, std::uint64_t{1} << 31}) {
    const seed::SeedIndex index(reference, 8, 2, shard);
    for (const std::size_t at : {0, 40, 92}) {
      const std::uint32_t key = key_at(reference, sequence::kContigGap + at, 8);
      for (const unsigned length : {4u, 8u}) {
        CAPTURE(shard, at, length);
        const auto found = find(index, key, length);
        CHECK(found.size() >= 3);
        CHECK((found == scan(reference, key, 8, length)));  // not printed
      }
    }
  }
}

TEST_CASE("seeds of references above 1.1 Gbp have 14 bases") {
  CHECK(seed::SeedIndex::suggest_q(100) == 10);
  CHECK(seed::SeedIndex::suggest_q(133'000'000) == 12);
  for (const std::uint64_t bases : {3'100'000'000, 4'400'000'000, 17'000'000'000, 150'000'000'000}) {
    CHECK(seed::SeedIndex::suggest_q(bases) == 14);
  }
}

TEST_CASE("the chosen seeds have the smallest sum of frequencies that there is") {
  tests::RandomCases random(202);
  for (int n = 0; n < 40; ++n) {
    const double ambiguity = random.chance(0.5) ? 0.03 : 0;
    const auto contigs = random.contigs(ambiguity);
    const auto reference = tests::make_reference(contigs);
    const std::uint64_t shard = random.chance(0.3) ? random.number(64, 1000) : std::uint64_t{1} << 31;
    const seed::SeedIndex index(reference, 8, 1, shard);
    for (int k = 0; k < 25; ++k) {
      const std::string bases = random.read(contigs, random.number(1, 30), 2, ambiguity);
      sequence::EncodedRead read;
      read.encode(bases, false);
      const std::size_t wanted = random.number(1, 4);
      seed::SeedPlan plan = seed::SeedPlan::of(read, wanted, index.q(), false);
      const unsigned longest = plan.length;
      CAPTURE(n, bases, wanted, longest);
      if (longest == 0) {
        continue;
      }
      const unsigned length = random.chance(0.6) ? longest : static_cast<unsigned>(random.number(1, longest));
      std::vector<std::uint64_t> frequencies;
      for (std::size_t i = 0; i + length <= bases.size(); ++i) {
        std::uint32_t key = 0;
        bool clear = true;
        for (unsigned j = 0; j < index.q(); ++j) {
          const std::uint8_t code = j < length ? sequence::base_code(bases[i + j]) : std::uint8_t{0};
          clear = clear && code != sequence::kAmbiguous;
          key = key << 2 | (code & 3u);
        }
        frequencies.push_back(clear ? find(index, key, length).size() : std::uint64_t{1} << 50);
      }

      seed::SeedSelection selection;
      plan.length = length;
      plan.step = static_cast<unsigned>(random.number(1, plan.step));
      const unsigned step = plan.step;
      CAPTURE(length, step);
      selection.begin(index, read, plan);
      selection.choose(index);
      REQUIRE(selection.seeds().size() == wanted);
      REQUIRE(selection.hits() == smallest_sum(frequencies, 0, wanted, length, step));
      std::uint64_t sum = 0;
      std::uint32_t free = 0;  // after the stretch before
      for (const auto& seed : selection.seeds()) {
        REQUIRE(seed.begin % step == 0);
        REQUIRE(seed.frequency == frequencies[seed.begin]);
        sum += seed.frequency;
        REQUIRE(free <= seed.stretch_begin);
        REQUIRE(seed.stretch_begin <= seed.begin);
        REQUIRE(seed.begin + length <= seed.stretch_end);
        REQUIRE(seed.stretch_end <= bases.size());
        for (std::uint32_t i = seed.stretch_begin; i < seed.stretch_end; ++i) {
          REQUIRE(read.codes[i] != sequence::kAmbiguous);
        }
        free = seed.stretch_end;
      }
      REQUIRE(sum == selection.hits());
    }
  }
}

TEST_CASE("the longest seed length is the longest that leaves room") {
  tests::RandomCases random(203);
  for (int n = 0; n < 2000; ++n) {
    const std::string bases = random.read({random.bases(60)}, random.number(1, 40), 0, 0.05);
    sequence::EncodedRead read;
    read.encode(bases, false);
    const std::size_t seeds = random.number(1, 6);
    unsigned expected = 0;
    for (unsigned length = 1; length <= 12; ++length) {
      std::size_t room = 0;
      std::size_t run = 0;
      for (const char c : bases) {
        run = sequence::base_code(c) == sequence::kAmbiguous ? 0 : run + 1;
        if (run == length) {
          ++room;
          run = 0;
        }
      }
      expected = room >= seeds ? length : expected;
    }
    CAPTURE(bases, seeds);
    REQUIRE(seed::longest_seed_length(read, seeds, 12) == expected);
  }
}
