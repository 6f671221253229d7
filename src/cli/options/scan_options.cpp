#include "cli/options/scan_options.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/error.hpp"
#include "cli/options/work_options.hpp"
#include "io/format/letters.hpp"
#include "io/read/gzip/input_file.hpp"
#include "io/read/pattern_reader.hpp"
#include "scan/find/wu_manber_scan.hpp"
#include "sequence/alphabet.hpp"

namespace trawl::cli {

namespace {

constexpr const char* kGuidesGroup = "Guides";
constexpr const char* kNeedsPam = "as guides have; for example --pam NGG";

std::string letters_of(const std::string& text, const std::string& option) {
  if (const std::size_t at = io::find_not_iupac(text); at < text.size()) {
    throw UsageError(option + " " + text + ": " + io::describe_character(text[at]) + " is not an IUPAC letter");
  }
  return sequence::upper_bases(text);
}

// Motifs with commas between them; their side once, or after each.
scan::Pam parse_pam(const std::string& text, std::uint32_t max_mismatches) {
  std::vector<std::string> motifs;
  std::string sides;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    const std::string one = text.substr(begin, comma - begin);
    begin = comma + 1;
    const std::size_t colon = std::min(one.find(':'), one.size());
    std::string side = colon < one.size() ? one.substr(colon + 1) : "";
    if (side.size() == 2 && side.back() == '\'') {
      side.pop_back();
    }
    if (colon == 0 || (colon < one.size() && side != "3" && side != "5")) {
      throw UsageError("--pam " + text +
                       ": give the PAM and its side of the guide, as NGG, NGG:3' or TTTV:5'; several as NGG,NAG");
    }
    sides += side;
    const std::string motif = letters_of(one.substr(0, colon), "--pam");
    if (std::find(motifs.begin(), motifs.end(), motif) == motifs.end()) {
      motifs.push_back(motif);
    }
  }
  if (sides.find_first_not_of(sides.substr(0, 1)) != sides.npos) {
    throw UsageError("--pam " + text + ": all PAMs of a search are on one side; search the others by themselves");
  }
  for (const std::string& motif : motifs) {
    if (motif.size() != motifs.front().size()) {
      throw UsageError("--pam " + text + ": PAMs given together have the same length; fill the shorter with N, as in " +
                       "NGGNN,NNGRR");
    }
    const auto any = std::count(motif.begin(), motif.end(), 'N');
    if (max_mismatches > 0 && max_mismatches + static_cast<std::size_t>(any) >= motif.size()) {
      throw UsageError("--pam-mismatches " + std::to_string(max_mismatches) + ": every place would match the PAM " +
                       motif + "; allow fewer");
    }
  }
  return scan::make_pam(std::move(motifs), sides.empty() || sides.front() == '3', max_mismatches);
}

// The value of --max-bulges.
struct BulgeLimits {
  std::uint32_t both = 0;
  std::uint32_t dna = ~std::uint32_t{0}, rna = ~std::uint32_t{0};
};

std::optional<BulgeLimits> bulge_limits(const ScanArguments& a) {
  const std::string& text = a.max_bulges;
  if (text.empty()) {
    return std::nullopt;
  }
  const auto number = [&](std::size_t begin, std::size_t end) {
    std::uint32_t value = 0;
    const auto read = std::from_chars(text.data() + begin, text.data() + end, value);
    if (begin == end || read.ec != std::errc() || read.ptr != text.data() + end || value > 1000) {
      throw UsageError(
          "--max-bulges " + text +
          ": give a number of bases, or two with a comma: those in DNA bulges and those in RNA bulges, for "
          "example 2,1");
    }
    return value;
  };
  const std::size_t comma = text.find(',');
  if (comma == text.npos) {
    return BulgeLimits{number(0, text.size())};
  }
  const std::uint32_t dna = number(0, comma), rna = number(comma + 1, text.size());
  return BulgeLimits{dna + rna, dna, rna};
}

// The value of -k. Without -k: the sum of the limits for guides; a limit that is not given counts as 0.
std::uint32_t given_edits(const ScanArguments& a) {
  if (a.max_edits) {
    return *a.max_edits;
  }
  const std::uint64_t sum = std::uint64_t{a.max_mismatches.value_or(0)} + bulge_limits(a).value_or(BulgeLimits{}).both;
  if (sum > scan::kMostEdits) {
    throw UsageError("--max-mismatches and --max-bulges allow " + std::to_string(sum) + " edits; at most " +
                     std::to_string(scan::kMostEdits) + " are possible, fewer with -k");
  }
  return static_cast<std::uint32_t>(sum);
}

// --per-read best has a table of its own.
void check_per_read(const ScanArguments& a) {
  const std::pair<const char*, bool> others[] = {
      {"--pam", !a.pam.empty()}, {"--annotate", !a.annotation.empty()}, {"--report ends", a.report == "ends"}};
  for (const auto& [option, is_given] : others) {
    if (is_given) {
      throw UsageError("--per-read best writes a row for each read; leave out " + std::string(option));
    }
  }
}

}  // namespace

std::vector<Option> matching_table(SearchArguments& a) {
  return {{.names = "-e,-k,--max-edits",
           .to = &a.max_edits,
           .help = "Largest distance: edits, or mismatches with --metric hamming; -k means the same",
           .group = kMatchingGroup,
           .default_text = "0",
           .most = scan::kMostEdits,
           .in_header = InHeader::always},
          metric_option(a.metric, InHeader::always),
          ambiguous_option(a.ambiguous, " of the reference"),
          former_max_ambiguous(),
          circular_option(a.circular, kMatchingGroup)};
}

Option tune_option(SearchArguments& a, std::vector<Option> more) {
  // rows: one pattern after the other; pieces: pieces of all patterns together, and guides from the sites of their PAM.
  std::vector<Option> keys = {{.names = "search", .to = &a.search, .words = {"auto", "rows", "pieces"}},
                              {.names = "chunk-size", .to = &a.chunk_size}};
  append(keys, std::move(more));
  return tune_option(std::move(keys));
}

std::vector<Option> scan_table(ScanArguments& a) {
  Option reference = reference_argument(a.reference);
  reference.help =
      "Reference: FASTA, plain, gzip or BGZF, 2bit, or an index of trawl index; several: a.fa,b.fa or @list.txt; or "
      "reads: FASTQ; - is stdin";
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
  append(
      table,
      {{.names = "--strand",
        .to = &a.strand,
        .help = "Strands to search",
        .group = kMatchingGroup,
        .words = {"both", "+", "-"},
        .in_header = InHeader::always},
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
        .help = "With --pam: at most N mismatches; without -e, -e is this number and --max-bulges (0 if not given) "
                "together",
        .group = kGuidesGroup,
        .in_header = InHeader::if_changed},
       {.names = "--max-bulges",
        .value = "N|DNA,RNA",
        .to = &a.max_bulges,
        .help = "With --pam: at most N bases in DNA and RNA bulges together, or at most so many of each kind; without "
                "-e, as for --max-mismatches",
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
        .is_path = true}});
  append(table, output_options(a, ".bed .tsv .csv .gff3, these with .gz, .sam; - is BED on stdout",
                               ".gz: 0 not compressed, 1 fastest, 9 smallest; by default fast, and about a quarter "
                               "larger than that of bgzip"));
  append(table,
         {{.names = "--report",
           .to = &a.report,
           .help = "loci: one record for each locus, a run of neighbouring ends; ends: one for every end within -e",
           .group = kRecordsGroup,
           .words = {"loci", "ends"},
           .in_header = InHeader::always},
          {.names = "--annotate",
           .value = "FILE",
           .to = &a.annotation,
           .help = "Genes, as GFF3, GTF or BED: a table gets the columns gene and feature (CDS, exon, intron, gene, "
                   "intergenic)",
           .group = kRecordsGroup,
           .is_path = true}});
  append(table,
         {{.names = "--per-read",
           .to = &a.per_read,
           .help = "all: a record for each place of a pattern; best: a row for each read of REF, with its best "
                   "pattern and the next one (.tsv .csv; - is TSV on stdout)",
           .group = kReadsGroup,
           .words = {"all", "best"}},
          {.names = "--margin",
           .to = &a.margin,
           .help = "The best pattern of a read must be N edits closer than any other; else the read is ambiguous",
           .group = kReadsGroup,
           .least = 1,
           .needs = "--per-read best"},
          {.names = "--within",
           .value = "5p:N,3p:N",
           .to = &a.within,
           .help = "Search the first (5p) or last (3p) N bases of each read only, or both; REF is reads",
           .group = kReadsGroup},
          {.names = "--extract",
           .value = "FOLDER",
           .to = &a.extract,
           .help = "Write the reads into a new folder, a file for each pattern, by --per-read best, which is then set: "
                   "NAME.fq.gz, ambiguous.fq.gz, unassigned.fq.gz; the table only with -o",
           .group = kReadsGroup,
           .needs = "--per-read best",
           .is_path = true},
          {.names = "--trim",
           .to = &a.trim,
           .help = "With --extract: cut off the pattern and all before it, or all after it, in its direction",
           .group = kReadsGroup,
           .words = {"none", "before", "after"},
           .needs = "--extract"}});
  append(table, work_options_table(a));
  append(table, report_options(a, "sites by pattern and distance, the closest sites with their alignments"));
  append(table, {{.names = "--memory",
                  .value = "LIMIT",
                  .to = &a.memory,
                  .help = "Memory to use, at most, for example 8G or 500M; patterns that need more are an error",
                  .group = kWorkGroup},
                 server_option(a.server),
                 tune_option(a, {{.names = "seed-length", .to = &a.seed_length, .most = scan::kMaxPatternLength}}),
                 {.names = "--order",
                  .instead = "rows are in the order of the reference; sort -s -k4,4 puts those of a "
                             "pattern together"}});
  for (const char* name : {"--amplicons", "--three-prime"}) {
    table.push_back(
        {.names = name, .instead = "primers have a command of their own: trawl primers REF PRIMERS --size 50-2000"});
  }
  set_most_used(table, {"--pattern", "--max-edits", "--metric", "--strand", "--pam", "--max-mismatches", "--max-bulges",
                        "--report", "--output", "--threads"});
  return table;
}

scan::Options search_options(const SearchArguments& a) {
  scan::Options options;
  static_cast<WorkOptions&>(options) = work_options(a);
  options.max_edits = a.max_edits.value_or(0);
  options.metric = a.metric == "hamming" ? scan::Metric::hamming : scan::Metric::levenshtein;
  const auto ambiguous = parse_ambiguous(a.ambiguous);
  options.ambiguous_matches = ambiguous.has_value();
  options.max_ambiguous = ambiguous.value_or(sequence::AmbiguousLimit{});
  options.search = a.search == "rows"     ? scan::Search::rows
                   : a.search == "pieces" ? scan::Search::pieces
                                          : scan::Search::automatic;
  return options;
}

scan::Options scan_options(const ScanArguments& a) {
  scan::Options options = search_options(a);
  options.strands = a.strand == "+"   ? scan::Strands::forward
                    : a.strand == "-" ? scan::Strands::reverse
                                      : scan::Strands::both;
  options.report = a.report == "ends" ? scan::Report::ends : scan::Report::loci;
  if (!a.pam.empty()) {
    options.pam = parse_pam(a.pam, a.pam_mismatches);
  } else if (a.max_mismatches || !a.max_bulges.empty()) {
    throw UsageError(
        "--max-mismatches and --max-bulges need --pam; without one, use --metric hamming for mismatches only");
  }
  if (a.pam.empty() && a.seed_length != ScanArguments{}.seed_length) {
    throw UsageError("--tune seed-length needs --pam");
  }
  const auto bulges = bulge_limits(a);
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
  if (read_ends(a); !a.within.empty() && !a.pam.empty()) {
    throw UsageError("--within is for patterns in reads; leave out --pam");
  }
  if (const auto rule = call_rule(a)) {
    check_per_read(a);
    options.max_edits = rule->searched_edits();
    if (options.max_edits > scan::kMostEdits) {
      throw UsageError("--margin " + std::to_string(a.margin) +
                       ": patterns are searched with -e + N - 1 edits, at most " + std::to_string(scan::kMostEdits) +
                       "; give fewer");
    }
  }
  if (a.patterns.empty() && a.pattern_file.empty()) {
    throw UsageError("nothing to search: give a file of patterns after the reference, or -p SEQ");
  }
  const auto inputs = {a.reference, a.pattern_file, a.variants, a.annotation};
  if (std::count(inputs.begin(), inputs.end(), "-") > 1) {
    throw UsageError("only one of the files can be the standard input (-)");
  }
  return options;
}

io::ReadEnds read_ends(const ScanArguments& a) {
  io::ReadEnds ends;
  for (std::size_t begin = 0; begin <= a.within.size() && !a.within.empty();) {
    const std::size_t comma = std::min(a.within.find(',', begin), a.within.size());
    const std::string one = a.within.substr(begin, comma - begin);
    begin = comma + 1;
    std::uint64_t& end = one.starts_with("3p:") ? ends.last : ends.first;
    if (!(one.starts_with("5p:") || one.starts_with("3p:")) || end > 0 ||
        !set({.names = "--within", .to = &end, .least = 1}, one.substr(3)).empty()) {
      throw UsageError("--within " + a.within +
                       ": give how many bases of each end of a read are searched, as 5p:150, 3p:150 or 5p:150,3p:150");
    }
  }
  return ends;
}

std::optional<scan::CallRule> call_rule(const ScanArguments& a) {
  return a.per_read == "best" ? std::optional(scan::CallRule{a.max_edits.value_or(0), a.margin}) : std::nullopt;
}

scan::PatternList read_patterns(const ScanArguments& a, std::optional<io::CasOffinderInput>& cas) {
  scan::PatternList patterns;
  for (const std::string& text : a.patterns) {
    if (text.empty()) {
      throw UsageError("-p: a pattern has at least one letter");
    }
    if (text.size() > scan::kMaxPatternLength) {
      throw UsageError("-p: a pattern has at most " + std::to_string(scan::kMaxPatternLength) + " letters");
    }
    const std::string bases = letters_of(text, "-p");
    patterns.add(io::name_of_pattern(bases, patterns.size() + 1), bases);
  }
  if (!a.pattern_file.empty()) {
    cas = io::read_patterns(a.pattern_file, scan::kMaxPatternLength, patterns);
  }
  return patterns;
}

std::string take_options(const io::CasOffinderInput& cas, ScanArguments& a) {
  const std::string file = io::display_name(a.pattern_file);
  const std::string pam = cas.pam + (cas.is_last ? "" : ":5'");
  std::string taken;
  if (a.pam.empty()) {
    a.pam = pam;
    taken = " --pam \"" + pam + '"';
  }
  if (!a.max_edits && !a.max_mismatches && a.max_bulges.empty()) {
    a.max_mismatches = cas.mismatches;
    a.max_bulges = std::to_string(cas.dna_bulges);
    if (cas.rna_bulges != cas.dna_bulges) {
      a.max_bulges += ',' + std::to_string(cas.rna_bulges);
    }
    taken += " --max-mismatches " + std::to_string(cas.mismatches) + " --max-bulges " + a.max_bulges;
  }
  return file + " is an input of Cas-OFFinder" + (taken.empty() ? "" : ", which gives" + taken) +
         "; the genome in its first line is not read";
}

scan::GuideRules guide_rules(const ScanArguments& a, const scan::Options& options) {
  return {options.pam, options.ambiguous_matches, a.seed_length};
}

io::MoreColumns more_columns(const ScanArguments& a, const scan::Options& options) {
  io::MoreColumns more;
  if (!options.pam.bases.empty()) {
    more.guides = guide_rules(a, options);
    more.ungapped = options.max_bulges > 0;
  }
  return more;
}

std::string canonical_command_line(const ScanArguments& a, const std::string& fasta) {
  ScanArguments given = a;
  given.max_edits = given_edits(a);
  // Without -e a limit that is not given is 0; with it, as here, it would be that of -e.
  if (!a.max_edits && (a.max_mismatches || !a.max_bulges.empty())) {
    given.max_mismatches = a.max_mismatches.value_or(0);
    given.max_bulges = a.max_bulges.empty() ? "0" : a.max_bulges;
  }
  ScanArguments defaults;
  return "trawl scan" + header_options(scan_table(given), scan_table(defaults)) + ' ' + fasta;
}

}  // namespace trawl::cli
