// Compares every engine and the lines of SAM with the oracle of records, character by character. Those of BAM are the
// same: tests/unit/io/write/bam_encoder_test.cpp.
#include <algorithm>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "engine/engine.hpp"
#include "io/write/sam_text.hpp"
#include "tests/catch.hpp"
#include "tests/conformance/map_reads.hpp"
#include "tests/random_cases.hpp"
#include "tests/read_oracle.hpp"

using namespace trawl;
using namespace trawl::tests;

namespace {

// The oracle of records: the SAM lines of a read, from the oracle of a read.
//
//   const std::vector<std::string> contigs{"TTTTACGTAACCTTTT"};   // named contig0, contig1, ..
//   RecordOracle(contigs, {}).lines({"r1", "ACGTAACC", "IIIIIIII"})
//     == {"r1 0 contig0 5 34 8M * 0 0 ACGTAACC IIIIIIII NM:i:0 MD:Z:8 AS:i:0 NH:i:1 HI:i:1 X0:i:1"}, with tabs
class RecordOracle {
 public:
  /// `contigs`: in upper case, as given to make_reference(). `read_group`: the ID for RG, or empty.
  RecordOracle(const std::vector<std::string>& contigs, const map::MapOptions& options, std::string read_group = "",
               bool keep_unmapped = true)
      : oracle_(contigs, options),
        rule_(options.report_rule()),
        max_loci_(options.max_loci),
        read_group_(std::move(read_group)),
        keep_unmapped_(keep_unmapped) {
    rule_.max_hits = options.max_hits;
  }

  /// The read's records without line ends, the primary one first.
  std::vector<std::string> lines(const Read& read) const {
    const ReadLoci found = oracle_.find(read);
    if (found.loci.empty()) {
      return unmapped(found, "");
    }
    SingleSelection selection = select_single(found, rule_);
    std::string many;
    if (max_loci_.most > 0 && selection.reported.size() + selection.dropped > max_loci_.most) {
      many = "\tXM:i:" + std::to_string(max_loci_.most + 1);
      if (!max_loci_.keeps_one) {
        return unmapped(found, many);
      }
      selection.reported.resize(1);
      selection.dropped = 0;
      selection.mapq = 0;
    }
    std::vector<std::string> out;
    for (std::size_t k = 0; k < selection.reported.size(); ++k) {
      const AlignedLocus& locus = *selection.reported[k];
      const int flag = (locus.reverse ? 0x10 : 0) + (k > 0 ? 0x100 : 0);
      std::string line = read.name + "\t" + std::to_string(flag) + "\tcontig" + std::to_string(locus.contig) + "\t" +
                         std::to_string(locus.start + 1) + "\t" + std::to_string(k == 0 ? selection.mapq : 0) + "\t" +
                         locus.cigar + "\t*\t0\t0\t" + (k == 0 ? sequence(found.strands, locus.reverse) : "*\t*");
      line += "\tNM:i:" + std::to_string(locus.edits) + "\tMD:Z:" + locus.md;
      line += "\tAS:i:" + std::to_string(locus.score);
      line += "\tNH:i:" + std::to_string(selection.reported.size()) + "\tHI:i:" + std::to_string(k + 1);
      line += "\tX0:i:" + std::to_string(found.best_count());
      if (selection.next_known) {
        line += "\tX1:i:" + std::to_string(found.next_count());
      }
      if (selection.dropped > 0) {
        line += "\tZD:i:" + std::to_string(selection.dropped);
      }
      out.push_back(line + many + group_tag());
    }
    return out;
  }

 private:
  // SEQ and QUAL.
  static std::string sequence(const Strands& strands, bool reverse) {
    const auto or_star = [](const std::string& text) { return text.empty() ? "*" : text; };
    return or_star(strands.bases[reverse]) + "\t" + or_star(strands.qualities[reverse]);
  }

  std::string group_tag() const { return read_group_.empty() ? "" : "\tRG:Z:" + read_group_; }

  std::vector<std::string> unmapped(const ReadLoci& read, const std::string& tag) const {
    const std::string line = read.name + "\t4\t*\t0\t0\t*\t*\t0\t0\t" + sequence(read.strands, false);
    return keep_unmapped_ ? std::vector{line + tag + group_tag()} : std::vector<std::string>{};
  }

  ReadOracle oracle_;
  align::ReportRule rule_;
  align::LociLimit max_loci_;
  std::string read_group_;
  bool keep_unmapped_;
};

struct Output {
  std::string read_group;
  bool keep_unmapped = true;
};

// How many lines were compared, and how many differ in what; the first few as text.
struct Comparison {
  std::size_t lines = 0;
  std::size_t gapped = 0;     // with a gap
  std::size_t most_gaps = 0;  // in one line
  std::size_t qualities = 0;  // with a mapping quality between 0 and 60 (both not included)
  std::size_t secondary = 0;
  std::size_t many_loci = 0;   // with more loci than --max-loci
  std::size_t alignments = 0;  // differ only in what depends on the alignment: POS, MAPQ, CIGAR, NM, MD
  std::size_t others = 0;      // differ in anything else
  std::string examples;

  void compare(const std::string& expected_text, const std::string& found_text, const std::string& about) {
    const auto expected = split(expected_text, '\n');
    const auto found = split(found_text, '\n');
    for (std::size_t n = 0; n < std::max(expected.size(), found.size()); ++n) {
      const std::string right = n < expected.size() ? expected[n] : "";
      const std::string said = n < found.size() ? found[n] : "";
      note(right);
      if (right != said) {
        const bool by_alignment = without_alignment(right) == without_alignment(said);
        if (alignments + others < 5 || (!by_alignment && others < 5)) {
          examples += about + "\n  expected " + right + "\n  found    " + said + "\n";
        }
        ++(by_alignment ? alignments : others);
      }
    }
  }

  std::string text() const {
    return std::to_string(lines) + " lines (" + std::to_string(gapped) + " with gaps, at most " +
           std::to_string(most_gaps) + ", " + std::to_string(qualities) + " with MAPQ 1 to 59, " +
           std::to_string(secondary) + " secondary, " + std::to_string(many_loci) +
           " with too many loci): " + std::to_string(alignments) + " differ by their alignment alone, " +
           std::to_string(others) + " otherwise\n" + examples;
  }

 private:
  static std::vector<std::string> split(const std::string& text, char border) {
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, border);) {
      parts.push_back(part);
    }
    return parts;
  }

  static std::string without_alignment(const std::string& line) {
    const auto fields = split(line, '\t');
    std::string rest;
    for (std::size_t f = 0; f < fields.size(); ++f) {
      const bool of_alignment = (3 <= f && f <= 5) || fields[f].starts_with("NM:i:") || fields[f].starts_with("MD:Z:");
      rest += of_alignment ? "" : fields[f] + "\t";
    }
    return rest;
  }

  void note(const std::string& line) {
    ++lines;
    many_loci += line.find("\tXM:i:") != std::string::npos;
    const auto fields = split(line, '\t');
    if (fields.size() > 5) {
      const auto gaps = static_cast<std::size_t>(
          std::count_if(fields[5].begin(), fields[5].end(), [](char c) { return c == 'I' || c == 'D'; }));
      gapped += gaps > 0;
      most_gaps = std::max(most_gaps, gaps);
      qualities += fields[4] != "0" && fields[4] != "60";
      secondary += (std::stoi(fields[1]) & 0x100) != 0;
    }
  }
};

// Adds edits, among them gaps of 1 to 5 bases.
std::string with_edits(RandomCases& random, std::string bases, std::size_t count) {
  for (; count > 0 && !bases.empty(); --count) {
    const std::size_t at =
        random.chance(0.2) ? (random.chance(0.5) ? 0 : bases.size() - 1) : random.number(0, bases.size() - 1);
    const std::size_t length = random.number(1, 5);
    switch (random.number(0, 3)) {
      case 0:
        bases.erase(at, length);
        break;
      case 1:
        bases.insert(at, random.chance(0.5) ? random.bases(length) : std::string(length, bases[at]));
        break;
      default:
        bases[at] = random.base();
    }
  }
  return bases;
}

std::string qualities_of(RandomCases& random, std::size_t length) {
  std::string qualities;
  if (random.chance(0.75)) {
    const char best = random.chance(0.2) ? '~' : 'J';
    const bool all_equal = random.chance(0.2);
    while (qualities.size() < length) {
      qualities += all_equal && !qualities.empty() ? qualities.front()
                                                   : static_cast<char>(random.number('!', static_cast<unsigned>(best)));
    }
  }
  return qualities;
}

// Short contigs, so that loci are at their borders. Few bases in all, so that reads have several loci.
std::vector<std::string> some_contigs(RandomCases& random, double ambiguity) {
  std::vector<std::string> contigs;
  for (std::size_t c = random.number(1, 5); c > 0; --c) {
    contigs.push_back(random.contig(random.number(1, 300), ambiguity));
  }
  // A copy with gaps and mismatches gives loci with nearly the same distance.
  if (random.chance(0.7)) {
    const std::string& copied = contigs[random.number(0, contigs.size() - 1)];
    contigs.push_back(with_edits(random, copied, random.number(0, 1 + copied.size() / 30)));
    if (contigs.back().empty()) {
      contigs.back() = "A";
    }
  }
  return contigs;
}

// A tandem repeat whose copies differ a little gives loci with hundreds of ends, many of them equally good.
std::vector<std::string> tandem_repeat(RandomCases& random) {
  const std::string unit = random.bases(random.number(2, 9));
  std::string repeat;
  while (repeat.size() < 300) {
    repeat += unit;
  }
  return {random.bases(random.number(0, 30)) + random.mutate(repeat, random.number(0, 8)) +
          random.bases(random.number(0, 30))};
}

// Separate gaps of one base, at most `most`.
std::string with_many_gaps(RandomCases& random, std::string bases, std::size_t most) {
  const std::size_t count = random.number(0, most);
  const std::size_t apart = bases.size() / (count + 1);
  for (std::size_t g = count; g > 0; --g) {
    if (random.chance(0.5)) {
      bases.erase(g * apart, 1);
    } else {
      bases.insert(g * apart, 1, random.base());
    }
  }
  return bases;
}

enum class Input { mixed, tandem_repeat, many_gaps };

struct Kind {
  std::uint64_t seed;
  std::size_t cases;
  std::size_t reads;  // per case
  std::size_t longest;
  std::uint32_t most_edits;
  double ambiguity;
  map::Ambiguous ambiguous = map::Ambiguous::mismatch;
  Input input = Input::mixed;
  map::Metric metric = map::Metric::levenshtein;
};

std::vector<std::string> contigs_for(const Kind& kind, RandomCases& random) {
  switch (kind.input) {
    case Input::tandem_repeat:
      return tandem_repeat(random);
    case Input::many_gaps:
      return {random.bases(2 * kind.longest), random.bases(kind.longest)};
    default:
      return some_contigs(random, kind.ambiguity);
  }
}

std::vector<Read> reads_for(const Kind& kind, RandomCases& random, const std::vector<std::string>& contigs,
                            const map::NumberOrShare& max_edits) {
  std::vector<Read> reads;
  for (std::size_t n = 0; n < kind.reads; ++n) {
    const bool many = kind.input == Input::many_gaps;
    const std::size_t shortest = many ? kind.longest / 2 : 15;
    const std::size_t length = random.number(random.chance(0.1) ? 0 : shortest, kind.longest);
    const std::size_t edits = max_edits.of(length);
    Read read;
    read.name = "read" + std::to_string(random.number(0, 100000));
    read.bases = length == 0 ? "" : random.read(contigs, length, 0, kind.ambiguity);
    read.bases = many ? with_many_gaps(random, read.bases, edits)
                      : with_edits(random, read.bases, random.number(0, std::min<std::size_t>(15, (edits + 1) / 2)));
    if (random.chance(0.05)) {
      std::replace(read.bases.begin(), read.bases.end(), 'T', 'U');
    }
    read.qualities = qualities_of(random, read.bases.size());
    reads.push_back(read);
  }
  return reads;
}

void compare_engines(const std::vector<std::string>& contigs, const map::MapOptions& options, const Output& output,
                     const std::vector<Read>& reads, const std::string& about, Comparison& comparison) {
  const auto reference = make_reference(contigs);
  const auto batch = batch_of(reads);
  const RecordOracle oracle(contigs, options, output.read_group, output.keep_unmapped);
  std::string expected;
  for (const Read& read : reads) {
    for (const auto& line : oracle.lines(read)) {
      expected += line + "\n";
    }
  }
  for (const auto& name : usable_engines()) {
    align::AlignmentBatch alignments;
    pipeline::make_engine(name, reference, options)->make_worker()->map(batch, alignments);
    align::leave_unmapped(alignments, options.max_loci, options.one_end);
    std::string found;
    io::append_sam({reference, output.read_group, batch, alignments}, {.keep_unmapped = output.keep_unmapped}, found);
    comparison.compare(expected, found, "engine " + name + ", " + about);
  }
}

Comparison check_records(const Kind& kind) {
  RandomCases random(kind.seed);
  Comparison comparison;
  for (std::size_t n = 0; n < kind.cases / kFewer; ++n) {
    const auto contigs = contigs_for(kind, random);
    map::MapOptions options;
    options.max_edits =
        random.chance(0.3)
            ? map::NumberOrShare{true, static_cast<double>(random.number(0, 150)) / 10, 0}
            : map::NumberOrShare{false, 0,
                                 static_cast<std::uint32_t>(random.number(kind.most_edits / 4, kind.most_edits))};
    options.ambiguous = kind.ambiguous;
    options.metric = kind.metric;
    options.eqx = random.chance(0.4);
    options.report = random.chance(0.3)   ? map::Report::best
                     : random.chance(0.5) ? map::Report::strata
                                          : map::Report::all;
    options.strata = options.report == map::Report::strata ? static_cast<std::uint32_t>(random.number(0, 3)) : 0;
    options.max_hits = random.chance(0.3) ? random.number(1, 4) : 0;
    options.damage = damage_of_case(n);
    if (options.report != map::Report::best && n % 8 == 4) {
      options.max_loci = {static_cast<std::uint32_t>(1 + n / 8 % 3), n / 8 % 2 == 1};
    }
    options.search = random.chance(0.8) ? map::SearchMethod::automatic : map::SearchMethod::scan;
    const Output output{random.chance(0.5) ? "lane1" : "", random.chance(0.8)};
    const auto reads = reads_for(kind, random, contigs, options.max_edits);
    compare_engines(contigs, options, output, reads,
                    "seed " + std::to_string(kind.seed) + ", case " + std::to_string(n), comparison);
  }
  INFO("seed " << kind.seed << ": " << comparison.text());
  CHECK(comparison.others == 0);
  CHECK(comparison.alignments == 0);
  if (kind.metric == map::Metric::hamming) {
    CHECK(comparison.gapped == 0);
    CHECK(comparison.secondary >= comparison.lines / 20);
  } else {
    CHECK(comparison.gapped >= comparison.lines / 20);
  }
  return comparison;
}

}  // namespace

TEST_CASE("the oracle's records, as computed by hand") {
  map::MapOptions options;
  const std::vector<std::string> one{"TTTTACGTAACCTTTT"};
  CHECK(RecordOracle(one, options, "lane1").lines({"r1", "ACGTAACC", "IIIIIIII"}) ==
        std::vector<std::string>{"r1\t0\tcontig0\t5\t56\t8M\t*\t0\t0\tACGTAACC\tIIIIIIII\tNM:i:0\tMD:Z:8\tAS:i:0\t"
                                 "NH:i:1\tHI:i:1\tX0:i:1\tRG:Z:lane1"});
  CHECK(RecordOracle(one, options).lines({"r1", "GGGGGGGG", ""}) ==
        std::vector<std::string>{"r1\t4\t*\t0\t0\t*\t*\t0\t0\tGGGGGGGG\t*"});
  CHECK(RecordOracle(one, options, "", false).lines({"r1", "GGGGGGGG", ""}).empty());

  // The reverse strand with an A deleted costs 35. The other locus has two mismatches of 34 each. Beyond it there may
  // be one with three edits of 33 on average, where (18 * 34 + 24) / 19 is 33; it counts as 22 more. The error is 1 in
  // 1 + 1 / (10^-3.3 + 10^-8.6), a little less than 10^-3.3.
  const std::vector<std::string> two{"TTGACCATTGCAGGCATTACGGATCCAG", "CCAATGCGGCATGACGGAT"};
  options.max_edits = {false, 0, 2};
  options.report = map::Report::all;
  CHECK(RecordOracle(two, options).lines({"r2", "ATCCGTAATGCCGCAATGG", "5IIIIIIIIIIIIIIIIII"}) ==
        std::vector<std::string>{
            "r2\t16\tcontig0\t5\t33\t7M1D12M\t*\t0\t0\tCCATTGCGGCATTACGGAT\tIIIIIIIIIIIIIIIIII5\tNM:i:1\tMD:Z:7^A12\t"
            "AS:i:-1\tNH:i:2\tHI:i:1\tX0:i:1\tX1:i:1",
            "r2\t272\tcontig1\t1\t0\t19M\t*\t0\t0\t*\t*\tNM:i:2\tMD:Z:3A8G6\tAS:i:-2\tNH:i:2\tHI:i:2\tX0:i:1\tX1:i:1"});
}

TEST_CASE("records are the oracle's, line by line") {
  const auto comparison = check_records({601, 240, 25, 70, 8, 0.0});
  CHECK(comparison.many_loci >= comparison.lines / 200);
  CHECK(comparison.secondary >= comparison.lines / 20);
  CHECK(comparison.qualities >= comparison.lines / 20);
}

TEST_CASE("records are the oracle's where bases are ambiguous and match nothing") {
  check_records({602, 120, 20, 70, 8, 0.02});
}

TEST_CASE("records are the oracle's where ambiguous bases match") {
  check_records({603, 80, 15, 60, 6, 0.02, map::Ambiguous::match});
}

TEST_CASE("records of reads with many edits are the oracle's") { check_records({604, 32, 8, 250, 60, 0.002}); }

TEST_CASE("records are the oracle's where a locus has hundreds of ends", "[long]") {
  check_records({605, 80, 12, 90, 15, 0.0, map::Ambiguous::mismatch, Input::tandem_repeat});
}

TEST_CASE("records without gaps are the oracle's") {
  const auto without_gaps = [](std::uint64_t seed, double ambiguity, map::Ambiguous ambiguous, Input input) {
    check_records({seed, 120, 20, 70, 8, ambiguity, ambiguous, input, map::Metric::hamming});
  };
  without_gaps(608, 0.0, map::Ambiguous::mismatch, Input::mixed);
  without_gaps(609, 0.02, map::Ambiguous::mismatch, Input::mixed);
  without_gaps(610, 0.02, map::Ambiguous::match, Input::mixed);
  without_gaps(611, 0.0, map::Ambiguous::mismatch, Input::tandem_repeat);
  check_records({612, 12, 8, 700, 100, 0.001, map::Ambiguous::mismatch, Input::mixed, map::Metric::hamming});
}

TEST_CASE("records of many gaps are the oracle's", "[long]") {
  const auto few = check_records({606, 24, 8, 200, 31, 0.0, map::Ambiguous::mismatch, Input::many_gaps});
  CHECK((few.lines == 0 || few.most_gaps > 10));
  const auto many = check_records({607, 40, 4, 400, 120, 0.0, map::Ambiguous::mismatch, Input::many_gaps});
  CHECK((many.lines == 0 || many.most_gaps > 16));
}

// The search for reads with very many hits ends early.
TEST_CASE("records of reads with very many loci are the oracle's") {
  RandomCases random(613);
  Comparison comparison;
  const std::string units[] = {random.bases(60), random.bases(60)};
  std::string contigs[2];
  for (std::size_t copy = 0; copy < 1500; ++copy) {
    // All copies of the second unit lie in the second contig.
    std::string& contig = contigs[copy < 700 ? 0 : 1];
    const std::string unit = random.mutate(units[copy < 700 ? 0 : 1], random.number(0, 3));
    contig += (random.chance(0.5) ? unit : sequence::reverse_complement(unit)) + random.bases(random.number(5, 40));
  }
  for (std::size_t n = 0; n < 24 / kFewer; ++n) {
    map::MapOptions options;
    options.max_edits = {false, 0, 1 + static_cast<std::uint32_t>(n % 2)};
    options.report = n % 3 == 0 ? map::Report::strata : map::Report::all;
    options.strata = n % 2;
    options.max_loci = {static_cast<std::uint32_t>(1 + n % 5), n % 8 == 7};
    options.metric = n % 4 == 1 ? map::Metric::hamming : map::Metric::levenshtein;
    std::vector<Read> reads;
    for (std::size_t r = 0; r < 4; ++r) {
      const std::string bases = random.mutate(units[r % 2].substr(random.number(0, 20), 36), random.number(0, 2));
      reads.push_back({"read" + std::to_string(r), bases, ""});
    }
    compare_engines({contigs[0], contigs[1]}, options, {}, reads, "case " + std::to_string(n), comparison);
  }
  INFO(comparison.text());
  CHECK(comparison.others + comparison.alignments == 0);
  CHECK(comparison.many_loci * 2 > comparison.lines);
}

TEST_CASE("the ends of a locus go on after each window of its search") {
  // The reads fit without a gap only at the last ends of a run. At every second end of it two bases must be inserted,
  // which is all that is allowed: then the path needs the whole width of its band.
  Comparison comparison;
  map::MapOptions options;
  options.max_edits = {false, 0, 2};
  options.report = map::Report::all;
  const std::vector<Read> reads{{"r1", "CTGA", ""}, {"r2", "TCAG", ""}};
  for (std::size_t units = 5; units < 80; units += kFewer) {
    std::string repeat;
    while (repeat.size() < 2 * units) {
      repeat += "TA";
    }
    const std::vector<std::string> contigs{"ATN" + repeat + "AAAATGAAAATG", "ATG" + repeat + "AAAATGAAAATG"};
    compare_engines(contigs, options, {}, reads, "", comparison);
  }
  INFO(comparison.text());
  CHECK(comparison.others == 0);
  CHECK(comparison.alignments == 0);
}
