// The device's row-wise scan of a block, run by a warp simulated on the host, gives the oracle's distances.
#include "match/wu_manber_warp.hpp"

#include <algorithm>
#include <vector>

#include "scan/find/query.hpp"
#include "tests/catch.hpp"
#include "tests/pattern_oracle.hpp"
#include "tests/random_cases.hpp"

using namespace trawl;
using match::HostWarp;
using match::RowKind;

namespace {

using V = HostWarp::Value<std::uint32_t>;
using Ops = match::WarpOps<HostWarp>;

template <unsigned kLevels>
std::vector<int> by_warp(const std::string& pattern, const std::string& text, RowKind kind, bool alike) {
  std::vector<std::uint8_t> rows;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    rows.push_back(match::pack_row(sequence::iupac_set(pattern[i]), kind));
  }
  // Blocks overlap by the length of a match.
  const std::size_t overlap = pattern.size() + kLevels;
  std::vector<int> out(text.size(), static_cast<int>(kLevels));
  for (std::size_t begin = 0; begin < text.size(); begin += match::kRowBlock - overlap) {
    V high[match::kRowWords] = {};
    V low[match::kRowWords] = {};
    for (std::size_t j = begin; j < std::min<std::size_t>(text.size(), begin + match::kRowBlock); ++j) {
      const std::size_t p = j - begin;
      const unsigned code = sequence::base_code(text[j]);
      high[p / 1024][p / 32 % 32] |= (code >> 1) << (p % 32);
      low[p / 1024][p / 32 % 32] |= (code & 1) << (p % 32);
    }
    match::stripe_eight(Ops(), high);
    match::stripe_eight(Ops(), low);
    const match::PlainBlockText<V, Ops> block{high, low};
    match::WuManberWarp<HostWarp, kLevels> scan;
    const auto length = static_cast<unsigned>(rows.size());
    const bool found = !alike ? scan.run(HostWarp(), rows.data(), length, block)
                       : kind == RowKind::edits
                           ? scan.template run_alike<RowKind::edits>(HostWarp(), rows.data(), length, block)
                           : scan.template run_alike<RowKind::mismatches>(HostWarp(), rows.data(), length, block);
    if (!found) {
      continue;
    }
    for (unsigned lane = 0; lane < 32; ++lane) {
      for (unsigned t = 0; t < match::kRowWords; ++t) {
        for (unsigned bit = 0; bit < 32; ++bit) {
          const std::size_t at = begin + match::row_position(lane, t, bit);
          for (unsigned d = kLevels; d-- > 0;) {
            if (at < text.size() && (begin == 0 || at >= begin + overlap) && ((scan.state[d][t][lane] >> bit) & 1)) {
              out[at] = static_cast<int>(d);
            }
          }
        }
      }
    }
  }
  return out;
}

template <unsigned kLevels>
void check(std::uint64_t seed) {
  tests::RandomCases random(seed);
  for (int n = 0; n < 25; ++n) {
    const std::string text = random.contig(random.number(1, random.chance(0.5) ? 2000 : 20000), 0);
    const std::string pattern =
        random.read({text}, random.number(1, random.chance(0.8) ? 60 : 400), kLevels, random.chance(0.3) ? 0.1 : 0);
    if (pattern.empty()) {
      continue;
    }
    std::vector<int> edits = tests::pattern_distances(pattern, text, false);
    edits.erase(edits.begin());
    for (int& d : edits) {
      d = std::min(d, static_cast<int>(kLevels));
    }
    CAPTURE(kLevels, n, pattern, text.size());
    const bool alike = pattern.size() >= kLevels && random.chance(0.5);
    REQUIRE(by_warp<kLevels>(pattern, text, RowKind::edits, alike) == edits);
    auto mismatches = by_warp<kLevels>(pattern, text, RowKind::mismatches, alike);
    // The caller must leave out windows that begin before the text.
    std::fill(mismatches.begin(),
              mismatches.begin() + static_cast<std::ptrdiff_t>(std::min(text.size(), pattern.size() - 1)),
              static_cast<int>(kLevels));
    std::vector<int> expected(text.size(), static_cast<int>(kLevels));
    for (const auto& [end, distance] : tests::oracle_ends(pattern, text, kLevels - 1, true, false)) {
      expected[end - 1] = distance;
    }
    REQUIRE(mismatches == expected);
  }
}

}  // namespace

TEST_CASE("a warp's rows give the oracle's distances") {
  check<1>(111);
  check<2>(112);
  check<3>(113);
  check<4>(114);
  check<6>(115);
  check<9>(116);
}
