// Calls of reads beside a scan of each read alone by plain dynamic programming.
#include "pipeline/read_calls.hpp"

#include <cmath>
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

// Adds the places where a pattern hangs over an end, if it is better there than anywhere among the same letters.
void add_overhangs(const sequence::Pattern& pattern, const std::string& read, const scan::ScanOptions& options,
                   const io::ReadEnds& within, std::uint32_t most, std::vector<Locus>& loci) {
  const auto parts = parts_of(read, within);
  for (int n = 0; n < 4 && most > 0; ++n) {
    const bool reverse = n % 2 == 1, is_last = n / 2 == 1;
    std::string text = parts[is_last ? parts.size() - 1 : 0].second;
    std::string bases = reverse ? sequence::reverse_complement(pattern.bases) : std::string(pattern.bases);
    if (options.strands == (reverse ? scan::Strands::forward : scan::Strands::reverse)) {
      continue;
    }
    if (is_last) {
      std::reverse(text.begin(), text.end());
      std::reverse(bases.begin(), bases.end());
    }
    text.resize(std::min(text.size(), bases.size() - 1 + options.max_edits));
    const auto smallest = [&](std::size_t over, bool anchored) {
      const auto all = tests::pattern_distances(bases.substr(over), text, false, anchored);
      return *std::min_element(all.begin(), all.end()) + static_cast<int>((over + 1) / 2);
    };
    int distance = smallest(1, true);
    for (std::size_t over = 2; over <= std::min<std::size_t>(most, bases.size()); ++over) {
      distance = std::min(distance, smallest(over, true));
    }
    if (!text.empty() && distance <= static_cast<int>(options.max_edits) && distance < smallest(0, false)) {
      loci.push_back({distance, 0, read.size(), reverse});
    }
  }
}

// The pattern that a tie goes to; without gaps.
std::optional<std::uint32_t> winner_of(const std::vector<std::uint32_t>& tied,
                                       const std::vector<std::vector<Locus>>& loci, int distance,
                                       const scan::TieInputs& inputs, scan::Ties ties, const std::string& read,
                                       const std::string& qualities) {
  const auto length = [&](std::uint32_t p) { return inputs.patterns[p].bases.size(); };
  std::map<std::uint32_t, double> weights;
  double sum = 0;
  for (const std::uint32_t p : tied) {
    for (const Locus& a : loci[p]) {
      const std::size_t start = a.last_end - length(p);
      const std::string bases =
          a.reverse ? sequence::reverse_complement(inputs.patterns[p].bases) : std::string(inputs.patterns[p].bases);
      double weight = inputs.exact_reads[p];
      for (std::size_t i = 0; i < bases.size(); ++i) {
        weight *= bases[i] == read[start + i] ? 1 : std::pow(10, -0.1 * std::min(33, qualities[start + i] - '!'));
      }
      const bool is_covered = std::any_of(tied.begin(), tied.end(), [&](std::uint32_t q) {
        return length(q) > length(p) && std::any_of(loci[q].begin(), loci[q].end(), [&](const Locus& b) {
                 return b.distance == distance && b.last_end > start && b.last_end - length(q) < a.last_end;
               });
      });
      if (a.distance == distance && !(ties == scan::Ties::longest && is_covered)) {
        weights[p] = ties == scan::Ties::longest ? 1 : std::max(weights[p], weight);
      }
    }
    sum += weights.contains(p) ? weights[p] : 0;
  }
  for (const auto& [p, weight] : weights) {
    if (sum > 0 && weight >= 0.975 * sum) {
      return p;
    }
  }
  return std::nullopt;
}

void check_call(const scan::ReadCall& call, const std::string& read, const std::string& qualities,
                const scan::TieInputs& inputs, const scan::ScanOptions& options, const scan::CallRule& rule,
                const io::ReadEnds& within) {
  const sequence::PatternList& patterns = inputs.patterns;
  std::map<int, std::vector<std::uint32_t>> by_distance;  // each pattern with its smallest distance
  std::vector<std::vector<Locus>> loci;
  for (std::uint32_t p = 0; p < patterns.size(); ++p) {
    loci.push_back(loci_of(patterns[p], read, options, within));
    add_overhangs(patterns[p], read, options, within, rule.partial, loci[p]);
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
  auto [distance, best] = *by_distance.begin();
  auto next = std::next(by_distance.begin());
  const bool is_near = next != by_distance.end() && next->first - distance < static_cast<int>(rule.margin);
  if (rule.ties != scan::Ties::ambiguous && best.size() > 1 && !is_near) {
    if (const auto winner = winner_of(best, loci, distance, inputs, rule.ties, read, qualities)) {
      next = by_distance.begin();
      std::erase(next->second, *winner);
      best = {*winner};
    }
  }
  REQUIRE(call.patterns == best);
  REQUIRE(call.best.distance == distance);
  REQUIRE(call.next == (next == by_distance.end() ? std::vector<std::uint32_t>() : next->second));
  REQUIRE(call.kind == (best.size() == 1 && !is_near ? scan::CallKind::assigned : scan::CallKind::ambiguous));
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
    std::string_view bases = patterns[best.front()].bases;
    std::size_t over = 0;
    if (const std::string& cigar = room.cigar.empty() ? call.best.texts->cigar : room.cigar;
        cigar.find('S') != cigar.npos) {
      const bool is_last = cigar.back() == 'S';
      over = std::stoul(is_last ? cigar.substr(cigar.find_last_not_of("0123456789S") + 1) : cigar);
      bases = is_last != call.best.reverse ? bases.substr(0, bases.size() - over) : bases.substr(over);
      REQUIRE((is_last ? call.best.end == read.size() : call.best.start == 0));
    }
    REQUIRE((over + 1) / 2 + tests::pattern_distances(bases, shown, options.ambiguous_matches, true).back() ==
            static_cast<std::size_t>(distance));
  }
}

}  // namespace

TEST_CASE("calls of reads are those of each read alone") {
  tests::RandomCases random(512);
  test::TempDir dir;
  std::size_t assigned = 0, ambiguous = 0, decided = 0, partial = 0;
  for (int n = 0; n < 120; ++n) {
    sequence::PatternList patterns;
    std::vector<std::string> texts;
    for (std::size_t p = random.number(1, 8); p > 0; --p) {
      // Some patterns are nearly the same, so that there are ties.
      texts.push_back(!texts.empty() && random.chance(0.4) ? random.mutate(texts.back(), random.number(0, 2)) + "A"
                                                           : random.bases(random.number(8, 30)));
      if (texts.back().size() > 10 && random.chance(0.3)) {  // nested ones
        texts.push_back(texts.back().substr(random.number(0, 3), texts.back().size() - 3));
        patterns.add("nested", texts[texts.size() - 2]);
      }
      patterns.add("p" + std::to_string(texts.size()), texts.back());
    }
    scan::CallRule rule{static_cast<std::uint32_t>(random.number(0, 3)),
                        static_cast<std::uint32_t>(random.number(1, 3))};
    scan::ScanOptions options;
    options.threads = random.chance(0.5) ? 3 : 1;
    options.max_edits = rule.searched_edits();
    options.metric = random.chance(0.4) ? scan::Metric::hamming : scan::Metric::levenshtein;
    options.strands = random.chance(0.7)   ? scan::Strands::both
                      : random.chance(0.5) ? scan::Strands::forward
                                           : scan::Strands::reverse;
    options.ambiguous_matches = random.chance(0.2);
    if (options.metric == scan::Metric::hamming && !options.ambiguous_matches) {
      rule.ties = random.chance(0.5) ? scan::Ties::longest : scan::Ties::posterior;
    } else if (options.metric != scan::Metric::hamming && !options.ambiguous_matches) {
      rule.partial = static_cast<std::uint32_t>(random.number(0, 2 * rule.max_edits));
    }
    options.search = random.chance(0.3) ? scan::ScanMethod::pieces : scan::ScanMethod::automatic;
    io::ReadChunkOptions reading;
    reading.bases = random.number(1, 5000);
    if (random.chance(0.5)) {
      reading.within = {random.number(0, 60), random.number(0, 60)};
    }
    std::vector<std::string> reads, qualities;
    std::string fastq;
    for (std::size_t r = random.number(0, 60); r > 0; --r) {
      std::string read = random.chance(0.1) ? "" : random.contig(random.number(1, 120), random.chance(0.2) ? 0.03 : 0);
      for (std::size_t k = random.number(0, 2); k > 0; --k) {
        const std::string some = random.mutate(texts[random.number(0, texts.size() - 1)], random.number(0, 4));
        read.insert(random.chance(0.3) ? 0 : random.number(random.chance(0.3) ? read.size() : 0, read.size()),
                    random.chance(0.5) ? some : sequence::reverse_complement(some));
        if (random.chance(0.3)) {
          read = read.substr(random.number(0, std::min<std::size_t>(5, read.size())));
          read.resize(read.size() - random.number(0, std::min<std::size_t>(5, read.size())));
        }
      }
      fastq += "@r" + std::to_string(reads.size()) + "\n" + read + "\n+\n";
      std::string& some = qualities.emplace_back();
      while (some.size() < read.size()) {
        some += static_cast<char>('!' + random.number(0, 40));
      }
      fastq += some + "\n";
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
    scan::TieInputs inputs{patterns, {}};
    for (std::size_t p = 0; p < patterns.size(); ++p) {
      inputs.exact_reads.push_back(static_cast<std::uint32_t>(random.chance(0.3) ? 0 : random.number(1, 100)));
    }
    std::optional<scan::Overhangs> overhangs;
    if (rule.partial > 0) {
      overhangs.emplace(patterns, options, rule.partial, reading.within.first, reading.within.last);
    }
    pipeline::ReadCalls calls(
        {&inputs, overhangs ? &*overhangs : nullptr}, rule,
        [&](const sequence::ReadBatch& batch, std::span<const scan::ReadCall> of_them) {
          REQUIRE(batch.size() == of_them.size());
          for (std::size_t r = 0; r < batch.size(); ++r, ++count) {
            CAPTURE(count, reads.at(count));
            check_call(of_them[r], reads.at(count), qualities.at(count), inputs, options, rule, reading.within);
            decided += of_them[r].next_distance == of_them[r].best.distance && !of_them[r].next.empty();
            partial += of_them[r].best.texts && of_them[r].best.texts->cigar.find('S') != std::string::npos;
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
  CHECK(decided > 20);
  CHECK(partial > 20);
}
