// trawl-check: compares a mapper's SAM with the oracle, the reference, another mapper, or the simulated truth.
#include "bench/check.hpp"

#include <map>
#include <string>

namespace {

using namespace trawl::bench;

constexpr char kUsage[] =
    "usage: trawl-check loci OUT.sam LOCI.tsv                 every locus of trawl-oracle, and nothing else;\n"
    "                                                         with the table of trawl-oracle --clip: pieces and AS, "
    "too\n"
    "       trawl-check records REF.fa READS.fq OUT.sam      CIGAR, NM, MD, NH, HI, bases, places of every record\n"
    "              [--ambiguous-match] [--clip] [--join]      for output of trawl map --ambiguous match, --clip, "
    "--join\n"
    "       trawl-check covers OUT.sam OTHER.sam [-e N|N%]    what another mapper found (with at most e edits)\n"
    "              [--pairs]                                  the concordant pairs that it found\n"
    "       trawl-check truth OUT.sam [--slack 10]            primary records at the place in trawl-simulate's names\n"
    "              [--calibration]                            and the share of wrong ones at each MAPQ\n"
    "              [--counts]                                 only, for programs: reads, proper and wrong ones of "
    "each\n"
    "                                                         kind and MAPQ\n"
    "       trawl-check pairs R1.sam R2.sam PAIRS.sam --insert MIN-MAX [--orientation fr|rf|ff] [--best BEST.sam]\n"
    "                                                         the pairs are all that fit; all made with --report all,\n"
    "                                                         BEST.sam with --report best\n"
    "Exit status: 0 no fault; 1 faults, or a file cannot be read; 2 wrong usage. truth: 0 whatever it counts\n"
    "The SAM must be text in input order, unmapped reads included (for loci, records and pairs).\n";

const std::map<std::string, Command> kChecks = {
    {"loci", {{}, 2, 2, "OUT.sam LOCI.tsv", check_loci}},
    {"records",
     {{{"--ambiguous-match", false}, {"--clip", false}, {"--join", false}},
      3,
      3,
      "REF.fa READS.fq OUT.sam",
      check_records}},
    {"covers", {{{"-e", true}, {"--pairs", false}}, 2, 2, "OUT.sam OTHER.sam", check_covers}},
    {"truth", {{{"--slack", true}, {"--calibration", false}, {"--counts", false}}, 1, 1, "OUT.sam", check_truth}},
    {"pairs",
     {{{"--insert", true}, {"--orientation", true}, {"--best", true}}, 3, 3, "R1.sam R2.sam PAIRS.sam", check_pairs}}};

}  // namespace

int main(int argc, char** argv) { return run_commands("trawl-check", kUsage, argc, argv, kChecks); }
