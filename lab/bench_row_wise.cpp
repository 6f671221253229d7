// row-wise: measures how fast `trawl scan` finds the ends of one pattern on one strand of a reference in memory.
#include <hwy/targets.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <functional>
#include <iostream>
#include <optional>

#include "base/error.hpp"
#include "io/format/letters.hpp"
#include "io/read/fasta_reader.hpp"
#include "lab/bench_check.hpp"
#include "lab/bench_clock.hpp"
#include "lab/bench_engine.hpp"
#include "lab/bench_experiments.hpp"
#include "lab/bench_points.hpp"
#include "lab/bench_scan_runner.hpp"
#include "lab/bench_table.hpp"
#include "lab/bench_text.hpp"
#include "match/levenshtein.hpp"
#include "scan/find/finder.hpp"
#include "scan/find/wu_manber_scan.hpp"
#include "sequence/reference_builder.hpp"
#ifdef TRAWL_WITH_CUDA
#include "gpu/scan/wu_manber_scan.hpp"
#endif

namespace trawl::lab {

namespace {

// The text from which patterns are taken and in which results are checked: the random text, or the longest contig of a
// reference.
struct CheckedText {
  std::uint64_t offset = 0;  // where the text begins, in the coordinates of ends
  std::uint64_t length = 0;
  std::function<std::string(std::uint64_t begin, std::uint64_t count)> letters;  // letters at a place in the text
};

sequence::Reference make_reference(const BenchText& text) {
  sequence::ReferenceBuilder builder;
  builder.begin_contig("random");
  constexpr std::uint64_t step = std::uint64_t{1} << 20;
  for (std::uint64_t at = 0; at < text.size(); at += step) {
    builder.append(text.read(at, std::min(step, text.size() - at)));
  }
  return std::move(builder).finish();
}

CheckedText longest_contig(const sequence::Reference& reference) {
  const auto& contig = *std::max_element(reference.contigs().begin(), reference.contigs().end(),
                                         [](const auto& a, const auto& b) { return a.length < b.length; });
  return {contig.offset, contig.length, [&](std::uint64_t begin, std::uint64_t count) {
            std::string letters(count, 'N');
            io::copy_letters(reference, contig.offset + begin, count, letters.data());
            return letters;
          }};
}

// A part of the text with k letters changed.
std::string cut_from(const CheckedText& text, unsigned m, unsigned k) {
  if (m == 0 || m > text.length) {
    throw UsageError("-m " + std::to_string(m) + ": the pattern has 1 to as many characters as the text");
  }
  std::string pattern = text.letters((text.length - m) / 3, m);
  std::replace(pattern.begin(), pattern.end(), 'N', 'A');
  return changed_in_places(std::move(pattern), k);
}

// Throws Error if the ends differ from those of plain dynamic programming. The ends must be in ascending order.
void check_ends(const CheckedText& text, const std::string& pattern, const scan::Options& options,
                const std::vector<scan::Hit>& ends) {
  const std::uint64_t reach = pattern.size() + options.max_edits;
  const std::uint64_t last = text.length > kCheckedPositions ? text.length - kCheckedPositions : 0;
  for (const std::uint64_t first : {std::uint64_t{0}, (text.length - pattern.size()) / 3, last / 2, last}) {
    const std::uint64_t begin = first > reach ? first - reach : 0;
    const std::uint64_t end = std::min(first + kCheckedPositions, text.length);
    const std::string letters = text.letters(begin, end - begin);
    std::vector<int> distances;
    if (options.metric == scan::Metric::hamming) {
      distances.assign(letters.size() + 1, static_cast<int>(options.max_edits) + 1);
      for (std::size_t j = pattern.size(); j <= letters.size(); ++j) {
        int differ = 0;
        for (std::size_t i = 0; i < pattern.size(); ++i) {
          differ += !match::letters_match(pattern[i], letters[j - pattern.size() + i]);
        }
        distances[j] = differ;
      }
    } else {
      distances = match::end_distances(pattern, letters);
    }
    auto hit =
        std::partition_point(ends.begin(), ends.end(), [&](const scan::Hit& h) { return h.end < text.offset + first; });
    for (std::uint64_t at = first; at < end; ++at) {
      const int distance = distances[at - begin + 1];
      const bool expected = distance <= static_cast<int>(options.max_edits);
      const bool found = hit != ends.end() && hit->end == text.offset + at;
      if (expected != found || (found && hit->distance != distance)) {
        throw Error("the result differs from plain dynamic programming at position " + std::to_string(at) +
                    "; please report this");
      }
      hit += found ? 1 : 0;
    }
  }
}

std::vector<unsigned> lengths_of(const BenchArguments& a) {
  return a.pattern.empty() ? a.pattern_lengths : std::vector{static_cast<unsigned>(a.pattern.size())};
}

// Reports all wrong settings before anything runs.
void check_points(const BenchArguments& a) {
  // The check by dynamic programming does not handle other letters.
  if (const std::size_t at = a.pattern.find_first_not_of("ACGT"); at != std::string::npos) {
    throw UsageError("--pattern: " + io::describe_character(a.pattern[at]) + ": row-wise takes A, C, G and T");
  }
  for (const unsigned m : lengths_of(a)) {
    for (const unsigned k : a.max_edits) {
      if (k > scan::kMostEdits || k >= m) {
        throw UsageError("-k " + std::to_string(k) + ": at most " + std::to_string(scan::kMostEdits) +
                         " edits, and fewer than the pattern has characters");
      }
    }
  }
}

void run_points(const BenchArguments& a, const CheckedText& text, const ScanRunner& run, BenchTable& table) {
  for (const std::string& metric : a.metrics) {
    for (const unsigned m : lengths_of(a)) {
      if (m > text.length) {
        throw UsageError("a pattern of " + std::to_string(m) + " letters is longer than the text");
      }
      for (const unsigned k : a.max_edits) {
        scan::Options options;
        options.metric = metric == "hamming" ? scan::Metric::hamming : scan::Metric::levenshtein;
        options.max_edits = k;
        options.strands = scan::Strands::forward;
        options.whole = a.whole;
        const std::string pattern = a.pattern.empty() ? cut_from(text, m, k) : a.pattern;
        const auto queries = scan::make_queries({{"pattern", pattern}}, options);
        ScanOutcome outcome = run(queries, options);
        check_ends(text, pattern, options, outcome.ends);
        const double seconds = median(outcome.seconds);
        table.add({{"metric", metric},
                   {"m", std::to_string(pattern.size())},
                   {"k", std::to_string(k)},
                   {"engine", outcome.engine},
                   {"bases", std::to_string(text.length)},
                   {"ends", std::to_string(outcome.ends.size())},
                   {"seconds", number(seconds)},
                   {"Gbp/s", number(static_cast<double>(text.length) / seconds / 1e9)}},
                  std::cout);
      }
    }
  }
}

void choose_simd(const std::string& simd) {
  if (simd == "avx2") {
    hwy::DisableTargets(HWY_AVX3 | HWY_AVX3_DL);
  } else if (simd == "sse4") {
    hwy::DisableTargets(HWY_AVX3 | HWY_AVX3_DL | HWY_AVX2);
  }
}

// Makes all rows for the reference, or for a random text of `length` letters.
void run_text(const BenchArguments& a, std::uint64_t length, bool on_device, BenchTable& table) {
  std::optional<sequence::Reference> reference;
  std::optional<BenchText> made;
  if (!a.fasta.empty()) {
    reference = io::read_reference(a.fasta);
  } else {
    made.emplace(length, 4, a.seed);
    if (!on_device) {
      reference = make_reference(*made);
    }
  }
  const CheckedText text = reference ? longest_contig(*reference)
                                     : CheckedText{0, made->size(), [&](std::uint64_t begin, std::uint64_t count) {
                                                     return made->read(begin, count);
                                                   }};
#ifdef TRAWL_WITH_CUDA
  if (on_device) {
    const std::size_t longest =
        a.pattern.empty() ? *std::max_element(a.pattern_lengths.begin(), a.pattern_lengths.end()) : a.pattern.size();
    const auto edits = *std::max_element(a.max_edits.begin(), a.max_edits.end());
    if (longest > gpu::kWuManberLongest || edits > gpu::kWuManberMostEdits) {
      throw UsageError("--engine cuda takes patterns of up to " + std::to_string(gpu::kWuManberLongest) +
                       " letters and " + std::to_string(gpu::kWuManberMostEdits) + " edits");
    }
    const std::uint64_t reach = longest + edits;
    std::optional<gpu::ScanText> loaded;
    reference ? loaded.emplace(*reference, false, reach) : loaded.emplace(length, a.seed, reach);
    run_points(a, text, cuda_scan_runner(*loaded, a.repeats), table);
    return;
  }
#endif
  run_points(a, text, cpu_scan_runner(*reference, a.repeats), table);
}

void run_row_wise(const BenchArguments& a) {
  choose_simd(a.simd);
  const tbb::global_control one_thread(tbb::global_control::max_allowed_parallelism, 1);
  const bool on_device = choose_bench_engine(a.engine) == "cuda";
  check_bench_output(a);
  check_points(a);
  BenchTable table;
  if (!a.fasta.empty()) {
    run_text(a, 0, on_device, table);
  } else {
    for (const std::uint64_t length : a.lengths) {
      run_text(a, length, on_device, table);
    }
  }
  if (!a.tsv.empty()) {
    table.write_tsv(a.tsv);
  }
}

}  // namespace

BenchEntry row_wise_entry() {
  return {.name = "row-wise",
          .description = "What trawl scan does with one pattern on one strand: row-wise Wu-Manber on bit planes",
          .options = kReference | kEdits,
          .alpha_help = "",
          .example = "trawl-bench row-wise --fasta genome.fa -m 20,32 -k 0,1,2,3,4 --simd avx2",
          .run = run_row_wise};
}

}  // namespace trawl::lab
