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
  std::size_t trimmed_pieces = 0;
  std::size_t widened = 0;
  std::size_t beyond = 0;         // widened to more edits than e
  std::size_t near_unmapped = 0;  // mates found near their mates, which had no place
  std::size_t near_poor = 0;      // and those which had one
  std::size_t rivals = 0;         // and another place made them less sure

  void check(std::size_t least) const {
    for (const std::size_t count : {whole, trimmed, poor, unmapped_whole, trimmed_with_gap, trimmed_pieces, widened}) {
      CHECK(count > least / kFewer);
    }
    CHECK(beyond > 3 / kFewer);
  }
};

map::Options with(map::Options options, align::ClipWhen when) {
  options.clip.when = when;
  return options;
}

// A piece near the mate: of equal scores the longer one is better.
struct Scored {
  int score = 0;
  std::size_t bases = 0;
  std::size_t read_end = 0;

  std::size_t edits() const { return (bases - static_cast<std::size_t>(score)) / 5; }
  align::Piece piece() const {
    return {static_cast<std::uint32_t>(read_end - bases), static_cast<std::uint32_t>(read_end),
            static_cast<std::uint32_t>(edits())};
  }
  bool is_better_than(const Scored& other) const {
    return score > other.score || (score == other.score && bases > other.bases);
  }
};

// [p]: the best piece whose alignment ends after position p of the text.
std::vector<Scored> best_pieces(const std::string& read, std::string_view text) {
  std::vector<Scored> best(text.size());
  std::vector<Scored> before(read.size() + 1);
  for (std::size_t p = 0; p < text.size(); ++p) {
    std::vector<Scored> now(read.size() + 1);
    for (std::size_t i = 1; i <= read.size(); ++i) {
      const int step = match::letters_match(read[i - 1], text[p]) ? 1 : -4;
      for (const Scored& way :
           {Scored{before[i - 1].score + step, before[i - 1].bases + 1, i},
            Scored{before[i].score - 5, before[i].bases, i}, Scored{now[i - 1].score - 4, now[i - 1].bases + 1, i}}) {
        if (way.is_better_than(now[i])) {
          now[i] = way;
        }
      }
      if (now[i].is_better_than(best[p])) {
        best[p] = now[i];
      }
    }
    before = now;
  }
  return best;
}

// The best one, and the position where its alignment ends.
std::pair<Scored, std::size_t> best_piece(const std::vector<Scored>& pieces) {
  std::size_t last = 0;
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    last = pieces[p].is_better_than(pieces[last]) ? p : last;
  }
  return {pieces.at(last), last};
}

// The rule, made of the oracles of whole reads, of reads that fit nowhere as a whole, and of reads that are always
// searched for pieces.
class PoorOracle {
 public:
  PoorOracle(const std::vector<std::string>& contigs, const map::Options& options)
      : contigs_(contigs),
        options_(options),
        whole_(contigs, with(options, align::ClipWhen::poor)),
        unmapped_(contigs, with(options, align::ClipWhen::unmapped)),
        always_(contigs, with(options, align::ClipWhen::always)) {}

  std::string single(const Read& read, Seen& seen) const {
    const ReadLoci whole = whole_.find(read);
    if (whole.loci.empty()) {
      ++seen.unmapped_whole;
      return text_of_changed(read, unmapped_.find(read), seen);
    }
    const SingleSelection selection = select_single(whole, options_.report_rule());
    if (is_poor(whole, *selection.reported.front())) {
      const ReadLoci pieces = always_.find(read);
      note_poor(pieces, *selection.reported.front(), seen);
      return text_of_changed(read, pieces, seen);
    }
    return text_of_changed(read, whole, seen);
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
      if (primary == nullptr) {
        continue;
      }
      const bool whole = primary->piece.length() == loci[m].strands.length();
      changed[m] = widened(*reads[m], whole ? trimmed(loci[m], *primary, seen) : *primary, seen);
      put_primary(expected, m, changed[m]);
    }
    AlignedLocus near;
    for (std::size_t m = 0; expected.pairs.empty() && m < 2; ++m) {
      find_near(*reads[m], m, inserts, expected, near, seen);
    }
    AlignedLocus last[2];
    for (std::size_t m = 0; m < 2; ++m) {
      if (const AlignedLocus* const primary = primary_of(expected, m)) {
        last[m] = trimmed_piece(*reads[m], *primary, seen);
        put_primary(expected, m, last[m]);
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
  static void put_primary(ExpectedPair& pair, std::size_t m, const AlignedLocus& locus) {
    (pair.pairs.empty() ? pair.mates[m].alone.front() : pair.pairs.front().mates[m]) = &locus;
  }

  // A piece, trimmed once more.
  AlignedLocus trimmed_piece(const Read& read, const AlignedLocus& locus, Seen& seen) const {
    if (locus.piece.length() == read.bases.size()) {
      return locus;
    }
    const AlignedLocus changed = whole_.trimmed({read.name, Strands(read), 0, 0, 1, 2, {}, false, false}, locus, false);
    seen.trimmed_pieces += changed.piece != locus.piece;
    return changed;
  }

  // The text of a read with another primary alignment.
  std::string with_primary(const ReadLoci& read, const AlignedLocus& primary, const AlignedLocus& changed) const {
    std::string text = text_of_single(read, options_.report_rule());
    const std::string before = text_of(primary);
    return text.replace(text.find(before), before.size(), text_of(changed));
  }

  std::string text_of_changed(const Read& read, const ReadLoci& loci, Seen& seen) const {
    if (loci.loci.empty()) {
      return text_of_single(loci, options_.report_rule());
    }
    const AlignedLocus& primary = *select_single(loci, options_.report_rule()).reported.front();
    const bool whole = primary.piece.length() == read.bases.size();
    const AlignedLocus trimmed_first = whole ? trimmed(loci, primary, seen) : primary;
    return with_primary(loci, primary, trimmed_piece(read, widened(read, trimmed_first, seen), seen));
  }

  // The best piece around a locus that is poor, if it is better.
  AlignedLocus widened(const Read& read, const AlignedLocus& locus, Seen& seen) const {
    const std::size_t length = read.bases.size();
    if (static_cast<int>(length) - locus.score <= static_cast<int>(length / 5) || locus.piece.length() == length) {
      return locus;
    }
    const std::string& contig = contigs_[locus.contig];
    const std::size_t begin = locus.start - std::min(locus.start, locus.piece.begin + length / 5);
    const std::size_t end = std::min(contig.size(), locus.stop() + (length - locus.piece.end) + length / 5);
    const auto [best, last] = best_piece(
        best_pieces(Strands(read).bases[locus.reverse], std::string_view(contig).substr(begin, end - begin)));
    if (best.score <= locus.score) {
      return locus;
    }
    ++seen.widened;
    seen.beyond += best.edits() > options_.max_edits.of(best.bases);
    return whole_.locus_of(read, best.piece(), locus.contig, begin + last + 1, locus.reverse);
  }

  static const AlignedLocus* primary_of(const ExpectedPair& pair, std::size_t m) {
    return !pair.pairs.empty()            ? pair.pairs.front().mates[m]
           : !pair.mates[m].alone.empty() ? pair.mates[m].alone.front()
                                          : nullptr;
  }

  // Searches mate m near its mate; a place that makes them a pair becomes its own.
  void find_near(const Read& read, std::size_t m, const align::InsertModel& inserts, ExpectedPair& expected,
                 AlignedLocus& near, Seen& seen) const {
    const auto length = static_cast<int>(read.bases.size());
    const AlignedLocus* const partner = primary_of(expected, 1 - m);
    const AlignedLocus* const place = primary_of(expected, m);
    if (partner == nullptr ||
        (place != nullptr ? length - place->score <= length / 5 : expected.mates[m].too_short || length < 20)) {
      return;
    }
    const align::Orientation orientation = options_.pairs.orientation;
    const bool reverse = orientation == align::Orientation::ff ? partner->reverse : !partner->reverse;
    const bool first_reverse = m == 0 ? reverse : partner->reverse;
    const bool first_is_left = orientation == align::Orientation::rf ? first_reverse : !first_reverse;
    const bool partner_is_left = first_is_left == (m == 1);
    const std::string& contig = contigs_[partner->contig];
    const std::size_t begin =
        partner_is_left ? partner->start : partner->stop() - std::min<std::size_t>(partner->stop(), inserts.max);
    const std::size_t end =
        partner_is_left ? std::min<std::size_t>(partner->start + inserts.max, contig.size()) : partner->stop();
    const auto pieces = best_pieces(Strands(read).bases[reverse], std::string_view(contig).substr(begin, end - begin));
    const auto [best, last] = best_piece(pieces);
    if (best.score < 20 || (place != nullptr && best.score <= place->score - 15)) {
      return;
    }
    const AlignedLocus found = whole_.locus_of(read, best.piece(), partner->contig, begin + last + 1, reverse);
    ReadLoci both[2] = {whole_.find(read), whole_.find(read)};
    both[m].loci = {found};
    both[1 - m].loci = {*partner};
    if (PairOracle(options_, inserts).concordant_pairs(both[0], both[1]).empty()) {
      return;
    }
    int rival = place != nullptr ? place->score - 15 : 0;
    for (std::size_t p = 0; p < pieces.size(); ++p) {
      const std::size_t stop = begin + p + 1;
      if (stop <= found.start || stop >= found.stop() + pieces[p].bases + pieces[p].edits()) {
        rival = std::max(rival, pieces[p].score);
      }
    }
    const int by_chance = 6 * static_cast<int>(best.bases) - 20 * static_cast<int>(best.edits()) - 20 -
                          static_cast<int>(std::lround(10 * std::log10(static_cast<double>(end - begin))));
    const int mapq = std::min({static_cast<int>(expected.mates[1 - m].mapq), by_chance, 6 * (best.score - rival)});
    ++(place != nullptr ? seen.near_poor : seen.near_unmapped);
    seen.rivals += mapq < static_cast<int>(expected.mates[1 - m].mapq);
    near = found;
    OraclePair pair;
    pair.mates[m] = &near;
    pair.mates[1 - m] = partner;
    expected.kind = align::PairKind::concordant;
    expected.pairs = {pair};
    expected.mates[m] = {};
    expected.mates[m].best_count = 1;
    expected.mates[m].mapq = static_cast<unsigned>(std::max(mapq, 0));
    expected.mates[1 - m].alone.clear();
  }

  bool is_poor(const ReadLoci& read, const AlignedLocus& primary) const {
    return whole_.trimmed(read, primary, true).penalty > static_cast<int>(read.strands.length() / 5) &&
           whole_.most_clipped(read.strands.length()) > 0;
  }

  AlignedLocus trimmed(const ReadLoci& read, const AlignedLocus& primary, Seen& seen) const {
    const AlignedLocus changed = whole_.trimmed(read, primary, true);
    const bool is_trimmed = changed.piece != primary.piece;
    ++(is_trimmed ? seen.trimmed : seen.whole);
    seen.trimmed_with_gap += is_trimmed && primary.steps.find_first_not_of('M') != std::string::npos;
    return changed;
  }

  void note_poor(const ReadLoci& pieces, const AlignedLocus& whole, Seen& seen) const {
    ++seen.poor;
    const SingleSelection selection = select_single(pieces, options_.report_rule());
    seen.poor_elsewhere += !selection.reported.empty() && (selection.reported.front()->contig != whole.contig ||
                                                           selection.reported.front()->start > whole.stop() ||
                                                           selection.reported.front()->stop() < whole.start);
  }

  const std::vector<std::string>& contigs_;
  map::Options options_;
  ReadOracle whole_;
  ReadOracle unmapped_;
  ReadOracle always_;
};

std::string with_poor_half(RandomCases& random, const std::string& read) {
  return read.substr(0, read.size() / 2) + random.mutate(read.substr(read.size() / 2), read.size() / 10);
}

// Half of the reads end in another place, after a gap, or in foreign bases. Some have edits in one half only, more than
// e: the other half tells the place.
std::string read_of(RandomCases& random, const std::vector<std::string>& contigs) {
  std::string read = random.read(contigs, random.number(20, 70), random.number(0, 6), 0);
  if (random.chance(0.2)) {
    read = with_poor_half(random, read);
  } else if (random.chance(0.6)) {
    const std::size_t size = std::min<std::size_t>(read.size(), random.number(1, 20));
    const std::string end = random.chance(0.6) ? random.bases(size) : random.read(contigs, size, 1, 0);
    read = random.chance(0.5) ? read.substr(0, read.size() - size) + end : end + read.substr(size);
  }
  return read.empty() ? "A" : read;
}

map::Options random_options(RandomCases& random) {
  map::Options options;
  options.max_edits = random.chance(0.6)
                          ? map::NumberOrShare{true, static_cast<double>(random.number(20, 180)) / 10, 0}
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
  for (std::size_t n = 0; n < 90 / kFewer; ++n) {
    const auto contigs = repeats(random);
    const auto reference = make_reference(contigs);
    const map::Options options = random_options(random);
    const align::InsertModel inserts = random_inserts(random);
    std::vector<Mates> pairs;
    for (int p = 0; p < 8; ++p) {
      pairs.push_back(random_mates(random, contigs, options, 0, 70, true));
      if (random.chance(0.3)) {  // a chimera: a part lies near the other mate, and a part elsewhere
        std::string& bases = pairs.back().second.bases;
        const std::string part = random.read(contigs, random.number(20, 60), 1, 0);
        bases = random.chance(0.5) ? bases + part : part + bases;
        pairs.back().second.qualities = "";
      } else if (random.chance(0.3)) {
        pairs.back().second.bases = with_poor_half(random, pairs.back().second.bases);
        pairs.back().second.qualities = "";
      }
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
  CHECK(seen.near_unmapped > 20 / kFewer);
  CHECK(seen.near_poor > 5 / kFewer);
  CHECK(seen.rivals > 5 / kFewer);
}
