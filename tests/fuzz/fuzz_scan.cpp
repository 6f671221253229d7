// Makes contigs, patterns and options from bytes, and compares the finder's ends with plain dynamic programming.
#include <fuzzer/FuzzedDataProvider.h>
#include <hwy/targets.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <string>

#include "scan/find/cpu_finder.hpp"
#include "scan/find/wu_manber_scan.hpp"
#include "tests/find_all.hpp"
#include "tests/fuzz/memory_file.hpp"
#include "tests/guide_oracle.hpp"
#include "tests/random_cases.hpp"

using namespace trawl;

namespace {

// 1 to `longest` letters, mostly bases, so that matches are found. A byte can also ask for a repeat.
std::string letters(FuzzedDataProvider& bytes, std::size_t longest) {
  constexpr char kLetters[] = "AAAACCCCGGGGTTTTACGTACGTACGTNRYK";
  std::string text;
  const std::size_t length = bytes.ConsumeIntegralInRange<std::size_t>(1, longest);
  while (text.size() < length && bytes.remaining_bytes() > 0) {
    const unsigned byte = bytes.ConsumeIntegral<std::uint8_t>();
    text += kLetters[byte % 32];
    if (byte >= 240) {  // repeats earlier letters
      const std::size_t piece = std::min(text.size(), std::size_t{1} << (byte % 8));
      text += text.substr(text.size() - piece);
    }
  }
  return text.empty() ? "A" : text.substr(0, length);
}

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
    pattern += letters(bytes, pattern.empty() ? longest : 4);
    patterns.add("p", pattern.substr(0, longest));
  }
  return patterns;
}

// Letters of the input; random letters, so that texts have several blocks; and patterns or parts of them.
std::string contig_of(FuzzedDataProvider& bytes, const scan::PatternList& patterns) {
  std::string text = letters(bytes, 300);
  const std::string random = tests::RandomCases(bytes.ConsumeIntegral<std::uint8_t>()).bases(3000);
  for (unsigned n = bytes.ConsumeIntegralInRange(0u, 40u); n > 0; --n) {
    const auto pick = [&] { return patterns[bytes.ConsumeIntegralInRange<std::size_t>(0, patterns.size() - 1)].bases; };
    switch (bytes.ConsumeIntegralInRange(0, 4)) {
      case 0:
        text += letters(bytes, 60);
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

scan::ScanOptions options_of(FuzzedDataProvider& bytes) {
  scan::ScanOptions options;
  options.max_edits = bytes.ConsumeIntegralInRange(0u, bytes.ConsumeBool() ? 3u : 12u);
  options.metric = bytes.PickValueInArray({scan::Metric::levenshtein, scan::Metric::hamming});
  options.strands = bytes.PickValueInArray({scan::Strands::both, scan::Strands::forward, scan::Strands::reverse});
  options.ambiguous_matches = bytes.ConsumeBool();
  if (bytes.ConsumeIntegralInRange(0, 3) == 0) {
    options.pam.bases = bytes.PickValueInArray({"NGG", "TTTV", "A", "NNGRRT"});
    options.pam.is_last = bytes.ConsumeBool();
    options.max_mismatches = options.max_edits;
    options.max_bulges =
        options.metric == scan::Metric::hamming ? 0 : bytes.ConsumeIntegralInRange(0u, options.max_edits);
  }
  return options;
}

void check(scan::Finder& finder, const sequence::Reference& reference, const std::vector<scan::Query>& queries,
           const tests::Ends& expected) {
  std::vector<scan::Hit> hits;
  tests::find_all(finder, reference, hits);
  tests::Ends found;
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
  const scan::ScanOptions options = options_of(bytes);
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
  const tests::Ends expected = tests::oracle_ends(contigs, reference, queries, options);
  const auto finder = scan::make_cpu_finder(queries, options);
  check(*finder, reference, queries, expected);
  // A finder may change its plan after it has searched a text. It must still find the same ends.
  check(*finder, reference, queries, expected);
  return 0;
}
