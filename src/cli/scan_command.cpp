#include <memory>
#include <vector>

#include "cli/commands.hpp"
#include "io/format/file_format.hpp"
#include "io/write/labeled_reads.hpp"
#include "session/scan_run.hpp"

namespace trawl::cli {

namespace {

constexpr const char* kScanExamples = R"(
Examples:
  trawl scan -e 2 -p GGTAYACTTACCAGC genome.fa -o primer.bed
      every locus of a primer within 2 edits, on both strands
  trawl scan -e 4 --max-bulges 1 --pam NGG genome.fa guides.fa -o sites.tsv
      off-targets of guides: the PAM exact, up to 4 edits, at most one of them a base in a bulge
  trawl scan -e 4 --pam NGG,NAG genome.fa guides.csv -o sites.tsv --annotate genes.gff3
      two PAMs; the gene of each site
  trawl scan --metric hamming -e 3 --report ends genome.fa probes.tsv -o probes.bed.gz
  trawl scan -e 3 --per-read best reads.fq.gz barcodes.fa -o calls.tsv
      a row for each read: its best barcode, and how far the next one is
  trawl scan -e 3 --within 5p:150,3p:150 --extract by_barcode reads.fq.gz barcodes.fa
      the barcodes in the first and last 150 bases; a file of reads for each
  trawl scan -e 1 --read-structure 16B12M R1.fq.gz whitelist.txt.gz --mates R2.fq.gz -o cells.bam
      cell barcodes and UMIs of R1 into the tags of R2: CB, CR, CY, UB, UR, UY
  trawl scan -e 1 --strand + T0=a_L1.fq.gz,a_L2.fq.gz,T1=b.fq.gz library.tsv --counts counts.tsv
      how many reads of each sample have each guide of a screen
  zcat genome.fa.gz | trawl scan -p GAATTC - | bedtools merge -i -
)";

}  // namespace

Command scan_command(const OnServer<ScanArguments>& on_server) {
  const auto arguments = std::make_shared<ScanArguments>();
  Command command{.name = "scan",
                  .description = "Search patterns: every place within an edit distance, with no index",
                  .options = scan_table(*arguments),
                  .footer = kScanExamples,
                  .on_all_ranks = true};
  if (on_server) {
    command.options.push_back(server_option(arguments->server));
  }
  command.about_extra_words = [](const std::string&) {
    return "the order is REF PATTERNS: put commas between several files or samples (T0=a.fq,T1=b.fq); second mates are "
           "--mates FILE";
  };
  command.settings = [arguments](const Command& given) {
    const bool gives_reads = io::is_file_of_reads(arguments->output) && !io::has_extension(arguments->output, ".sam");
    const bool has_structure = given.is_given("--read-structure");
    arguments->by_output_only = gives_reads && !has_structure && !given.is_given("--per-read") &&
                                !given.is_given("--extract") && !given.is_given("--counts");
    std::vector<Setting> settings;
    if (gives_reads || has_structure || given.is_given("--extract") || given.is_given("--counts")) {
      settings.push_back({"--per-read", "best"});
    }
    if (has_structure) {
      settings.push_back({"--strand", "+"});
    }
    return settings;
  };
  command.work = [arguments, on_server](const Command& given, session::CommandRun& run) {
    if (arguments->server.empty()) {
      session::run_scan(*arguments, given.is_given("--output"), run);
    } else {
      on_server(*arguments, given, run);
    }
  };
  return command;
}

}  // namespace trawl::cli
