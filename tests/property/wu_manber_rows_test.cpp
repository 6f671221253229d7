// The row-wise recurrence on striped blocks gives the oracle's distances: for both metrics, for patterns with sets of
// bases, and for block borders at every offset.
#include "match/wu_manber_rows.hpp"

#include <algorithm>
#include <vector>

#include "tests/catch.hpp"
#include "tests/pattern_oracle.hpp"
#include "tests/random_cases.hpp"

using namespace trawl;
using match::RowKind;

namespace {

constexpr std::size_t kBlock = 512;
constexpr unsigned kWords = 8;

// D(j), or the mismatches of the window that ends at j, for j = 1..; letters before the text match nothing.
std::vector<int> oracle(const std::string& pattern, const std::string& text, RowKind kind) {
  if (kind == RowKind::edits) {
    auto out = tests::pattern_distances(pattern, text, false);
    out.erase(out.begin());
    return out;
  }
  std::vector<int> out;
  for (std::size_t end = 1; end <= text.size(); ++end) {
    int mismatches = 0;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
      const std::size_t behind = pattern.size() - i;  // letters from i on, up to the end
      mismatches += behind > end || !tests::pattern_matches(pattern[i], text[end - behind], false);
    }
    out.push_back(mismatches);
  }
  return out;
}

// One lane, block after block, with the bits that cross the borders.
std::vector<int> by_rows(const std::string& pattern, const std::string& text, unsigned k, RowKind kind) {
  using Word = std::uint64_t;
  const match::PlainOps<Word> ops;
  const unsigned levels = k + 1;
  std::vector<std::uint8_t> carry(pattern.size() * levels);
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    for (unsigned d = 0; d < levels; ++d) {
      carry[i * levels + d] = i + 1 <= d;
    }
  }
  std::vector<int> out(text.size(), static_cast<int>(levels));
  std::vector<Word[kWords]> state(levels);
  std::vector<Word> wrapped(levels);
  for (std::size_t begin = 0; begin < text.size(); begin += kBlock) {
    Word planes[4][kWords] = {};
    for (std::size_t j = begin; j < std::min(text.size(), begin + kBlock); ++j) {
      const auto code = sequence::base_code(text[j]);
      if (code != sequence::kAmbiguous) {
        planes[code][(j - begin) / 64] |= Word{1} << (j % 64);
      }
    }
    for (auto& plane : planes) {
      match::stripe_eight(ops, plane);
    }
    for (unsigned d = 0; d < levels; ++d) {
      std::fill(state[d], state[d] + kWords, ~Word{0});
      wrapped[d] = ~Word{0};
    }
    for (std::size_t i = 0; i < pattern.size(); ++i) {
      const unsigned set = sequence::iupac_set(pattern[i]);
      const auto eq = [&](unsigned t) {
        return (set & 1 ? planes[0][t] : 0) | (set & 2 ? planes[1][t] : 0) | (set & 4 ? planes[2][t] : 0) |
               (set & 8 ? planes[3][t] : 0);
      };
      const auto wrap = [&](unsigned d, Word last) {
        std::uint8_t& bit = carry[i * levels + d];
        const Word next_place = (last >> 56) << 1;
        const Word word = (last << 8) | (next_place & 0xFE) | bit;
        bit = static_cast<std::uint8_t>(next_place >> 8);
        return word;
      };
      if (kind == RowKind::edits) {
        match::striped_row<RowKind::edits, kWords, 0>(ops, levels, state.data(), wrapped.data(), eq, wrap);
      } else {
        match::striped_row<RowKind::mismatches, kWords, 0>(ops, levels, state.data(), wrapped.data(), eq, wrap);
      }
    }
    for (std::size_t j = begin; j < std::min(text.size(), begin + kBlock); ++j) {
      const std::size_t p = j - begin;
      const auto place = (p % 64) / 8 * 8 + p / 64;
      for (unsigned d = levels; d-- > 0;) {
        if ((state[d][p % 8] >> place) & 1) {
          out[j] = static_cast<int>(d);
        }
      }
    }
  }
  return out;
}

void check(const std::string& pattern, const std::string& text, unsigned k) {
  for (const RowKind kind : {RowKind::edits, RowKind::mismatches}) {
    auto expected = oracle(pattern, text, kind);
    for (int& d : expected) {
      d = std::min(d, static_cast<int>(k) + 1);
    }
    CAPTURE(pattern, text.size(), k, static_cast<int>(kind));
    REQUIRE(by_rows(pattern, text, k, kind) == expected);
  }
}

}  // namespace

TEST_CASE("rows on striped blocks give the oracle's distances") {
  tests::RandomCases random(61);
  for (int n = 0; n < 300; ++n) {
    const std::string text = random.contig(random.number(1, 3000), random.chance(0.5) ? 0.01 : 0);
    const std::size_t m = random.chance(0.1) ? 1 : random.number(1, random.chance(0.8) ? 60 : 1024);
    const std::string pattern = random.read({text}, m, 6, random.chance(0.5) ? 0.15 : 0);
    check(pattern, text, static_cast<unsigned>(random.number(0, 16)));
  }
}

TEST_CASE("a match across a block border at every offset") {
  tests::RandomCases random(62);
  const std::string pattern = random.bases(24);
  for (std::size_t offset = kBlock - 40; offset <= kBlock + 10; ++offset) {
    for (unsigned k = 0; k <= 3; ++k) {
      check(pattern, random.bases(offset) + random.mutate(pattern, k) + random.bases(600), k);
    }
  }
}

TEST_CASE("lengths from 1 to 1024 and edits from 0 to 16") {
  tests::RandomCases random(63);
  for (std::size_t m = 1; m <= 1024; m = m < 70 ? m + 1 : m + random.number(1, 97)) {
    const std::string pattern = random.bases(m);
    const auto k = static_cast<unsigned>(m % 17);
    check(pattern, random.bases(random.number(0, 600)) + random.mutate(pattern, k) + random.bases(50), k);
  }
  check(random.bases(1024), random.bases(1100), 16);
}
