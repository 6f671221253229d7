#include "cli/options/scan_options.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "cli/options/shared_options.hpp"
#include "io/format/letters.hpp"
#include "io/read/gzip/input_file.hpp"
#include "io/read/pattern_reader.hpp"
#include "io/read/reference_files.hpp"
#include "scan/find/wu_manber_scan.hpp"
#include "sequence/alphabet.hpp"

namespace trawl::cli {

namespace {

constexpr const char* kGuidesGroup = "Guides";
constexpr const char* kNeedsPam = "as guides have; for example --pam NGG";

BulgeLimits parse_bulges(const std::string& text) {
  std::vector<std::uint32_t> numbers;
  for (const std::string& one : split(text, ',')) {
    if (numbers.size() == 2 ||
        !set({.names = "--max-bulges", .to = &numbers.emplace_back(), .most = 1000}, one).empty()) {
      throw UsageError(
          "--max-bulges " + text +
          ": give a number of bases, or two with a comma: those in DNA bulges and those in RNA bulges, for "
          "example 2,1");
    }
  }
  return numbers.size() == 1 ? BulgeLimits{numbers[0]} : BulgeLimits{numbers[0] + numbers[1], numbers[0], numbers[1]};
}

// The value of -k. Without -k: the sum of the limits for guides; a limit that is not given counts as 0.
std::uint32_t given_edits(const ScanArguments& a) {
  if (a.max_edits) {
    return *a.max_edits;
  }
  const std::uint64_t sum = std::uint64_t{a.max_mismatches.value_or(0)} + a.max_bulges.value_or(BulgeLimits{}).both;
  if (sum > scan::kMostEdits) {
    throw UsageError("--max-mismatches and --max-bulges allow " + std::to_string(sum) + " edits; at most " +
                     std::to_string(scan::kMostEdits) + " are possible, fewer with -k");
  }
  return static_cast<std::uint32_t>(sum);
}

}  // namespace

std::string letters_of(const std::string& text, const std::string& option) {
  if (const std::size_t at = io::find_not_iupac(text); at < text.size()) {
    throw UsageError(option + " " + text + ": " + io::describe_character(text[at]) + " is not an IUPAC letter" +
                     io::inosine_hint(text[at]));
  }
  return sequence::upper_bases(text);
}

std::string bulges_text(const std::optional<BulgeLimits>& limits) {
  const bool has_both = limits && limits->dna <= limits->both;
  return !limits    ? ""
         : has_both ? std::to_string(limits->dna) + ',' + std::to_string(limits->rna)
                    : std::to_string(limits->both);
}

std::vector<Option> matching_table(SearchArguments& a) {
  return {{.names = "-e,-k,--max-edits",
           .to = &a.max_edits,
           .help = "Largest distance: edits, or mismatches with --metric hamming; -k means the same",
           .group = kMatchingGroup,
           .default_text = "0",
           .most = scan::kMostEdits,
           .in_header = InHeader::always},
          metric_option(a.rules.metric, InHeader::always),
          ambiguous_option(a.ambiguous, " of the reference"),
          former_max_ambiguous(),
          circular_option(a.circular, kMatchingGroup),
          rename_option(a.renames_contigs, kMatchingGroup)};
}

Option tune_option(SearchArguments& a, std::vector<Option> more) {
  // rows: one pattern after the other; pieces: pieces of all patterns together, and guides from the sites of their PAM.
  std::vector<Option> keys = {{.names = "search",
                               .to = choice(&a.rules.search, {{"auto", scan::ScanMethod::automatic},
                                                              {"rows", scan::ScanMethod::rows},
                                                              {"pieces", scan::ScanMethod::pieces}})},
                              {.names = "chunk-size", .to = &a.chunk_size}};
  append(keys, std::move(more));
  return tune_option(std::move(keys));
}

std::vector<Option> scan_table(ScanArguments& a) {
  Option reference = reference_argument(a.reference);
  reference.help =
      "Reference: FASTA, plain, gzip or BGZF, 2bit, or an index of trawl index; several: a.fa,b.fa or @list.txt; or "
      "reads: FASTQ, BAM, also by sample: T0=a.fq,b.fq,T1=c.fq or @samples.tsv; - is stdin";
  std::vector<Option> table = {
      std::move(reference),
      {.names = "PATTERNS",
       .to = &a.pattern_file,
       .help = "Patterns: FASTA, a table (tabs or commas) of names and sequences, one sequence a line, or an input of "
               "Cas-OFFinder; IUPAC codes match what they stand for; - is stdin",
       .is_path = true},
      {.names = "-p,--pattern",
       .value = "SEQ",
       .to = &a.patterns,
       .help = "A pattern; may be given more than once",
       .may_be_empty = true,
       .may_repeat = true}};
  append(table, matching_table(a));
  append(table,
         {strand_option(a.rules.strands, InHeader::always),
          {.names = "--pam",
           .value = "NGG[:3'|5']",
           .to = &a.pam,
           .help = "A motif that must match after (3', the default) or before (5') each pattern. Several: NGG,NAG",
           .group = kGuidesGroup,
           .in_header = InHeader::if_changed},
          {.names = "--pam-mismatches",
           .to = &a.pam_mismatches,
           .help = "With --pam: at most N mismatches in the PAM itself",
           .group = kGuidesGroup,
           .most = 16,
           .needs = "--pam",
           .needs_why = kNeedsPam,
           .in_header = InHeader::if_changed},
          {.names = "--max-mismatches",
           .to = &a.max_mismatches,
           .help = "With --pam: at most N mismatches. Without -e, -e is the sum of this number and --max-bulges (0 if "
                   "not given)",
           .group = kGuidesGroup,
           .in_header = InHeader::if_changed},
          {.names = "--max-bulges",
           .value = "N|DNA,RNA",
           .to = typed(&a.max_bulges, parse_bulges, bulges_text),
           .help = "With --pam: at most N bases in DNA and RNA bulges together, or these numbers of each kind (2,1). "
                   "Without -e, as for --max-mismatches",
           .group = kGuidesGroup,
           .in_header = InHeader::if_changed},
          {.names = "--summary",
           .value = "FILE",
           .to = &a.summary,
           .help = "With --pam: also writes a line for each guide, with its sites by mismatches and bulges, and its "
                   "specificity (.tsv .csv)",
           .group = kGuidesGroup,
           .is_path = true},
          {.names = "--vcf",
           .value = "FILE",
           .to = &a.variants,
           .help = "With --pam: also searches the alternative alleles of this VCF or BCF, by haplotype; a table gets "
                   "the columns alleles and samples",
           .group = kGuidesGroup,
           .conflicts = {{[&a](auto&) { return !io::is_table(io::scan_format(a.output)); },
                          " adds columns to a table; give -o a file named .tsv or .csv"},
                         {[&a](auto&) { return io::is_list_of_files(a.reference); },
                          " cannot be used with several references; search them one after the other"}},
           .is_path = true}});
  append(table, output_options(a,
                               ".bed .tsv .csv .gff3, these with .gz, .sam; - is BED on stdout. With --per-read best: "
                               ".tsv .csv, or the reads as "
                               ".bam .cram .fq .fa",
                               ".gz: 0 not compressed, 1 fastest, 9 smallest; by default fast, and about a quarter "
                               "larger than that of bgzip"));
  append(table,
         {{.names = "--report",
           .to = choice(&a.rules.report, {{"loci", scan::RecordUnit::loci}, {"ends", scan::RecordUnit::ends}}),
           .help = "loci: one record for each locus, a run of neighbouring ends; ends: one for every end within -e",
           .group = kRecordsGroup,
           .in_header = InHeader::always},
          {.names = "--annotate",
           .value = "FILE",
           .to = &a.annotation,
           .help = "Genes, as GFF3, GTF or BED: a table gets the columns gene and feature (CDS, exon, intron, gene, "
                   "intergenic)",
           .group = kRecordsGroup,
           .conflicts = {{[&a](auto&) {
                            const io::ScanFormat format = io::scan_format(a.output);
                            return !io::is_table(format) && !io::is_gff(format);
                          },
                          " adds columns to a table; give -o a file named .tsv, .csv or .gff3"}},
           .is_path = true}});
  append(table, reads_options(a));
  append(table, work_options_table(a));
  append(table, report_options(a, "sites by pattern and distance, the closest sites with their alignments"));
  append(table, {{.names = "--memory",
                  .value = "LIMIT",
                  .to = bytes_target("--memory", a.memory),
                  .help = "Most memory to use, for example 8G or 500M; patterns that need more are an error",
                  .group = kWorkGroup},
                 tune_option(a, {{.names = "seed-length", .to = &a.seed_length, .most = scan::kMaxPatternLength}}),
                 {.names = "--order",
                  .instead = "rows are in the order of the reference; sort -s -k4,4 puts those of a "
                             "pattern together"}});
  for (const char* name : {"--amplicons", "--three-prime"}) {
    table.push_back(
        {.names = name, .instead = "primers have a command of their own: trawl primers REF PRIMERS --size 50-2000"});
  }
  for (const char* name : {"-n", "-v"}) {
    table.push_back({.names = name,
                     .instead = "there is no such option; -v N of bowtie and -n N -o 0 of bwa aln are -e N --metric "
                                "hamming here, and every place is found"});
  }
  set_most_used(table, {"--pattern", "--max-edits", "--metric", "--strand", "--pam", "--max-mismatches", "--max-bulges",
                        "--report", "--output", "--threads"});
  return table;
}

scan::Pam parse_pam(const std::string& option, const std::string& text, std::uint32_t max_mismatches) {
  std::vector<std::string> motifs;
  std::string sides;
  for (const std::string& one : split(text, ',')) {
    const std::size_t colon = std::min(one.find(':'), one.size());
    std::string side = colon < one.size() ? one.substr(colon + 1) : "";
    if (side.size() == 2 && side.back() == '\'') {
      side.pop_back();
    }
    if (colon == 0 || (colon < one.size() && side != "3" && side != "5")) {
      throw UsageError(option + ' ' + text +
                       ": give the PAM and its side of the guide, as NGG, NGG:3' or TTTV:5'; several as NGG,NAG");
    }
    sides += side;
    const std::string motif = letters_of(one.substr(0, colon), option);
    if (std::find(motifs.begin(), motifs.end(), motif) == motifs.end()) {
      motifs.push_back(motif);
    }
  }
  if (sides.find_first_not_of(sides.substr(0, 1)) != sides.npos) {
    throw UsageError(option + ' ' + text + ": all PAMs of a search are on one side; search the others by themselves");
  }
  for (const std::string& motif : motifs) {
    if (motif.size() != motifs.front().size()) {
      throw UsageError(option + ' ' + text +
                       ": PAMs given together have the same length; fill the shorter with N, as in " + "NGGNN,NNGRR");
    }
    const auto any = std::count(motif.begin(), motif.end(), 'N');
    if (max_mismatches > 0 && max_mismatches + static_cast<std::size_t>(any) >= motif.size()) {
      throw UsageError("--pam-mismatches " + std::to_string(max_mismatches) + ": every place would match the PAM " +
                       motif + "; allow fewer");
    }
  }
  return scan::make_pam(std::move(motifs), sides.empty() || sides.front() == '3', max_mismatches);
}

scan::ScanOptions search_options(const SearchArguments& a) {
  scan::ScanOptions options = a.rules;
  static_cast<WorkOptions&>(options) = work_options(a);
  options.max_edits = a.max_edits.value_or(0);
  options.ambiguous_matches = a.ambiguous.has_value();
  options.max_ambiguous = a.ambiguous.value_or(sequence::AmbiguousLimit{});
  return options;
}

scan::ScanOptions scan_options(const ScanArguments& a) {
  scan::ScanOptions options = search_options(a);
  if (!a.pam.empty()) {
    options.pam = parse_pam("--pam", a.pam, a.pam_mismatches);
  } else if (a.max_mismatches || a.max_bulges) {
    throw UsageError(
        "--max-mismatches and --max-bulges need --pam; without one, use --metric hamming for mismatches only");
  }
  if (a.pam.empty() && a.seed_length != ScanArguments{}.seed_length) {
    throw UsageError("--tune seed-length needs --pam");
  }
  const auto& bulges = a.max_bulges;
  if (options.metric == scan::Metric::hamming && bulges && bulges->both > 0) {
    throw UsageError("--metric hamming allows no bulges; leave --max-bulges out, or --metric");
  }
  options.max_edits = given_edits(a);
  const auto limit = [&](const std::optional<std::uint32_t>& given) {
    const std::uint32_t not_given = a.max_edits ? options.max_edits : 0;
    return std::min(given.value_or(not_given), options.max_edits);
  };
  options.max_mismatches = limit(a.max_mismatches);
  options.max_bulges =
      options.metric == scan::Metric::hamming ? 0 : limit(bulges ? std::optional(bulges->both) : std::nullopt);
  options.max_dna_bulges = bulges.value_or(BulgeLimits{}).dna;
  options.max_rna_bulges = bulges.value_or(BulgeLimits{}).rna;
  if (!a.pam.empty()) {
    // A smaller limit is faster to search. It also decides which guides would match everywhere.
    options.max_edits = std::min(options.max_edits, options.max_mismatches + options.max_bulges);
  }
  if (const auto rule = call_rule(a)) {
    options.max_edits = rule->searched_edits();
    if (options.max_edits > scan::kMostEdits) {
      throw UsageError("--margin " + std::to_string(a.margin) +
                       ": patterns are searched with -e + N - 1 edits, at most " + std::to_string(scan::kMostEdits) +
                       "; give fewer");
    }
  }
  if (a.patterns.empty() && a.pattern_file.empty() && a.read_structure.empty()) {
    throw UsageError("nothing to search: give a file of patterns after the reference, or -p SEQ");
  }
  return options;
}

std::optional<scan::CallRule> call_rule(const ScanArguments& a) {
  return a.best_per_read ? std::optional(scan::CallRule{a.max_edits.value_or(0), a.margin, a.ties, a.partial})
                         : std::nullopt;
}

scan::GuideRules guide_rules(const ScanArguments& a, const scan::ScanOptions& options) {
  return {options.pam, options.ambiguous_matches, a.seed_length};
}

io::MoreColumns more_columns(const ScanArguments& a, const scan::ScanOptions& options) {
  io::MoreColumns more;
  if (!options.pam.bases.empty()) {
    more.guides = guide_rules(a, options);
    more.ungapped = a.max_bulges ? a.max_bulges->both > 0 : options.max_bulges > 0;
  }
  return more;
}

std::string canonical_command_line(const ScanArguments& a, const std::string& fasta) {
  ScanArguments given = a;
  given.max_edits = given_edits(a);
  // Without -e a limit that is not given is 0; with it, as here, it would be that of -e.
  if (!a.max_edits && (a.max_mismatches || a.max_bulges)) {
    given.max_mismatches = a.max_mismatches.value_or(0);
    given.max_bulges = a.max_bulges.value_or(BulgeLimits{});
  }
  ScanArguments defaults;
  return "trawl scan" + header_options(scan_table(given), scan_table(defaults)) + ' ' + fasta;
}

}  // namespace trawl::cli
