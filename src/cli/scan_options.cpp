#include "cli/scan_options.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "cli/help/outline.hpp"
#include "cli/number_or_share.hpp"
#include "cli/validators.hpp"
#include "io/format/letters.hpp"
#include "io/read/gzip/input_file.hpp"
#include "io/read/pattern_reader.hpp"
#include "scan/find/wu_manber_scan.hpp"
#include "sequence/alphabet.hpp"

namespace trawl::cli {

namespace {

constexpr const char* kExamples = R"(
Examples:
  trawl scan -k 2 -p GGTAYACTTACCAGC genome.fa -o primer.bed
      every locus of a primer within 2 edits, on both strands
  trawl scan -k 4 --max-bulges 1 --pam NGG genome.fa guides.fa -o sites.tsv
      off-targets of guides: the PAM exact, up to 4 edits, at most one of them a base in a bulge
  trawl scan -k 4 --pam NGG,NAG genome.fa guides.csv -o sites.tsv --annotate genes.gff3
      two PAMs; the gene of each site
  trawl scan -k 3 --amplicons 50-2000 --three-prime 5 genome.fa primers.tsv -o products.tsv
      all products of primer pairs, with up to 3 edits in each primer, none in its last 5 bases
  trawl scan --metric hamming -k 3 --report ends genome.fa probes.tsv -o probes.bed.gz
  zcat genome.fa.gz | trawl scan -p GAATTC - | bedtools merge -i -
)";

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

// The value of -k. Without -k: the sum of the limits for guides; a limit that is not given counts as 0.
std::uint32_t given_edits(const ScanArguments& a) {
  if (a.max_edits) {
    return *a.max_edits;
  }
  const std::uint64_t sum = std::uint64_t{a.max_mismatches.value_or(0)} + a.max_bulges.value_or(0);
  if (sum > scan::kMostEdits) {
    throw UsageError("--max-mismatches and --max-bulges allow " + std::to_string(sum) + " edits; at most " +
                     std::to_string(scan::kMostEdits) + " are possible, fewer with -k");
  }
  return static_cast<std::uint32_t>(sum);
}

}  // namespace

void declare(CLI::App& command, ScanArguments& a) {
  declare_reference(command, a.reference);
  command
      .add_option("PATTERNS", a.pattern_file,
                  "Patterns: FASTA, a table (tabs or commas) of names and sequences, one sequence a line, or an input "
                  "of Cas-OFFinder; IUPAC codes match what they stand for; - is stdin")
      ->check(not_empty());
  command.add_option("-p,--pattern", a.patterns, "A pattern; may be given more than once")
      ->type_name("SEQ")
      ->allow_extra_args(false);

  command
      .add_option("-k,-e,--max-edits", a.max_edits,
                  "Largest distance: edits, or mismatches with --metric hamming; -e means the same")
      ->check(whole_number(scan::kMostEdits))
      ->type_name("N")
      ->default_str("0")
      ->group(kMatchingGroup);
  add_choice(command, "--metric", a.metric,
             "levenshtein: substitutions, insertions and deletions; hamming: substitutions only",
             {"levenshtein", "hamming"}, kMatchingGroup);
  add_choice(command, "--strand", a.strand, "Strands to search", {"both", "+", "-"}, kMatchingGroup);
  add_choice(command, "--ambiguous", a.ambiguous,
             "N and other IUPAC codes of the reference match nothing, or match what they may stand for",
             {"mismatch", "match"}, kMatchingGroup);
  command.add_option("--max-ambiguous", a.max_ambiguous, kMaxAmbiguousHelp)
      ->type_name("N|N%")
      ->default_str("25%")
      ->group(kMatchingGroup);

  const char* guides = "Guides";
  command
      .add_option("--pam", a.pam,
                  "A motif that must match after (3', the default) or before (5') each pattern. Several: NGG,NAG")
      ->check(not_empty())
      ->type_name("NGG[:3'|5']")
      ->group(guides);
  add_number(command, "--pam-mismatches", a.pam_mismatches, "With --pam: at most N mismatches in the PAM itself",
             guides, 16);
  command
      .add_option(
          "--max-mismatches", a.max_mismatches,
          "With --pam: at most N mismatches; without -k, -k is this number and --max-bulges (0 if not given) together")
      ->check(whole_number())
      ->type_name("N")
      ->group(guides);
  command
      .add_option("--max-bulges", a.max_bulges,
                  "With --pam: at most N bases in DNA and RNA bulges together; without -k, as for --max-mismatches")
      ->check(whole_number())
      ->type_name("N")
      ->group(guides);

  add_number(command, "--seed-length", a.seed_length,
             "With --pam: the bases nearest the PAM whose mismatches a table counts by themselves", guides,
             scan::kMaxPatternLength);
  command
      .add_option("--summary", a.summary,
                  "With --pam: also writes a line for each guide, with its sites by mismatches and bulges, and its "
                  "specificity (.tsv .csv)")
      ->check(not_empty())
      ->type_name("FILE")
      ->group(guides);

  command
      .add_option(
          "--vcf", a.variants,
          "With --pam: also searches the alternative alleles of this VCF or BCF, by haplotype; a table gets the "
          "columns alleles and samples")
      ->check(not_empty())
      ->type_name("FILE")
      ->group(guides);

  const char* primers = "Primers";
  command
      .add_option("--amplicons", a.amplicons,
                  "PATTERNS has primer pairs: lines with a name, the forward and the reverse primer, with tabs between "
                  "them. Reports all products of these sizes, as .tsv or .bed")
      ->check(not_empty())
      ->type_name("MIN-MAX")
      ->group(primers);
  add_number(command, "--three-prime", a.three_prime,
             "With --amplicons: the last N bases of each primer, at its 3' end, must match exactly", primers,
             scan::kMaxPatternLength);

  declare_output(command, a, "Output: .bed .tsv .csv, these with .gz, .sam; - is BED on stdout", ".gz",
                 "fast, and about a quarter larger than that of bgzip");
  add_choice(command, "--report", a.report,
             "loci: one record for each locus, a run of neighbouring ends; ends: one for every end within -k",
             {"loci", "ends"}, kRecordsGroup);
  add_choice(command, "--order", a.order,
             "position: by contig and start; pattern: by pattern, in the order given, then by position",
             {"position", "pattern"}, kRecordsGroup);
  command
      .add_option("--annotate", a.annotation,
                  "Genes, as GFF3, GTF or BED: a table gets the columns gene and feature (CDS, exon, intron, "
                  "gene, intergenic)")
      ->check(not_empty())
      ->type_name("FILE")
      ->group(kRecordsGroup);

  declare_work(command, a);
  declare_multiqc(command, a);
  declare_report(command, a, "sites by pattern and distance, the closest sites with their alignments");
  add_choice(
      command, "--search", a.search,
      "How to search. rows: one pattern after the other; pieces: pieces of all patterns together, for large sets, "
      "and guides from the sites of their PAM; the records are the same",
      {"auto", "rows", "pieces"}, kWorkGroup);
  command
      .add_option("--memory", a.memory,
                  "Memory to use, at most, for example 8G or 500M; patterns that need more are an error")
      ->check(not_empty())
      ->type_name("LIMIT")
      ->group(kWorkGroup);
  add_number(command, "--chunk-size", a.chunk_size, "Bases read at a time; 0: Trawl chooses; the records are the same",
             kWorkGroup);
  command.footer(kExamples);
  set_most_used(command, {"--pattern", "--max-edits", "--metric", "--strand", "--pam", "--max-mismatches",
                          "--max-bulges", "--amplicons", "--output", "--threads"});
}

scan::Options scan_options(const ScanArguments& a) {
  scan::Options options;
  static_cast<WorkOptions&>(options) = work_options(a);
  options.metric = a.metric == "hamming" ? scan::Metric::hamming : scan::Metric::levenshtein;
  options.strands = a.strand == "+"   ? scan::Strands::forward
                    : a.strand == "-" ? scan::Strands::reverse
                                      : scan::Strands::both;
  options.report = a.report == "ends" ? scan::Report::ends : scan::Report::loci;
  options.ambiguous_matches = a.ambiguous == "match";
  options.max_ambiguous = parse_max_ambiguous(a.max_ambiguous, a.ambiguous);
  options.search = a.search == "rows"     ? scan::Search::rows
                   : a.search == "pieces" ? scan::Search::pieces
                                          : scan::Search::automatic;
  if (!a.pam.empty()) {
    options.pam = parse_pam(a.pam, a.pam_mismatches);
  } else if (a.max_mismatches || a.max_bulges) {
    throw UsageError(
        "--max-mismatches and --max-bulges need --pam; without one, use --metric hamming for mismatches only");
  }
  if (a.pam.empty() && a.pam_mismatches > 0) {
    throw UsageError("--pam-mismatches needs --pam");
  }
  if (a.pam.empty() && a.seed_length != ScanArguments{}.seed_length) {
    throw UsageError("--seed-length needs --pam");
  }
  if (options.metric == scan::Metric::hamming && a.max_bulges.value_or(0) > 0) {
    throw UsageError("--metric hamming allows no bulges; leave --max-bulges out, or --metric");
  }
  if (a.amplicons.empty() && a.three_prime > 0) {
    throw UsageError("--three-prime is for primers; give their products' sizes, for example --amplicons 50-2000");
  }
  options.pam.own = a.three_prime;
  options.max_edits = given_edits(a);
  const auto limit = [&](const std::optional<std::uint32_t>& given) {
    const std::uint32_t not_given = a.max_edits ? options.max_edits : 0;
    return std::min(given.value_or(not_given), options.max_edits);
  };
  options.max_mismatches = limit(a.max_mismatches);
  options.max_bulges = options.metric == scan::Metric::hamming ? 0 : limit(a.max_bulges);
  if (options.pam.own > 0) {
    options.max_mismatches = options.max_edits;
    options.max_bulges = options.metric == scan::Metric::hamming ? 0 : options.max_edits;
  }
  if (!a.pam.empty()) {
    // A smaller limit is faster to search. It also decides which guides would match everywhere.
    options.max_edits = std::min(options.max_edits, options.max_mismatches + options.max_bulges);
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
  if (!a.max_edits && !a.max_mismatches && !a.max_bulges) {
    a.max_mismatches = cas.mismatches;
    a.max_bulges = cas.bulges;
    taken += " --max-mismatches " + std::to_string(cas.mismatches) + " --max-bulges " + std::to_string(cas.bulges);
  }
  return file + " is an input of Cas-OFFinder" + (taken.empty() ? "" : ", which gives" + taken) +
         "; the genome in its first line is not read";
}

std::string canonical_command_line(const ScanArguments& a, const std::string& fasta) {
  std::string line = "trawl scan --max-edits " + std::to_string(given_edits(a)) + " --metric " + a.metric +
                     " --strand " + a.strand + " --report " + a.report;
  if (a.ambiguous != "mismatch") {
    line += " --ambiguous " + a.ambiguous;
  }
  if (!a.max_ambiguous.empty()) {
    line += " --max-ambiguous " + a.max_ambiguous;
  }
  if (!a.pam.empty()) {
    line += " --pam " + a.pam;
  }
  if (a.pam_mismatches > 0) {
    line += " --pam-mismatches " + std::to_string(a.pam_mismatches);
  }
  // Without -k a limit that is not given is 0; with it, as here, it would be that of -k.
  const bool are_limited = !a.max_edits && (a.max_mismatches || a.max_bulges);
  if (a.max_mismatches || are_limited) {
    line += " --max-mismatches " + std::to_string(a.max_mismatches.value_or(0));
  }
  if (a.max_bulges || are_limited) {
    line += " --max-bulges " + std::to_string(a.max_bulges.value_or(0));
  }
  return line + ' ' + fasta;
}

}  // namespace trawl::cli
