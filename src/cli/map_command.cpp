#include <memory>

#include "cli/commands.hpp"
#include "cli/options/map_presets.hpp"
#include "session/map_run.hpp"

namespace trawl::cli {

namespace {

constexpr const char* kMapExamples = R"(
Examples:
  trawl map genome.fa reads.fq.gz -o best.bam
      the best place of every read, with a mapping quality from all its places
  trawl map -e 5 --report all genome.fa reads.fq.gz -o all.bam
      every place within 5 edits
  trawl map -e 4% --report strata --strata 1 -t 8 genome.fa lane1.fq.gz,lane2.fq.gz -o strata.cram
      the best places and those with one edit more
  trawl map genome.fa reads_1.fq.gz reads_2.fq.gz -o pairs.bam
      the best place of every pair; the insert sizes are estimated from the first pairs
  trawl map --for variants genome.fa reads_1.fq.gz reads_2.fq.gz -o sample.bam
      sample.bam in coordinate order, duplicates marked, and its index, sample.bam.bai
  trawl map --end-to-end genome.fa reads.fq.gz -o whole.bam
      only reads that fit as a whole; in the other examples with one place for each read, ends that
      do not belong are left out (adapters, bad tails), and a long end that fits elsewhere is a
      supplementary record
  trawl map --clip 30% --report all genome.fa reads.fq.gz -o clipped.bam
      every place, also of reads of which up to 30% must be left out at their ends

)";

}  // namespace

Command map_command(const OnServer<MapArguments>& on_server) {
  const auto arguments = std::make_shared<MapArguments>();
  Command command = map_rules(*arguments);
  command.footer = kMapExamples + presets_text();
  command.on_all_ranks = true;
  if (on_server) {
    command.options.push_back(server_option(arguments->server));
  }
  command.work = [arguments, on_server](const Command& given, session::CommandRun& run) {
    if (arguments->server.empty()) {
      session::run_map(*arguments, run);
    } else {
      on_server(*arguments, given, run);
    }
  };
  return command;
}

}  // namespace trawl::cli
