// The records of pairs: hand-written lines, and what samtools fixmate says about random pairs.
#include <array>
#include <cstdlib>
#include <iostream>
#include <map>

#include "align/pair_rule.hpp"
#include "io/read/reference_files.hpp"
#include "tests/catch.hpp"
#include "tests/random_cases.hpp"
#include "tests/unit/io/alignments.hpp"
#include "tests/unit/io/files.hpp"

using trawl::align::MateFields;
using trawl::align::Orientation;
using trawl::align::PairKind;
using trawl::test::Input;
using trawl::test::op;
using trawl::test::options_for;
using trawl::test::read_back;
using trawl::test::records_of;
using trawl::test::SinkOptions;
using trawl::test::TempDir;
using trawl::test::with_sorted_tags;
using trawl::test::write_all;

namespace {

const std::vector<std::uint32_t> k8M = {op(8, BAM_CMATCH)};

// Two concordant pairs that share an alignment of the first mate, and alone alignments beside them.
void add_concordant(Input& in) {
  const auto a = in.place(0, 0, false, k8M, "8", 0, 50);
  const auto b = in.place(0, 20, true, k8M, "8", 0, 44);
  const auto c = in.place(0, 24, true, {op(4, BAM_CMATCH), op(1, BAM_CDEL), op(4, BAM_CMATCH)}, "4^C4", 1, 0);
  in.read("p", "ACGTTGCA", "ABCDEFGH", 1, 2);
  in.align(1, 2, false, k8M, "0A7", 1, 0);
  in.read("p", "CGTAATCG", "IJKLMNOP", 1);
  in.align(1, 9, true, k8M, "0G7", 1, 0);
  in.alignments.reads.back().dropped = 4;
  in.pair(PairKind::concordant, {{a, b}, {a, c}}, 3);
}

void add_discordant(Input& in) {
  in.read("d", "ATGCCTAA", "", 1, std::nullopt);
  in.align(0, 10, true, k8M, "0C7", 1, 17);
  in.align(1, 0, false, k8M, "8", 2, 0);
  in.read("d", "AGTCATTG", "", 1);
  in.align(1, 8, false, k8M, "8", 0, 60);
  in.pair(PairKind::discordant);
}

void add_one_end(Input& in) {
  in.read("o", "AAAAAAAA", "!!!!!!!#");
  in.read("o", "GGATCCGT", "IIIIIIIJ", 2);
  in.align(0, 25, true, k8M, "8", 0, 3);
  in.align(0, 4, false, k8M, "8", 0, 0);
  in.pair(PairKind::one_end);
}

void add_unmapped(Input& in) {
  in.read("u", "TTTTTTTT", "");
  in.read("u", "CCCC", "");
  in.pair(PairKind::unmapped);
}

const std::vector<std::string> kConcordant = {
    "p\t99\tc1\t1\t50\t8M\t=\t21\t28\tACGTTGCA\tABCDEFGH\tNM:i:0\tMD:Z:8\tAS:i:0\tNH:i:3\tHI:i:1\tX0:i:1\tX1:i:2\t"
    "ZD:i:3\tMC:Z:8M\tMQ:i:44\tYS:i:0",
    "p\t147\tc1\t21\t44\t8M\t=\t1\t-28\tCGATTACG\tPONMLKJI\tNM:i:0\tMD:Z:8\tAS:i:0\tNH:i:3\tHI:i:1\tX0:i:1\tX1:i:0\t"
    "ZD:i:7\tMC:Z:8M\tMQ:i:50\tYS:i:0",
    "p\t355\tc1\t1\t0\t8M\t=\t25\t33\t*\t*\tNM:i:0\tMD:Z:8\tAS:i:0\tNH:i:3\tHI:i:2\tX0:i:1\tX1:i:2\tZD:i:3\t"
    "MC:Z:4M1D4M\tMQ:i:0\tYS:i:-1",
    "p\t403\tc1\t25\t0\t4M1D4M\t=\t1\t-33\t*\t*\tNM:i:1\tMD:Z:4^C4\tAS:i:-1\tNH:i:3\tHI:i:2\tX0:i:1\tX1:i:0\tZD:i:7\t"
    "MC:Z:8M\tMQ:i:0\tYS:i:0",
    "p\t353\tc2\t3\t0\t8M\tc1\t21\t0\t*\t*\tNM:i:1\tMD:Z:0A7\tAS:i:-1\tNH:i:3\tHI:i:3\tX0:i:1\tX1:i:2\tZD:i:3\t"
    "MC:Z:8M\tMQ:i:44\tYS:i:0",
    "p\t401\tc2\t10\t0\t8M\tc1\t1\t0\t*\t*\tNM:i:1\tMD:Z:0G7\tAS:i:-1\tNH:i:3\tHI:i:3\tX0:i:1\tX1:i:0\tZD:i:7\t"
    "MC:Z:8M\tMQ:i:50\tYS:i:0"};
const std::vector<std::string> kDiscordant = {
    "d\t81\tc1\t11\t17\t8M\tc2\t9\t0\tTTAGGCAT\t*\tNM:i:1\tMD:Z:0C7\tAS:i:-1\tNH:i:2\tHI:i:1\tX0:i:1\tMC:Z:8M\t"
    "MQ:i:60\tYS:i:0",
    "d\t161\tc2\t9\t60\t8M\tc1\t11\t0\tAGTCATTG\t*\tNM:i:0\tMD:Z:8\tAS:i:0\tNH:i:1\tHI:i:1\tX0:i:1\tX1:i:0\tMC:Z:8M\t"
    "MQ:i:17\tYS:i:-1",
    "d\t321\tc2\t1\t0\t8M\t=\t9\t8\t*\t*\tNM:i:2\tMD:Z:8\tAS:i:-2\tNH:i:2\tHI:i:2\tX0:i:1\tMC:Z:8M\tMQ:i:60\tYS:i:0"};
const std::vector<std::string> kOneEnd = {
    "o\t101\tc1\t26\t0\t*\t=\t26\t0\tAAAAAAAA\t!!!!!!!#\tMC:Z:8M\tMQ:i:3\tYS:i:0",
    "o\t153\tc1\t26\t3\t8M\t=\t26\t0\tACGGATCC\tJIIIIIII\tNM:i:0\tMD:Z:8\tAS:i:0\tNH:i:2\tHI:i:1\tX0:i:2\tX1:i:0",
    "o\t393\tc1\t5\t0\t8M\t=\t26\t0\t*\t*\tNM:i:0\tMD:Z:8\tAS:i:0\tNH:i:2\tHI:i:2\tX0:i:2\tX1:i:0"};
const std::vector<std::string> kUnmapped = {"u\t77\t*\t0\t0\t*\t*\t0\t0\tTTTTTTTT\t*",
                                            "u\t141\t*\t0\t0\t*\t*\t0\t0\tCCCC\t*"};

Input all_kinds() {
  Input in;
  add_concordant(in);
  add_discordant(in);
  add_one_end(in);
  add_unmapped(in);
  return in;
}

std::string lines(std::initializer_list<std::vector<std::string>> parts) {
  std::string text;
  for (const auto& part : parts) {
    for (const auto& line : part) {
      text += line + "\n";
    }
  }
  return text;
}

std::string sam_of(const Input& input, MateFields fields = MateFields::paired, bool keep_unmapped = true) {
  return records_of(input, "sam", [&](SinkOptions& options) {
    options.mate_fields = fields;
    options.keep_unmapped = keep_unmapped;
  });
}

}  // namespace

TEST_CASE("records of pairs of all kinds") {
  CHECK(sam_of(all_kinds()) == lines({kConcordant, kDiscordant, kOneEnd, kUnmapped}));
}

TEST_CASE("the mate fields of secondary records can point to the primary record") {
  auto expected = kConcordant;
  expected[2] =
      "p\t355\tc1\t1\t0\t8M\t=\t21\t28\t*\t*\tNM:i:0\tMD:Z:8\tAS:i:0\tNH:i:3\tHI:i:2\tX0:i:1\tX1:i:2\tZD:i:3\t"
      "MC:Z:8M\tMQ:i:44\tYS:i:0";
  expected[3] =
      "p\t403\tc1\t25\t0\t4M1D4M\t=\t1\t-33\t*\t*\tNM:i:1\tMD:Z:4^C4\tAS:i:-1\tNH:i:3\tHI:i:2\tX0:i:1\tX1:i:0\tZD:i:7\t"
      "MC:Z:8M\tMQ:i:50\tYS:i:0";
  CHECK(sam_of(all_kinds(), MateFields::primary) == lines({expected, kDiscordant, kOneEnd, kUnmapped}));
}

TEST_CASE("without unmapped records, the unmapped mate of a mapped one stays") {
  CHECK(sam_of(all_kinds(), MateFields::paired, false) == lines({kConcordant, kDiscordant, kOneEnd}));
}

TEST_CASE("BED gives the mates /1 and /2") {
  CHECK(records_of(all_kinds(), "bed", [](SinkOptions&) {}) ==
        "c1\t0\t8\tp/1\t50\t+\t0\t8M\n"
        "c1\t20\t28\tp/2\t44\t-\t0\t8M\n"
        "c1\t0\t8\tp/1\t0\t+\t0\t8M\n"
        "c1\t24\t33\tp/2\t0\t-\t1\t4M1D4M\n"
        "c2\t2\t10\tp/1\t0\t+\t1\t8M\n"
        "c2\t9\t17\tp/2\t0\t-\t1\t8M\n"
        "c1\t10\t18\td/1\t17\t-\t1\t8M\n"
        "c2\t8\t16\td/2\t60\t+\t0\t8M\n"
        "c2\t0\t8\td/1\t0\t+\t2\t8M\n"
        "c1\t25\t33\to/2\t3\t-\t0\t8M\n"
        "c1\t4\t12\to/2\t0\t+\t0\t8M\n");
}

namespace {

// Mates at random places: overlapping, one inside the other, equal, dovetailing, on other contigs.
Input random_pairs(std::uint64_t seed, Orientation orientation) {
  constexpr std::size_t lengths[] = {40, 20};  // of the contigs
  trawl::tests::RandomCases random(seed);
  Input in;
  const trawl::align::InsertModel inserts{.min = 1, .max = 30};
  std::map<PairKind, int> kinds;
  for (int i = 0; i < 2000; ++i) {
    std::array<std::vector<std::uint32_t>, 2> loci;
    std::array<std::string, 2> bases;
    for (int m = 0; m < 2; ++m) {
      bases[m] = random.bases(random.number(4, 12));
      const auto length = static_cast<std::uint32_t>(bases[m].size());
      for (std::size_t k = random.number(0, 3); k > 0; --k) {
        const std::uint32_t contig = random.chance(0.8) ? 0 : 1;
        const std::size_t start = random.number(0, lengths[contig] - length - 1);
        const bool gap = random.chance(0.3);
        std::vector<std::uint32_t> cigar =
            gap ? std::vector{op(2, BAM_CMATCH), op(1, BAM_CDEL), op(1, BAM_CMATCH)} : std::vector{op(3, BAM_CMATCH)};
        // The other bases are clipped or match.
        const auto left = static_cast<std::uint32_t>(random.number(0, length - 3));
        const std::uint32_t right = length - 3 - left;
        const bool clips[] = {random.chance(0.3), random.chance(0.3)};
        if (left > 0 && clips[0]) {
          cigar.insert(cigar.begin(), op(left, BAM_CSOFT_CLIP));
        } else {
          cigar.front() += left << 4;
        }
        if (right > 0 && clips[1]) {
          cigar.push_back(op(right, BAM_CSOFT_CLIP));
        } else {
          cigar.back() += right << 4;
        }
        loci[m].push_back(in.place(contig, start, random.chance(0.5), cigar, "0", gap ? 1 : 0,
                                   static_cast<std::uint8_t>(random.number(0, 60))));
      }
    }
    std::vector<std::array<std::uint32_t, 2>> pairs;
    const auto extent = [&](std::uint32_t at) {
      const auto& a = in.alignments.alignments[at];
      return trawl::align::Extent{a.start, a.start + a.span, a.reverse};
    };
    for (const auto a : loci[0]) {
      for (const auto b : loci[1]) {
        const auto& all = in.alignments.alignments;
        if (all[a].contig == all[b].contig && is_concordant(orientation, inserts, extent(a), extent(b))) {
          pairs.push_back({a, b});
        }
      }
    }
    const bool concordant = !pairs.empty();
    const bool alone_too = !concordant || random.chance(0.3);
    for (int m = 0; m < 2; ++m) {
      in.read("r" + std::to_string(i), bases[m], "", 1);
      if (alone_too) {
        in.alignments.reads.back().first = loci[m].empty() ? 0 : loci[m][0];
        in.alignments.reads.back().count = static_cast<std::uint32_t>(loci[m].size());
      }
    }
    const auto kind = concordant                             ? PairKind::concordant
                      : !loci[0].empty() && !loci[1].empty() ? PairKind::discordant
                      : loci[0].empty() && loci[1].empty()   ? PairKind::unmapped
                                                             : PairKind::one_end;
    ++kinds[kind];
    in.pair(kind, pairs);
    for (std::size_t m = 0; m < 2; ++m) {
      for (std::size_t pieces = loci[m].empty() ? 0 : random.number(0, 2); pieces > 0; --pieces) {
        const auto rest = static_cast<std::uint32_t>(bases[m].size() - 3);
        in.supplement(in.reads.size() - 2 + m, 1, random.number(0, 16), random.chance(0.5),
                      {op(3, BAM_CMATCH), op(rest, BAM_CSOFT_CLIP)}, "3", 0,
                      static_cast<std::uint8_t>(random.number(0, 60)));
      }
    }
  }
  CHECK(kinds[PairKind::concordant] > 200);
  CHECK(kinds[PairKind::discordant] > 200);
  CHECK(kinds[PairKind::one_end] > 200);
  CHECK(kinds[PairKind::unmapped] > 50);
  return in;
}

// samtools 1.16 gives a mapped read MC:Z:* if its mate is unmapped; picard says that is an error.
std::string without_empty_mc(std::string text) {
  constexpr std::string_view tag = "\tMC:Z:*";
  for (std::size_t at = 0; (at = text.find(tag, at)) != std::string::npos;) {
    text.erase(at, tag.size());
  }
  return text;
}

}  // namespace

TEST_CASE("samtools fixmate changes nothing") {
  if (std::system("samtools --version > /dev/null 2>&1") != 0) {
    std::cout << "skipped: samtools is not here\n";
    return;
  }
  for (const auto orientation : {Orientation::fr, Orientation::rf, Orientation::ff}) {
    for (const auto fields : {MateFields::paired, MateFields::primary}) {
      INFO("orientation " << static_cast<int>(orientation));
      TempDir dir;
      auto options = options_for(dir.path("out.bam"));
      options.mate_fields = fields;
      options.hard_clips = fields == MateFields::paired;
      write_all(options, trawl::io::read_reference(dir.write("p.fa", trawl::test::kTwoContigs)),
                random_pairs(7, orientation));
      const std::string command = "samtools fixmate --no-PG " +
                                  std::string(orientation == Orientation::fr ? "" : "-p ") + options.path + " " +
                                  dir.path("fixed.bam");
      REQUIRE(std::system(command.c_str()) == 0);
      const auto lines_of = [&](const char* name) {
        return with_sorted_tags(without_empty_mc(read_back(dir.path(name), dir.path("p.fa"))));
      };
      CHECK((lines_of("fixed.bam") == lines_of("out.bam")));
    }
  }
}
