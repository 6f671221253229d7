// trawl-simulate: makes a human-like chromosome with its repeats, and reads or pairs of any reference with their true
// positions.
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "bench/arguments.hpp"
#include "bench/simulate_genome.hpp"
#include "bench/simulate_reads.hpp"

namespace {

using trawl::bench::Arguments;
using trawl::bench::WrongUsage;

constexpr char kUsage[] =
    "usage: trawl-simulate genome LENGTH SEED OUT.fa [OUT.bed]\n"
    "       trawl-simulate reads REF.fa COUNT LENGTH SEED [options] > OUT.fq\n"
    "       trawl-simulate pairs REF.fa COUNT LENGTH SEED OUT1.fq OUT2.fq [options]\n"
    "  --error-rate R     sequencing errors a base, all substitutions    default 0.004\n"
    "  --variant-rate R   differences from the reference a base          default 0.001\n"
    "  --indel-share R    of the variants                                default 0.17\n"
    "  --lengths A-B      mixed read lengths, uniform; LENGTH is ignored\n"
    "  --qualities        qualities that reflect the errors; otherwise all are I\n"
    "  --insert MEAN,SD   pairs: length of the fragments, normal         default 400,50\n"
    "  --orientation O    pairs: fr, rf or ff                            default fr\n"
    "A read's name is its truth: sim<N>_<contig>_<start0>_<end0>_<strand>_<edits>. Mates have the same name: pair<N>_\n"
    "<contig>, then _<start0>_<end0>_<strand>_<edits> of the first and of the second mate.\n";

const std::map<std::string, bool> kReadOptions = {{"--error-rate", true},
                                                  {"--variant-rate", true},
                                                  {"--indel-share", true},
                                                  {"--lengths", true},
                                                  {"--qualities", false}};

// LENGTH is the third word.
trawl::bench::ReadModel read_model(const Arguments& args) {
  trawl::bench::ReadModel model;
  model.shortest = model.longest = trawl::bench::parse_integer(args.positional(2));
  if (args.has("--lengths")) {
    const auto [shortest, longest] = trawl::bench::parse_two("--lengths", args.value("--lengths", ""), '-');
    model.shortest = trawl::bench::parse_integer(shortest);
    model.longest = trawl::bench::parse_integer(longest);
  }
  if (model.shortest == 0 || model.shortest > model.longest) {
    throw WrongUsage("read lengths must be at least 1, the shorter first");
  }
  model.error_rate = args.number("--error-rate", model.error_rate);
  model.variant_rate = args.number("--variant-rate", model.variant_rate);
  model.indel_share = args.number("--indel-share", model.indel_share);
  model.qualities = args.has("--qualities");
  return model;
}

trawl::bench::FragmentModel fragment_model(const Arguments& args) {
  trawl::bench::FragmentModel model;
  if (args.has("--insert")) {
    const auto [mean, deviation] = trawl::bench::parse_two("--insert", args.value("--insert", ""), ',');
    model.mean = trawl::bench::parse_number(mean);
    model.deviation = trawl::bench::parse_number(deviation);
  }
  if (model.mean < 1 || model.deviation < 0) {
    throw WrongUsage("--insert takes a mean of at least 1, and a standard deviation of at least 0");
  }
  model.orientation = trawl::bench::parse_orientation(args.value("--orientation", "fr"));
  return model;
}

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
  const Arguments args(words, kReadOptions);
  if (args.count() != 4) {
    throw WrongUsage("reads takes REF.fa COUNT LENGTH SEED");
  }
  trawl::bench::write_reads(args.positional(0), trawl::bench::parse_integer(args.positional(1)),
                            trawl::bench::parse_integer(args.positional(3)), read_model(args), stdout);
  return 0;
}

int simulate_pairs(const std::vector<std::string>& words) {
  auto options = kReadOptions;
  options.insert({{"--insert", true}, {"--orientation", true}});
  const Arguments args(words, options);
  if (args.count() != 6) {
    throw WrongUsage("pairs takes REF.fa COUNT LENGTH SEED OUT1.fq OUT2.fq");
  }
  trawl::bench::write_pairs(args.positional(0), trawl::bench::parse_integer(args.positional(1)),
                            trawl::bench::parse_integer(args.positional(3)), read_model(args), fragment_model(args),
                            args.positional(4), args.positional(5));
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
    if (words[0] == "pairs") {
      return simulate_pairs(rest);
    }
    throw WrongUsage("no such mode: " + words[0]);
  });
}
