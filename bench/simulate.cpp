// trawl-simulate: makes a human-like chromosome with its repeats, or a genome of human size out of a part of one;
// reads, pairs or a library with the faults of real ones of any reference, with their true positions; and reads with
// barcodes.
#include "bench/simulate.hpp"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <string>
#include <thread>
#include <tuple>

namespace {

using namespace trawl::bench;

constexpr char kUsage[] =
    "usage: trawl-simulate genome LENGTH SEED OUT.fa [OUT.bed]\n"
    "       trawl-simulate mosaic REF.fa COPIES SEED OUT.fa [--threads N]\n"
    "       trawl-simulate reads REF.fa COUNT LENGTH SEED [options] > OUT.fq\n"
    "       trawl-simulate pairs REF.fa COUNT LENGTH SEED OUT1.fq OUT2.fq [options]\n"
    "       trawl-simulate library REF.fa COUNT LENGTH SEED OUT1.fq [OUT2.fq] [options]\n"
    "       trawl-simulate barcoded BARCODES.fa COUNT SEED [options] > OUT.fq\n"
    "  --error-rate R     sequencing errors a base, all substitutions    default 0.004\n"
    "  --variant-rate R   differences from the reference a base          default 0.001\n"
    "  --indel-share R    of the variants                                default 0.17\n"
    "  --lengths A-B      mixed read lengths, uniform; LENGTH is ignored\n"
    "  --qualities        qualities that reflect the errors; otherwise all are I\n"
    "  --adapters S[,A-B]  reads: share with A to B foreign bases at either end or both      default 0,0-45\n"
    "  --chimeras S        reads: share of two parts from different places                    default 0\n"
    "  --indels S[,A-B]    reads: share with one indel of A to B bases                        default 0,10-40\n"
    "  --tails S           reads: share with 10 to 60 last bases of low quality, many of them N    default 0\n"
    "  --insert MEAN,SD   pairs: length of the fragments, normal         default 400,50\n"
    "  --orientation O    pairs: fr, rf or ff                            default fr\n"
    "  --lengths A-B      barcoded: bases of a molecule                  default 300-2000\n"
    "  --error-rate R     barcoded: a base; also insertions and deletions    default 0.05\n"
    "  --without S        barcoded: share without a barcode              default 0.05\n"
    "  library: a diploid donor, and what real libraries have; without OUT2.fq only the first mates are written\n"
    "  --insert MEAN,SD    length of the fragments, those below LENGTH left out       default 340,80\n"
    "  --short S[,A-B]     share of fragments of A to B bases, shorter than the read  default 0.1,25-(LENGTH - 1)\n"
    "  --adapters A        truseq, nextera, or the bases after mate 1 and mate 2: SEQ1,SEQ2    default truseq\n"
    "  --beyond BASE       what is read after the adapter                             default G\n"
    "  --tails S           share of mates with a bad tail, a quarter of it wrong      default 0.06\n"
    "  --unknown S         share of mates with 1 to 4 N                               default 0.01\n"
    "  --chimeras S        share of fragments of two places                           default 0.005\n"
    "  --duplicates S      share of fragments that were sequenced before              default 0.02\n"
    "  --error-rate R      sequencing errors a base, three times as many at the last base as at the first    "
    "default 0.003\n"
    "  --variant-rate R    SNPs and indels a base, a third of them homozygous         default 0.001\n"
    "  --indel-share R     of the variants; --longest-indel N: of 1 to N bases        default 0.1; 50\n"
    "  --str-changes S     share of the short tandem repeats that have another length    default 0.05\n"
    "  --region C[:A-B]    the fragments begin there                                  default anywhere\n"
    "  --vcf OUT.vcf       the donor's variants\n"
    "A read's name is its truth: sim<N>_<contig>_<start0>_<end0>_<strand>_<edits>. Mates have the same name:\n"
    "pair<N>_<contig>, then _<start0>_<end0>_<strand>_<edits> of the first and of the second mate. Reads of the four\n"
    "kinds above: adapter<N>_<contig>_<start0>_<end0>_<strand>_<edits>_<before> (and chimera, indel, tail; a second "
    "part\n"
    "after &). Of a library: <kind><N>_<place of mate 1>~<place of mate 2>, each place as those four have it; the "
    "kinds\n"
    "are long, short, tiny (fragments of fewer than 70 bases) and chimera; <N> of a duplicate is <N>.<N of the "
    "first>.\n"
    "Reads with a barcode: barcoded<N>_<strand>_<barcode>.\n";

// The share of an option S or S,A-B; the range keeps its value if there is none.
double share_of(const Arguments& args, const std::string& option, Range& range) {
  if (!args.has(option)) {
    return 0;
  }
  const std::string text = args.value(option, "");
  const std::size_t comma = text.find(',');
  if (comma != std::string::npos) {
    range = parse_range(option, text.substr(comma + 1));
  }
  return parse_number(text.substr(0, comma));
}

ArtefactModel artefact_model(const Arguments& args) {
  ArtefactModel model;
  model.adapters = share_of(args, "--adapters", model.adapter);
  model.chimeras = args.number("--chimeras", 0);
  model.indels = share_of(args, "--indels", model.indel);
  model.tails = args.number("--tails", 0);
  if (model.indel.first == 0 || model.indel.first > model.indel.last || model.adapter.first > model.adapter.last) {
    throw WrongUsage("--adapters and --indels take SHARE,A-B; A <= B, and an indel is at least 1 long");
  }
  if (std::min({model.adapters, model.chimeras, model.indels, model.tails}) < 0 ||
      model.adapters + model.chimeras + model.indels + model.tails > 1) {
    throw WrongUsage(
        "the shares of --adapters, --chimeras, --indels and --tails must lie in [0, 1], and their sum too");
  }
  return model;
}

// LENGTH is the third word.
ReadModel read_model(const Arguments& args) {
  ReadModel model;
  model.length = {parse_integer(args.positional(2)), parse_integer(args.positional(2))};
  if (args.has("--lengths")) {
    model.length = parse_range("--lengths", args.value("--lengths", ""));
  }
  if (model.length.first == 0 || model.length.first > model.length.last) {
    throw WrongUsage("read lengths must be at least 1, the shorter first");
  }
  model.error_rate = args.number("--error-rate", model.error_rate);
  model.variant_rate = args.number("--variant-rate", model.variant_rate);
  model.indel_share = args.number("--indel-share", model.indel_share);
  model.qualities = args.has("--qualities");
  return model;
}

FragmentModel fragment_model(const Arguments& args) {
  FragmentModel model;
  if (args.has("--insert")) {
    const auto [mean, deviation] = parse_two("--insert", args.value("--insert", ""), ',');
    model.mean = parse_number(mean);
    model.deviation = parse_number(deviation);
  }
  if (model.mean < 1 || model.deviation < 0) {
    throw WrongUsage("--insert takes a mean of at least 1, and a standard deviation of at least 0");
  }
  model.orientation = parse_orientation(args.value("--orientation", "fr"));
  return model;
}

int simulate_genome(const Arguments& args) {
  write_genome(parse_integer(args.positional(0)), parse_integer(args.positional(1)), args.positional(2),
               args.count() == 4 ? args.positional(3) : "");
  return 0;
}

int simulate_mosaic(const Arguments& args) {
  const std::uint64_t threads = args.integer("--threads", std::thread::hardware_concurrency());
  write_mosaic(args.positional(0), parse_integer(args.positional(1)), parse_integer(args.positional(2)),
               args.positional(3), static_cast<unsigned>(std::clamp<std::uint64_t>(threads, 1, 256)));
  return 0;
}

int simulate_reads(const Arguments& args) {
  ReadModel model = read_model(args);
  model.artefacts = artefact_model(args);
  write_reads(args.positional(0), parse_integer(args.positional(1)), parse_integer(args.positional(3)), model);
  return 0;
}

int simulate_pairs(const Arguments& args) {
  write_pairs(args.positional(0), parse_integer(args.positional(1)), parse_integer(args.positional(3)),
              read_model(args), fragment_model(args), args.positional(4), args.positional(5));
  return 0;
}

void set_adapters(const std::string& text, LibraryModel& model) {
  if (text == "nextera") {
    model.adapters[0] = "CTGTCTCTTATACACATCTCCGAGCCCACGAGACATCACGATATCTCGTATGCCGTCTTCTGCTTG";
    model.adapters[1] = "CTGTCTCTTATACACATCTGACGCTGCCGACGATATCCTCTGTGTAGATCTCGGTGGTCGCCGTATCATT";
  } else if (text != "truseq") {
    std::tie(model.adapters[0], model.adapters[1]) = parse_two("--adapters", text, ',');
    for (const std::string& adapter : model.adapters) {
      if (adapter.find_first_not_of("ACGT") != std::string::npos) {
        throw WrongUsage("--adapters takes truseq, nextera, or two sequences of A, C, G and T with a comma between");
      }
    }
  }
}

LibraryModel library_model(const Arguments& args) {
  LibraryModel model;
  model.length = parse_integer(args.positional(2));
  if (model.length < 2) {
    throw WrongUsage("reads of a library have at least 2 bases");
  }
  const auto share = [&](const char* option, double& value) {
    value = args.number(option, value);
    if (value < 0 || value > 1) {
      throw WrongUsage(std::string(option) + " is a share from 0 to 1");
    }
  };
  if (args.has("--insert")) {
    model.fragments = fragment_model(args);
  }
  model.short_length = {std::min<std::uint64_t>(25, model.length - 1), model.length - 1};
  if (args.has("--short")) {
    model.short_fragments = share_of(args, "--short", model.short_length);
  }
  if (model.short_fragments < 0 || model.short_fragments > 1 || model.short_length.first == 0 ||
      model.short_length.first > model.short_length.last || model.short_length.last >= model.length) {
    throw WrongUsage("--short takes SHARE,A-B with a share from 0 to 1 and 1 <= A <= B < LENGTH");
  }
  set_adapters(args.value("--adapters", "truseq"), model);
  const std::string beyond = args.value("--beyond", "G");
  if (beyond.size() != 1 || std::string("ACGT").find(beyond) == std::string::npos) {
    throw WrongUsage("--beyond is A, C, G or T");
  }
  model.beyond = beyond[0];
  share("--tails", model.tails);
  share("--unknown", model.unknown);
  share("--chimeras", model.chimeras);
  share("--duplicates", model.duplicates);
  share("--error-rate", model.error_rate);
  share("--indel-share", model.donor.indel_share);
  share("--str-changes", model.donor.str_changes);
  model.donor.variant_rate = args.number("--variant-rate", model.donor.variant_rate);
  model.donor.longest_indel = args.integer("--longest-indel", model.donor.longest_indel);
  if (model.donor.longest_indel == 0) {
    throw WrongUsage("--longest-indel is at least 1");
  }
  model.region = args.value("--region", "");
  return model;
}

int simulate_library(const Arguments& args) {
  write_library(args.positional(0), parse_integer(args.positional(1)), parse_integer(args.positional(3)),
                library_model(args), args.positional(4), args.count() == 6 ? args.positional(5) : "",
                args.value("--vcf", ""));
  return 0;
}

int simulate_barcoded(const Arguments& args) {
  BarcodedModel model;
  model.length = parse_range("--lengths", args.value("--lengths", "300-2000"));
  if (model.length.first > model.length.last) {
    throw WrongUsage("--lengths takes the shorter first");
  }
  model.error_rate = args.number("--error-rate", model.error_rate);
  model.without = args.number("--without", model.without);
  write_barcoded(args.positional(0), parse_integer(args.positional(1)), parse_integer(args.positional(2)), model);
  return 0;
}

// With a value each.
std::map<std::string, bool> options(std::initializer_list<const char*> names) {
  std::map<std::string, bool> all;
  for (const char* name : names) {
    all.emplace(name, true);
  }
  return all;
}

std::map<std::string, bool> read_options(std::initializer_list<const char*> more) {
  auto all = options(more);
  all.merge(options({"--error-rate", "--variant-rate", "--indel-share", "--lengths"}));
  all.emplace("--qualities", false);
  return all;
}

const std::map<std::string, Command> kModes = {
    {"genome", {{}, 3, 4, "LENGTH SEED OUT.fa [OUT.bed]", simulate_genome}},
    {"mosaic", {options({"--threads"}), 4, 4, "REF.fa COPIES SEED OUT.fa", simulate_mosaic}},
    {"reads",
     {read_options({"--adapters", "--chimeras", "--indels", "--tails"}), 4, 4, "REF.fa COUNT LENGTH SEED",
      simulate_reads}},
    {"pairs",
     {read_options({"--insert", "--orientation"}), 6, 6, "REF.fa COUNT LENGTH SEED OUT1.fq OUT2.fq", simulate_pairs}},
    {"library",
     {options({"--insert", "--short", "--adapters", "--beyond", "--tails", "--unknown", "--chimeras", "--duplicates",
               "--error-rate", "--variant-rate", "--indel-share", "--longest-indel", "--str-changes", "--region",
               "--vcf"}),
      5, 6, "REF.fa COUNT LENGTH SEED OUT1.fq [OUT2.fq]", simulate_library}},
    {"barcoded",
     {options({"--lengths", "--error-rate", "--without"}), 3, 3, "BARCODES.fa COUNT SEED", simulate_barcoded}}};

}  // namespace

int main(int argc, char** argv) { return run_commands("trawl-simulate", kUsage, argc, argv, kModes); }
