// trawl-check: compares a mapper's SAM with the oracle, the reference, another mapper, or the simulated truth.
#include "bench/check.hpp"

#include <string>
#include <vector>

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

void need(const Arguments& args, std::size_t count, const char* what) {
  if (args.count() != count) {
    throw WrongUsage(std::string("needs ") + what);
  }
}

PairLimits pair_limits(const Arguments& args) {
  PairLimits limits;
  const auto [shortest, longest] = parse_two("--insert", args.value("--insert", ""), '-');
  limits.shortest = parse_integer(shortest);
  limits.longest = parse_integer(longest);
  limits.orientation = parse_orientation(args.value("--orientation", "fr"));
  return limits;
}

int run(const std::string& check, const std::vector<std::string>& words) {
  if (check == "loci") {
    const Arguments args(words, {});
    need(args, 2, "OUT.sam LOCI.tsv");
    return check_loci(args.positional(0), args.positional(1));
  }
  if (check == "records") {
    const Arguments args(words, {{"--ambiguous-match", false}, {"--clip", false}, {"--join", false}});
    need(args, 3, "REF.fa READS.fq OUT.sam");
    return check_records(args.positional(0), args.positional(1), args.positional(2),
                         {args.has("--ambiguous-match"), args.has("--clip"), args.has("--join")});
  }
  if (check == "covers") {
    const Arguments args(words, {{"-e", true}, {"--pairs", false}});
    need(args, 2, "OUT.sam OTHER.sam");
    const MaxEdits max_edits(args.value("-e", "0"));
    return check_covers(args.positional(0), args.positional(1),
                        {args.has("-e") ? &max_edits : nullptr, args.has("--pairs")});
  }
  if (check == "truth") {
    const Arguments args(words, {{"--slack", true}, {"--calibration", false}, {"--counts", false}});
    need(args, 1, "OUT.sam");
    return check_truth(args.positional(0), args.integer("--slack", 10),
                       {args.has("--calibration"), args.has("--counts")});
  }
  if (check == "pairs") {
    const Arguments args(words, {{"--insert", true}, {"--orientation", true}, {"--best", true}});
    need(args, 3, "R1.sam R2.sam PAIRS.sam");
    return check_pairs({args.positional(0), args.positional(1), args.positional(2), args.value("--best", "")},
                       pair_limits(args));
  }
  throw WrongUsage("no such check: " + check);
}

}  // namespace

int main(int argc, char** argv) {
  return run_program("trawl-check", kUsage, argc, argv, [](const std::vector<std::string>& words) {
    return run(words[0], {words.begin() + 1, words.end()});
  });
}
