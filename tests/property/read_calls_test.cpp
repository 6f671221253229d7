// Calls of reads beside a scan of each read alone by plain dynamic programming.
#include "pipeline/read_calls.hpp"

#include <map>
#include <optional>

#include "io/read/read_chunks.hpp"
#include "pipeline/scan_pipeline.hpp"
#include "scan/find/cpu_finder.hpp"
#include "tests/catch.hpp"
#include "tests/pattern_oracle.hpp"
#include "tests/random_cases.hpp"
#include "tests/unit/io/files.hpp"

using namespace trawl;

namespace {

// The parts of a read that are searched, each with its place.
std::vector<std::pair<std::size_t, std::string>> parts_of(const std::string& read, const io::ReadEnds& within) {
  if (within.first + within.last == 0 || within.first + within.last >= read.size()) {
    return {{0, read}};
  }
  return {{0, read.substr(0, within.first)}, {read.size() - within.last, read.substr(read.size() - within.last)}};
}

struct Locus {
  int distance;
  std::size_t first_end, last_end;  // of the ends with this distance, as numbers of letters
  bool reverse;
};

// All loci of a pattern in a read.
std::vector<Locus> loci_of(const sequence::Pattern& pattern, const std::string& read, const scan::ScanOptions& options,
                           const io::ReadEnds& within) {
  std::vector<Locus> loci;
  for (const bool reverse : {false, true}) {
    if (options.strands == (reverse ? scan::Strands::forward : scan::Strands::reverse)) {
      continue;
    }
    const std::string bases = reverse ? sequence::reverse_complement(pattern.bases) : std::string(pattern.bases);
    for (const auto& [begin, text] : parts_of(read, within)) {
      const auto ends = tests::oracle_ends(bases, text, static_cast<int>(options.max_edits),
                                           options.metric == scan::Metric::hamming, options.ambiguous_matches);
      std::optional<std::size_t> last;
      for (const auto& [end, distance] : ends) {
        const bool goes_on = options.joins_ends() && last && *last + 1 == end;
        last = end;
        if (!goes_on || distance < loci.back().distance) {
          const Locus locus{distance, begin + end, begin + end, reverse};
          if (goes_on) {
            loci.back() = locus;
          } else {
            loci.push_back(locus);
          }
        } else if (distance == loci.back().distance) {
          loci.back().last_end = begin + end;
        }
      }
    }
  }
  return loci;
}

void check_call(const scan::ReadCall& call, const std::string& read, const sequence::PatternList& patterns,
                const scan::ScanOptions& options, const scan::CallRule& rule, const io::ReadEnds& within) {
  std::map<int, std::vector<std::uint32_t>> by_distance;  // each pattern with its smallest distance
  std::vector<std::vector<Locus>> loci;
  for (std::uint32_t p = 0; p < patterns.size(); ++p) {
    loci.push_back(loci_of(patterns[p], read, options, within));
    const auto best = std::min_element(loci[p].begin(), loci[p].end(),
                                       [](const Locus& a, const Locus& b) { return a.distance < b.distance; });
    if (best != loci[p].end()) {
      by_distance[best->distance].push_back(p);
    }
  }
  if (by_distance.empty() || by_distance.begin()->first > static_cast<int>(rule.max_edits)) {
    REQUIRE(call.kind == scan::CallKind::unassigned);
    REQUIRE(call.patterns.empty());
    return;
  }
  const auto& [distance, best] = *by_distance.begin();
  const auto next = std::next(by_distance.begin());
  REQUIRE(call.patterns == best);
  REQUIRE(call.best.distance == distance);
  REQUIRE(call.next == (next == by_distance.end() ? std::vector<std::uint32_t>() : next->second));
  const bool is_clear =
      best.size() == 1 && (next == by_distance.end() || next->first - distance >= static_cast<int>(rule.margin));
  REQUIRE(call.kind == (is_clear ? scan::CallKind::assigned : scan::CallKind::ambiguous));
  if (next != by_distance.end()) {
    REQUIRE(call.next_distance == static_cast<std::uint32_t>(next->first));
  }
  std::size_t places = 0, leftmost = read.size() + 1;
  bool is_one = false;
  for (const std::uint32_t p : best) {
    for (const Locus& locus : loci[p]) {
      places += locus.distance == distance ? 1 : 0;
      if (p == best.front() && locus.distance == distance) {
        leftmost = std::min(leftmost, locus.last_end);
        is_one = is_one || (call.best.reverse == locus.reverse && call.best.end >= locus.first_end &&
                            call.best.end <= locus.last_end);
      }
    }
  }
  REQUIRE(call.places == places);
  REQUIRE(call.best.pattern == best.front());
  REQUIRE(is_one);
  // The leftmost one begins first: it does not end further right than another one that is no longer than it may be.
  REQUIRE(call.best.end <= leftmost + 2 * options.max_edits);
  // The text is that of the place, and has the distance.
  const std::string text = read.substr(call.best.start, call.best.end - call.best.start);
  scan::RecordTexts room;
  const std::string_view shown = call.best.texts_or(patterns[best.front()].bases, room).text;
  REQUIRE(shown == (call.best.reverse ? sequence::reverse_complement(text) : text));
  if (options.metric != scan::Metric::hamming) {
    REQUIRE(tests::pattern_distances(patterns[best.front()].bases, shown, options.ambiguous_matches, true).back() ==
            distance);
  }
}

}  // namespace

TEST_CASE("calls of reads are those of each read alone") {
  tests::RandomCases random(512);
  test::TempDir dir;
  std::size_t assigned = 0, ambiguous = 0;
  for (int n = 0; n < 120; ++n) {
    sequence::PatternList patterns;
    std::vector<std::string> texts;
    for (std::size_t p = random.number(1, 8); p > 0; --p) {
      // Some patterns are nearly the same, so that there are ties.
      texts.push_back(!texts.empty() && random.chance(0.4) ? random.mutate(texts.back(), random.number(0, 2)) + "A"
                                                           : random.bases(random.number(8, 30)));
      patterns.add("p" + std::to_string(texts.size()), texts.back());
    }
    scan::CallRule rule{static_cast<std::uint32_t>(random.number(0, 3)),
                        static_cast<std::uint32_t>(random.number(1, 3))};
    scan::ScanOptions options;
    options.threads = random.chance(0.5) ? 3 : 1;
    options.max_edits = rule.searched_edits();
    options.metric = random.chance(0.2) ? scan::Metric::hamming : scan::Metric::levenshtein;
    options.strands = random.chance(0.7)   ? scan::Strands::both
                      : random.chance(0.5) ? scan::Strands::forward
                                           : scan::Strands::reverse;
    options.ambiguous_matches = random.chance(0.2);
    options.search = random.chance(0.3) ? scan::ScanMethod::pieces : scan::ScanMethod::automatic;
    io::ReadChunkOptions reading;
    reading.bases = random.number(1, 5000);
    if (random.chance(0.5)) {
      reading.within = {random.number(0, 60), random.number(0, 60)};
    }
    std::vector<std::string> reads;
    std::string fastq;
    for (std::size_t r = random.number(0, 60); r > 0; --r) {
      std::string read = random.chance(0.1) ? "" : random.contig(random.number(1, 120), random.chance(0.2) ? 0.03 : 0);
      for (std::size_t k = random.number(0, 2); k > 0; --k) {
        const std::string some = random.mutate(texts[random.number(0, texts.size() - 1)], random.number(0, 4));
        read.insert(random.chance(0.3) ? 0 : random.number(0, read.size()),
                    random.chance(0.5) ? some : sequence::reverse_complement(some));
      }
      fastq += "@r" + std::to_string(reads.size()) + "\n" + read + "\n+\n" + std::string(read.size(), 'I') + "\n";
      reads.push_back(std::move(read));
    }
    CAPTURE(n, rule.max_edits, rule.margin, reading.bases, reading.within.first, reading.within.last,
            options.ambiguous_matches, options.metric == scan::Metric::hamming, options.threads);
    const scan::QueryList queries = scan::make_queries(patterns, options);
    scan::CpuFinder finder(queries, options);
    reading.gap = finder.least_gap();
    const auto chunks = std::make_shared<io::ReadChunks>(
        std::make_unique<io::ReadInput>(io::ReadInput::Files{.reads = {dir.write("reads.fq", fastq)}}), reading);
    std::size_t count = 0;
    pipeline::ReadCalls calls(rule, [&](const sequence::ReadBatch& batch, std::span<const scan::ReadCall> of_them) {
      REQUIRE(batch.size() == of_them.size());
      for (std::size_t r = 0; r < batch.size(); ++r, ++count) {
        CAPTURE(count, reads.at(count));
        check_call(of_them[r], reads.at(count), patterns, options, rule, reading.within);
        assigned += of_them[r].kind == scan::CallKind::assigned ? 1 : 0;
        ambiguous += of_them[r].kind == scan::CallKind::ambiguous ? 1 : 0;
      }
    });
    io::Progress progress(false, std::nullopt, "bases");
    io::ScanStats stats;
    stats.reads.emplace();
    pipeline::scan_reference(chunks, finder, queries, options, calls, progress, stats, nullptr);
    REQUIRE(count == reads.size());
    REQUIRE(stats.contigs == reads.size());
  }
  CHECK(assigned > 500);
  CHECK(ambiguous > 300);
}
