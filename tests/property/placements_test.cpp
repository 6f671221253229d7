// The placements of a locus are those of the oracle: in perfect and imperfect tandem repeats of every unit, in runs of
// one base, at the ends of contigs, for reads longer than the repeat, and elsewhere.
#include "align/placements.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "align/aligner.hpp"
#include "tests/alignment_oracle.hpp"
#include "tests/catch.hpp"
#include "tests/pattern_oracle.hpp"
#include "tests/placement_oracle.hpp"
#include "tests/random_cases.hpp"

using namespace trawl;

namespace {

std::string repeated(const std::string& unit, std::size_t length) {
  std::string text;
  while (text.size() < length) {
    text += unit;
  }
  return text.substr(0, length);
}

// Whether a read that ends there does not lean on too many ambiguous bases.
bool may_end(const std::string& read, const std::string& text, std::size_t end, std::uint32_t max_edits,
             match::AmbiguityRule rule) {
  return rule == match::AmbiguityRule::matches_nothing ||
         !tests::leans_on_ambiguous(text, end - std::min(end, read.size()), end, read.size(), max_edits);
}

// The loci of a read on one strand of a contig, as LocusBuilder makes them.
std::vector<align::Locus> loci_of(const sequence::Reference& reference, const std::string& read,
                                  const std::string& text, std::uint32_t max_edits, match::AmbiguityRule rule) {
  std::vector<std::uint16_t> distances;
  for (const int distance : match::end_distances(read, text, rule)) {
    const bool is_end = may_end(read, text, distances.size(), max_edits, rule);
    distances.push_back(static_cast<std::uint16_t>(is_end ? distance : UINT16_MAX));
  }
  std::vector<align::Locus> loci;
  align::LocusBuilder builder;
  builder.start(reference, max_edits, false, loci);
  builder.add(static_cast<std::int64_t>(reference.contigs()[0].offset) - 1, distances);
  builder.finish();
  return loci;
}

std::vector<tests::OraclePlacement> placements_of(const sequence::Reference& reference, const align::Locus& locus,
                                                  align::Aligner& aligner, const sequence::EncodedRead& read,
                                                  std::uint32_t max_edits) {
  const std::uint64_t offset = reference.contigs()[0].offset;
  std::vector<align::Locus> found;
  if (aligner.find_placements(locus, read, max_edits, found) <= 1) {
    const auto end = static_cast<std::size_t>(locus.end - offset + 1);
    return {{end, end + locus.spread, locus.distance}};
  }
  std::vector<tests::OraclePlacement> placements;
  for (const align::Locus& placement : found) {
    const auto end = static_cast<std::size_t>(placement.end - offset + 1);
    placements.push_back({end, end + placement.spread, placement.distance});
  }
  return placements;
}

std::string text_of(const std::vector<tests::OraclePlacement>& placements) {
  std::string text;
  for (const auto& placement : placements) {
    text += std::to_string(placement.end) + "-" + std::to_string(placement.last_end) + "/" +
            std::to_string(placement.distance) + " ";
  }
  return text;
}

// Returns how many placements the read has beside the first of each locus.
std::size_t check(const std::string& bases, const std::string& text, std::uint32_t max_edits, bool ambiguous_matches) {
  const auto rule = ambiguous_matches ? match::AmbiguityRule::matches_its_set : match::AmbiguityRule::matches_nothing;
  const sequence::Reference reference = tests::make_reference({text});
  align::Aligner aligner(reference, ambiguous_matches, false);
  sequence::EncodedRead read;
  read.encode(bases, ambiguous_matches);
  const auto expected_loci = match::oracle_loci(bases, text, static_cast<int>(max_edits), rule, [&](std::size_t end) {
    return may_end(bases, text, end, max_edits, rule);
  });
  const auto loci = loci_of(reference, bases, text, max_edits, rule);
  REQUIRE(loci.size() == expected_loci.size());
  std::size_t more = 0;
  for (std::size_t l = 0; l < loci.size(); ++l) {
    auto expected = tests::oracle_placements(bases, text, expected_loci[l], static_cast<int>(max_edits), rule);
    auto found = placements_of(reference, loci[l], aligner, read, max_edits);
    if (expected.size() == 1) {  // a whole locus: its alignment may end at any of its ends
      found.resize(1);
      expected[0].end = found[0].end = expected[0].last_end = found[0].last_end = 0;
    }
    INFO("read " << bases << ", e " << max_edits << ", text " << text);
    REQUIRE(text_of(found) == text_of(expected));
    more += expected.size() - 1;
  }
  return more;
}

}  // namespace

TEST_CASE("the placements of a read in GGAAT x 80") {
  tests::RandomCases random(411);
  const std::string text = random.bases(200) + repeated("GGAAT", 400) + random.bases(200);
  const sequence::Reference reference = tests::make_reference({text});
  align::Aligner aligner(reference, false, false);
  sequence::EncodedRead read;
  const std::string bases = text.substr(200 + 150, 100);
  read.encode(bases, false);
  for (const std::uint32_t e : {3u, 5u, 8u}) {
    const auto loci = loci_of(reference, bases, text, e, match::AmbiguityRule::matches_nothing);
    std::ptrdiff_t best = 0;
    for (const align::Locus& locus : loci) {
      const auto placements = placements_of(reference, locus, aligner, read, e);
      best += std::count_if(placements.begin(), placements.end(), [](const auto& p) { return p.distance == 0; });
    }
    CHECK(best == 61);
  }
}

TEST_CASE("placements are the oracle's in tandem repeats") {
  tests::RandomCases random(412);
  std::size_t more = 0;
  for (std::size_t n = 0; n < 3000; ++n) {
    const std::size_t unit_size = random.chance(0.3) ? random.number(1, 3) : random.number(1, 60);
    const std::string unit = random.bases(unit_size);
    std::string array = repeated(unit, random.number(unit_size, 4 * unit_size + 80));
    if (random.chance(0.6)) {
      array = random.mutate(array, random.number(0, 1 + array.size() / 20));
    }
    // At the begin or the end of the contig, or between other bases.
    const std::string text = random.bases(random.chance(0.3) ? 0 : random.number(1, 60)) + array +
                             random.bases(random.chance(0.3) ? 0 : random.number(1, 60));
    const std::size_t length = std::min(text.size(), random.number(5, 90));
    const std::size_t begin = random.number(0, text.size() - length);
    const auto e = static_cast<std::uint32_t>(random.number(0, std::min<std::size_t>(12, length / 4)));
    const std::string bases = random.mutate(text.substr(begin, length), random.number(0, e));
    if (bases.size() > e) {
      more += check(bases, text, e, false);
    }
  }
  CHECK(more > 3000);
}

TEST_CASE("placements are the oracle's in texts of few letters, and where ambiguous bases match") {
  tests::RandomCases random(413);
  std::size_t more = 0;
  for (std::size_t n = 0; n < 1500; ++n) {
    std::string text = repeated(random.chance(0.5) ? "A" : "AC", random.number(5, 120));
    text = random.mutate(text, random.number(0, 6));
    const bool matches = random.chance(0.3);
    if (random.chance(0.5)) {
      text[random.number(0, text.size() - 1)] = matches ? 'R' : 'N';
    }
    const std::size_t length = std::min(text.size(), random.number(3, 60));
    const std::size_t begin = random.number(0, text.size() - length);
    const auto e = static_cast<std::uint32_t>(random.number(0, 8));
    const std::string bases = random.mutate(text.substr(begin, length), random.number(0, 3));
    if (bases.size() > e) {
      more += check(bases, text, e, matches);
    }
  }
  CHECK(more > 1500);
}

TEST_CASE("the placements of a run that looks like that of one alignment, as the contig ends there") {
  // Ends 22 to 26, with 4, 3, 2, 3, 3 edits.
  CHECK(check("GCACGT", "AGTATCATTTATACATTTTAACGTAC", 4, false) > 0);
}

TEST_CASE("placements are the oracle's in runs that the end of the contig or ambiguous bases cut") {
  tests::RandomCases random(415);
  for (std::size_t n = 0; n < 3000; ++n) {
    const std::string unit = random.bases(random.number(1, 6));
    std::string text = random.bases(random.number(0, 20)) + repeated(unit, random.number(6, 16));
    text = random.mutate(text, random.number(0, 3));
    const std::size_t length = std::min(text.size(), random.number(5, 16));
    const std::string bases = random.mutate(text.substr(random.number(0, text.size() - length), length), 1);
    const auto e = static_cast<std::uint32_t>(random.number(1, bases.size() - 1));
    check(bases, text, e, false);
    const std::size_t ambiguous = random.number(1, 5);
    text.insert(random.number(0, text.size()), std::string(ambiguous, 'N'));
    check(bases, text + random.bases(10), e, true);
  }
}

TEST_CASE("placements are the oracle's with more edits than a word has room for") {
  tests::RandomCases random(414);
  for (std::size_t n = 0; n < 12; ++n) {
    const std::string unit = random.bases(random.number(2, 90));
    const std::string text =
        random.bases(40) + random.mutate(repeated(unit, 500), random.number(0, 30)) + random.bases(40);
    const auto e = static_cast<std::uint32_t>(random.number(28, 80));
    const std::string bases = random.mutate(text.substr(random.number(0, 200), 300), random.number(0, e));
    check(bases, text, e, false);
  }
}
