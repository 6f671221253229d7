#include "cli/map_options.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/machine_memory.hpp"
#include "cli/help/outline.hpp"
#include "cli/map_presets.hpp"
#include "cli/number_or_share.hpp"
#include "cli/output_check.hpp"
#include "cli/validators.hpp"
#include "io/format/file_format.hpp"
#include "io/write/output_file.hpp"

namespace trawl::cli {

namespace {

constexpr const char* kClipGroup = "Clipped ends";
constexpr const char* kPairsGroup = "Pairs";
constexpr std::uint32_t kLargestGivenInsert = 100'000'000;
// The time for a clipped read grows with it.
constexpr std::uint32_t kLargestJoin = 1000;

constexpr const char* kExamples = R"(
Examples:
  trawl map genome.fa reads.fq.gz -o best.bam
      the best place of every read, with a mapping quality from all its places
  trawl map -e 5 --report all genome.fa reads.fq.gz -o all.bam
      every place within 5 edits
  trawl map -e 4% --report strata --strata 1 -t 8 genome.fa lane1.fq.gz,lane2.fq.gz -o strata.cram
      the best places and those with one edit more
  trawl map genome.fa reads_1.fq.gz reads_2.fq.gz -o pairs.bam
      the best place of every pair; the insert sizes are estimated from the first pairs
  trawl map --sort genome.fa reads.fq.gz -o sorted.bam
      sorted.bam in coordinate order, and its index, sorted.bam.bai
  trawl map --clip 30% --split genome.fa reads.fq.gz -o clipped.bam
      where a whole read fits nowhere, up to 30% of it may be left out at its ends (adapters,
      chimeras, bad tails); a long end that fits elsewhere is a supplementary record

)";

map::NumberOrShare parse_clip(const std::string& text) {
  constexpr const char* kAdvice =
      "give a number of bases, for example 40, or a share of the read's length below 50%, for example 30%";
  const auto most = parse_number_or_share("--clip", text, kAdvice);
  if (most.percent >= 50) {
    throw UsageError("--clip " + text + ": " + kAdvice);
  }
  if (most.number > align::kMostClipped) {
    throw UsageError("--clip " + text + ": at most " + std::to_string(align::kMostClipped) + " bases can be left out");
  }
  return most;
}

map::ClipOptions clip_options(const MapArguments& a) {
  map::ClipOptions clip;
  clip.most = parse_clip(a.clip);
  clip.when = a.clip_when == "always" ? align::ClipWhen::always : align::ClipWhen::unmapped;
  clip.split = a.split;
  clip.join = a.join;
  clip.hard = a.hard_clip;
  const char* const option = a.clip_when != MapArguments().clip_when ? "--clip-when"
                             : a.split                               ? "--split"
                             : a.join > 0                            ? "--join"
                             : a.hard_clip                           ? "--hard-clip"
                                                                     : nullptr;
  if (!clip.on() && option != nullptr) {
    throw UsageError(std::string(option) + " needs --clip, which says how much of a read may be left out: --clip 30%");
  }
  return clip;
}

// Throws if an option that is about pairs is given without pairs.
void check_pair_options(const MapArguments& a) {
  if (a.interleaved || !a.mates.empty()) {
    return;
  }
  const MapArguments defaults;
  const char* const option = !a.insert.empty()                       ? "--insert"
                             : a.orientation != defaults.orientation ? "--orientation"
                             : a.discordant != defaults.discordant   ? "--discordant"
                             : a.one_end != defaults.one_end         ? "--one-end"
                             : a.mate_fields != defaults.mate_fields ? "--mate-fields"
                             : !a.divet.empty()                      ? "--divet"
                             : !a.oea.empty()                        ? "--oea"
                                                                     : nullptr;
  if (option != nullptr) {
    throw UsageError(std::string(option) +
                     " is for pairs; give them as two files, trawl map REF R1 R2, or as one file with --interleaved");
  }
}

// A list with commas; empty if the argument is not given.
std::vector<std::string> paths_of(const char* argument, const std::string& list) {
  std::vector<std::string> paths;
  for (std::size_t begin = 0; !list.empty() && begin <= list.size();) {
    const std::size_t comma = std::min(list.find(',', begin), list.size());
    paths.push_back(list.substr(begin, comma - begin));
    if (paths.back().empty()) {
      throw UsageError(std::string(argument) + " '" + list + "': an empty file name between commas");
    }
    begin = comma + 1;
  }
  return paths;
}

}  // namespace

map::NumberOrShare parse_max_edits(const std::string& text) {
  const auto edits = parse_number_or_share(
      "-e", text, "give a number of edits, for example 5, or a share of the read's length up to 50%, for example 5%");
  if (edits.number > map::kMaxEdits) {
    throw UsageError("-e " + text + ": at most " + std::to_string(map::kMaxEdits) + " edits are possible");
  }
  return edits;
}

void declare(CLI::App& command, MapArguments& a) {
  declare_reference(command, a.reference);
  command
      .add_option("READS", a.reads,
                  "Reads: FASTQ or FASTA, plain, gzip or BGZF; several files with commas between them; - is stdin")
      ->required()
      ->check(not_empty());
  command.add_option("MATES", a.mates, "Second mates, if READS has the first ones: pairs, in the same order")
      ->check(not_empty());

  declare_max_edits(command, a.max_edits);
  add_number(
      command, "--min-length", a.min_length,
      "Leave reads of fewer bases unmapped; 0: those that are expected at more than 1,000 places by chance, which "
      "depends on -e and the reference",
      kMatchingGroup);
  add_choice(command, "--metric", a.metric,
             "levenshtein: substitutions, insertions and deletions; hamming: substitutions only, so alignments have no "
             "gaps",
             {"levenshtein", "hamming"}, kMatchingGroup);
  add_choice(command, "--ambiguous", a.ambiguous,
             "N and other IUPAC codes match nothing, or match what they may stand for", {"mismatch", "match"},
             kMatchingGroup);
  command.add_option("--max-ambiguous", a.max_ambiguous, kMaxAmbiguousHelp)
      ->type_name("N|N%")
      ->default_str("25%")
      ->group(kMatchingGroup);
  add_choice(
      command, "--search", a.search,
      "How loci are found: by seeds, by a scan of the whole reference, or by what costs less; the records are the same",
      {"auto", "seeds", "scan"}, kMatchingGroup);

  command
      .add_option("--clip", a.clip,
                  "Most bases of a read that may be left out, at both its ends together: a number (40), or a share of "
                  "the read length, rounded down (30%); always less than half of the read; 0: the whole read must fit")
      ->type_name("N|N%")
      ->capture_default_str()
      ->group(kClipGroup);
  add_choice(command, "--clip-when", a.clip_when,
             "Which reads may be clipped: those that fit nowhere as a whole, or all", {"unmapped", "always"},
             kClipGroup);
  command
      .add_flag("--split", a.split,
                "Also map clipped ends of 30 bases and more: those that fit are supplementary records, with tag SA")
      ->group(kClipGroup);
  add_number(command, "--join", a.join,
             "Join a clipped end of a primary record to its piece by one long gap, a deletion or insertion of up to N "
             "bases (at most 1000), if at least 16 bases fit after it; 0: no",
             kClipGroup, kLargestJoin);
  command
      .add_flag("--hard-clip", a.hard_clip,
                "H instead of S in secondary and supplementary records; the latter have only the bases that fit")
      ->group(kClipGroup);

  declare_output(command, a, "Output: .sam .bam .cram .bed .bed.gz; - is SAM on stdout", ".bam and .bed.gz",
                 "the fastest whose .bam is at most 10% larger than that of samtools; .bed.gz is then about a quarter "
                 "larger than that of bgzip");
  add_choice(command, "--output-format", a.output_format,
             "Format of the output, where its name does not say it, for example BAM on stdout",
             {"sam", "bam", "cram", "bed"}, kRecordsGroup);
  add_choice(command, "--report", a.report,
             "Loci to report, of pairs the pairs of loci that fit: one with the fewest edits; those with up to "
             "--strata edits more; all",
             {"best", "strata", "all"}, kRecordsGroup);
  add_number(command, "--strata", a.strata, "With --report strata: loci with up to N edits more than the best",
             kRecordsGroup);
  add_number(command, "-k,--max-hits", a.max_hits,
             "With --report strata or all: at most N loci for each read, N pairs of loci for each pair; tag ZD says "
             "how many were left out; 0: no limit",
             kRecordsGroup);
  command.add_flag("--eqx", a.eqx, "= and X instead of M in CIGARs")->group(kRecordsGroup);
  command
      .add_flag("--secondary-seq", a.secondary_seq,
                "SEQ and QUAL also in secondary records, where they otherwise are *")
      ->group(kRecordsGroup);
  command.add_option("-R,--read-group", a.read_group, "Read group line, for example '@RG\\tID:x\\tSM:y'")
      ->check(not_empty())
      ->type_name("STR")
      ->group(kRecordsGroup);
  add_choice(command, "--unmapped", a.unmapped, "Reads without a locus: one unmapped record, or nothing",
             {"keep", "drop"}, kRecordsGroup);

  command
      .add_flag("-C,--comments", a.comments,
                "Add the comments of reads, which must be SAM tags, to their records; Illumina's 1:N:0:INDEX and tags "
                "that the records have anyway are left out")
      ->group(kRecordsGroup);
  command.add_flag("--sort", a.sort, "BAM or CRAM in coordinate order, with its index beside it")->group(kRecordsGroup);

  command.add_flag("--interleaved", a.interleaved, "READS has pairs: the two mates follow each other")
      ->group(kPairsGroup);
  command
      .add_option(
          "--insert", a.insert,
          "Smallest and largest outer distance of the mates, for example 100-600; by default estimated from the "
          "first pairs")
      ->check(not_empty())
      ->type_name("MIN-MAX")
      ->group(kPairsGroup);
  add_choice(command, "--orientation", a.orientation,
             "How mates lie: towards each other, away from each other, or on one strand with the first mate first",
             {"fr", "rf", "ff"}, kPairsGroup);
  add_choice(command, "--discordant", a.discordant,
             "Report each mate's own loci: if the mates fit together nowhere; also beside pairs; or never: then mates "
             "that fit nowhere become unmapped",
             {"if-none", "always", "never"}, kPairsGroup);
  add_choice(command, "--one-end", a.one_end,
             "Pairs of which only one mate has a locus: report that mate, or leave both unmapped", {"report", "never"},
             kPairsGroup);
  add_choice(command, "--mate-fields", a.mate_fields,
             "The mate fields of secondary records: of the mate in the same pair, or of the mate's primary record",
             {"paired", "primary"}, kPairsGroup);
  command.add_option("--divet", a.divet, "Also write discordant pairs as mrFAST's DIVET file, for VariationHunter")
      ->check(not_empty())
      ->type_name("FILE.vh")
      ->group(kPairsGroup);
  command
      .add_option("--oea", a.oea,
                  "Also write one-end-anchored pairs as mrFAST does: SAM with the unmapped mate in tags NS and NQ")
      ->check(not_empty())
      ->type_name("FILE.sam")
      ->group(kPairsGroup);

  // The options for pairs of other programs. Without this, the words after them would be taken as READS and MATES.
  for (const std::string name : {"-1", "-2"}) {
    const auto refuse = [name](const std::string&) {
      throw CLI::ValidationError(name,
                                 "there is no such option; give pairs as two files, trawl map REF R1 R2, or as "
                                 "one file with --interleaved");
    };
    command.add_option_function<std::string>(name, refuse)->group("");
  }

  declare_work(command, a);
  declare_multiqc(command, a);
  declare_report(command, a, "mapped shares, distances, qualities, insert sizes, coverage");
  command
      .add_option("--report-regions", a.report_regions,
                  "What the browser of --report-html shows: a BED file, or regions with commas between them, at most "
                  "100,000 bases; by default 24 windows of 500 bases, of which 12 have many alignments")
      ->check(not_empty())
      ->type_name("FILE.bed|CHR:FROM-TO")
      ->group(kWorkGroup);
  add_number(command, "--batch-size", a.batch_size, "Reads in a batch; 0: Trawl chooses; the records are the same",
             kWorkGroup);
  command
      .add_option("--sort-memory", a.sort_memory,
                  "Memory for the records that --sort holds, at least 1M; the rest waits in temporary files in TMPDIR; "
                  "by default a quarter of the machine's memory")
      ->check(not_empty())
      ->type_name("SIZE")
      ->group(kWorkGroup);
  declare_presets(command, a.preset, kRecordsGroup);
  command.footer(kExamples + presets_text());
  set_most_used(command, {"--max-edits", "--clip", "--output", "--sort", "--report", "--max-hits", "--read-group",
                          "--interleaved", "--threads", "--stats"});
}

map::Options map_options(const MapArguments& a) {
  map::Options options;
  static_cast<WorkOptions&>(options) = work_options(a);
  options.max_edits = parse_max_edits(a.max_edits);
  options.min_length = a.min_length;
  options.metric = a.metric == "hamming" ? map::Metric::hamming : map::Metric::levenshtein;
  options.clip = clip_options(a);
  if (options.clip.on() && !options.gaps()) {
    throw UsageError("--clip needs alignments with gaps; leave --clip or --metric hamming out");
  }
  options.report = a.report == "all"      ? map::Report::all
                   : a.report == "strata" ? map::Report::strata
                                          : map::Report::best;
  if (a.strata > 0 && options.report != map::Report::strata) {
    throw UsageError("--strata needs --report strata");
  }
  if (a.max_hits > 0 && options.report == map::Report::best) {
    throw UsageError(
        "-k,--max-hits: --report best writes one record for each read anyway; give --report strata or all, or -e "
        "if you mean edits");
  }
  options.strata = a.strata;
  options.max_hits = a.max_hits;
  options.ambiguous = a.ambiguous == "match" ? map::Ambiguous::match : map::Ambiguous::mismatch;
  options.max_ambiguous = parse_max_ambiguous(a.max_ambiguous, a.ambiguous);
  options.eqx = a.eqx;
  check_pair_options(a);
  options.pairs.orientation = a.orientation == "rf"   ? align::Orientation::rf
                              : a.orientation == "ff" ? align::Orientation::ff
                                                      : align::Orientation::fr;
  options.pairs.discordant = a.discordant == "always"  ? align::Discordant::always
                             : a.discordant == "never" ? align::Discordant::never
                                                       : align::Discordant::if_none;
  options.one_end = a.one_end == "report";
  if (!options.one_end && !a.oea.empty()) {
    throw UsageError("--oea writes the pairs with one mate mapped, but --one-end never leaves them out");
  }
  options.search = a.search == "seeds"  ? map::Search::seeds
                   : a.search == "scan" ? map::Search::scan
                                        : map::Search::automatic;
  return options;
}

io::OutputFormat output_format(const MapArguments& a) {
  using io::OutputFormat;
  const std::string& word = a.output_format;
  const auto given = word.empty()     ? std::optional<OutputFormat>()
                     : word == "bam"  ? OutputFormat::bam
                     : word == "cram" ? OutputFormat::cram
                     : word == "bed"  ? OutputFormat::bed
                                      : OutputFormat::sam;
  return io::output_format(a.output, given);
}

io::ReadInput::Files read_files(const MapArguments& a) {
  if (a.interleaved && !a.mates.empty()) {
    throw UsageError("--interleaved: the mates are in READS, so give no MATES; or leave --interleaved out");
  }
  io::ReadInput::Files files{paths_of("READS", a.reads), paths_of("MATES", a.mates), a.interleaved};
  if (const auto format = output_format(a); a.comments) {
    if (format == io::OutputFormat::bed || format == io::OutputFormat::bed_gz) {
      throw UsageError("-C,--comments: BED has no tags; write .sam, .bam or .cram");
    }
    files.comments.emplace(io::CommentRule{.read_group = !a.read_group.empty()});
  }
  int streams = a.reference == "-" ? 1 : 0;
  for (const auto* list : {&files.reads, &files.mates}) {
    const bool has_stream = std::find(list->begin(), list->end(), "-") != list->end();
    streams += has_stream ? static_cast<int>(list->size()) : 0;  // a list with - must have nothing else
  }
  if (streams > 1) {
    throw UsageError("only one of the files can be the standard input (-)");
  }
  for (const auto& first : files.reads) {
    for (const auto& second : files.mates) {
      if (is_same_input(first, second)) {
        throw UsageError(first + " and " + second +
                         " are the same file; the second mates need a file of their own, or --interleaved if one file "
                         "has both: trawl map REF R1 R2, trawl map --interleaved REF READS");
      }
    }
  }
  return files;
}

run::InsertRange parse_size_range(const std::string& option, const std::string& text, const std::string& what) {
  run::InsertRange range;
  const char* const end = text.data() + text.size();
  const auto min = std::from_chars(text.data(), end, range.min);
  const bool has_both = min.ec == std::errc() && min.ptr != end && *min.ptr == '-';
  const auto max = std::from_chars(has_both ? min.ptr + 1 : end, end, range.max);
  const std::string given = option + ' ' + text + ": ";
  if (!has_both || max.ec != std::errc() || max.ptr != end || range.max > kLargestGivenInsert) {
    throw UsageError(given + "give the smallest and the largest size, at most " + std::to_string(kLargestGivenInsert) +
                     ", for example 100-600");
  }
  if (range.min == 0 || range.min > range.max) {
    throw UsageError(given + (range.min == 0 ? what + " covers at least 1 base" : "the smallest size comes first") +
                     "; for example 100-600");
  }
  return range;
}

std::optional<run::InsertRange> insert_range(const MapArguments& a) {
  return a.insert.empty() ? std::nullopt : std::optional(parse_size_range("--insert", a.insert, "a pair"));
}

std::optional<std::uint64_t> sort_memory(const MapArguments& a) {
  constexpr std::uint64_t least = std::uint64_t{1} << 20;
  if (!a.sort) {
    if (!a.sort_memory.empty()) {
      throw UsageError("--sort-memory is for --sort, which is not given");
    }
    return {};
  }
  if (io::is_stream(a.output)) {
    throw UsageError("--sort writes BAM or CRAM with an index beside it, but " +
                     (a.output == "-" ? "the standard output has no name" : a.output + " is a pipe or a device") +
                     "; name a file with -o, or leave --sort out: trawl map ... | samtools sort");
  }
  check_preset(a.preset, a.sort);
  const io::OutputFormat format = output_format(a);
  if (format != io::OutputFormat::bam && format != io::OutputFormat::cram) {
    throw UsageError("--sort writes BAM or CRAM; name the output with -o FILE.bam or FILE.cram");
  }
  if (a.sort_memory.empty()) {
    return std::max(usable_memory() / 4, least);
  }
  const std::uint64_t bytes = a.sort_memory == "0" ? 0 : parse_bytes("--sort-memory", a.sort_memory);
  if (bytes < least) {
    throw UsageError("--sort-memory " + a.sort_memory + ": at least 1M is needed; without a letter, these are bytes");
  }
  return bytes;
}

std::vector<NamedOutput> index_outputs(const MapArguments& a) {
  if (!a.sort) {
    return {};
  }
  // Whether .bai or .csi is written is known when the reference is read.
  const bool is_cram = output_format(a) == io::OutputFormat::cram;
  std::vector<NamedOutput> outputs;
  for (const char* extension : is_cram ? std::vector{".crai"} : std::vector{".bai", ".csi"}) {
    outputs.push_back({"--sort's index", a.output + extension});
  }
  return outputs;
}

std::string out_of_memory_text(const MapArguments& a) {
  const bool paired = a.interleaved || !a.mates.empty();
  std::string advice;
  const auto add = [&](bool helps, const std::string& what) {
    advice += helps ? (advice.empty() ? "" : ", or ") + what : "";
  };
  if (a.report != "best") {
    add(true, std::string(a.max_hits > 0 ? "give a smaller -k" : "give -k, which limits the records of each ") +
                  (a.max_hits > 0 ? ""
                   : paired       ? "pair"
                                  : "read"));
    add(paired, "a narrower --insert");
  }
  add(a.batch_size > 0, "a smaller --batch-size");
  add(advice.empty(), "use fewer threads (-t)");
  return "not enough memory to map the reads: " + advice + ", or a machine with more memory" + memory_limit_text();
}

std::string canonical_command_line(const MapArguments& a, const std::string& fasta) {
  std::string line = "trawl map --max-edits " + a.max_edits;
  if (a.min_length > 0) {
    line += " --min-length " + std::to_string(a.min_length);
  }
  if (a.metric != "levenshtein") {
    line += " --metric " + a.metric;
  }
  if (clip_options(a).on()) {
    line += " --clip " + a.clip;
  }
  if (a.clip_when != "unmapped") {
    line += " --clip-when " + a.clip_when;
  }
  if (a.split) {
    line += " --split";
  }
  if (a.join > 0) {
    line += " --join " + std::to_string(a.join);
  }
  if (a.hard_clip) {
    line += " --hard-clip";
  }
  line += " --report " + a.report;
  if (a.report == "strata") {
    line += " --strata " + std::to_string(a.strata);
  }
  if (a.max_hits > 0) {
    line += " --max-hits " + std::to_string(a.max_hits);
  }
  if (a.ambiguous != "mismatch") {
    line += " --ambiguous " + a.ambiguous;
  }
  if (!a.max_ambiguous.empty()) {
    line += " --max-ambiguous " + a.max_ambiguous;
  }
  if (a.eqx) {
    line += " --eqx";
  }
  if (a.secondary_seq) {
    line += " --secondary-seq";
  }
  if (!a.insert.empty()) {
    line += " --insert " + a.insert;
  }
  if (a.orientation != "fr") {
    line += " --orientation " + a.orientation;
  }
  if (a.discordant != "if-none") {
    line += " --discordant " + a.discordant;
  }
  if (a.one_end != "report") {
    line += " --one-end " + a.one_end;
  }
  if (a.mate_fields != "paired") {
    line += " --mate-fields " + a.mate_fields;
  }
  if (a.unmapped != "keep") {
    line += " --unmapped " + a.unmapped;
  }
  if (a.comments) {
    line += " --comments";
  }
  if (a.sort) {
    line += " --sort";
  }
  return line + ' ' + fasta;
}

}  // namespace trawl::cli
