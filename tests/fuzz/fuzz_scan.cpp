// Makes contigs, patterns and options from bytes, and compares the finder's ends with plain dynamic programming.
#include <fuzzer/FuzzedDataProvider.h>
#include <hwy/targets.h>

#include <bit>
#include <cstdio>
#include <map>

#include "scan/find/cpu_finder.hpp"
#include "scan/find/wu_manber_scan.hpp"
#include "tests/fuzz/letters.hpp"
#include "tests/fuzz/memory_file.hpp"
#include "tests/pattern_oracle.hpp"
#include "tests/random_cases.hpp"

using namespace trawl;

namespace {

using Ends = std::map<std::pair<std::uint32_t, std::uint64_t>, unsigned>;  // of one query, by position

// A few bytes make many patterns: most are the start of another pattern and a few more letters.
scan::PatternList patterns_of(FuzzedDataProvider& bytes) {
  scan::PatternList patterns;
  const std::size_t longest = bytes.ConsumeBool() ? 16 : 90;
  for (unsigned n = bytes.ConsumeIntegralInRange(1u, 40u); n > 0; --n) {
    std::string pattern;
    if (!patterns.empty() && bytes.ConsumeIntegralInRange(0, 3) != 0) {
      const std::string_view other = patterns[bytes.ConsumeIntegralInRange<std::size_t>(0, patterns.size() - 1)].bases;
      pattern = other.substr(0, bytes.ConsumeIntegralInRange<std::size_t>(0, other.size()));
    }
    pattern += fuzz::letters(bytes, pattern.empty() ? longest : 4);
    patterns.add("p", pattern.substr(0, longest));
  }
  return patterns;
}

// Letters of the input; random letters, so that texts have several blocks; and patterns or parts of them.
std::string contig_of(FuzzedDataProvider& bytes, const scan::PatternList& patterns) {
  std::string text = fuzz::letters(bytes, 300);
  const std::string random = tests::RandomCases(bytes.ConsumeIntegral<std::uint8_t>()).bases(3000);
  for (unsigned n = bytes.ConsumeIntegralInRange(0u, 40u); n > 0; --n) {
    const auto pick = [&] { return patterns[bytes.ConsumeIntegralInRange<std::size_t>(0, patterns.size() - 1)].bases; };
    switch (bytes.ConsumeIntegralInRange(0, 4)) {
      case 0:
        text += fuzz::letters(bytes, 60);
        break;
      case 1:
        text += pick();
        break;
      case 2: {
        const std::string_view begin = pick();
        const std::size_t at = bytes.ConsumeIntegralInRange<std::size_t>(0, begin.size());
        const std::string_view end = pick();
        text += begin.substr(0, at);
        text += end.substr(std::min(at, end.size()));
        break;
      }
      case 3:
        text += std::string(bytes.ConsumeIntegral<std::uint8_t>(), bytes.ConsumeBool() ? 'N' : 'A');
        break;
      default:
        text +=
            random.substr(bytes.ConsumeIntegralInRange<std::size_t>(0, 2000), bytes.ConsumeIntegral<std::uint8_t>());
    }
  }
  return text;
}

scan::Options options_of(FuzzedDataProvider& bytes) {
  scan::Options options;
  options.max_edits = bytes.ConsumeIntegralInRange(0u, bytes.ConsumeBool() ? 3u : 12u);
  options.metric = bytes.PickValueInArray({scan::Metric::levenshtein, scan::Metric::hamming});
  options.strands = bytes.PickValueInArray({scan::Strands::both, scan::Strands::forward, scan::Strands::reverse});
  options.ambiguous_matches = bytes.ConsumeBool();
  options.whole = bytes.ConsumeBool();
  if (bytes.ConsumeIntegralInRange(0, 3) == 0) {
    options.pam.bases = bytes.PickValueInArray({"NGG", "TTTV", "A", "NNGRRT"});
    options.pam.is_last = bytes.ConsumeBool();
    options.max_mismatches = options.max_edits;
    options.max_bulges =
        options.metric == scan::Metric::hamming ? 0 : bytes.ConsumeIntegralInRange(0u, options.max_edits);
  }
  return options;
}

bool matches_at(std::string_view pam, std::string_view text, std::size_t at, bool ambiguous_matches) {
  bool matches = at + pam.size() <= text.size();
  for (std::size_t i = 0; matches && i < pam.size(); ++i) {
    matches = tests::pattern_matches(pam[i], text[at + i], ambiguous_matches);
  }
  return matches;
}

// D of a guide next to a PAM that matches exactly, for all ends 0..text.size(); more than max_edits if there is none. A
// finder either allows no bulges or any number. Letters before the contig are mismatches.
std::vector<int> guide_distances(const scan::Query& query, std::string_view text, const scan::Options& options) {
  const std::string_view bases = query.bases;
  const std::string_view guide = bases.substr(query.pam_first, query.guide_length());
  const std::string_view pam =
      query.pam_last > 0 ? bases.substr(bases.size() - query.pam_last) : bases.substr(0, query.pam_first);
  const int none = static_cast<int>(options.max_edits) + 1;
  std::vector<int> out(text.size() + 1, none);
  const bool gaps = options.metric == scan::Metric::levenshtein && options.max_bulges > 0;
  const auto mismatches = [&](std::size_t end) {
    int count = 0;
    for (std::size_t i = 0; i < guide.size(); ++i) {
      const std::size_t left = guide.size() - i;
      count += left > end || !tests::pattern_matches(guide[i], text[end - left], options.ambiguous_matches);
    }
    return count;
  };
  if (query.pam_last > 0) {
    const auto of_guide = gaps ? tests::pattern_distances(guide, text, options.ambiguous_matches) : std::vector<int>();
    for (std::size_t at = 0; at < text.size(); ++at) {
      if (matches_at(pam, text, at, options.ambiguous_matches)) {
        out[at + pam.size()] = gaps ? of_guide[at] : mismatches(at);
      }
    }
    return out;
  }
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!matches_at(pam, text, at, options.ambiguous_matches)) {
      continue;
    }
    const std::size_t begin = at + pam.size();
    if (gaps) {
      const auto of_guide = tests::pattern_distances(guide, text.substr(begin, guide.size() + options.max_edits),
                                                     options.ambiguous_matches, true);
      for (std::size_t i = 0; i < of_guide.size(); ++i) {
        out[begin + i] = std::min(out[begin + i], of_guide[i]);
      }
    } else if (begin + guide.size() <= text.size()) {
      out[begin + guide.size()] = mismatches(begin + guide.size());
    }
  }
  return out;
}

std::vector<std::pair<std::size_t, int>> guide_ends(const scan::Query& query, std::string_view text,
                                                    const scan::Options& options) {
  std::vector<std::pair<std::size_t, int>> ends;
  const auto distances = guide_distances(query, text, options);
  for (std::size_t end = 1; end <= text.size(); ++end) {
    const bool is_outside = options.metric == scan::Metric::hamming && end < query.length();
    const std::size_t begin = end - std::min<std::size_t>(end, query.length());
    if (distances[end] <= static_cast<int>(options.max_edits) && !is_outside &&
        !(options.ambiguous_matches && tests::leans_on_ambiguous(text, begin, end, query.length(), 0, 100))) {
      ends.emplace_back(end, distances[end]);
    }
  }
  return ends;
}

Ends oracle(const std::vector<std::string>& contigs, const sequence::Reference& reference,
            const std::vector<scan::Query>& queries, const scan::Options& options) {
  Ends ends;
  for (std::uint32_t q = 0; q < queries.size(); ++q) {
    for (std::size_t c = 0; c < contigs.size(); ++c) {
      const auto of_contig =
          queries[q].has_pam() ? guide_ends(queries[q], contigs[c], options)
                               : tests::oracle_ends(queries[q].bases, contigs[c], static_cast<int>(options.max_edits),
                                                    options.metric == scan::Metric::hamming, options.ambiguous_matches);
      for (const auto& [end, distance] : of_contig) {
        ends[{q, reference.contigs()[c].offset + end - 1}] = static_cast<unsigned>(distance);
      }
    }
  }
  return ends;
}

void check(scan::Finder& finder, const sequence::Reference& reference, const std::vector<scan::Query>& queries,
           const Ends& expected) {
  std::vector<scan::Hit> hits;
  finder.find(reference, hits);
  Ends found;
  for (const auto& hit : hits) {
    fuzz::check(found.empty() || found.rbegin()->first < std::pair(hit.id, hit.end));
    found[{hit.id, hit.end}] = hit.distance;
  }
  if (found != expected) {
    const auto [f, e] = std::mismatch(found.begin(), found.end(), expected.begin(), expected.end());
    const bool is_false = e == expected.end() || (f != found.end() && *f < *e);
    const auto& [place, distance] = is_false ? *f : *e;
    std::fprintf(stderr, "%s: %s: %s at %llu, distance %u\n", scan::wu_manber_scan_target(),
                 is_false ? "false or wrong" : "missed", std::string(queries[place.first].bases).c_str(),
                 static_cast<unsigned long long>(place.second), distance);
    std::abort();
  }
}

// Chooses one of the machine's instruction sets.
void choose_target(unsigned number) {
  hwy::SetSupportedTargetsForTest(0);
  std::int64_t targets = hwy::SupportedTargets();
  for (number %= static_cast<unsigned>(std::popcount(static_cast<std::uint64_t>(targets))); number > 0; --number) {
    targets &= targets - 1;
  }
  hwy::SetSupportedTargetsForTest(targets & -targets);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider bytes(data, size);
  choose_target(bytes.ConsumeIntegral<std::uint8_t>());
  const scan::Options options = options_of(bytes);
  const auto patterns = patterns_of(bytes);
  const auto queries = scan::make_queries(patterns, options);
  if (queries.empty()) {
    return 0;
  }
  std::vector<std::string> contigs;
  for (unsigned n = bytes.ConsumeIntegralInRange(1u, 2u); n > 0; --n) {
    contigs.push_back(contig_of(bytes, patterns));
  }
  const auto reference = tests::make_reference(contigs);
  const Ends expected = oracle(contigs, reference, queries, options);
  const auto finder = scan::make_cpu_finder(queries, options);
  check(*finder, reference, queries, expected);
  // A finder may change its plan after it has searched a text. It must still find the same ends.
  check(*finder, reference, queries, expected);
  return 0;
}
