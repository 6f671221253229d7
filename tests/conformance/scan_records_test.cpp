// Compares the records of a scan with plain dynamic programming, for chunks of any size.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "io/read/fasta_chunks.hpp"
#include "scan/find/finder.hpp"
#include "scan/find/region_finder.hpp"
#include "scan/report/collector.hpp"
#include "scan/report/site.hpp"
#include "tests/alignment_oracle.hpp"
#include "tests/catch.hpp"
#include "tests/guide_oracle.hpp"
#include "tests/pattern_oracle.hpp"
#include "tests/random_cases.hpp"
#include "tests/unit/io/files.hpp"

using namespace trawl;

namespace {

std::string fasta_of(const std::vector<std::string>& contigs) {
  std::string text;
  for (std::size_t c = 0; c < contigs.size(); ++c) {
    text += ">c" + std::to_string(c) + "\n" + contigs[c] + "\n";
  }
  return text;
}

// All records in the order of the output, each with its texts. `order_is_kept`: limit() was never wrong.
std::vector<scan::SiteRecord> scan_all(const std::string& path, const std::vector<scan::Query>& queries,
                                       const scan::ScanOptions& options, std::uint64_t chunk_size,
                                       std::size_t most_ends = 1 << 18) {
  scan::SiteFinder site_finder(queries, options);
  scan::LocusCollector collector(queries, options);
  const auto finder = scan::make_cpu_finder(queries, options);
  io::FastaChunks chunks(path, {chunk_size, site_finder.overlap(), false});
  sequence::TextChunk chunk;
  std::vector<scan::Hit> ends;
  std::vector<scan::SiteRecord> all;
  scan::RegionFinder regions(*finder, site_finder.look_back(), most_ends);
  scan::Region region;
  while (chunks.next(chunk)) {
    regions.begin(chunk.reference, site_finder.first_position(chunk));
    while (regions.next(region, ends)) {
      const auto limit = collector.limit();
      collector.add(chunk, region, site_finder.find(chunk, region, ends), [&](std::vector<scan::SiteRecord>& records) {
        for (auto& record : records) {
          REQUIRE(std::pair(record.contig, record.start) >= limit);
          if (!record.has_own_texts()) {
            const auto query = std::find_if(queries.begin(), queries.end(), [&](const scan::Query& q) {
              return q.pattern == record.pattern && q.reverse == record.reverse;
            });
            const std::string bases(query->bases);
            const std::string pattern = record.reverse ? sequence::reverse_complement(bases) : bases;
            auto texts = std::make_unique<scan::RecordTexts>();
            record.texts_or(pattern, *texts);
            if (record.texts) {
              texts->ungapped = record.texts->ungapped;
            }
            record.texts = std::move(texts);
            record.is_packed = false;
          }
          all.push_back(std::move(record));
        }
        records.clear();
      });
    }
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.key() < b.key(); });
  return all;
}

// Text, CIGAR and counts must agree with each other.
void check_record(const scan::SiteRecord& record, const std::vector<std::string>& contigs, const scan::Query& query,
                  bool ambiguous_matches) {
  const std::string text = contigs[record.contig].substr(record.start, record.end - record.start);
  REQUIRE(record.texts->text == (record.reverse ? sequence::reverse_complement(text) : text));
  std::size_t i = 0, j = 0, mismatches = 0, deletions = 0, insertions = 0, length = 0;
  for (const char c : record.texts->cigar) {
    if (c >= '0' && c <= '9') {
      length = length * 10 + static_cast<std::size_t>(c - '0');
      continue;
    }
    for (; length > 0; --length) {
      if (c == 'M') {
        mismatches += !tests::pattern_matches(query.bases.at(i), text.at(j), ambiguous_matches);
      }
      insertions += c == 'I';
      deletions += c == 'D';
      i += c != 'D';
      j += c != 'I';
    }
  }
  REQUIRE(i == query.length());
  REQUIRE(j == text.size());
  REQUIRE(mismatches == record.mismatches);
  REQUIRE(deletions == record.dna_bulges);
  REQUIRE(insertions == record.rna_bulges);
  REQUIRE(mismatches + deletions + insertions == record.distance);
}

struct Place {
  std::uint32_t pattern;
  std::size_t contig;
  bool reverse;
  std::size_t at;  // end, or start of the PAM
  unsigned distance;
  unsigned bulges;
  std::string cigar = "";  // for loci of patterns with edits, and of guides with bulges
  unsigned pam = 0;        // mismatches in the PAM
  // Of guides: the place of the alignment without bulges that is reported beside one with bulges, and its mismatches.
  std::size_t ungapped_at = 0;
  unsigned ungapped = kNone;
  std::string text = "";  // that a guide may lie on, from left to right

  static constexpr unsigned kNone = ~0u;

  auto operator<=>(const Place&) const = default;
};

// Replaces the letters that match nothing with '-'.
std::string without_ambiguous(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return sequence::base_code(c) == sequence::kAmbiguous; }, '-');
  return text;
}

// One place for each run of neighbouring ends of a query: the end of its best alignment, and its CIGAR.
std::vector<Place> loci_by_alignment(const std::vector<Place>& ends, const std::string& bases,
                                     const std::string& contig, bool ambiguous_matches) {
  const std::string text = ambiguous_matches ? contig : without_ambiguous(contig);
  std::vector<Place> loci;
  for (std::size_t i = 0; i < ends.size();) {
    match::OracleLocus locus{ends[i].at, ends[i].at, ends[i].at, static_cast<int>(ends[i].distance)};
    Place place = ends[i];
    for (++i; i < ends.size() && ends[i].at == locus.run_end + 1; ++i) {
      ++locus.run_end;
      locus.distance = std::min(locus.distance, static_cast<int>(ends[i].distance));
    }
    const auto best = match::best_alignment(bases, text, locus, match::AmbiguityRule::matches_its_set);
    place.at = best.end;
    place.distance = static_cast<unsigned>(locus.distance);
    place.cigar = match::run_lengths(best.steps);
    loci.push_back(place);
  }
  return loci;
}

// The best {distance, bulges} of a guide at the start of the text, within the limits; {~0, ~0} if there is none.
std::pair<unsigned, unsigned> best_of_guide(const std::string& guide, const std::string& text,
                                            const scan::ScanOptions& options) {
  constexpr unsigned never = tests::FewestMismatches::kNever;
  const std::size_t m = guide.size(), n = text.size();
  const tests::FewestMismatches fewest(m, n, options.max_bulges, [&](std::size_t i, std::size_t j) {
    return !tests::pattern_matches(guide[i], text[j], options.ambiguous_matches);
  });
  std::pair<unsigned, unsigned> best{never, never};
  for (std::size_t j = 0; j <= n; ++j) {
    for (unsigned b = 0; b <= options.max_bulges; ++b) {
      const unsigned mismatches = fewest.at(m, j, b);
      if (mismatches <= options.max_mismatches && mismatches + b <= options.max_edits) {
        best = std::min(best, {mismatches + b, b});
      }
    }
  }
  return best;
}

// The fewest mismatches of a PAM, on a strand, that begins at `at`; nothing if a letter matches no base.
std::optional<unsigned> pam_mismatches(const scan::Pam& pam, bool reverse, const std::string& contig, std::size_t at,
                                       bool ambiguous_matches) {
  std::optional<unsigned> fewest;
  for (const std::string& forward : pam.motifs.empty() ? std::vector<std::string>{pam.bases} : pam.motifs) {
    const std::string motif = reverse ? sequence::reverse_complement(forward) : forward;
    unsigned count = 0;
    for (std::size_t i = 0; i < motif.size(); ++i) {
      if (!tests::pattern_matches('N', contig[at + i], ambiguous_matches)) {
        return std::nullopt;
      }
      count += tests::pattern_matches(motif[i], contig[at + i], ambiguous_matches) ? 0 : 1;
    }
    fewest = std::min(fewest.value_or(count), count);
  }
  return fewest;
}

std::string guide_cigar(const tests::GuideOrder& order, std::size_t pam, bool pam_first) {
  std::string steps;
  for (const match::Step step : order.steps_from_right) {
    steps.insert(0, 1, step == match::Step::diagonal ? 'M' : step == match::Step::insertion ? 'I' : 'D');
  }
  return match::run_lengths(pam_first ? std::string(pam, 'M') + steps : steps + std::string(pam, 'M'));
}

// What is reported of one guide on one strand, of all its places.
std::vector<Place> guide_loci(const std::vector<Place>& places, const std::string& guide, bool pam_first,
                              const scan::ScanOptions& options) {
  const auto as_ungapped = [](Place place) {
    place.distance = place.ungapped;
    place.bulges = 0;
    return place;
  };
  const auto rank = [](const Place& place) { return std::tuple(place.distance, place.bulges > 0, place.pam); };
  std::vector<Place> loci;
  for (std::size_t first = 0, last = 0; first < places.size(); first = last) {
    for (last = first + 1; last < places.size() && options.report == scan::RecordUnit::loci && options.max_bulges > 0 &&
                           places[last].contig == places[last - 1].contig && places[last].at == places[last - 1].at + 1;
         ++last) {
    }
    // All places without bulges.
    std::vector<Place> ungapped;
    const Place* best = &places[first];
    for (std::size_t p = first; p < last; ++p) {
      best = rank(places[p]) < rank(*best) ? &places[p] : best;
      if (places[p].ungapped != Place::kNone) {
        ungapped.push_back(as_ungapped(places[p]));
      }
    }
    if (best->bulges > 0) {
      std::optional<tests::GuideOrder> order;
      Place written = *best;
      for (const Place* place = best; place < places.data() + last; ++place) {
        if (rank(*place) != rank(*best)) {
          continue;
        }
        const auto own = tests::best_guide_order(
            guide.size(), place->text.size(), {place->distance, options.max_mismatches, options.max_bulges}, pam_first,
            [&](std::size_t i, std::size_t j) {
              return !tests::pattern_matches(guide[i], place->text[j], options.ambiguous_matches);
            });
        if (!order || *own < *order) {
          order = own;
          written = *place;
        }
      }
      written.cigar = guide_cigar(*order, options.pam.bases.size(), pam_first);
      const auto beside = std::min_element(ungapped.begin(), ungapped.end(),
                                           [&](const Place& a, const Place& b) { return rank(a) < rank(b); });
      written.ungapped = Place::kNone;
      if (beside != ungapped.end()) {
        written.ungapped = beside->distance;
        written.ungapped_at = beside->at;
        ungapped.erase(beside);
      }
      loci.push_back(written);
    }
    for (Place& place : ungapped) {
      place.ungapped = Place::kNone;
      loci.push_back(place);
    }
  }
  for (Place& place : loci) {
    place.bulges = place.bulges > 0 ? 1 : 0;
    place.text.clear();
  }
  return loci;
}

// All places of all guides that are reported.
std::vector<Place> guide_places(const std::vector<std::string>& contigs, const scan::PatternList& patterns,
                                const scan::ScanOptions& options) {
  std::vector<Place> places;
  const std::string& pam = options.pam.bases;
  for (std::uint32_t p = 0; p < patterns.size(); ++p) {
    for (std::size_t c = 0; c < contigs.size(); ++c) {
      for (const bool reverse : {false, true}) {
        std::string guide = reverse ? sequence::reverse_complement(patterns[p].bases) : std::string(patterns[p].bases);
        const std::string from_left = guide;
        const bool pam_behind = options.pam.is_last != reverse;
        std::vector<Place> of_guide;
        if (pam_behind) {
          std::reverse(guide.begin(), guide.end());
        }
        for (std::size_t at = 0; at + pam.size() <= contigs[c].size(); ++at) {
          const auto in_pam = pam_mismatches(options.pam, reverse, contigs[c], at, options.ambiguous_matches);
          const bool match = in_pam && *in_pam <= options.pam.max_mismatches;
          // The window as long as guide and PAM, counted from the PAM's outer side.
          const std::size_t m = pam.size() + guide.size();
          const std::size_t first = pam_behind ? at + pam.size() - std::min(at + pam.size(), m) : at;
          const std::size_t last = pam_behind ? at + pam.size() : std::min(contigs[c].size(), at + m);
          if (!match ||
              (options.ambiguous_matches && tests::leans_on_ambiguous(contigs[c], first, last, m, options.max_edits))) {
            continue;
          }
          const std::size_t reach = guide.size() + options.max_edits;
          std::string text;
          if (pam_behind) {
            text = contigs[c].substr(at - std::min(at, reach), std::min(at, reach));
            std::reverse(text.begin(), text.end());
          } else {
            text = contigs[c].substr(at + pam.size(), reach);
          }
          const auto [distance, bulges] = best_of_guide(guide, text, options);
          if (distance > options.max_edits) {
            continue;
          }
          Place place{p, c, reverse, at, distance, bulges, "", *in_pam};
          scan::ScanOptions without = options;
          without.max_bulges = 0;
          if (const auto found = best_of_guide(guide, text, without); found.first <= options.max_edits) {
            place.ungapped = found.first;
          }
          place.text = pam_behind ? std::string(text.rbegin(), text.rend()) : text;
          of_guide.push_back(place);
        }
        const auto loci = guide_loci(of_guide, from_left, !pam_behind, options);
        places.insert(places.end(), loci.begin(), loci.end());
      }
    }
  }
  return places;
}

std::vector<std::uint64_t> chunk_sizes(tests::RandomCases& random) {
  return {std::uint64_t{1} << 20, random.number(1, 60), random.number(60, 400), random.number(400, 3000)};
}

}  // namespace

TEST_CASE("records of patterns: loci and ends") {
  tests::RandomCases random(101);
  test::TempDir dir;
  for (int n = 0; n < 120; ++n) {
    scan::ScanOptions options;
    options.max_edits = static_cast<std::uint32_t>(random.number(0, random.chance(0.8) ? 4 : 16));
    options.metric = random.chance(0.3) ? scan::Metric::hamming : scan::Metric::levenshtein;
    options.report = random.chance(0.4) ? scan::RecordUnit::ends : scan::RecordUnit::loci;
    options.ambiguous_matches = random.chance(0.25);
    const auto contigs = random.contigs(random.chance(0.5) ? 0.005 : 0);
    scan::PatternList patterns;
    for (std::size_t p = random.number(1, 4); p > 0; --p) {
      const std::size_t m = random.number(options.max_edits + 1, random.long_length(40));
      patterns.add("p", random.read(contigs, m, options.max_edits, random.chance(0.2) ? 0.1 : 0));
    }
    const auto queries = scan::make_queries(patterns, options);
    std::map<std::pair<std::uint32_t, bool>, const scan::Query*> query_of;
    std::vector<Place> expected;
    const bool by_alignment = options.report == scan::RecordUnit::loci && options.metric == scan::Metric::levenshtein;
    for (const auto& query : queries) {
      query_of[{query.pattern, query.reverse}] = &query;
      for (std::size_t c = 0; c < contigs.size(); ++c) {
        std::vector<Place> places;
        for (const auto& [end, distance] :
             tests::oracle_ends(query.bases, contigs[c], static_cast<int>(options.max_edits),
                                options.metric == scan::Metric::hamming, options.ambiguous_matches)) {
          places.push_back({query.pattern, c, query.reverse, end, static_cast<unsigned>(distance), 0});
        }
        const auto loci =
            by_alignment ? loci_by_alignment(places, std::string(query.bases), contigs[c], options.ambiguous_matches)
                         : places;
        expected.insert(expected.end(), loci.begin(), loci.end());
      }
    }
    std::sort(expected.begin(), expected.end());
    const std::string path = dir.write("r.fa", fasta_of(contigs));
    for (const std::uint64_t size : chunk_sizes(random)) {
      const std::size_t most_ends = random.chance(0.5) && size > 60 ? random.number(20, 500) : 1 << 18;
      CAPTURE(n, size, options.max_edits, static_cast<int>(options.metric), static_cast<int>(options.report));
      std::vector<Place> found;
      for (const auto& record : scan_all(path, queries, options, size, most_ends)) {
        check_record(record, contigs, *query_of.at({record.pattern, record.reverse}), options.ambiguous_matches);
        found.push_back({record.pattern, record.contig, record.reverse, record.end, record.distance, 0,
                         by_alignment ? record.texts->cigar : ""});
      }
      std::sort(found.begin(), found.end());
      REQUIRE(found == expected);
    }
  }
}

TEST_CASE("records of guides: every site, once, at its best") {
  tests::RandomCases random(102);
  test::TempDir dir;
  std::size_t with_bulges = 0, with_both = 0, relaxed = 0;
  for (int n = 0; n < 80; ++n) {
    scan::ScanOptions options;
    options.max_edits = static_cast<std::uint32_t>(random.number(0, 5));
    options.max_mismatches = static_cast<std::uint32_t>(random.number(0, options.max_edits));
    options.max_bulges = static_cast<std::uint32_t>(random.number(0, options.max_edits));
    options.pam = {random.chance(0.5) ? "NGG" : random.chance(0.5) ? "TTTV" : "N", random.chance(0.5)};
    const std::string base_pam = options.pam.bases;
    if (base_pam != "N" && random.chance(0.5)) {
      std::vector<std::string> motifs{base_pam};
      if (random.chance(0.6)) {
        motifs.push_back(base_pam == "NGG" ? "NAG" : "TYCV");
      }
      options.pam = scan::make_pam(motifs, options.pam.is_last, random.chance(0.6) ? 1 : 0);
      relaxed += options.pam.is_relaxed();
    }
    options.ambiguous_matches = random.chance(0.2);
    options.search = n % 2 == 0 ? scan::ScanMethod::pieces : scan::ScanMethod::rows;
    std::vector<std::string> contigs;
    for (std::size_t c = random.number(1, 4); c > 0; --c) {
      // Where every place is a PAM, loci are long.
      contigs.push_back(random.contig(random.number(1, base_pam == "N" ? 120 : 500), random.chance(0.3) ? 0.01 : 0));
    }
    scan::PatternList patterns;
    for (std::size_t p = random.number(1, 3); p > 0; --p) {
      // Brute force finds the alignments.
      const std::size_t longest = options.max_edits < 3 ? 23 : options.max_edits == 3 ? 13 : 8;
      patterns.add("g", random.read(contigs, random.number(options.max_edits + 1, longest), options.max_edits,
                                    random.chance(0.2) ? 0.1 : 0));
      if (random.chance(0.7)) {  // one site of the pattern
        const std::string site =
            random.mutate(std::string(patterns[patterns.size() - 1].bases), random.number(0, options.max_edits));
        std::string& contig = contigs[random.number(0, contigs.size() - 1)];
        const std::string pam = base_pam == "NGG" ? "TGG" : base_pam == "TTTV" ? "TTTC" : "A";
        const std::string whole = options.pam.is_last ? site + pam : pam + site;
        contig.insert(random.number(0, contig.size()),
                      random.chance(0.5) ? whole : sequence::reverse_complement(whole));
      }
    }
    const auto queries = scan::make_queries(patterns, options);
    std::map<std::pair<std::uint32_t, bool>, const scan::Query*> query_of;
    for (const auto& query : queries) {
      query_of[{query.pattern, query.reverse}] = &query;
    }
    auto places = guide_places(contigs, patterns, options);
    std::erase_if(places, [&](const Place& place) { return !query_of.contains({place.pattern, place.reverse}); });
    auto expected = std::move(places);
    std::sort(expected.begin(), expected.end());
    const std::string path = dir.write("r.fa", fasta_of(contigs));
    for (const std::uint64_t size : chunk_sizes(random)) {
      const std::size_t most_ends = random.chance(0.5) && size > 60 ? random.number(20, 500) : 1 << 18;
      CAPTURE(n, size, options.max_edits, options.max_mismatches, options.max_bulges, options.pam.bases,
              options.pam.is_last, options.ambiguous_matches, patterns[0].bases);
      std::vector<Place> found;
      for (const auto& record : scan_all(path, queries, options, size, most_ends)) {
        check_record(record, contigs, *query_of.at({record.pattern, record.reverse}), options.ambiguous_matches);
        const bool pam_behind = options.pam.is_last != record.reverse;
        const auto pam_of = [&](const scan::SiteRecord& of) {
          return pam_behind ? of.end - options.pam.bases.size() : of.start;
        };
        const std::size_t at = pam_of(record);
        const auto in_pam =
            pam_mismatches(options.pam, record.reverse, contigs[record.contig], at, options.ambiguous_matches);
        Place place{record.pattern,
                    record.contig,
                    record.reverse,
                    at,
                    record.distance,
                    record.has_bulges() ? 1u : 0u,
                    record.has_bulges() ? record.texts->cigar : "",
                    in_pam.value_or(99)};
        if (record.has_bulges()) {
          ++with_bulges;
          if (const scan::SiteRecord* const ungapped = record.ungapped()) {
            check_record(scan::unpacked(*ungapped), contigs, *query_of.at({record.pattern, record.reverse}),
                         options.ambiguous_matches);
            REQUIRE_FALSE(ungapped->has_bulges());
            place.ungapped = ungapped->mismatches;
            place.ungapped_at = pam_of(*ungapped);
            ++with_both;
          }
        }
        found.push_back(place);
      }
      std::sort(found.begin(), found.end());
      REQUIRE(found == expected);
    }
  }
  REQUIRE(with_bulges > 1000);
  REQUIRE(with_both > 300);
  REQUIRE(relaxed > 10);
}

// All that a record says. Of the one beside it nobody sees the MD.
std::string whole_line(const scan::SiteRecord& r, bool is_beside = false) {
  std::string line = std::to_string(r.pattern) + (r.reverse ? " - " : " + ");
  for (const std::uint64_t n :
       {r.contig, r.start, r.end, std::uint64_t{r.distance}, std::uint64_t{r.edits}, std::uint64_t{r.mismatches},
        std::uint64_t{r.dna_bulges}, std::uint64_t{r.rna_bulges}}) {
    line += std::to_string(n) + ' ';
  }
  line += r.texts->cigar + ' ' + (is_beside ? "" : r.texts->md) + ' ' + r.texts->text;
  const scan::SiteRecord* const beside = r.has_bulges() ? r.ungapped() : nullptr;
  return beside != nullptr ? line + " beside " + whole_line(scan::unpacked(*beside), true) : line;
}

TEST_CASE("records of guides in repeats are those of each site alone") {
  tests::RandomCases random(107);
  test::TempDir dir;
  std::size_t sites = 0, texts = 0, with_bulges = 0, with_both = 0;
  for (int n = 0; n < 24; ++n) {
    scan::ScanOptions options;
    options.max_edits = static_cast<std::uint32_t>(random.number(1, 5));
    options.max_mismatches = random.chance(0.6) ? options.max_edits : random.number(0, options.max_edits);
    options.max_bulges = random.chance(0.6)   ? options.max_edits
                         : random.chance(0.3) ? 0
                                              : static_cast<std::uint32_t>(random.number(0, options.max_edits));
    options.report = random.chance(0.2) ? scan::RecordUnit::ends : scan::RecordUnit::loci;
    const bool is_last = random.chance(0.5);
    options.pam = n % 3 == 0 ? scan::make_pam({"NGG", "NAG"}, is_last, random.number(0, 1)) : scan::Pam{"NGG", is_last};
    scan::PatternList patterns;
    std::string contig = random.bases(40);
    std::vector<std::string> units;
    for (std::size_t g = random.number(2, 5); g > 0; --g) {
      // Some do not fit in 64 letters with their PAM and bulges.
      const std::string guide = random.bases(random.chance(0.1) ? random.number(55, 70) : random.number(17, 24));
      patterns.add("g", random.chance(0.1) ? "R" + guide.substr(1) : guide);
      for (std::size_t v = random.number(4, 12); v > 0; --v) {
        const std::string site = random.mutate(guide, random.number(0, options.max_edits));
        const std::string pam = std::string(1, random.base()) + (random.chance(0.2) ? "AG" : "GG");
        std::string unit = random.bases(8) + (is_last ? site + pam : pam + site) + random.bases(8);
        units.push_back(random.chance(0.5) ? unit : sequence::reverse_complement(unit));
      }
    }
    while (contig.size() < 150000) {
      contig += units[random.number(0, units.size() - 1)] + random.bases(random.number(0, 6));
      if (n % 2 == 1 && random.chance(0.01)) {  // near it, the letters of sites are not packed
        contig += 'N';
      }
    }
    const std::string path = dir.write("r.fa", fasta_of({contig}));
    const auto lines_of = [&](std::size_t most_ends) {
      const auto queries = scan::make_queries(patterns, options);
      std::vector<std::string> lines;
      for (const scan::SiteRecord& record : scan_all(path, queries, options, std::uint64_t{1} << 20, most_ends)) {
        lines.push_back(whole_line(record));
        with_bulges += record.has_bulges();
        with_both += record.has_bulges() && record.ungapped() != nullptr;
      }
      std::sort(lines.begin(), lines.end());
      return lines;
    };
    CAPTURE(n, options.max_edits, options.max_mismatches, options.max_bulges, options.pam.bases, is_last);
    const auto together = lines_of(1 << 20);
    // So few ends at a time that nothing is kept of them.
    REQUIRE(lines_of(1000) == together);
    sites += together.size();
    std::set<std::string> distinct;
    for (const std::string& line : together) {
      distinct.insert(line.substr(line.find_last_of(' ')));
    }
    texts += distinct.size();
    if (n % 2 == 0) {
      // If N could match, no letters are packed, and each site is aligned for itself. Here are none.
      options.ambiguous_matches = true;
      REQUIRE(lines_of(1 << 20) == together);
    }
  }
  REQUIRE(sites > 50000);
  REQUIRE(texts < sites / 10);
  REQUIRE(with_bulges > 20000);
  REQUIRE(with_both > 2000);
}

TEST_CASE("chunks and regions of every size give the same records") {
  tests::RandomCases random(103);
  test::TempDir dir;
  const std::string guide = random.bases(20);
  const std::vector<std::string> contigs{
      random.bases(60) + guide + "TGG" + random.bases(40) + std::string(50, 'A') + random.mutate(guide, 2) + "AGG" +
          random.bases(30) + std::string(30, 'N') + random.bases(20),
      random.bases(25) + "TTTC" + random.mutate(guide, 1) + random.bases(45) + std::string(20, 'A')};
  const std::string path = dir.write("r.fa", fasta_of(contigs));
  const auto check = [&](const scan::ScanOptions& options, const scan::PatternList& patterns) {
    const auto queries = scan::make_queries(patterns, options);
    const auto lines_of = [&](std::uint64_t size, std::size_t most_ends = 1 << 18) {
      std::vector<std::string> lines;
      for (const auto& r : scan_all(path, queries, options, size, most_ends)) {
        lines.push_back(std::to_string(r.contig) + ' ' + std::to_string(r.start) + ' ' + std::to_string(r.end) + ' ' +
                        std::to_string(r.pattern) + (r.reverse ? " - " : " + ") + std::to_string(r.distance) + ' ' +
                        r.texts->cigar + ' ' + r.texts->md + ' ' + r.texts->text);
      }
      return lines;
    };
    const auto expected = lines_of(std::uint64_t{1} << 20);
    REQUIRE(expected.size() >= 2);
    for (std::uint64_t size = 1; size <= contigs[0].size() + contigs[1].size(); ++size) {
      CAPTURE(size);
      REQUIRE(lines_of(size) == expected);
    }
    for (std::size_t most_ends = 0; most_ends < 60; ++most_ends) {
      CAPTURE(most_ends);
      REQUIRE(lines_of(std::uint64_t{1} << 20, most_ends) == expected);
      REQUIRE(lines_of(random.number(1, 200), most_ends) == expected);
    }
  };
  scan::ScanOptions options;
  options.max_edits = 2;
  check(options, {{"guide", guide}, {"open", "AAAAAAAA"}});
  options.ambiguous_matches = true;
  options.report = scan::RecordUnit::ends;
  check(options, {{"guide", guide}, {"open", "AAAAAAAA"}});
  options = {};
  options.max_edits = options.max_mismatches = options.max_bulges = 2;
  options.pam = {"NGG", true};
  check(options, {{"guide", guide}, {"open", "AAAAAAAA"}});
  options.pam = {"TTTV", false};
  check(options, {{"guide", guide}, {"open", "AAAAAAAA"}, {"other", contigs[0].substr(118, 12)}});
}
