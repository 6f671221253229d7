// Clipped ends that are joined to their piece by a long gap: compared with all ways to do so.
#include "polish/long_gaps.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "pipeline/engine_choice.hpp"
#include "sequence/alphabet.hpp"
#include "tests/catch.hpp"
#include "tests/conformance/map_reads.hpp"
#include "tests/on_all_targets.hpp"
#include "tests/random_cases.hpp"
#include "tests/read_oracle.hpp"

using namespace trawl;

namespace {

constexpr int kLongest = 60;

int points(const std::string& strand, const std::string& text, int base, int position) {
  const bool same = position >= 0 && position < static_cast<int>(text.size()) &&
                    strand[static_cast<std::size_t>(base)] == text[static_cast<std::size_t>(position)];
  const bool clear = std::string("ACGT").find(strand[static_cast<std::size_t>(base)]) != std::string::npos;
  return same && clear ? 1 : -4;
}

// What the best join at the right end gains; the piece [a, b) lies at `start` without a gap.
int best_gain(const std::string& strand, const std::string& text, int a, int b, int start) {
  const int length = static_cast<int>(strand.size());
  const int diagonal = start - a;
  int sum_so_far = 0;
  std::vector<int> left(static_cast<std::size_t>(length) + 1, 0);  // [p]: score of bases a .. p - 1
  for (int i = a; i < length; ++i) {
    sum_so_far += points(strand, text, i, i + diagonal);
    left[static_cast<std::size_t>(i) + 1] = sum_so_far;
  }
  const int whole = left[static_cast<std::size_t>(b)];
  // The part before the gap may go on along its diagonal beyond the piece.
  const int first = std::max(a + 15, b - 40);
  const int last = std::min(b + 40, length);
  int unbroken = whole;
  for (int p = first; p <= last; ++p) {
    unbroken = std::max(unbroken, left[static_cast<std::size_t>(p)]);
  }
  int best = 0;
  for (int p = first; p <= last && length - b > 15; ++p) {
    for (int gap = -kLongest; gap <= kLongest; ++gap) {
      if (gap == 0) {
        continue;
      }
      int sum = 0;
      int right = 0;
      for (int i = gap > 0 ? p : p - gap; i < length; ++i) {
        sum += points(strand, text, i, i + diagonal + gap);
        right = std::max(right, sum);
      }
      const int all = left[static_cast<std::size_t>(p)] + right - 15;
      if (right > 15 && all > unbroken) {
        best = std::max(best, all - whole);
      }
    }
  }
  return best;
}

std::string reversed(std::string text) {
  std::reverse(text.begin(), text.end());
  return text;
}

}  // namespace

TEST_CASE("clipped ends are joined in the best way", "[clip]") {
  tests::RandomCases random(4711);
  std::size_t deletions = 0, insertions = 0, unjoined = 0, both = 0;
  for (int n = 0; n < 60; ++n) {
    const std::string text = n % 3 == 0 ? random.contig(6000, 0.001) : random.bases(6000);
    const auto reference = tests::make_reference({text});
    sequence::ReadBatch batch;
    std::vector<std::string> reads;
    for (int r = 0; r < 40; ++r) {
      // Up to three parts of the reference, with a gap between each two of them, or foreign bases after them.
      std::string read;
      std::size_t at = random.number(300, 5000);
      const std::size_t parts = random.number(1, 3);
      const std::size_t longest = random.number(0, parts - 1);
      for (std::size_t part = 0; part < parts; ++part) {
        const std::size_t length = part == longest ? random.number(90, 120) : random.number(5, 40);
        read += random.mutate(text.substr(at, length), random.number(0, 1));
        at += length + random.number(0, 1) * random.number(8, 55);
        if (random.chance(0.3)) {
          read += random.bases(random.number(8, 50));
        }
      }
      read = read.substr(0, 200);
      reads.push_back(random.chance(0.5) ? read : sequence::reverse_complement(read));
      batch.add("r", reads.back(), "");
    }
    map::MapOptions options;
    options.clip.most = {true, 49, 0};
    align::AlignmentBatch plain, joined;
    pipeline::make_engine("cpu", reference, options)->make_worker()->map(batch, plain);
    options.clip.join = kLongest;
    pipeline::make_engine("cpu", reference, options)->make_worker()->map(batch, joined);
    for (std::size_t r = 0; r < reads.size(); ++r) {
      REQUIRE(plain.reads[r].count == joined.reads[r].count);
      if (plain.reads[r].count == 0) {
        continue;
      }
      const align::Alignment& before = plain.alignments[plain.reads[r].first];
      const align::Alignment& after = joined.alignments[joined.reads[r].first];
      const std::string strand = before.reverse ? sequence::reverse_complement(reads[r]) : reads[r];
      const auto length = static_cast<int>(strand.size());
      INFO("case " << n << ", read " << r << ": " << strand << " at " << before.start);
      REQUIRE(after.reverse == before.reverse);
      REQUIRE(after.mapq == before.mapq);
      // The record after joining is what it says.
      int base = 0, position = static_cast<int>(after.start), score = 0, edits = 0, gaps = 0;
      for (const tests::CigarElement& e : tests::cigar_of(joined, after)) {
        switch (e.op) {
          case 'S':
            base += e.length;
            break;
          case 'I':
          case 'D': {
            const bool is_long = e.length > static_cast<int>(options.max_edits.of(strand.size()));
            score -= is_long ? 15 : e.op == 'I' ? 4 * e.length : 5 * e.length;
            gaps += is_long;
            deletions += is_long && e.op == 'D';
            insertions += is_long && e.op == 'I';
            edits += e.length;
            (e.op == 'I' ? base : position) += e.length;
            break;
          }
          default:
            for (int k = 0; k < e.length; ++k) {
              const int here = points(strand, text, base++, position++);
              score += here;
              edits += here < 0;
            }
        }
      }
      REQUIRE(base == length);
      CHECK(static_cast<int>(after.edits) == edits);
      CHECK(static_cast<int>(after.distance) == edits);
      CHECK(static_cast<int>(after.span) == position - static_cast<int>(after.start));
      const auto cigar = tests::cigar_of(plain, before);
      const bool without_gap =
          std::count_if(cigar.begin(), cigar.end(), [](const tests::CigarElement& e) { return e.op != 'S'; }) == 1;
      const int a = cigar.front().op == 'S' ? cigar.front().length : 0;
      const int b = length - (cigar.back().op == 'S' ? cigar.back().length : 0);
      if (!without_gap || b - a < 80 || text.find_first_not_of("ACGT") != std::string::npos) {
        continue;
      }
      const int right = best_gain(strand, text, a, b, static_cast<int>(before.start));
      const int end = static_cast<int>(before.start + before.span);
      const int left =
          best_gain(reversed(strand), reversed(text), length - b, length - a, static_cast<int>(text.size()) - end);
      CHECK(after.score == before.score + left + right);
      both += left > 0 && right > 0;
      unjoined += left + right == 0 && b - a < length;
      // Gaps of up to e bases are not told from usual ones here.
      if (gaps == (left > 0) + (right > 0)) {
        CHECK(after.score == score);
      }
    }
  }
  CHECK(deletions > 200);
  CHECK(insertions > 100);
  CHECK(unjoined > 100);
  CHECK(both > 3);
}

TEST_CASE("where ends are trimmed, they are joined again and again", "[clip]") {
  constexpr int kMost = 20;
  tests::RandomCases random(4714);
  std::size_t joins[6] = {};  // [n]: reads with n more gaps
  for (int n = 0; n < 30; ++n) {
    const std::vector<std::string> contigs{n % 3 == 0 ? random.contig(1500, 0.001) : random.bases(1500)};
    const auto reference = tests::make_reference(contigs);
    map::MapOptions options;
    options.clip.when = align::ClipWhen::poor;
    options.clip.join = kMost;
    polish::TextAround text(reference, options);
    polish::EndJoining joining(options.clip);
    const tests::ReadOracle oracle(contigs, options);
    for (int r = 0; r < 30 && contigs[0].size() > 600; ++r) {
      // Up to four parts of the reference, with a gap between each two of them. One or two of them are aligned.
      std::string read;
      const std::size_t parts = random.number(1, 4);
      const std::size_t first = random.number(0, parts - 1);
      const std::size_t last = std::min(parts - 1, first + (random.chance(0.3) ? 1 : 0));
      tests::AlignedLocus locus;
      std::size_t at = random.number(0, contigs[0].size() - 500);
      for (std::size_t part = 0; part < parts; ++part) {
        const int gap = part == 0 ? 0 : static_cast<int>(random.number(1, 2 * kMost)) - kMost;
        const auto bases = static_cast<std::size_t>(std::abs(gap));
        const std::size_t length = part == first ? random.number(25, 60) : random.number(5, 30);
        read += gap < 0 ? random.bases(bases) : "";
        at += gap > 0 ? bases : 0;
        locus.steps += part > first && part <= last ? std::string(bases, gap < 0 ? 'I' : 'D') : "";
        locus.steps += part >= first && part <= last ? std::string(length, 'M') : "";
        if (part == first) {
          locus.piece.begin = static_cast<std::uint32_t>(read.size());
          locus.start = at;
        }
        read += contigs[0].substr(at, length);
        at += length;
        if (part == last) {
          locus.piece.end = static_cast<std::uint32_t>(read.size());
        }
      }
      for (std::size_t edits = random.number(0, 3); edits > 0; --edits) {
        read[random.number(0, read.size() - 1)] = random.base();
      }
      INFO("case " << n << ", read " << r << ": " << read << ", " << locus.steps << " at " << locus.start);
      const tests::AlignedLocus expected = oracle.joined(tests::Strands({"", read, ""}), locus, kMost);

      sequence::EncodedRead strand;
      strand.encode(read, false);
      text.enter(0);
      polish::Chain chain{{},
                          text.contig_begin() + static_cast<std::int64_t>(locus.start),
                          locus.piece.begin,
                          static_cast<std::uint32_t>(read.size() - locus.piece.end)};
      for (const char step : locus.steps) {
        chain.add(step == 'M'   ? match::Step::diagonal
                  : step == 'D' ? match::Step::deletion
                                : match::Step::insertion,
                  1);
      }
      const std::size_t runs = chain.runs.size();
      const polish::Gain gain = joining.join({text, strand}, chain);
      std::string steps;
      for (const align::AlignedRun& run : chain.runs) {
        steps += std::string(run.length, run.step == match::Step::diagonal   ? 'M'
                                         : run.step == match::Step::deletion ? 'D'
                                                                             : 'I');
      }
      REQUIRE(steps == expected.steps);
      REQUIRE(chain.start - text.contig_begin() == static_cast<std::int64_t>(expected.start));
      REQUIRE(chain.left == expected.piece.begin);
      REQUIRE(read.size() - chain.right == expected.piece.end);
      REQUIRE(gain.has_value() == (steps != locus.steps));
      ++joins[std::min<std::size_t>(5, (chain.runs.size() - std::min(runs, chain.runs.size())) / 2)];
    }
  }
  for (std::size_t n = 0; n < 4; ++n) {
    INFO(n);
    CHECK(joins[n] > 20);
  }
}

TEST_CASE("an alignment is settled as the best one near it", "[clip]") {
  constexpr std::uint32_t kMost = 40;
  tests::RandomCases random(4715);
  std::size_t settled = 0, long_gaps = 0, ends = 0;
  for (int n = 0; n < 60; ++n) {
    // Tandem repeats, at the ends of the contig, too.
    std::string contig;
    for (std::size_t parts = random.number(2, 5); parts > 0; --parts) {
      const std::string unit = random.bases(random.number(1, 9));
      std::string repeat;
      for (std::size_t size = random.number(0, 70); repeat.size() < size;) {
        repeat += unit;
      }
      contig +=
          (random.chance(0.8) ? random.bases(random.number(1, 90)) : "") + random.mutate(repeat, random.number(0, 2));
    }
    if (contig.size() < 60) {
      continue;
    }
    const std::vector<std::string> contigs{contig};
    const auto reference = tests::make_reference(contigs);
    map::MapOptions options;
    options.clip.when = align::ClipWhen::poor;
    polish::TextAround text(reference, options);
    polish::GapSettling settling(kMost);
    const tests::ReadOracle oracle(contigs, options);
    for (int r = 0; r < 20; ++r) {
      // A gapless alignment of a read with a gap, of which an end may be left out.
      const std::size_t start = random.number(0, contig.size() - 40);
      const std::size_t before = random.number(5, 60), gap = random.number(1, kMost);
      std::string read = contig.substr(start, before);
      read += random.chance(0.5) ? contig.substr(std::min(contig.size(), start + before + gap), random.number(5, 60))
                                 : random.bases(gap) + contig.substr(std::min(contig.size(), start + before), 40);
      read = random.mutate(read, random.number(0, 2));
      tests::AlignedLocus locus;
      locus.start = start;
      const std::size_t bases = std::min(read.size(), contig.size() - start);
      locus.piece.begin = static_cast<std::uint32_t>(random.chance(0.8) ? 0 : random.number(0, 4));
      locus.piece.end = static_cast<std::uint32_t>(bases);
      locus.start += locus.piece.begin;
      if (locus.piece.end < locus.piece.begin + 10) {
        continue;
      }
      locus.steps = std::string(locus.piece.length(), 'M');
      INFO("case " << n << ", read " << r << ": " << read << ", " << locus.steps.size() << "M at " << locus.start
                   << " of " << contig);
      const auto most = static_cast<std::uint32_t>(random.chance(0.7) ? read.size() : random.number(0, 20));
      const tests::AlignedLocus expected = oracle.settled(tests::Strands({"", read, ""}), locus, most, kMost);

      sequence::EncodedRead strand;
      strand.encode(read, false);
      text.enter(0);
      const polish::Chain gapless{{{match::Step::diagonal, locus.piece.length()}},
                                  text.contig_begin() + static_cast<std::int64_t>(locus.start),
                                  locus.piece.begin,
                                  static_cast<std::uint32_t>(read.size()) - locus.piece.end};
      tests::on_all_targets([&] {
        polish::Chain chain = gapless;
        const bool changed = settling.settle({text, strand}, chain, most);
        std::string steps;
        for (const align::AlignedRun& run : chain.runs) {
          steps += std::string(run.length, run.step == match::Step::diagonal   ? 'M'
                                           : run.step == match::Step::deletion ? 'D'
                                                                               : 'I');
          long_gaps += run.step != match::Step::diagonal && run.length > 8;
        }
        REQUIRE(steps == expected.steps);
        REQUIRE(chain.start - text.contig_begin() == static_cast<std::int64_t>(expected.start));
        REQUIRE(chain.left == expected.piece.begin);
        REQUIRE(read.size() - chain.right == expected.piece.end);
        settled += changed;
        ends += changed && chain.left + chain.right > locus.piece.begin + read.size() - locus.piece.end;
      });
    }
  }
  CHECK(settled > 100);
  CHECK(long_gaps > 50);
  CHECK(ends > 20);
}

TEST_CASE("long reads are aligned in a band of diagonals as short ones are", "[clip]") {
  tests::RandomCases random(4716);
  polish::AffineBand band;
  for (const std::size_t length : {300u, 1999u, 2000u, 2001u, 5000u}) {
    INFO(length << " bases");
    std::vector<std::uint8_t> text;
    for (std::size_t i = 0; i < length + 12; ++i) {
      text.push_back(static_cast<std::uint8_t>(1u << random.number(0, 3)));
    }
    // Without three bases of the text, and a mismatch behind them.
    std::vector<std::uint8_t> read(text.begin() + 4, text.end() - 5);
    read.erase(read.end() - 100, read.end() - 97);
    read[length - 50] = read[length - 50] == 1 ? 2 : 1;
    tests::on_all_targets([&] {
      const auto& best = band.align(read, text);
      CHECK(best.points == 2 * static_cast<std::int32_t>(length - 1 - 4 - 9) - 1 + 2 * 11);
      CHECK(best.start == 4);
      CHECK(best.bases == length);
      REQUIRE(best.runs.size() == 3);
      CHECK(best.runs[1].step == match::Step::deletion);
      CHECK(best.runs[1].length == 3);
    });
  }
}

TEST_CASE("a clipped end is not joined to another contig", "[clip]") {
  tests::RandomCases random(4712);
  const std::string first = random.bases(2000);
  const std::string second = random.bases(2000);
  const auto reference = tests::make_reference({first, second});
  const auto& contigs = reference.contigs();
  const std::size_t between = contigs[1].offset - contigs[0].offset - contigs[0].length;
  sequence::ReadBatch batch;
  // A deletion of the gap between the contigs would join both parts.
  batch.add("right", first.substr(first.size() - 90) + second.substr(0, 60), "");
  batch.add("left", first.substr(first.size() - 60) + second.substr(0, 90), "");
  // So would bases in place of the gap, if the parts are long. Here they are parts of both halves.
  batch.add("halves", first.substr(first.size() - 1300) + random.bases(between) + second.substr(0, 1270 + between), "");
  map::MapOptions options;
  options.max_edits = {false, 0, 0};
  options.clip.most = {true, 45, 0};
  options.clip.join = 1000;
  options.clip.split = true;
  align::AlignmentBatch out;
  pipeline::make_engine("cpu", reference, options)->make_worker()->map(batch, out);
  for (std::size_t r = 0; r < batch.size(); ++r) {
    INFO(batch.name(r));
    REQUIRE(out.reads[r].count == 1);
    const align::Alignment& primary = out.alignments[out.reads[r].first];
    CHECK(primary.contig == (r == 0 ? 0u : 1u));
    CHECK(primary.start + primary.span <= 2000);
    CHECK(primary.edits == 0);
    CHECK(out.reads[r].supplementary_count == 1);
  }
}

TEST_CASE("the insert size of a pair includes a long gap", "[clip]") {
  tests::RandomCases random(4713);
  const std::string text = random.bases(3000);
  const auto reference = tests::make_reference({text});
  sequence::ReadBatch batch;
  batch.paired = true;
  batch.add("p", text.substr(1000, 30) + text.substr(1070, 70), "");  // begins 40 bases before its piece does
  batch.add("p", sequence::reverse_complement(text.substr(1200, 100)), "");
  map::MapOptions options;
  options.clip.most = {true, 45, 0};
  options.clip.join = 50;
  align::AlignmentBatch out;
  pipeline::make_engine("cpu", reference, options)->make_worker()->map(batch, out);
  REQUIRE(out.pairs[0].count == 1);
  CHECK(align::primary_of(out, 0)->start == 1000);
  CHECK(out.pairs[0].insert == 300);
}
