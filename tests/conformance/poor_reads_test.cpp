// Compares the engines with the oracle where reads that fit well as a whole are trimmed, and the others are clipped
// (align::ClipWhen::poor): what `trawl map --report best` does by default.
#include <string>
#include <vector>

#include "run/engine_choice.hpp"
#include "tests/catch.hpp"
#include "tests/conformance/map_pairs.hpp"
#include "tests/conformance/map_reads.hpp"
#include "tests/pair_oracle.hpp"
#include "tests/random_cases.hpp"
#include "tests/read_oracle.hpp"

using namespace trawl;
using namespace trawl::tests;

namespace {

struct Seen {
  std::size_t whole = 0;
  std::size_t trimmed = 0;
  std::size_t poor = 0;
  std::size_t poor_elsewhere = 0;  // and its piece is at another place
  std::size_t unmapped_whole = 0;
  std::size_t trimmed_with_gap = 0;
  std::size_t concordant = 0;
  std::size_t beside_poor = 0;  // mates that fit well, of such that do not

  void check(std::size_t least) const {
    for (const std::size_t count : {whole, trimmed, poor, unmapped_whole, trimmed_with_gap}) {
      CHECK(count > least / kFewer);
    }
  }
};

map::Options with(map::Options options, align::ClipWhen when) {
  options.clip.when = when;
  return options;
}

// The rule, made of the oracles of whole reads, of reads that fit nowhere as a whole, and of reads that are always
// searched for pieces.
class PoorOracle {
 public:
  PoorOracle(const std::vector<std::string>& contigs, const map::Options& options)
      : options_(options),
        whole_(contigs, with(options, align::ClipWhen::poor)),
        unmapped_(contigs, with(options, align::ClipWhen::unmapped)),
        always_(contigs, with(options, align::ClipWhen::always)) {}

  std::string single(const Read& read, Seen& seen) const {
    const ReadLoci whole = whole_.find(read);
    if (whole.loci.empty()) {
      ++seen.unmapped_whole;
      return text_of_single(unmapped_.find(read), options_.report_rule());
    }
    const SingleSelection selection = select_single(whole, options_.report_rule());
    if (is_poor(whole, *selection.reported.front())) {
      const ReadLoci pieces = always_.find(read);
      note_poor(pieces, *selection.reported.front(), seen);
      return text_of_single(pieces, options_.report_rule());
    }
    ReadLoci changed = whole;
    AlignedLocus& primary = changed.loci[static_cast<std::size_t>(selection.reported.front() - whole.loci.data())];
    std::string text = text_of_single(whole, options_.report_rule());
    const std::string before = text_of(primary);
    primary = trimmed(whole, primary, seen);
    text.replace(text.find(before), before.size(), text_of(primary));
    return text;
  }

  std::string pair(const Mates& mates, const align::InsertModel& inserts, Seen& seen) const {
    const Read* const reads[2] = {&mates.first, &mates.second};
    ReadLoci loci[2] = {whole_.find(mates.first), whole_.find(mates.second)};
    const PairOracle pairs(options_, inserts);
    ExpectedPair expected = pairs.expect(loci[0], loci[1]);
    bool again = expected.kind == align::PairKind::unmapped || expected.kind == align::PairKind::one_end;
    bool poor[2] = {false, false};
    for (std::size_t m = 0; m < 2; ++m) {
      const AlignedLocus* const primary = primary_of(expected, m);
      poor[m] = primary != nullptr && is_poor(loci[m], *primary);
      again = again || poor[m];
    }
    for (std::size_t m = 0; again && m < 2; ++m) {
      if (poor[m]) {
        note_poor(always_.find(*reads[m]), *primary_of(expected, m), seen);
        loci[m] = always_.find(*reads[m]);
        seen.beside_poor += !poor[1 - m] && !loci[1 - m].loci.empty();
      } else if (loci[m].loci.empty()) {
        ++seen.unmapped_whole;
        loci[m] = unmapped_.find(*reads[m]);
      }
    }
    if (again) {
      expected = pairs.expect(loci[0], loci[1]);
    }
    seen.concordant += !expected.pairs.empty();
    AlignedLocus changed[2];
    for (std::size_t m = 0; m < 2; ++m) {
      const AlignedLocus* const primary = primary_of(expected, m);
      if (primary == nullptr || primary->piece.length() < loci[m].strands.length()) {
        continue;
      }
      changed[m] = trimmed(loci[m], *primary, seen);
      if (expected.pairs.empty()) {
        expected.mates[m].alone.front() = &changed[m];
      } else {
        expected.pairs.front().mates[m] = &changed[m];
      }
    }
    if (!expected.pairs.empty()) {
      const OraclePair& first = expected.pairs.front();
      expected.pairs.front().insert = std::max(first.mates[0]->stop(), first.mates[1]->stop()) -
                                      std::min(first.mates[0]->start, first.mates[1]->start);
    }
    return text_of(expected);
  }

 private:
  static const AlignedLocus* primary_of(const ExpectedPair& pair, std::size_t m) {
    return !pair.pairs.empty()            ? pair.pairs.front().mates[m]
           : !pair.mates[m].alone.empty() ? pair.mates[m].alone.front()
                                          : nullptr;
  }

  bool is_poor(const ReadLoci& read, const AlignedLocus& primary) const {
    return whole_.trimmed(read, primary).penalty > static_cast<int>(read.strands.length() / 5) &&
           whole_.most_clipped(read.strands.length()) > 0;
  }

  AlignedLocus trimmed(const ReadLoci& read, const AlignedLocus& primary, Seen& seen) const {
    const AlignedLocus changed = whole_.trimmed(read, primary);
    ++(changed.penalty < primary.penalty ? seen.trimmed : seen.whole);
    seen.trimmed_with_gap +=
        changed.penalty < primary.penalty && primary.steps.find_first_not_of('M') != std::string::npos;
    return changed;
  }

  void note_poor(const ReadLoci& pieces, const AlignedLocus& whole, Seen& seen) const {
    ++seen.poor;
    const SingleSelection selection = select_single(pieces, options_.report_rule());
    seen.poor_elsewhere += !selection.reported.empty() && (selection.reported.front()->contig != whole.contig ||
                                                           selection.reported.front()->start > whole.stop() ||
                                                           selection.reported.front()->stop() < whole.start);
  }

  map::Options options_;
  ReadOracle whole_;
  ReadOracle unmapped_;
  ReadOracle always_;
};

// Half of the reads end in another place, after a gap, or in foreign bases.
std::string read_of(RandomCases& random, const std::vector<std::string>& contigs) {
  std::string read = random.read(contigs, random.number(20, 70), random.number(0, 6), 0);
  if (random.chance(0.5)) {
    const std::size_t size = std::min<std::size_t>(read.size(), random.number(1, 20));
    const std::string end = random.chance(0.6) ? random.bases(size) : random.read(contigs, size, 1, 0);
    read = random.chance(0.5) ? read.substr(0, read.size() - size) + end : end + read.substr(size);
  }
  return read.empty() ? "A" : read;
}

map::Options random_options(RandomCases& random) {
  map::Options options;
  options.max_edits = random.chance(0.5)
                          ? map::NumberOrShare{true, static_cast<double>(random.number(50, 200)) / 10, 0}
                          : map::NumberOrShare{false, 0, static_cast<std::uint32_t>(random.number(3, 8))};
  options.clip.most = random.chance(0.7)
                          ? map::NumberOrShare{true, 49, 0}
                          : map::NumberOrShare{false, 0, static_cast<std::uint32_t>(random.number(1, 30))};
  options.clip.when = align::ClipWhen::poor;
  options.clip.least_score = static_cast<std::uint32_t>(random.chance(0.3) ? 0 : random.number(5, 35));
  options.eqx = random.chance(0.3);
  options.search = random.chance(0.8) ? map::Search::automatic : map::Search::scan;
  options.pairs.orientation = random.chance(0.7) ? align::Orientation::fr : align::Orientation(random.number(0, 2));
  options.pairs.discordant = align::Discordant(random.number(0, 2));
  return options;
}

std::string about(const map::Options& options, std::size_t length) {
  return "e " + std::to_string(options.max_edits.of(length)) + ", clip " +
         std::to_string(options.clip.most.of(length)) + ", least score " + std::to_string(options.clip.least_score) +
         ", discordant " + std::to_string(static_cast<int>(options.pairs.discordant));
}

}  // namespace

TEST_CASE("reads that fit well are trimmed, the others are clipped", "[clip]") {
  constexpr std::uint64_t kSeed = 1341;
  INFO("seed " << kSeed);
  RandomCases random(kSeed);
  Seen seen;
  for (std::size_t n = 0; n < 40 / kFewer; ++n) {
    const auto contigs = repeats(random);
    const auto reference = make_reference(contigs);
    const map::Options options = random_options(random);
    std::vector<Read> reads;
    for (int r = 0; r < 12; ++r) {
      reads.push_back({"read" + std::to_string(random.number(0, 1000)), read_of(random, contigs), ""});
    }
    const PoorOracle oracle(contigs, options);
    std::vector<std::string> expected;
    for (const Read& read : reads) {
      expected.push_back(oracle.single(read, seen));
    }
    for (const auto& name : usable_engines()) {
      const auto found = map_with(*run::make_engine(name, reference, options)->make_worker(), reads);
      for (std::size_t r = 0; r < reads.size(); ++r) {
        const std::string& bases = reads[r].bases;
        INFO("engine " << name << ", case " << n << ", read " << r << ": " << bases << ", "
                       << about(options, bases.size()));
        REQUIRE(text_of(found, r) == expected[r]);
      }
    }
  }
  seen.check(15);
}

TEST_CASE("mates that fit well are trimmed, the others are clipped", "[clip][long]") {
  constexpr std::uint64_t kSeed = 1342;
  INFO("seed " << kSeed);
  RandomCases random(kSeed);
  Seen seen;
  for (std::size_t n = 0; n < 120 / kFewer; ++n) {
    const auto contigs = repeats(random);
    const auto reference = make_reference(contigs);
    const map::Options options = random_options(random);
    const align::InsertModel inserts = random_inserts(random);
    std::vector<Mates> pairs;
    for (int p = 0; p < 8; ++p) {
      pairs.push_back(random_mates(random, contigs, options, 0, 70, true));
    }
    const PoorOracle oracle(contigs, options);
    std::vector<std::string> expected;
    for (const Mates& mates : pairs) {
      expected.push_back(oracle.pair(mates, inserts, seen));
    }
    for (const auto& name : usable_engines()) {
      const auto engine = run::make_engine(name, reference, options);
      engine->set_inserts(inserts);
      const auto found = map_with(*engine->make_worker(), pairs);
      for (std::size_t p = 0; p < pairs.size(); ++p) {
        INFO("engine " << name << ", case " << n << ", pair " << p << " " << pairs[p].first.name << ": "
                       << pairs[p].first.bases << " " << pairs[p].second.bases << ", "
                       << about(options, pairs[p].first.bases.size()) << ", inserts " << inserts.min << "-"
                       << inserts.max);
        REQUIRE(text_of_pair(found, p) == expected[p]);
      }
    }
  }
  seen.check(20);
  CHECK(seen.concordant > 100 / kFewer);
  CHECK(seen.beside_poor > 20 / kFewer);
}
