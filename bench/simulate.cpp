// trawl-simulate: makes a human-like chromosome with its repeats, and reads of any reference with their true positions.
#include <cstdio>

#include "bench/arguments.hpp"
#include "bench/simulate_genome.hpp"
#include "bench/simulate_reads.hpp"

namespace {

using trawl::bench::Arguments;
using trawl::bench::WrongUsage;

constexpr char kUsage[] =
    "usage: trawl-simulate genome LENGTH SEED OUT.fa [OUT.bed]\n"
    "       trawl-simulate reads REF.fa COUNT LENGTH SEED [options] > OUT.fq\n"
    "  --error-rate R     sequencing errors a base, all substitutions    default 0.004\n"
    "  --variant-rate R   differences from the reference a base          default 0.001\n"
    "  --indel-share R    of the variants                                default 0.17\n"
    "  --lengths A-B      mixed read lengths, uniform; LENGTH is ignored\n"
    "  --qualities        qualities that reflect the errors; otherwise all are I\n"
    "A read's name is its truth: sim<N>_<contig>_<start0>_<end0>_<strand>_<edits>\n";

int simulate_genome(const std::vector<std::string>& words) {
  const Arguments args(words, {});
  if (args.count() != 3 && args.count() != 4) {
    throw WrongUsage("genome takes LENGTH SEED OUT.fa [OUT.bed]");
  }
  trawl::bench::write_genome(trawl::bench::parse_integer(args.positional(0)),
                             trawl::bench::parse_integer(args.positional(1)), args.positional(2),
                             args.count() == 4 ? args.positional(3) : "");
  return 0;
}

int simulate_reads(const std::vector<std::string>& words) {
  const Arguments args(words, {{"--error-rate", true},
                               {"--variant-rate", true},
                               {"--indel-share", true},
                               {"--lengths", true},
                               {"--qualities", false}});
  if (args.count() != 4) {
    throw WrongUsage("reads takes REF.fa COUNT LENGTH SEED");
  }
  trawl::bench::ReadModel model;
  model.shortest = model.longest = trawl::bench::parse_integer(args.positional(2));
  if (args.has("--lengths")) {
    const std::string range = args.value("--lengths", "");
    const std::size_t dash = range.find('-');
    if (dash == std::string::npos) {
      throw WrongUsage("--lengths takes A-B");
    }
    model.shortest = trawl::bench::parse_integer(range.substr(0, dash));
    model.longest = trawl::bench::parse_integer(range.substr(dash + 1));
  }
  if (model.shortest == 0 || model.shortest > model.longest) {
    throw WrongUsage("read lengths must be at least 1, the shorter first");
  }
  model.error_rate = args.number("--error-rate", model.error_rate);
  model.variant_rate = args.number("--variant-rate", model.variant_rate);
  model.indel_share = args.number("--indel-share", model.indel_share);
  model.qualities = args.has("--qualities");
  trawl::bench::write_reads(args.positional(0), trawl::bench::parse_integer(args.positional(1)),
                            trawl::bench::parse_integer(args.positional(3)), model, stdout);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return trawl::bench::run_program("trawl-simulate", kUsage, argc, argv, [](const std::vector<std::string>& words) {
    const std::vector<std::string> rest(words.begin() + 1, words.end());
    if (words[0] == "genome") {
      return simulate_genome(rest);
    }
    if (words[0] == "reads") {
      return simulate_reads(rest);
    }
    throw WrongUsage("no such mode: " + words[0]);
  });
}
