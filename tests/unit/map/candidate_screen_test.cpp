#include <algorithm>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "map/candidates.hpp"
#include "match/mismatch_counts.hpp"
#include "tests/alignment_oracle.hpp"
#include "tests/catch.hpp"
#include "tests/on_all_targets.hpp"
#include "tests/random_cases.hpp"

using namespace trawl;
using trawl::match::MismatchCounts;

namespace {

// The smallest edit distance of `query` to a text that begins as `text` does.
int distance_to_start(std::string_view query, std::string_view text) {
  const auto distances = match::end_distances(query, text, match::AmbiguityRule::matches_nothing, true);
  return *std::min_element(distances.begin(), distances.end());
}

std::string backwards(std::string_view text) { return {text.rbegin(), text.rend()}; }

}  // namespace

TEST_CASE("the screen of candidates lets every one pass that may match") {
  tests::on_all_targets([] {
    tests::RandomCases cases(7);
    std::size_t kept_of_random = 0;
    std::size_t random = 0;
    for (int round = 0; round < 1500; ++round) {
      // Many copies of a read with some edits each, and what lies between them.
      const auto edits = static_cast<std::uint32_t>(cases.number(0, map::CandidateScreen::kMostEdits));
      const std::size_t length = cases.number(20, 70);
      const std::string bases = cases.bases(length);
      const auto stretch = static_cast<std::uint32_t>(cases.number(8, 14));
      const auto from = static_cast<std::uint32_t>(cases.number(0, length - stretch));
      std::string text = cases.bases(100);
      std::vector<std::int64_t> diagonals;
      const auto put = [&](const std::string& left, const std::string& right) {
        text += left;
        diagonals.push_back(static_cast<std::int64_t>(sequence::kContigGap + text.size()) - from);
        text += bases.substr(from, stretch) + right + cases.bases(cases.number(0, 40));
      };
      for (std::size_t copies = cases.number(0, 30); copies > 0; --copies) {
        put(cases.mutate(bases.substr(0, from), cases.number(0, 4)),
            cases.mutate(bases.substr(from + stretch), cases.number(0, 4)));
      }
      const std::size_t related = diagonals.size();
      for (std::size_t others = cases.number(0, 8); others > 0; --others) {
        put(cases.bases(from), cases.bases(length - from - stretch));
      }
      for (int moved = 0; moved < 3; ++moved) {
        diagonals.push_back(static_cast<std::int64_t>(sequence::kContigGap + cases.number(80, text.size())));
      }
      text += cases.bases(200);
      const sequence::Reference reference = tests::make_reference({text});
      sequence::EncodedRead read;
      read.encode(bases, false);

      const auto screen = map::CandidateScreen::of(static_cast<std::uint32_t>(length), from, stretch, edits);
      std::vector<std::int64_t> kept(diagonals.size() + map::CandidateScreen::kPadding);
      kept.resize(screen.keep(reference, read, diagonals.data(), diagonals.size(), kept.data()));

      std::size_t next = 0;  // of `kept`
      for (std::size_t i = 0; i < diagonals.size(); ++i) {
        const bool passed = next < kept.size() && kept[next] == diagonals[i];
        next += passed ? 1 : 0;
        const auto begin = static_cast<std::size_t>(diagonals[i]) - sequence::kContigGap + from;
        const bool matches = text.compare(begin, stretch, bases, from, stretch) == 0;
        if (!matches || edits == 0 || length + 2 * edits > 64) {
          CHECK(passed == matches);
          continue;
        }
        const std::size_t around = length + edits;
        const std::size_t before = std::min(begin, around);
        const int needed = distance_to_start(backwards(std::string_view(bases).substr(0, from)),
                                             backwards(std::string_view(text).substr(begin - before, before))) +
                           distance_to_start(std::string_view(bases).substr(from + stretch),
                                             std::string_view(text).substr(begin + stretch, around));
        if (needed <= static_cast<int>(edits)) {
          CHECK(passed);
        }
        if (i >= related && edits <= 2 && length >= 40) {
          ++random;
          kept_of_random += passed ? 1 : 0;
        }
      }
      CHECK(next == kept.size());
    }
    CHECK(random > 500);
    CHECK(kept_of_random * 100 < random);
  });
}

TEST_CASE("mismatches at 64 places at once") {
  std::mt19937_64 random(1);
  for (const std::uint32_t limit : {0u, 1u, 2u, 5u, 63u, 64u, 254u, 255u}) {
    MismatchCounts counts(limit);
    std::vector<std::uint32_t> expected(64);
    for (int letter = 0; letter < 700; ++letter) {
      // Every place has a rate of its own, from 1 in 64 to 1.
      std::uint64_t differ = 0;
      for (unsigned place = 0; place < 64; ++place) {
        const bool is_set = random() % 64 <= place;
        differ |= std::uint64_t{is_set} << place;
        expected[place] += is_set;
      }
      counts.add(differ);
      for (unsigned place = 0; place < 64; ++place) {
        REQUIRE((counts.within() >> place & 1) == (expected[place] <= limit));
        if (expected[place] <= limit) {
          REQUIRE(counts.at(place) == expected[place]);
        }
      }
    }
  }
}
