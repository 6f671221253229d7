// The records of clipped and split reads, in all formats.
#include "io/stats/map_stats.hpp"
#include "tests/catch.hpp"
#include "tests/unit/io/alignments.hpp"

using trawl::align::MateFields;
using trawl::align::PairKind;
using trawl::test::Input;
using trawl::test::op;
using trawl::test::records_of;
using trawl::test::SinkOptions;

namespace {

constexpr std::uint32_t match(std::uint32_t length) { return op(length, BAM_CMATCH); }
constexpr std::uint32_t clip(std::uint32_t length) { return op(length, BAM_CSOFT_CLIP); }

// One read with both ends clipped on either strand; one with a secondary record that is clipped; one that is whole.
Input clipped_reads() {
  Input in;
  in.read("forward", "TTTTGCAAGCTGG", "ABCDEFGHIJKLM", 1);
  in.align(0, 4, false, {clip(3), match(8), clip(2)}, "8", 0, 40);
  in.read("reverse", "CCAGCTTGCAAAA", "ABCDEFGHIJKLM", 1);
  in.align(0, 4, true, {clip(3), match(8), clip(2)}, "8", 0, 40);
  in.read("two", "CCGATTACGG", "", 1, 1);
  in.align(0, 20, false, {clip(1), match(9)}, "9", 0, 7);
  in.align(1, 2, true, {match(3), op(1, BAM_CDEL), match(3), clip(4)}, "3^A3", 1, 0);
  in.read("whole", "ACGTTGCA", "IIIIIIII", 1);
  in.align(0, 0, false, {match(8)}, "8", 0, 60);
  return in;
}

const std::string kClipped =
    "forward\t0\tc1\t5\t40\t3S8M2S\t*\t0\t0\tTTTTGCAAGCTGG\tABCDEFGHIJKLM\tNM:i:0\tMD:Z:8\tAS:i:8\tNH:i:1\tHI:i:1\t"
    "X0:i:1\tX1:i:0\n"
    "reverse\t16\tc1\t5\t40\t3S8M2S\t*\t0\t0\tTTTTGCAAGCTGG\tMLKJIHGFEDCBA\tNM:i:0\tMD:Z:8\tAS:i:8\tNH:i:1\tHI:i:1\t"
    "X0:i:1\tX1:i:0\n"
    "two\t0\tc1\t21\t7\t1S9M\t*\t0\t0\tCCGATTACGG\t*\tNM:i:0\tMD:Z:9\tAS:i:9\tNH:i:2\tHI:i:1\tX0:i:1\tX1:i:1\n"
    "two\t272\tc2\t3\t0\t3M1D3M4S\t*\t0\t0\t*\t*\tNM:i:1\tMD:Z:3^A3\tAS:i:1\tNH:i:2\tHI:i:2\tX0:i:1\tX1:i:1\n"
    "whole\t0\tc1\t1\t60\t8M\t*\t0\t0\tACGTTGCA\tIIIIIIII\tNM:i:0\tMD:Z:8\tAS:i:0\tNH:i:1\tHI:i:1\tX0:i:1\tX1:i:0\n";

// A read of two pieces; one of three, with a secondary record; one without qualities whose primary piece is reversed.
Input split_reads() {
  Input in;
  in.read("two", "ACGTTGCAAGAATGACTGGT", "ABCDEFGHIJKLMNOPQRST", 1);
  in.align(0, 0, false, {match(10), clip(10)}, "10", 0, 37);
  in.supplement(0, 1, 5, true, {match(10), clip(10)}, "10", 0, 20);
  in.read("three", "TCCATCTTAGAAACC", "ABCDEFGHIJKLMNO", 1, std::nullopt, 2);
  in.align(0, 10, false, {clip(5), match(5), clip(5)}, "5", 0, 11);
  in.align(1, 9, false, {clip(5), match(5), clip(5)}, "0C4", 1, 0);
  in.supplement(1, 0, 30, false, {match(5), clip(10)}, "5", 0, 12);
  in.supplement(1, 1, 0, true, {match(5), clip(10)}, "2A2", 1, 13);
  in.read("turned", "ATTGCATGGTAAT", "", 1);
  in.align(0, 33, true, {clip(6), match(7)}, "7", 0, 5);
  in.supplement(2, 1, 2, true, {match(6), clip(7)}, "6", 0, 6);
  return in;
}

const std::string kSplit =
    "two\t0\tc1\t1\t37\t10M10S\t*\t0\t0\tACGTTGCAAGAATGACTGGT\tABCDEFGHIJKLMNOPQRST\tNM:i:0\tMD:Z:10\tAS:i:10\t"
    "NH:i:1\tHI:i:1\tX0:i:1\tX1:i:0\tSA:Z:c2,6,-,10M10S,20,0;\n"
    "two\t2064\tc2\t6\t20\t10M10S\t*\t0\t0\tACCAGTCATTCTTGCAACGT\tTSRQPONMLKJIHGFEDCBA\tNM:i:0\tMD:Z:10\tAS:i:10\t"
    "SA:Z:c1,1,+,10M10S,37,0;\n"
    "three\t0\tc1\t11\t11\t5S5M5S\t*\t0\t0\tTCCATCTTAGAAACC\tABCDEFGHIJKLMNO\tNM:i:0\tMD:Z:5\tAS:i:5\tNH:i:2\tHI:i:1\t"
    "X0:i:1\tZD:i:2\tSA:Z:c1,31,+,5M10S,12,0;c2,1,-,5M10S,13,1;\n"
    "three\t256\tc2\t10\t0\t5S5M5S\t*\t0\t0\t*\t*\tNM:i:1\tMD:Z:0C4\tAS:i:0\tNH:i:2\tHI:i:2\tX0:i:1\tZD:i:2\n"
    "three\t2048\tc1\t31\t12\t5M10S\t*\t0\t0\tTCCATCTTAGAAACC\tABCDEFGHIJKLMNO\tNM:i:0\tMD:Z:5\tAS:i:5\t"
    "SA:Z:c1,11,+,5S5M5S,11,0;c2,1,-,5M10S,13,1;\n"
    "three\t2064\tc2\t1\t13\t5M10S\t*\t0\t0\tGGTTTCTAAGATGGA\tONMLKJIHGFEDCBA\tNM:i:1\tMD:Z:2A2\tAS:i:0\t"
    "SA:Z:c1,11,+,5S5M5S,11,0;c1,31,+,5M10S,12,0;\n"
    "turned\t16\tc1\t34\t5\t6S7M\t*\t0\t0\tATTACCATGCAAT\t*\tNM:i:0\tMD:Z:7\tAS:i:7\tNH:i:1\tHI:i:1\tX0:i:1\tX1:i:0\t"
    "SA:Z:c2,3,-,6M7S,6,0;\n"
    "turned\t2064\tc2\t3\t6\t6M7S\t*\t0\t0\tATTACCATGCAAT\t*\tNM:i:0\tMD:Z:6\tAS:i:6\tSA:Z:c1,34,-,6S7M,5,0;\n";

// SEQ and QUAL of the pieces are those of a read as it is aligned, at one end of it.
const std::string kSplitHard =
    "two\t0\tc1\t1\t37\t10M10S\t*\t0\t0\tACGTTGCAAGAATGACTGGT\tABCDEFGHIJKLMNOPQRST\tNM:i:0\tMD:Z:10\tAS:i:10\t"
    "NH:i:1\tHI:i:1\tX0:i:1\tX1:i:0\tSA:Z:c2,6,-,10M10S,20,0;\n"
    "two\t2064\tc2\t6\t20\t10M10H\t*\t0\t0\tACCAGTCATT\tTSRQPONMLK\tNM:i:0\tMD:Z:10\tAS:i:10\t"
    "SA:Z:c1,1,+,10M10S,37,0;\n"
    "three\t0\tc1\t11\t11\t5S5M5S\t*\t0\t0\tTCCATCTTAGAAACC\tABCDEFGHIJKLMNO\tNM:i:0\tMD:Z:5\tAS:i:5\tNH:i:2\tHI:i:1\t"
    "X0:i:1\tZD:i:2\tSA:Z:c1,31,+,5M10S,12,0;c2,1,-,5M10S,13,1;\n"
    "three\t256\tc2\t10\t0\t5H5M5H\t*\t0\t0\t*\t*\tNM:i:1\tMD:Z:0C4\tAS:i:0\tNH:i:2\tHI:i:2\tX0:i:1\tZD:i:2\n"
    "three\t2048\tc1\t31\t12\t5M10H\t*\t0\t0\tTCCAT\tABCDE\tNM:i:0\tMD:Z:5\tAS:i:5\t"
    "SA:Z:c1,11,+,5S5M5S,11,0;c2,1,-,5M10S,13,1;\n"
    "three\t2064\tc2\t1\t13\t5M10H\t*\t0\t0\tGGTTT\tONMLK\tNM:i:1\tMD:Z:2A2\tAS:i:0\t"
    "SA:Z:c1,11,+,5S5M5S,11,0;c1,31,+,5M10S,12,0;\n"
    "turned\t16\tc1\t34\t5\t6S7M\t*\t0\t0\tATTACCATGCAAT\t*\tNM:i:0\tMD:Z:7\tAS:i:7\tNH:i:1\tHI:i:1\tX0:i:1\tX1:i:0\t"
    "SA:Z:c2,3,-,6M7S,6,0;\n"
    "turned\t2064\tc2\t3\t6\t6M7H\t*\t0\t0\tATTACC\t*\tNM:i:0\tMD:Z:6\tAS:i:6\tSA:Z:c1,34,-,6S7M,5,0;\n";

// Two concordant pairs that share a clipped alignment of the first mate; the second mate is split. Then a discordant
// pair with two split mates, and a split read whose mate is unmapped.
Input split_pairs() {
  Input in;
  const auto a = in.place(0, 0, false, {clip(2), match(8)}, "8", 0, 50);
  const auto b = in.place(0, 20, true, {match(8), clip(5)}, "8", 0, 44);
  const auto c = in.place(0, 26, true, {match(6), clip(7)}, "6", 0, 0);
  in.read("p", "GGACGTTGCA", "ABCDEFGHIJ", 1);
  in.read("p", "ACTGGCGTAATCG", "IJKLMNOPQRSTU", 1);
  in.supplement(1, 1, 6, true, {clip(8), match(5)}, "5", 0, 9);
  in.pair(PairKind::concordant, {{a, b}, {a, c}});

  in.read("d", "ACGTTGCAAGAATGACTGGT", "", 1);
  in.align(0, 0, false, {match(10), clip(10)}, "10", 0, 37);
  in.supplement(2, 1, 5, true, {match(10), clip(10)}, "10", 0, 20);
  in.read("d", "GGATTACCAGATGCAAT", "", 1);
  in.align(1, 0, false, {match(10), clip(7)}, "10", 0, 30);
  in.supplement(3, 0, 33, false, {clip(10), match(7)}, "7", 0, 12);
  in.pair(PairKind::discordant);

  in.read("o", "ACGTTGCAAGAATGACTGGT", "ABCDEFGHIJKLMNOPQRST", 1);
  in.align(0, 0, false, {match(10), clip(10)}, "10", 0, 37);
  in.supplement(4, 1, 5, true, {match(10), clip(10)}, "10", 0, 20);
  in.read("o", "AAAA", "IIII");
  in.pair(PairKind::one_end);
  return in;
}

const std::string kPairs =
    "p\t99\tc1\t1\t50\t2S8M\t=\t21\t28\tGGACGTTGCA\tABCDEFGHIJ\tNM:i:0\tMD:Z:8\tAS:i:8\tNH:i:2\tHI:i:1\tX0:i:1\tX1:i:"
    "0\t"
    "MC:Z:8M5S\tMQ:i:44\tYS:i:8\n"
    "p\t147\tc1\t21\t44\t8M5S\t=\t1\t-28\tCGATTACGCCAGT\tUTSRQPONMLKJI\tNM:i:0\tMD:Z:8\tAS:i:8\tNH:i:2\tHI:i:1\tX0:i:"
    "1\t"
    "X1:i:0\tSA:Z:c2,7,-,8S5M,9,0;\tMC:Z:2S8M\tMQ:i:50\tYS:i:8\n"
    "p\t355\tc1\t1\t0\t2S8M\t=\t27\t32\t*\t*\tNM:i:0\tMD:Z:8\tAS:i:8\tNH:i:2\tHI:i:2\tX0:i:1\tX1:i:0\tMC:Z:6M7S\tMQ:i:"
    "0\t"
    "YS:i:6\n"
    "p\t403\tc1\t27\t0\t6M7S\t=\t1\t-32\t*\t*\tNM:i:0\tMD:Z:6\tAS:i:6\tNH:i:2\tHI:i:2\tX0:i:1\tX1:i:0\tMC:Z:2S8M\t"
    "MQ:i:0\tYS:i:8\n"
    "p\t2195\tc2\t7\t9\t8S5M\tc1\t1\t0\tCGATTACGCCAGT\tUTSRQPONMLKJI\tNM:i:0\tMD:Z:5\tAS:i:5\tSA:Z:c1,21,-,8M5S,44,0;\t"
    "MC:Z:2S8M\tMQ:i:50\tYS:i:8\n"
    "d\t65\tc1\t1\t37\t10M10S\tc2\t1\t0\tACGTTGCAAGAATGACTGGT\t*\tNM:i:0\tMD:Z:10\tAS:i:10\tNH:i:1\tHI:i:1\tX0:i:1\t"
    "X1:i:0\tSA:Z:c2,6,-,10M10S,20,0;\tMC:Z:10M7S\tMQ:i:30\tYS:i:10\n"
    "d\t129\tc2\t1\t30\t10M7S\tc1\t1\t0\tGGATTACCAGATGCAAT\t*\tNM:i:0\tMD:Z:10\tAS:i:10\tNH:i:1\tHI:i:1\tX0:i:1\t"
    "X1:i:0\tSA:Z:c1,34,+,10S7M,12,0;\tMC:Z:10M10S\tMQ:i:37\tYS:i:10\n"
    "d\t2129\tc2\t6\t20\t10M10S\t=\t1\t-15\tACCAGTCATTCTTGCAACGT\t*\tNM:i:0\tMD:Z:10\tAS:i:10\t"
    "SA:Z:c1,1,+,10M10S,37,0;\tMC:Z:10M7S\tMQ:i:30\tYS:i:10\n"
    "d\t2177\tc1\t34\t12\t10S7M\t=\t1\t-33\tGGATTACCAGATGCAAT\t*\tNM:i:0\tMD:Z:7\tAS:i:7\tSA:Z:c2,1,+,10M7S,30,0;\t"
    "MC:Z:10M10S\tMQ:i:37\tYS:i:10\n"
    "o\t73\tc1\t1\t37\t10M10S\t=\t1\t0\tACGTTGCAAGAATGACTGGT\tABCDEFGHIJKLMNOPQRST\tNM:i:0\tMD:Z:10\tAS:i:10\tNH:i:1\t"
    "HI:i:1\tX0:i:1\tX1:i:0\tSA:Z:c2,6,-,10M10S,20,0;\n"
    "o\t133\tc1\t1\t0\t*\t=\t1\t0\tAAAA\tIIII\tMC:Z:10M10S\tMQ:i:37\tYS:i:10\n"
    "o\t2137\tc2\t6\t20\t10M10S\tc1\t1\t0\tACCAGTCATTCTTGCAACGT\tTSRQPONMLKJIHGFEDCBA\tNM:i:0\tMD:Z:10\tAS:i:10\t"
    "SA:Z:c1,1,+,10M10S,37,0;\n";

std::string replaced(std::string text, std::initializer_list<std::array<std::string, 2>> changes) {
  for (const auto& [from, to] : changes) {
    const std::size_t at = text.find(from);
    REQUIRE(at != text.npos);
    REQUIRE(text.find(from, at + 1) == text.npos);
    text.replace(at, from.size(), to);
  }
  return text;
}

// The secondary and supplementary records change, and so do the MC of secondary records.
std::string hard_pairs() {
  return replaced(kPairs, {{"p\t355\tc1\t1\t0\t2S8M", "p\t355\tc1\t1\t0\t2H8M"},
                           {"MC:Z:6M7S", "MC:Z:6M7H"},
                           {"p\t403\tc1\t27\t0\t6M7S", "p\t403\tc1\t27\t0\t6M7H"},
                           {"X1:i:0\tMC:Z:2S8M\tMQ:i:0", "X1:i:0\tMC:Z:2H8M\tMQ:i:0"},
                           {"9\t8S5M\tc1\t1\t0\tCGATTACGCCAGT\tUTSRQPONMLKJI", "9\t8H5M\tc1\t1\t0\tCCAGT\tMLKJI"},
                           {"10M10S\t=\t1\t-15\tACCAGTCATTCTTGCAACGT\t*", "10M10H\t=\t1\t-15\tACCAGTCATT\t*"},
                           {"12\t10S7M\t=\t1\t-33\tGGATTACCAGATGCAAT", "12\t10H7M\t=\t1\t-33\tATGCAAT"},
                           {"10M10S\tc1\t1\t0\tACCAGTCATTCTTGCAACGT\tTSRQPONMLKJIHGFEDCBA",
                            "10M10H\tc1\t1\t0\tACCAGTCATT\tTSRQPONMLK"}});
}

struct Rule {
  bool hard_clips = false;
  MateFields mate_fields = MateFields::paired;
  bool secondary_bases = false;
};

std::string sam_of(const Input& input, const Rule& rule = {}) {
  return records_of(input, "sam", [&](SinkOptions& options) {
    options.hard_clips = rule.hard_clips;
    options.secondary_bases = rule.secondary_bases;
    options.mate_fields = rule.mate_fields;
  });
}

// Of the statistics: "3 reads, 11 bases, 0 supplementary; 2 with 4", and so on: how many reads leave out so many bases.
std::string clipped(const Input& input) {
  trawl::io::RunCounts counts;
  counts.add(input.reads, input.alignments);
  std::string text = std::to_string(counts.clipped.reads) + " reads, " + std::to_string(counts.clipped.bases) +
                     " bases, " + std::to_string(counts.clipped.supplementary_records) + " supplementary;";
  for (const auto& bin : counts.clipped.reads_by_bases.bins()) {
    text += bin.count > 0 ? " " + std::to_string(bin.count) + " with " + bin.name : "";
  }
  return text;
}

}  // namespace

TEST_CASE("clipped ends have S, and secondary records H if so wanted") {
  CHECK(sam_of(clipped_reads()) == kClipped);
  CHECK(sam_of(clipped_reads(), {.hard_clips = true}) == replaced(kClipped, {{"3M1D3M4S", "3M1D3M4H"}}));
}

TEST_CASE("split reads have supplementary records, with soft or hard clips") {
  CHECK(sam_of(split_reads()) == kSplit);
  CHECK(sam_of(split_reads(), {.hard_clips = true}) == kSplitHard);
}

TEST_CASE("pairs with clipped and split mates") {
  CHECK(sam_of(split_pairs()) == kPairs);
  CHECK(sam_of(split_pairs(), {.hard_clips = true}) == hard_pairs());
  // Only the secondary records change.
  const auto to_primary = replaced(
      kPairs, {{"=\t27\t32\t*\t*\tNM:i:0\tMD:Z:8\tAS:i:8\tNH:i:2\tHI:i:2\tX0:i:1\tX1:i:0\tMC:Z:6M7S\tMQ:i:0\tYS:i:6",
                "=\t21\t28\t*\t*\tNM:i:0\tMD:Z:8\tAS:i:8\tNH:i:2\tHI:i:2\tX0:i:1\tX1:i:0\tMC:Z:8M5S\tMQ:i:44\tYS:i:8"},
               {"X1:i:0\tMC:Z:2S8M\tMQ:i:0\tYS:i:8", "X1:i:0\tMC:Z:2S8M\tMQ:i:50\tYS:i:8"}});
  CHECK(sam_of(split_pairs(), {.mate_fields = MateFields::primary}) == to_primary);
  // The mate's record that secondary ones point to is the primary one, which has S.
  CHECK(sam_of(split_pairs(), {.hard_clips = true, .mate_fields = MateFields::primary}).find("MC:Z:2H8M") ==
        std::string::npos);
}

TEST_CASE("secondary records have SEQ and QUAL if so wanted, with hard clips those of the piece") {
  const std::string bases = "TCCATCTTAGAAACC\tABCDEFGHIJKLMNO\tNM:i:1\tMD:Z:0C4";
  CHECK(sam_of(split_reads(), {.secondary_bases = true}) == replaced(kSplit, {{"*\t*\tNM:i:1\tMD:Z:0C4", bases}}));
  CHECK(sam_of(split_reads(), {.hard_clips = true, .secondary_bases = true}) ==
        replaced(kSplitHard, {{"*\t*\tNM:i:1\tMD:Z:0C4", "CTTAG\tFGHIJ\tNM:i:1\tMD:Z:0C4"}}));
  CHECK(sam_of(split_pairs(), {.secondary_bases = true}) ==
        replaced(kPairs, {{"27\t32\t*\t*", "27\t32\tGGACGTTGCA\tABCDEFGHIJ"},
                          {"1\t-32\t*\t*", "1\t-32\tCGATTACGCCAGT\tUTSRQPONMLKJI"}}));
}

TEST_CASE("BED has a line for each piece, with S for clipped ends") {
  const auto hard = [](SinkOptions& options) { options.hard_clips = true; };
  CHECK(records_of(split_reads(), "bed", hard) ==
        "c1\t0\t10\ttwo\t37\t+\t0\t10M10S\n"
        "c2\t5\t15\ttwo\t20\t-\t0\t10M10S\n"
        "c1\t10\t15\tthree\t11\t+\t0\t5S5M5S\n"
        "c2\t9\t14\tthree\t0\t+\t1\t5S5M5S\n"
        "c1\t30\t35\tthree\t12\t+\t0\t5M10S\n"
        "c2\t0\t5\tthree\t13\t-\t1\t5M10S\n"
        "c1\t33\t40\tturned\t5\t-\t0\t6S7M\n"
        "c2\t2\t8\tturned\t6\t-\t0\t6M7S\n");
  CHECK(records_of(split_pairs(), "bed", hard).find("c2\t6\t11\tp/2\t9\t-\t0\t8S5M\n") != std::string::npos);
}

TEST_CASE("statistics count clipped reads, bases and supplementary records") {
  CHECK(clipped(clipped_reads()) == "3 reads, 11 bases, 0 supplementary; 1 with 1 2 with 5");
  CHECK(clipped(split_reads()) == "3 reads, 26 bases, 4 supplementary; 3 with 6-10");
  CHECK(clipped(split_pairs()) == "5 reads, 34 bases, 4 supplementary; 1 with 2 1 with 5 3 with 6-10");
  CHECK(clipped(Input()) == "0 reads, 0 bases, 0 supplementary;");
  trawl::io::RunCounts counts;
  counts.add(split_reads().reads, split_reads().alignments);
  CHECK(counts.alignments == 4);  // without supplementary records, as NH
  CHECK(counts.all_by_distance == std::vector<std::uint64_t>{3, 1});
}
