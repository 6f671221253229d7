// row-wise: how fast `trawl scan` finds the ends of one pattern on one strand of a reference that is loaded.
#include <hwy/targets.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <optional>

#include "cli/bench_experiments.hpp"
#include "cli/bench_table.hpp"
#include "cli/bench_text.hpp"
#include "cli/scan_engine.hpp"
#include "error.hpp"
#include "io/fasta_reader.hpp"
#include "match/levenshtein.hpp"
#include "scan/finder.hpp"
#include "scan/row_scan.hpp"
#include "scan/search_plan.hpp"

namespace trawl::cli {

namespace {

// Positions compared with plain dynamic programming at each of several places.
constexpr std::uint64_t kCheckedPositions = std::uint64_t{1} << 18;

sequence::Reference load_reference(const BenchArguments& a) {
  if (!a.fasta.empty()) {
    return io::read_reference(a.fasta);
  }
  const BenchText text(a.length, 4, a.seed);
  sequence::ReferenceBuilder builder;
  builder.begin_contig("random");
  constexpr std::uint64_t step = std::uint64_t{1} << 20;
  for (std::uint64_t at = 0; at < a.length; at += step) {
    builder.append(text.read(at, std::min(step, a.length - at)));
  }
  return std::move(builder).finish();
}

std::string letters_of(const sequence::Reference& reference, std::uint64_t begin, std::uint64_t count) {
  std::string letters(count, 'N');
  io::copy_letters(reference, begin, count, letters.data());
  return letters;
}

const sequence::Contig& longest_contig(const sequence::Reference& reference) {
  return *std::max_element(reference.contigs().begin(), reference.contigs().end(),
                           [](const auto& a, const auto& b) { return a.length < b.length; });
}

// A piece of the longest contig, changed in k places.
std::string cut_pattern(const sequence::Reference& reference, unsigned m, unsigned k) {
  const auto& contig = longest_contig(reference);
  if (m == 0 || m > contig.length) {
    throw UsageError("-m " + std::to_string(m) + ": the pattern has 1 to as many characters as the text");
  }
  std::string pattern = letters_of(reference, contig.offset + (contig.length - m) / 3, m);
  std::replace(pattern.begin(), pattern.end(), 'N', 'A');
  for (unsigned i = 0; i < k && i < m; ++i) {
    pattern[(2 * i + 1) * m / (2 * k)] = pattern[0];
  }
  return pattern;
}

// Throws Error where the ends differ from those of plain dynamic programming.
void check_ends(const sequence::Reference& reference, const std::string& pattern, const scan::Options& options,
                const std::vector<scan::RowHit>& ends) {
  const auto& contig = longest_contig(reference);
  const std::uint64_t reach = pattern.size() + options.max_edits;
  const std::uint64_t last = contig.length > kCheckedPositions ? contig.length - kCheckedPositions : 0;
  for (const std::uint64_t first : {std::uint64_t{0}, (contig.length - pattern.size()) / 3, last / 2, last}) {
    const std::uint64_t begin = first > reach ? first - reach : 0;
    const std::uint64_t end = std::min(first + kCheckedPositions, contig.length);
    const std::string text = letters_of(reference, contig.offset + begin, end - begin);
    std::vector<int> distances;
    if (options.metric == scan::Metric::hamming) {
      distances.assign(text.size() + 1, static_cast<int>(options.max_edits) + 1);
      for (std::size_t j = pattern.size(); j <= text.size(); ++j) {
        int differ = 0;
        for (std::size_t i = 0; i < pattern.size(); ++i) {
          differ += !match::letters_match(pattern[i], text[j - pattern.size() + i]);
        }
        distances[j] = differ;
      }
    } else {
      distances = match::end_distances(pattern, text);
    }
    auto hit = std::partition_point(ends.begin(), ends.end(),
                                    [&](const scan::RowHit& h) { return h.end < contig.offset + first; });
    for (std::uint64_t at = first; at < end; ++at) {
      const int distance = distances[at - begin + 1];
      const bool expected = distance <= static_cast<int>(options.max_edits);
      const bool found = hit != ends.end() && hit->end == contig.offset + at;
      if (expected != found || (found && hit->distance != distance)) {
        throw Error("the result differs from plain dynamic programming at position " + std::to_string(at) +
                    "; please report this");
      }
      hit += found ? 1 : 0;
    }
  }
}

double seconds_of_run(scan::Finder& finder, const sequence::Reference& reference, std::vector<scan::RowHit>& ends) {
  const auto begin = std::chrono::steady_clock::now();
  finder.find(reference, ends);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void choose_simd(const std::string& simd) {
  if (simd == "avx2") {
    hwy::DisableTargets(HWY_AVX3 | HWY_AVX3_DL);
  } else if (simd == "sse4") {
    hwy::DisableTargets(HWY_AVX3 | HWY_AVX3_DL | HWY_AVX2);
  }
}

}  // namespace

void bench_row_wise(const BenchArguments& a) {
  choose_simd(a.simd);
  const tbb::global_control one_thread(tbb::global_control::max_allowed_parallelism, 1);
  const sequence::Reference reference = load_reference(a);
  BenchTable table;
  for (const std::string& metric : a.metrics) {
    for (const unsigned m : a.pattern_lengths) {
      for (const unsigned k : a.max_edits) {
        scan::Options options;
        options.metric = metric == "hamming" ? scan::Metric::hamming : scan::Metric::levenshtein;
        options.max_edits = k;
        options.strands = scan::Strands::forward;
        options.whole = a.whole;
        const std::string pattern = a.pattern.empty() ? cut_pattern(reference, m, k) : a.pattern;
        if (k > scan::kMostEdits || k >= pattern.size()) {
          throw UsageError("-k " + std::to_string(k) + ": at most " + std::to_string(scan::kMostEdits) +
                           " edits, and fewer than the pattern has characters");
        }
        const auto queries = scan::make_queries({{"pattern", pattern}}, options);
        const auto finder = make_finder(a.engine, queries, options);
        std::vector<scan::RowHit> ends;
        finder->find(reference, ends);
        check_ends(reference, pattern, options, ends);
        std::vector<double> seconds;
        for (unsigned r = 0; r < a.repeats; ++r) {
          seconds.push_back(seconds_of_run(*finder, reference, ends));
        }
        std::sort(seconds.begin(), seconds.end());
        const double median = seconds[seconds.size() / 2];
        table.add({{"metric", metric},
                   {"m", std::to_string(pattern.size())},
                   {"k", std::to_string(k)},
                   {"engine", finder->description()},
                   {"bases", std::to_string(reference.bases())},
                   {"ends", std::to_string(ends.size())},
                   {"seconds", number(median)},
                   {"Gbp/s", number(static_cast<double>(reference.bases()) / median / 1e9)}},
                  std::cout);
      }
    }
  }
  if (!a.tsv.empty()) {
    table.write_tsv(a.tsv);
  }
}

}  // namespace trawl::cli
