#include <memory>
#include <vector>

#include "cli/commands.hpp"
#include "session/mappability_run.hpp"

namespace trawl::cli {

namespace {

using session::MappabilityArguments;

// A longer read would hold many batches' worth of bases.
constexpr std::uint32_t kLongestRead = 100'000;

constexpr const char* kMappabilityExamples = R"(
Examples:
  trawl mappability -l 100 -e 2 genome.fa -o loci.bedgraph
      for every position: how many loci within 2 edits the read of 100 bases has that begins there
  trawl mappability -l 150 -e 4% genome.fa -o loci.bw
      for a genome browser
  trawl mappability -l 100 -e 2 genome.fa | awk '$4 == 1' > unique.bed
      where reads of 100 bases have only one locus
  trawl mappability -l 30 -e 2 --metric hamming --value mappability genome.fa -o genmap.bw
      mismatches only, and 1 / number of loci: the numbers of GenMap
  trawl mappability -l 100 -e 2 --regions exons.bed genome.fa -o exons.bedgraph
      only for reads that begin in these regions
)";

std::vector<Option> mappability_table(MappabilityArguments& a) {
  std::vector<Option> table = {
      reference_argument(a.reference),
      {.names = "-l,--length",
       .to = &a.length,
       .help = "Length of the reads, at most 100,000",
       .group = kMatchingGroup,
       .least = 1,
       .most = kLongestRead,
       .required = true},
      max_edits_option(a.max_edits),
      metric_option(a.metric, InHeader::never),
      {.names = "--regions",
       .value = "FILE.bed",
       .to = &a.regions,
       .help = "Only for reads that begin in the regions of this BED file, plain, gzip or BGZF",
       .group = kMatchingGroup,
       .is_path = true},
      {.names = "--value",
       .to = choice(&a.value, {{"count", io::TrackValue::count}, {"mappability", io::TrackValue::mappability}}),
       .help = "What is written: the number of loci; or mappability, which is 1 divided by it, "
               "and 0 where it is 0",
       .group = kRecordsGroup}};
  append(table, output_options(a, ".bedgraph .bedgraph.gz .bw, or .bg .bg.gz .bigwig; - is bedGraph on stdout",
                               ".bedgraph.gz: 0 not compressed, 1 fastest, 9 smallest; by default fast"));
  append(table, work_options_table(a));
  table.push_back(tune_option({{.names = "batch-size", .to = &a.batch_size}}));
  return table;
}

}  // namespace

Command mappability_command() {
  const auto arguments = std::make_shared<MappabilityArguments>();
  return {.name = "mappability",
          .description = "For every position, how many loci the read there has",
          .options = mappability_table(*arguments),
          .footer = kMappabilityExamples,
          .work = [arguments](const Command&, session::CommandRun& run) { session::run_mappability(*arguments, run); }};
}

}  // namespace trawl::cli
