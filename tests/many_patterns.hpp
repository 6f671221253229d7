// Many short patterns that share prefixes, and the hits that `trawl scan` must find. These are counted without rows or
// blocks: mismatches by comparing packed words, edits column by column.
//
//   for (const ManyCase& c : kManyCases) {
//     const auto input = make_many_patterns(c);
//     CHECK(first_difference(finder, input, expected_ends(input, c.k, c.hamming)) == "");
//   }
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "match/myers.hpp"
#include "scan/find/finder.hpp"
#include "tests/find_all.hpp"
#include "tests/random_cases.hpp"

namespace trawl::tests {

struct ManyCase {
  std::uint64_t seed;
  unsigned k;
  bool hamming;
  std::size_t patterns;
  std::size_t shortest;  // letters of a pattern; at least 5
  std::size_t longest;   // at most 31
  std::size_t text_length;
};

/// A prefix of 11 letters with 3 edits occurs in every block. The other prefixes end somewhere in many blocks, while a
/// match from the block before continues.
inline constexpr ManyCase kManyCases[] = {
    {91, 0, false, 3000, 6, 10, 600000}, {92, 0, true, 1000, 8, 8, 400000},    {93, 0, false, 500, 6, 15, 400000},
    {94, 1, true, 1000, 8, 12, 200000},  {1, 2, true, 1000, 10, 14, 200000},   {6, 3, true, 2000, 13, 14, 60000},
    {97, 1, false, 1000, 8, 12, 200000}, {98, 2, false, 1000, 11, 14, 200000}, {99, 3, false, 500, 13, 15, 150000},
};

struct ManyPatterns {
  std::vector<std::string> patterns;  // of A, C, G, T
  std::string text;                   // one contig
};

/// An end in the form that is compared. `end` is the number of text letters up to it, as in pattern_oracle.hpp.
struct ManyEnd {
  std::uint32_t pattern = 0;
  std::uint32_t end = 0;
  std::uint32_t distance = 0;

  auto operator<=>(const ManyEnd&) const = default;
};

/// Patterns, many of which start like another one. The text has random bases, repeats, runs of N, patterns and parts of
/// them, changed patterns, and the start of one pattern followed by the rest of another.
inline ManyPatterns make_many_patterns(const ManyCase& c) {
  RandomCases random(c.seed);
  ManyPatterns input;
  auto& patterns = input.patterns;
  // A prefix, often all but the last few letters.
  const auto prefix = [&](const std::string& of) {
    return of.substr(0, random.chance(0.5) ? random.number(1, of.size()) : of.size() - random.number(1, 4));
  };
  while (patterns.size() < c.patterns) {
    std::string pattern;
    if (!patterns.empty() && random.chance(0.8)) {
      pattern = prefix(patterns[random.number(0, patterns.size() - 1)]);
    }
    const std::size_t length = random.number(c.shortest, c.longest);
    pattern += random.bases(length - std::min(length, pattern.size()));
    patterns.push_back(pattern.substr(0, length));
  }
  const auto any = [&]() -> const std::string& { return patterns[random.number(0, c.patterns - 1)]; };
  std::string& text = input.text;
  // With few letters or few patterns, most starts of patterns do not occur.
  std::string letters = "ACGT";
  double planted = 0;
  for (std::size_t change_at = 0; text.size() < c.text_length;) {
    if (text.size() >= change_at) {
      letters = random.chance(0.5) ? "ACGT" : random.bases(random.number(1, 4));
      planted = random.chance(0.3) ? 0.05 : 0.4;
      change_at += random.number(100, 5000);
    }
    if (!random.chance(planted)) {
      for (std::size_t n = random.number(1, 20); n > 0; --n) {
        text += letters[random.number(0, letters.size() - 1)];
      }
      continue;
    }
    switch (random.number(0, 9)) {
      case 0:
        text += std::string(random.number(1, 30), random.base());
        break;
      case 1:
        text += random.chance(0.1) ? std::string(random.number(1, 30), 'N') : "N";
        break;
      case 2:
        text += text.substr(text.size() - std::min<std::size_t>(text.size(), random.number(1, 100)));
        break;
      case 3:
      case 4:
        text += any();
        break;
      case 5:
        text += random.mutate(any(), random.number(1, 3));
        break;
      default: {
        const std::string begin = prefix(any());
        const std::string& other = any();
        text += begin + other.substr(std::min(begin.size(), other.size()));
      }
    }
  }
  text.resize(c.text_length);
  return input;
}

namespace many_patterns {

// Two bits per letter; the first letter has the highest bits.
inline std::uint64_t packed(const std::string& letters) {
  std::uint64_t word = 0;
  for (const char c : letters) {
    word = word << 2 | sequence::base_code(c);
  }
  return word;
}

// Calls use(end, word, not_known) for each end. `word` is the 32 letters up to it, two bits each. In `not_known`, bit 0
// is set for each letter that is not a base or lies before the text.
template <class Use>
void for_each_window(const std::string& text, Use&& use) {
  std::uint64_t word = 0;
  std::uint64_t not_known = 0x5555555555555555;
  for (std::uint32_t end = 1; end <= text.size(); ++end) {
    const unsigned code = sequence::base_code(text[end - 1]);
    const bool is_base = code != sequence::kAmbiguous;
    word = word << 2 | (is_base ? code : 0);
    not_known = not_known << 2 | (is_base ? 0 : 1);
    use(end, word, not_known);
  }
}

inline std::uint64_t mask_of(std::size_t letters) { return (std::uint64_t{1} << 2 * letters) - 1; }

inline void add_mismatches(const ManyPatterns& input, unsigned k, std::vector<ManyEnd>& ends) {
  for (std::uint32_t p = 0; p < input.patterns.size(); ++p) {
    const std::uint64_t pattern = packed(input.patterns[p]);
    const std::size_t length = input.patterns[p].size();
    const std::uint64_t mask = mask_of(length) & 0x5555555555555555;
    for_each_window(input.text, [&](std::uint32_t end, std::uint64_t word, std::uint64_t not_known) {
      const std::uint64_t differ = word ^ pattern;
      const auto distance = static_cast<unsigned>(std::popcount((differ | differ >> 1 | not_known) & mask));
      if (distance <= k && end >= length) {
        ends.push_back({p, end, distance});
      }
    });
  }
}

inline void add_edits(const ManyPatterns& input, unsigned k, std::vector<ManyEnd>& ends) {
  for (std::uint32_t p = 0; p < input.patterns.size(); ++p) {
    const std::string& pattern = input.patterns[p];
    std::uint64_t eq[256] = {};
    for (std::size_t i = 0; i < pattern.size(); ++i) {
      eq[static_cast<unsigned char>(pattern[i])] |= std::uint64_t{1} << i;
    }
    match::MyersWord<std::uint64_t> column;
    int distance = static_cast<int>(pattern.size());
    for (std::uint32_t end = 1; end <= input.text.size(); ++end) {
      distance += match::myers_step(column, eq[static_cast<unsigned char>(input.text[end - 1])], 0,
                                    std::uint64_t{1} << (pattern.size() - 1));
      if (distance <= static_cast<int>(k)) {
        ends.push_back({p, end, static_cast<std::uint32_t>(distance)});
      }
    }
  }
}

}  // namespace many_patterns

/// Every end of every pattern with a distance of at most k, sorted by pattern, then end. N matches nothing.
inline std::vector<ManyEnd> expected_ends(const ManyPatterns& input, unsigned k, bool hamming) {
  std::vector<ManyEnd> ends;
  if (k == 0 || hamming) {
    many_patterns::add_mismatches(input, k, ends);
  } else {
    many_patterns::add_edits(input, k, ends);
  }
  std::sort(ends.begin(), ends.end());
  return ends;
}

/// The options that search exactly the patterns: one query per pattern, with the same number.
inline scan::ScanOptions many_options(unsigned k, bool hamming, scan::ScanMethod search = scan::ScanMethod::rows) {
  scan::ScanOptions options;
  options.max_edits = k;
  options.metric = hamming ? scan::Metric::hamming : scan::Metric::levenshtein;
  options.strands = scan::Strands::forward;
  options.search = search;
  return options;
}

inline scan::QueryList many_queries(const ManyPatterns& input, const scan::ScanOptions& options) {
  scan::PatternList patterns;
  for (const std::string& pattern : input.patterns) {
    patterns.add(pattern, pattern);
  }
  return scan::make_queries(patterns, options);
}

/// The first difference between a finder's ends and the expected ones; empty if there is none.
inline std::string first_difference(scan::Finder& finder, const ManyPatterns& input,
                                    const std::vector<ManyEnd>& expected) {
  const auto reference = make_reference({input.text});
  std::vector<scan::Hit> hits;
  tests::find_all(finder, reference, hits);
  const std::uint64_t before = reference.contigs()[0].offset - 1;
  std::vector<ManyEnd> found;
  for (const auto& hit : hits) {
    found.push_back({hit.id, static_cast<std::uint32_t>(hit.end - before), hit.distance});
  }
  if (found == expected) {
    return "";
  }
  const auto [f, e] = std::mismatch(found.begin(), found.end(), expected.begin(), expected.end());
  const bool is_false = e == expected.end() || (f != found.end() && *f < *e);
  const ManyEnd& end = is_false ? *f : *e;
  return std::string(is_false ? "false" : "missed") + ": " + input.patterns[end.pattern] + ", distance " +
         std::to_string(end.distance) + ", where the text is .." +
         input.text.substr(end.end - std::min<std::size_t>(end.end, 30), std::min<std::size_t>(end.end, 30)) + "; " +
         std::to_string(found.size()) + " ends, expected " + std::to_string(expected.size());
}

}  // namespace trawl::tests
