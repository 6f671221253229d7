// Calls of reads beside a scan of each read alone by plain dynamic programming; of reads with a structure, beside each
// barcode compared with all of its patterns.
#include "pipeline/read_calls.hpp"

#include <algorithm>
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

// Searches reads chunk by chunk, and gives the records to `calls`. The number of reads that were searched.
std::uint64_t search(const io::ReadInput::Files& files, io::ReadChunkOptions reading,
                     const sequence::PatternList& patterns, const scan::ScanOptions& options, io::RecordSink& calls) {
  const scan::QueryList queries = scan::make_queries(patterns, options);
  scan::CpuFinder finder(queries, options);
  reading.gap = finder.least_gap();
  io::Progress progress(false, std::nullopt, "bases");
  io::ScanStats stats;
  stats.reads.emplace();
  pipeline::scan_reference(std::make_shared<io::ReadChunks>(std::make_unique<io::ReadInput>(files), reading), finder,
                           queries, options, calls, progress, stats, nullptr);
  return stats.contigs;
}

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
    REQUIRE(search({.reads = {dir.write("reads.fq", fastq)}}, reading, patterns, options, calls) == reads.size());
    REQUIRE(count == reads.size());
  }
  CHECK(assigned > 500);
  CHECK(ambiguous > 300);
  CHECK(decided > 20);
  CHECK(partial > 20);
}

namespace {

using scan::PartKind;

struct Place {
  std::size_t begin = 0, end = 0;
};

struct Called {
  std::vector<std::uint32_t> best;  // patterns
  int distance = 0;
  Place place;
  bool is_clear = false;
};

struct Expected {
  std::vector<Place> parts;
  std::vector<Called> barcodes;
  int edits = 0;  // of the linkers
};

std::string reversed(std::string_view text) { return {text.rbegin(), text.rend()}; }

// The fewest edits of a pattern that begins where a text begins, and how many letters it has: about as many as its own.
std::pair<int, std::size_t> at_start(std::string_view pattern, std::string_view text, bool hamming, bool whole) {
  if (hamming && (text.size() < pattern.size() || (whole && text.size() > pattern.size()))) {
    return {1000, 0};
  }
  std::vector<int> distances = tests::pattern_distances(pattern, text, false, true);
  std::pair<int, std::size_t> best{1000, 0};
  for (std::size_t end = whole ? text.size() : 0; end < distances.size(); ++end) {
    if (hamming && end != pattern.size()) {
      continue;
    }
    if (hamming) {
      distances[end] = 0;
      for (std::size_t i = 0; i < end; ++i) {
        distances[end] += tests::pattern_matches(pattern[i], text[i], false) ? 0 : 1;
      }
    }
    const auto off = [&](std::size_t e) { return e > pattern.size() ? e - pattern.size() : pattern.size() - e; };
    if (distances[end] < best.first || (distances[end] == best.first && off(end) < off(best.second))) {
      best = {distances[end], end};
    }
  }
  return best;
}

struct Oracle {
  const io::BarcodeLists& lists;
  scan::CallRule rule;
  bool hamming;

  Called call(std::size_t barcode, std::string_view text, bool at_end, bool whole) const {
    Called called;
    int next = 1000;
    called.distance = 1000;
    for (std::uint32_t p = lists.of_barcode[barcode].first; p < lists.of_barcode[barcode].last; ++p) {
      const std::string pattern(lists.patterns[p].bases);
      const std::string in = at_end ? reversed(text) : std::string(text);
      const auto [distance, letters] = at_start(at_end ? reversed(pattern) : pattern, in, hamming, whole);
      if (distance < called.distance) {
        next = called.distance;
        called = {{p}, distance, at_end ? Place{text.size() - letters, text.size()} : Place{0, letters}, false};
      } else if (distance == called.distance) {
        called.best.push_back(p);
      } else {
        next = std::min(next, distance);
      }
    }
    if (called.distance > static_cast<int>(rule.max_edits)) {
      return {};
    }
    called.is_clear = called.best.size() == 1 && next - called.distance >= static_cast<int>(rule.margin);
    return called;
  }

  // The parts of one run without linkers, between two known places.
  void run(const scan::ReadStructure::Parts& parts, std::size_t first, std::size_t last, std::size_t left,
           std::size_t right, bool has_linker, const std::string& read, Expected& e) const {
    std::size_t open = first;
    while (open < last && parts[open].length > 0) {
      ++open;
    }
    const auto take = [&](std::size_t p, std::string_view text, std::size_t offset, bool at_end, bool whole) {
      const Called called = call(parts[p].barcode, text, at_end, whole);
      e.barcodes[parts[p].barcode] = called;
      e.barcodes[parts[p].barcode].place = {offset + called.place.begin, offset + called.place.end};
      return called.is_clear;
    };
    const std::size_t more = rule.searched_edits();
    for (std::size_t p = first; p < open; ++p) {
      std::size_t end = std::min(left + parts[p].length, read.size());
      left = std::min(left, read.size());
      if (parts[p].kind == PartKind::barcode &&
          take(p, std::string_view(read).substr(left, parts[p].length + more), left, false, false)) {
        end = e.barcodes[parts[p].barcode].place.end;
      }
      e.parts[p] = {left, end};
      left = end;
    }
    right = std::max(left, right);
    for (std::size_t p = last; p > open + 1; --p) {
      const scan::StructurePart& part = parts[p - 1];
      std::size_t begin = std::max(left, right - std::min<std::size_t>(right, part.length));
      const std::size_t from =
          right - begin < part.length ? begin : right - std::min<std::size_t>(right, part.length + more);
      if (part.kind == PartKind::barcode &&
          take(p - 1, std::string_view(read).substr(from, right - from), from, true, false)) {
        begin = e.barcodes[part.barcode].place.begin;
      }
      e.parts[p - 1] = {begin, right};
      right = begin;
    }
    if (open < last) {
      e.parts[open] = {left, std::max(left, right)};
      if (parts[open].kind == PartKind::barcode) {
        REQUIRE(has_linker);
        take(open, std::string_view(read).substr(left, e.parts[open].end - left), left, false, true);
      }
    }
  }

  std::optional<Expected> expected(std::size_t mate, const std::string& read, Expected e) const {
    const auto& parts = lists.structure.parts(mate);
    e.parts.assign(parts.size(), {});
    std::size_t left = 0;
    for (std::size_t first = 0; first <= parts.size();) {
      std::size_t last = first, letters = 0, gaps = 0;
      bool is_open = false;
      for (; last < parts.size() && parts[last].kind != PartKind::linker; ++last) {
        letters += parts[last].length;
        is_open = is_open || parts[last].length == 0;
        gaps += parts[last].kind == PartKind::barcode && parts[last].length > 0 && !hamming ? rule.searched_edits() : 0;
      }
      std::size_t right = read.size();
      if (last < parts.size()) {
        const scan::StructurePart& linker = parts[last];
        const std::size_t slack = linker.max_edits + gaps;
        const std::size_t from = std::max(left, left + letters - std::min(left + letters, slack));
        const std::size_t to =
            is_open ? read.size() : std::min(read.size(), left + letters + linker.letters.size() + slack);
        const std::string text = from < to ? read.substr(from, to - from) : "";
        std::vector<int> distances = tests::pattern_distances(linker.letters, text, false);
        distances[0] = static_cast<int>(linker.max_edits) + 1;  // there is a letter
        const auto best = std::min_element(distances.begin(), distances.end());
        if (*best > static_cast<int>(linker.max_edits)) {
          return std::nullopt;
        }
        // Of the first ends with this distance, that with about as many letters as the linker.
        std::size_t nearest = 1000;
        for (auto end = best; end != distances.end() && *end == *best; ++end) {
          const auto length = static_cast<std::size_t>(end - distances.begin());
          const std::size_t reach = std::min(length, linker.letters.size() + linker.max_edits);
          const std::size_t letters =
              at_start(reversed(linker.letters), reversed(text.substr(length - reach, reach)), false, false).second;
          const std::size_t off = std::max(letters, linker.letters.size()) - std::min(letters, linker.letters.size());
          if (off < nearest) {
            nearest = off;
            right = from + length - letters;
            e.parts[last] = {right, from + length};
          }
        }
        e.edits += *best;
      }
      run(parts, first, last, left, right, last < parts.size(), read, e);
      left = last < parts.size() ? e.parts[last].end : read.size();
      first = last + 1;
    }
    return e;
  }
};

// How well a direction of a read fits: barcodes without a pattern, or with several; then edits.
std::pair<int, int> fit_of(const Expected& e) {
  std::pair<int, int> fit{0, e.edits};
  for (const Called& called : e.barcodes) {
    fit.first += called.best.empty() ? 2 : called.is_clear ? 0 : 1;
    fit.second += called.distance;
  }
  return fit;
}

void check_parts(const scan::ReadCall& call, const Expected& e, std::size_t part) {
  for (std::size_t p = 0; p < e.parts.size(); ++p) {
    CAPTURE(p);
    REQUIRE(call.parts[part + p].begin == e.parts[p].begin);
    REQUIRE(call.parts[part + p].end == e.parts[p].end);
  }
}

void check(const scan::ReadCall& call, const Expected& e, std::size_t part) {
  bool is_assigned = true;
  for (std::size_t b = 0; b < e.barcodes.size(); ++b) {
    CAPTURE(b);
    REQUIRE(call.barcodes[b].patterns == e.barcodes[b].best);
    is_assigned = is_assigned && e.barcodes[b].is_clear;
    if (!e.barcodes[b].best.empty()) {
      REQUIRE(call.barcodes[b].best.distance == e.barcodes[b].distance);
      REQUIRE(call.barcodes[b].best.start == e.barcodes[b].place.begin);
      REQUIRE(call.barcodes[b].best.end == e.barcodes[b].place.end);
    }
  }
  check_parts(call, e, part);
}

}  // namespace

TEST_CASE("calls of reads with a structure are those of each barcode alone") {
  tests::RandomCases random(52);
  test::TempDir dir;
  std::size_t assigned = 0, ambiguous = 0, turned = 0;
  constexpr const char* structures[] = {"8B6M+T",
                                        "5M8B7B+T",
                                        "+S[GATTACAGATTACA]8B6M+T",
                                        "8B[GAGTGATTGC:2]9B6M+T",
                                        "6M8B+T9B3S",
                                        "+B[GAGTGATTGCTT]8B4M[TTTT:1]+T",
                                        "4S8B+T8B[GATTACAGG]+S",
                                        "8B4M+T,+S[GATTACAGG]9B+T"};
  for (int n = 0; n < 240; ++n) {
    io::BarcodeLists lists;
    const bool paired = n % 8 == 7;
    const std::size_t mates = paired ? 2 : 1;
    lists.structure = scan::read_structure(structures[n % 8], paired);
    std::vector<scan::StructurePart> all = lists.structure.parts(0);
    if (paired) {
      all.insert(all.end(), lists.structure.parts(1).begin(), lists.structure.parts(1).end());
    }
    for (const scan::StructurePart& part : all) {
      if (part.kind == PartKind::barcode) {
        const auto first = static_cast<std::uint32_t>(lists.patterns.size());
        for (std::size_t p = random.number(1, 30); p > 0; --p) {
          const std::string letters = random.bases(part.is_open() ? random.number(6, 9) : part.length);
          lists.patterns.add(letters, letters);
        }
        lists.of_barcode.push_back({first, static_cast<std::uint32_t>(lists.patterns.size())});
      }
    }
    scan::CallRule rule{static_cast<std::uint32_t>(random.number(0, 2)),
                        static_cast<std::uint32_t>(random.number(1, 2))};
    scan::ScanOptions options;
    options.threads = random.chance(0.5) ? 3 : 1;
    options.max_edits = rule.searched_edits();
    options.metric = random.chance(0.2) ? scan::Metric::hamming : scan::Metric::levenshtein;
    options.strands = scan::Strands::forward;
    const bool hamming = options.metric == scan::Metric::hamming;
    io::ReadChunkOptions reading;
    reading.bases = random.number(1, 3000);
    reading.structure = io::StructureSearch{lists.structure, hamming ? 0 : options.max_edits,
                                            paired || random.chance(0.5) ? scan::Strands::forward
                                            : random.chance(0.5)         ? scan::Strands::reverse
                                                                         : scan::Strands::both};
    if (rule.margin == 1 && random.chance(0.5)) {
      auto exact = std::make_shared<std::vector<scan::ExactBarcodes>>();
      for (const auto& [first, last] : lists.of_barcode) {
        exact->emplace_back(lists.patterns, first, last);
      }
      reading.structure->exact = exact;
    }
    std::vector<std::string> reads;
    std::string fastq[2];
    for (std::size_t r = mates * random.number(0, 60); r > 0; --r) {
      const std::size_t mate = reads.size() % mates;
      std::string read;
      for (const scan::StructurePart& part : lists.structure.parts(mate)) {
        const io::BarcodeLists::Range list =
            part.kind == PartKind::barcode ? lists.of_barcode[part.barcode] : io::BarcodeLists::Range{};
        const std::string exact = part.kind == PartKind::linker ? part.letters
                                  : part.kind == PartKind::barcode
                                      ? std::string(lists.patterns[random.number(list.first, list.last - 1)].bases)
                                      : random.bases(part.is_open() ? random.number(0, 30) : part.length);
        read += random.chance(0.3) ? random.mutate(exact, random.number(0, 2)) : exact;
      }
      read = random.chance(0.1) ? read.substr(0, random.number(0, read.size())) : read;
      if (random.chance(0.1) && !read.empty()) {
        read[random.number(0, read.size() - 1)] = 'N';
      }
      read = paired || random.chance(0.5) ? read : sequence::reverse_complement(read);
      fastq[mate] +=
          "@r" + std::to_string(reads.size() / mates) + "\n" + read + "\n+\n" + std::string(read.size(), 'I') + "\n";
      reads.push_back(std::move(read));
    }
    CAPTURE(n, structures[n % 8], rule.max_edits, rule.margin, hamming, options.threads);
    const Oracle oracle{lists, rule, hamming};
    std::size_t count = 0;
    const scan::TieInputs ties;
    pipeline::StructuredCalls calls(
        ties, rule, options.metric, lists,
        [&](const sequence::ReadBatch& batch, std::span<const scan::ReadCall> of_them) {
          REQUIRE(batch.size() == mates * of_them.size());
          for (const scan::ReadCall& call : of_them) {
            const std::size_t first = count;
            count += mates;
            CAPTURE(first, reads.at(first));
            std::vector<std::pair<bool, Expected>> found;
            std::vector<Expected> of_mates;
            for (const bool reverse : {false, true}) {
              std::optional<Expected> e{{{}, std::vector<Called>(lists.of_barcode.size()), 0}};
              for (std::size_t m = 0; m < mates && e; ++m) {
                const std::string& read = reads.at(first + m);
                e = oracle.expected(m, reverse ? sequence::reverse_complement(read) : read, *e);
                if (e && m == 0 && paired) {
                  of_mates.push_back(*e);
                }
              }
              if (e && reading.structure->strands != (reverse ? scan::Strands::forward : scan::Strands::reverse)) {
                found.emplace_back(reverse, *e);
              }
            }
            if (found.empty()) {
              REQUIRE(call.kind == scan::CallKind::unassigned);
              REQUIRE(call.parts.empty());
              continue;
            }
            const bool second = found.size() == 2 && fit_of(found[1].second) < fit_of(found[0].second);
            bool is_tie = found.size() == 2 && fit_of(found[1].second) == fit_of(found[0].second);
            if (is_tie) {  // the same barcodes in both directions are no tie
              bool is_same = true;
              for (std::size_t b = 0; b < lists.of_barcode.size(); ++b) {
                is_same = is_same && found[0].second.barcodes[b].best == found[1].second.barcodes[b].best;
              }
              is_tie = !is_same;
            }
            const auto& [reverse, expected] = found[second ? 1 : 0];
            REQUIRE(call.best.reverse == reverse);
            check(call, expected, paired ? lists.structure.parts(0).size() : 0);
            if (paired) {
              check_parts(call, of_mates[0], 0);
            }
            const int missing = fit_of(expected).first;
            REQUIRE((call.kind == scan::CallKind::assigned) == (missing == 0 && !is_tie));
            assigned += call.kind == scan::CallKind::assigned ? 1 : 0;
            ambiguous += call.kind == scan::CallKind::ambiguous ? 1 : 0;
            turned += call.kind == scan::CallKind::assigned && reverse ? 1 : 0;
          }
        });
    search({.reads = {dir.write("reads.fq", fastq[0])},
            .mates = paired ? std::vector{dir.write("mates.fq", fastq[1])} : std::vector<std::string>()},
           reading, lists.patterns, options, calls);
    REQUIRE(count == reads.size());
  }
  CHECK(assigned > 1000);
  CHECK(ambiguous > 100);
  CHECK(turned > 300);
}
