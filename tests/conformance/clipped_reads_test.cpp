// Compares the engines with the oracle of clipped loci, and with each other, for reads whose ends do not belong.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "align/select.hpp"
#include "engine/registry.hpp"
#include "sequence/alphabet.hpp"
#include "tests/catch.hpp"
#include "tests/clip_oracle.hpp"
#include "tests/conformance/map_pairs.hpp"
#include "tests/conformance/map_reads.hpp"
#include "tests/random_cases.hpp"

using namespace trawl;
using namespace trawl::tests;

namespace {

// A locus that a read should have.
struct Expected {
  std::uint32_t penalty = 0;
  std::size_t contig = 0;
  bool reverse = false;
  std::size_t end = 0;
  std::size_t spread = 0;
  align::Piece piece;
};

std::vector<Expected> expected_loci(const std::vector<std::string>& contigs, const std::string& bases,
                                    const map::Options& options) {
  std::vector<Expected> loci;
  const auto rule = options.ambiguous == map::Ambiguous::match ? match::AmbiguityRule::matches_its_set
                                                               : match::AmbiguityRule::matches_nothing;
  for (const bool reverse : {false, true}) {
    const std::string strand = reverse ? sequence::reverse_complement(bases) : bases;
    for (std::size_t c = 0; c < contigs.size(); ++c) {
      for (const auto& locus : clipped_oracle(
               strand, contigs[c], options.clip.most.of(bases.size()),
               [&](std::size_t n) { return std::size_t{options.max_edits.of(n)}; }, rule)) {
        loci.push_back({locus.penalty, c, reverse, locus.end, locus.spread, locus.piece});
      }
    }
  }
  return loci;
}

std::string text_of(const Expected& locus) {
  return "contig " + std::to_string(locus.contig) + (locus.reverse ? "-" : "+") + " end " + std::to_string(locus.end) +
         "+" + std::to_string(locus.spread) + ", piece " + std::to_string(locus.piece.begin) + "-" +
         std::to_string(locus.piece.end) + ", " + std::to_string(locus.piece.edits) + " edits, penalty " +
         std::to_string(locus.penalty);
}

// Which bases an alignment leaves out, and how many edits it has.
struct Walked {
  std::uint32_t left = 0;
  std::uint32_t right = 0;
  std::uint32_t bases = 0;
  std::uint32_t span = 0;
  std::uint32_t edits = 0;
};

Walked walk(const align::AlignmentBatch& batch, const align::Alignment& a, const std::string& strand,
            const std::string& contig) {
  Walked walked;
  std::size_t i = 0;
  std::size_t j = a.start;
  for (std::uint32_t k = 0; k < a.cigar_length; ++k) {
    const std::uint32_t length = batch.cigar_of(a)[k] >> 4;
    switch (static_cast<align::CigarOp>(batch.cigar_of(a)[k] & 15)) {
      case align::CigarOp::soft_clip:
        (i == 0 ? walked.left : walked.right) = length;
        i += length;
        break;
      case align::CigarOp::insertion:
        walked.edits += length;
        i += length;
        break;
      case align::CigarOp::deletion:
        walked.edits += length;
        j += length;
        break;
      default:
        for (std::uint32_t n = 0; n < length; ++n, ++i, ++j) {
          walked.edits +=
              j >= contig.size() || strand[i] != contig[j] || std::string("ACGT").find(strand[i]) == std::string::npos;
        }
    }
  }
  walked.bases = static_cast<std::uint32_t>(i);
  walked.span = static_cast<std::uint32_t>(j - a.start);
  return walked;
}

struct Seen {
  std::size_t clipped = 0;
  std::size_t several = 0;
  std::size_t whole = 0;
  std::size_t unmapped = 0;
  std::size_t with_edits = 0;
  std::size_t both_ends = 0;
};

// Checks what an engine says of a read that should have clipped loci.
void check_clipped(const align::AlignmentBatch& batch, std::size_t r, const Read& read,
                   const std::vector<std::string>& contigs, const map::Options& options, Seen& seen) {
  auto expected = expected_loci(contigs, read.bases, options);
  const align::ReadResult& result = batch.reads[r];
  if (expected.empty()) {
    CHECK(result.count == 0);
    ++seen.unmapped;
    return;
  }
  ++seen.clipped;
  seen.several += expected.size() > 1;
  std::uint32_t best = UINT32_MAX;
  for (const Expected& locus : expected) {
    best = std::min(best, locus.penalty);
  }
  const auto count = [&](std::uint32_t most) {
    return static_cast<std::uint32_t>(
        std::count_if(expected.begin(), expected.end(), [&](const Expected& l) { return l.penalty <= most; }));
  };
  CHECK(result.best_count == count(best));
  CHECK(result.next_count == count(best + 5) - count(best));
  // The primary one, by canonical order; then the others.
  std::uint64_t skip = align::name_hash(read.name) % count(best);
  std::size_t primary = 0;
  while (expected[primary].penalty != best || skip-- > 0) {
    ++primary;
  }
  std::rotate(expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(primary),
              expected.begin() + static_cast<std::ptrdiff_t>(primary) + 1);
  std::stable_sort(expected.begin() + 1, expected.end(), [](const Expected& a, const Expected& b) {
    return std::tuple(a.penalty, a.contig, a.end, a.reverse) < std::tuple(b.penalty, b.contig, b.end, b.reverse);
  });
  const std::uint32_t most = options.report == map::Report::strata ? best + 5 * options.strata : UINT32_MAX;
  expected.erase(
      std::remove_if(expected.begin() + 1, expected.end(),
                     [&](const Expected& l) { return options.report == map::Report::best || l.penalty > most; }),
      expected.end());
  REQUIRE(result.count == expected.size());
  for (std::size_t k = 0; k < expected.size(); ++k) {
    const Expected& locus = expected[k];
    INFO("locus " << k << ": " << text_of(locus));
    const align::Alignment& a = batch.alignments[result.first + k];
    INFO("found " << tests::text_of(batch, a));
    const std::string strand = locus.reverse ? sequence::reverse_complement(read.bases) : read.bases;
    REQUIRE(a.contig == locus.contig);
    REQUIRE(a.reverse == locus.reverse);
    const Walked walked = walk(batch, a, strand, contigs[a.contig]);
    REQUIRE(walked.bases == read.bases.size());
    CHECK(walked.left == locus.piece.begin);
    CHECK(walked.right == read.bases.size() - locus.piece.end);
    CHECK(walked.span == a.span);
    CHECK(a.start + a.span >= locus.end);
    CHECK(a.start + a.span <= locus.end + locus.spread);
    CHECK(a.distance == locus.piece.edits);
    CHECK(a.score == static_cast<std::int32_t>(read.bases.size()) - static_cast<std::int32_t>(locus.penalty));
    if (options.ambiguous == map::Ambiguous::mismatch) {
      CHECK(walked.edits == locus.piece.edits);
      CHECK(a.edits == locus.piece.edits);
    }
    seen.with_edits += locus.piece.edits > 0;
    seen.both_ends += walked.left > 0 && walked.right > 0;
  }
}

// A read with foreign bases at its ends, or made of two places, or any read.
std::string hostile_read(RandomCases& random, const std::vector<std::string>& contigs, std::size_t edits,
                         double ambiguity) {
  const std::size_t length = random.chance(0.8) ? random.number(8, 60) : random.number(1, 120);
  std::string read = random.read(contigs, length, random.number(0, edits), ambiguity);
  if (random.chance(0.5)) {
    read += random.bases(random.number(0, read.size() / 2));
  }
  if (random.chance(0.3)) {
    read.insert(0, random.chance(0.5) ? random.bases(random.number(0, read.size() / 3))
                                      : std::string(random.number(0, read.size() / 3), random.base()));
  }
  if (random.chance(0.2)) {
    read += random.read(contigs, random.number(1, 1 + read.size() / 2), 1, ambiguity);
  }
  return read.empty() ? "A" : read;
}

map::Options random_options(RandomCases& random) {
  map::Options options;
  options.max_edits = random.chance(0.5)
                          ? map::NumberOrShare{true, static_cast<double>(random.number(0, 120)) / 10, 0}
                          : map::NumberOrShare{false, 0, static_cast<std::uint32_t>(random.number(0, 4))};
  options.clip.most = random.chance(0.6)
                          ? map::NumberOrShare{true, static_cast<double>(random.number(10, 490)) / 10, 0}
                          : map::NumberOrShare{false, 0, static_cast<std::uint32_t>(random.number(1, 40))};
  options.clip.when = random.chance(0.5) ? align::ClipWhen::always : align::ClipWhen::unmapped;
  options.report = random.chance(0.4) ? map::Report::all : random.chance(0.5) ? map::Report::best : map::Report::strata;
  options.strata = options.report == map::Report::strata ? static_cast<std::uint32_t>(random.number(0, 3)) : 0;
  options.eqx = random.chance(0.3);
  options.search = random.chance(0.8) ? map::Search::automatic : map::Search::scan;
  return options;
}

}  // namespace

TEST_CASE("every engine finds the clipped loci of the oracle", "[clip]") {
  constexpr std::uint64_t kSeed = 1311;
  INFO("seed " << kSeed);
  RandomCases random(kSeed);
  Seen seen;
  for (std::size_t n = 0; n < 300 / kFewer; ++n) {
    const double ambiguity = random.chance(0.6) ? 0 : 0.01;
    std::vector<std::string> contigs;
    for (std::size_t c = random.number(1, 3); c > 0; --c) {
      contigs.push_back(random.contig(random.number(1, 300), ambiguity));
    }
    const auto reference = make_reference(contigs);
    map::Options options = random_options(random);
    options.ambiguous = ambiguity > 0 && random.chance(0.3) ? map::Ambiguous::match : map::Ambiguous::mismatch;
    std::vector<Read> reads;
    for (int r = 0; r < 12; ++r) {
      const std::string bases = hostile_read(random, contigs, 3, ambiguity);
      reads.push_back(
          {"read" + std::to_string(random.number(0, 1000)), bases,
           random.chance(0.5) ? std::string(bases.size(), static_cast<char>(random.number('#', 'I'))) : ""});
    }
    map::Options unclipped = options;
    unclipped.clip = {};
    const auto whole = map_with(*engine::make_engine("cpu", reference, unclipped)->make_worker(), reads);
    const auto found = map_with(*engine::make_engine("cpu", reference, options)->make_worker(), reads);
    for (std::size_t r = 0; r < reads.size(); ++r) {
      const std::string& bases = reads[r].bases;
      INFO("case " << n << ", read " << r << ": " << bases << ", clip " << options.clip.most.of(bases.size()) << ", e "
                   << options.max_edits.of(bases.size()) << ", always "
                   << (options.clip.when == align::ClipWhen::always) << ", report "
                   << static_cast<int>(options.report));
      const bool too_short = bases.size() <= options.max_edits.of(bases.size());
      const bool nothing_to_clip = options.clip.most.of(bases.size()) == 0 || bases.size() < 3;
      const bool is_whole = options.clip.when == align::ClipWhen::unmapped && whole.reads[r].count > 0;
      if (too_short || nothing_to_clip || is_whole) {
        REQUIRE(tests::text_of(found, r) == tests::text_of(whole, r));
        for (std::uint32_t k = 0; k < found.reads[r].count; ++k) {
          const auto& a = found.alignments[found.reads[r].first + k];
          CHECK(a.score == static_cast<std::int32_t>(bases.size()) - 5 * a.distance);
        }
        ++seen.whole;
      } else {
        check_clipped(found, r, reads[r], contigs, options, seen);
      }
    }
    for (const auto& name : usable_engines()) {
      if (options.ambiguous == map::Ambiguous::match && name != "cpu") {
        continue;
      }
      const auto same = map_with(*engine::make_engine(name, reference, options)->make_worker(), reads);
      for (std::size_t r = 0; r < reads.size(); ++r) {
        INFO("engine " << name << ", case " << n << ", read " << r << ": " << reads[r].bases);
        REQUIRE(tests::text_of(same, r) == tests::text_of(found, r));
      }
    }
  }
  CHECK(seen.clipped > 500 / kFewer);
  CHECK(seen.several > 150 / kFewer);
  CHECK(seen.whole > 200 / kFewer);
  CHECK(seen.unmapped > 50 / kFewer);
  CHECK(seen.with_edits > 200 / kFewer);
  CHECK(seen.both_ends > 100 / kFewer);
}
