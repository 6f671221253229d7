#include "cli/options/map_options.hpp"

#include <algorithm>
#include <charconv>

#include "base/error.hpp"
#include "base/machine_memory.hpp"
#include "cli/options/map_presets.hpp"
#include "cli/options/output_check.hpp"
#include "cli/options/work_options.hpp"
#include "io/format/file_format.hpp"
#include "io/write/output_file.hpp"

namespace trawl::cli {

namespace {

constexpr const char* kClipGroup = "Clipped ends";
constexpr const char* kPairsGroup = "Pairs";
constexpr const char* kRecordExtensions[] = {".sam", ".bam", ".cram", ".bed", ".bed.gz"};
constexpr std::uint32_t kLargestGivenInsert = 100'000'000;
// The time for a clipped read grows with it.
constexpr std::uint32_t kLargestJoin = 1000;

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

// With --clip auto: for real reads, whose ends may be adapters, and which may reach over insertions and deletions.
map::ClipOptions auto_clip_options(const MapArguments& a) {
  map::ClipOptions clip;
  if (a.end_to_end || a.report != "best" || a.metric == "hamming") {
    return clip;
  }
  clip.most = {true, 49, 0};
  clip.when = align::ClipWhen::poor;
  clip.least_score = 30;
  clip.split = true;
  clip.join = 120;
  return clip;
}

map::ClipOptions clip_options(const MapArguments& a) {
  map::ClipOptions clip = auto_clip_options(a);
  if (a.clip != "auto") {
    clip = {.most = parse_clip(a.clip)};
    if (a.end_to_end && clip.on()) {
      throw UsageError("--end-to-end: the whole read must fit, but --clip leaves bases out; give one of them");
    }
  }
  if (a.clip_when != "auto") {
    clip.when = a.clip_when == "always" ? align::ClipWhen::always : align::ClipWhen::unmapped;
  }
  clip.split |= a.split;
  clip.join = a.join > 0 ? a.join : clip.join;
  clip.hard = a.hard_clip;
  return clip;
}

// A file of records, not of reads.
bool is_name_of_records(const std::string& path) {
  return std::any_of(std::begin(kRecordExtensions), std::end(kRecordExtensions),
                     [&](const char* extension) { return io::has_extension(path, extension); });
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

// Options of bowtie, bowtie2 and bwa, and those of former versions: what to type here. They come first, so that the
// message is about them, and not about the words after them, which would be taken as values or files.
std::vector<Option> options_of_others() {
  const std::string strands =
      "both strands are searched; samtools view -F 16 keeps the records of the forward strand, -f 16 those of the "
      "reverse "
      "one";
  const std::string reads = "there is no such option; reads are a word after the reference: trawl map REF READS";
  const std::string pairs =
      "there is no such option; give pairs as two files, trawl map REF R1 R2, or as one file with --interleaved";
  const std::string inserts = "there is no such option; insert sizes are --insert MIN-MAX, or measured without it";
  const std::string all =
      "there is no such option; every place of a read: --report all; all of the best ones: --report strata";
  const std::string of_mrfast = "workflows/divet_oea.py makes this file from the records: docs/pairs.md";
  std::vector<Option> table;
  for (const auto& [name, instead] : std::vector<std::pair<const char*, std::string>>{
           {"-v",
            "there is no such option; bowtie's -v N is -e N --metric hamming here, its -a is --report all, and its -a "
            "--best --strata is --report strata"},
           {"-a", all},
           {"--all", all},
           {"--best", "one of the best places of each read is the default; all of the best ones: --report strata"},
           {"-1", pairs},
           {"-2", pairs},
           {"-U", reads},
           {"-x",
            "there is no such option; the reference is the first word, a FASTA or a file of trawl index: trawl map REF "
            "READS"},
           {"-S", "there is no such option; the output is -o FILE.bam"},
           {"-p", "there is no such option; threads are -t N"},
           {"-X", inserts},
           {"--maxins", inserts},
           {"-I", inserts},
           {"--minins", inserts},
           {"--local", "ends that do not belong are left out by default; --end-to-end keeps all bases"},
           {"--very-sensitive", "there is no such option; every place with up to -e edits is found anyway"},
           {"--no-unal", "there is no such option; --unmapped drop leaves out reads that are not mapped"},
           {"--norc", strands},
           {"--nofw", strands},
           {"--strand", strands},
           {"--divet", of_mrfast},
           {"--oea", of_mrfast}}) {
    table.push_back({.names = name, .instead = instead});
  }
  table.push_back(former_max_ambiguous());
  return table;
}

std::vector<Option> map_table(MapArguments& a) {
  std::vector<Option> table = {
      reference_argument(a.reference),
      {.names = "READS",
       .to = &a.reads,
       .help = "Reads: FASTQ or FASTA, plain, gzip or BGZF; several files with commas between them; - is stdin",
       .required = true,
       .is_path = true},
      {.names = "MATES",
       .to = &a.mates,
       .help = "Second mates, if READS has the first ones: pairs, in the same order",
       .is_path = true},

      max_edits_option(a.max_edits),
      {.names = "--min-length",
       .to = &a.min_length,
       .help = "Leave reads of fewer bases unmapped; 0: those that are expected at more than 1,000 places by chance, "
               "which depends on -e and the reference",
       .group = kMatchingGroup,
       .in_header = InHeader::if_changed},
      metric_option(a.metric, InHeader::if_changed, ", so alignments have no gaps"),
      ambiguous_option(a.ambiguous),
      circular_option(a.circular, kMatchingGroup),

      {.names = "--end-to-end",
       .to = &a.end_to_end,
       .help = "No base of a read is left out; this is what --report strata and all do without --clip",
       .group = kClipGroup,
       .in_header = InHeader::if_changed},
      {.names = "--clip",
       .value = "auto|N|N%",
       .to = &a.clip,
       .help = "Most bases of a read that may be left out, at both ends together: a number (40), or a share of the "
               "read length, rounded down (30%); always less than half of the read; auto: with --report best as much "
               "as the rule of penalties says, also with --split and --join 120; otherwise none",
       .group = kClipGroup,
       .in_header = InHeader::if_changed,
       .may_be_empty = true},
      {.names = "--clip-when",
       .to = &a.clip_when,
       .help = "Which reads are searched for a clipped place: those that fit nowhere as a whole, or all; auto: with "
               "--clip auto reads are placed by their words, otherwise as unmapped",
       .group = kClipGroup,
       .words = {"auto", "unmapped", "always"},
       .in_header = InHeader::if_changed},
      {.names = "--split",
       .to = &a.split,
       .help = "Also map clipped ends of 30 bases and more; those that fit are supplementary records, with tag SA",
       .group = kClipGroup,
       .in_header = InHeader::if_changed},
      {.names = "--join",
       .to = &a.join,
       .help = "Join a clipped end of a primary record to its piece by one long gap: a deletion or insertion of up to "
               "N bases, at most 1000, if at least 16 bases fit after it; 0: no",
       .group = kClipGroup,
       .most = kLargestJoin,
       .in_header = InHeader::if_changed},
      {.names = "--hard-clip",
       .to = &a.hard_clip,
       .help =
           "H instead of S in secondary and supplementary records; supplementary records have only the bases that fit",
       .group = kClipGroup,
       .in_header = InHeader::if_changed},
  };
  append(table, output_options(a, ".sam .bam .cram .bed .bed.gz; - is SAM on stdout",
                               ".bam and .bed.gz: 0 not compressed, 1 fastest, 9 smallest; by default the fastest "
                               "whose .bam is at most 10% larger than that of samtools; .bed.gz is then about a "
                               "quarter larger than that of bgzip"));
  append(
      table,
      {{.names = "--output-format",
        .to = &a.output_format,
        .help = "Format of the output, where its name does not say it, for example BAM on stdout",
        .group = kRecordsGroup,
        .words = {"sam", "bam", "cram", "bed"}},
       {.names = "--report",
        .to = &a.report,
        .help = "Which loci are reported (of pairs: which pairs of loci): one with the fewest edits; those with up to "
                "--strata edits more; all",
        .group = kRecordsGroup,
        .words = {"best", "strata", "all"},
        .in_header = InHeader::always},
       {.names = "--strata",
        .to = &a.strata,
        .help = "With --report strata: loci with up to N edits more than the best",
        .group = kRecordsGroup,
        .needs = "--report strata",
        .in_header = InHeader::if_changed},
       {.names = "-k,--max-hits",
        .to = &a.max_hits,
        .help = "With --report strata or all: at most N loci for each read, N pairs of loci for each pair; tag ZD "
                "says how many were left out; 0: no limit",
        .group = kRecordsGroup,
        .in_header = InHeader::if_changed},
       {.names = "--placements",
        .to = &a.placements,
        .help = "With --report strata or all: a record for each placement in a tandem repeat, and not one for each "
                "locus",
        .group = kRecordsGroup,
        .in_header = InHeader::if_changed},
       {.names = "--eqx",
        .to = &a.eqx,
        .help = "= and X instead of M in CIGARs",
        .group = kRecordsGroup,
        .in_header = InHeader::if_changed},
       {.names = "--secondary-seq",
        .to = &a.secondary_seq,
        .help = "SEQ and QUAL also in secondary records, where they otherwise are *",
        .group = kRecordsGroup,
        .in_header = InHeader::if_changed},
       {.names = "-R,--read-group",
        .value = "STR",
        .to = &a.read_group,
        .help = "Read group line, for example '@RG\\tID:x\\tSM:y'",
        .group = kRecordsGroup},
       {.names = "--unmapped",
        .to = &a.unmapped,
        .help = "Reads without a locus: one unmapped record, or nothing",
        .group = kRecordsGroup,
        .words = {"keep", "drop"},
        .in_header = InHeader::if_changed},
       {.names = "-C,--comments",
        .to = &a.comments,
        .help = "Add the comments of reads, which must be SAM tags, to their records; Illumina's 1:N:0:INDEX and "
                "tags that the records have anyway are left out",
        .group = kRecordsGroup,
        .in_header = InHeader::if_changed},
       {.names = "--sort",
        .to = &a.sort,
        .help = "BAM or CRAM in coordinate order, with its index beside it",
        .group = kRecordsGroup,
        .in_header = InHeader::if_changed},
       {.names = "--mark-duplicates",
        .to = &a.mark_duplicates,
        .help = "Set flag 0x400 of duplicates, with the result of samtools fixmate -m, sort and markdup",
        .group = kRecordsGroup,
        .needs = "--sort",
        .in_header = InHeader::if_changed},
       {.names = "--for",
        .to = &a.preset,
        .help = "Set the options that a purpose or a downstream program needs, see below; options that you give "
                "yourself win",
        .group = kRecordsGroup,
        .words = preset_names()},

       {.names = "--interleaved",
        .to = &a.interleaved,
        .help = "READS has pairs: the two mates follow each other",
        .group = kPairsGroup},
       {.names = "--insert",
        .value = "MIN-MAX",
        .to = &a.insert,
        .help = "Smallest and largest outer distance of the mates, for example 100-600; by default estimated from "
                "the first pairs",
        .group = kPairsGroup,
        .in_header = InHeader::if_changed},
       {.names = "--orientation",
        .to = &a.orientation,
        .help = "How mates lie: towards each other, away from each other, or on one strand with the first mate first",
        .group = kPairsGroup,
        .words = {"fr", "rf", "ff"},
        .in_header = InHeader::if_changed},
       {.names = "--discordant",
        .to = &a.discordant,
        .help = "Report each mate's own loci: only if the mates fit together nowhere; also beside pairs; or never, "
                "then mates that fit nowhere together become unmapped",
        .group = kPairsGroup,
        .words = {"if-none", "always", "never"},
        .in_header = InHeader::if_changed},
       {.names = "--one-end",
        .to = &a.one_end,
        .help = "Pairs of which only one mate has a locus: report that mate, or leave both unmapped",
        .group = kPairsGroup,
        .words = {"report", "never"},
        .in_header = InHeader::if_changed},
       {.names = "--mate-fields",
        .to = &a.mate_fields,
        .help = "The mate fields of secondary records: of the mate in the same pair, or of the mate's primary record",
        .group = kPairsGroup,
        .words = {"paired", "primary"},
        .in_header = InHeader::if_changed}});

  append(table, work_options_table(a));
  append(table, report_options(a, "mapped shares, distances, qualities, insert sizes, coverage"));
  append(table, {{.names = "--sort-memory",
                  .value = "SIZE",
                  .to = &a.sort_memory,
                  .help = "Memory for the records that --sort holds, at least 1M; the rest waits in temporary files in "
                          "TMPDIR; by default a quarter of the machine's memory",
                  .group = kWorkGroup,
                  .needs = "--sort"},
                 server_option(a.server),
                 tune_option({{.names = "search", .to = &a.search, .words = {"auto", "seeds", "scan"}},
                              {.names = "batch-size", .to = &a.batch_size}})});
  set_most_used(table, {"--max-edits", "--clip", "--output", "--sort", "--report", "--max-hits", "--read-group",
                        "--interleaved", "--threads", "--stats"});
  std::vector<Option> others = options_of_others();
  table.insert(table.begin(), others.begin(), others.end());
  return table;
}

Command map_rules(const std::shared_ptr<MapArguments>& arguments) {
  Command command{.name = "map", .description = "Map reads: every place within an edit distance"};
  command.options = map_table(*arguments);
  command.about_extra_words = [](const std::string& words) {
    return is_name_of_records(words)
               ? "the output is named by -o: -o " + words.substr(words.rfind(' ') + 1)
               : "READS and MATES are one list each: to give several files, put commas between them: "
                 "a.fq,b.fq";
  };
  command.settings = [arguments](const Command& given) {
    return preset_settings(arguments->preset, given.is_given("MATES") || given.is_given("--interleaved"));
  };
  command.check = [arguments](const Command& given) { check_map_options(given, *arguments); };
  return command;
}

void check_map_options(const Command& command, const MapArguments& a) {
  const bool paired = command.is_given("MATES") || command.is_given("--interleaved");
  const bool clips = clip_options(a).on();
  for (const Option& option : command.options) {
    const bool is_about_clips = option.group == kClipGroup && option.name() != "--clip" &&
                                option.name() != "--end-to-end" &&
                                !(option.name() == "--clip-when" && a.clip_when == "unmapped");
    if (!clips && is_about_clips && command.changed.count(option.name()) > 0) {
      throw UsageError(option.name() + " needs --clip, which says how much of a read may be left out: --clip 30%");
    }
    if (!paired && option.group == kPairsGroup && command.changed.count(option.name()) > 0) {
      throw UsageError(option.name() +
                       " is for pairs; give them as two files, trawl map REF R1 R2, or as one file with --interleaved");
    }
  }
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
  if (a.max_hits > 0 && options.report == map::Report::best) {
    throw UsageError(
        "-k,--max-hits: --report best writes one record for each read anyway; give --report strata or all, or -e "
        "if you mean edits");
  }
  if (a.placements && options.report == map::Report::best) {
    throw UsageError("--placements: --report best writes one record for each read anyway; give --report strata or all");
  }
  options.strata = a.strata;
  options.max_hits = a.max_hits;
  options.placements = a.placements;
  const auto ambiguous = parse_ambiguous(a.ambiguous);
  options.ambiguous = ambiguous ? map::Ambiguous::match : map::Ambiguous::mismatch;
  options.max_ambiguous = ambiguous.value_or(sequence::AmbiguousLimit{});
  options.eqx = a.eqx;
  options.pairs.orientation = a.orientation == "rf"   ? align::Orientation::rf
                              : a.orientation == "ff" ? align::Orientation::ff
                                                      : align::Orientation::fr;
  options.pairs.discordant = a.discordant == "always"  ? align::Discordant::always
                             : a.discordant == "never" ? align::Discordant::never
                                                       : align::Discordant::if_none;
  options.one_end = a.one_end == "report";
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
  if (is_name_of_records(a.mates)) {
    throw UsageError("MATES " + a.mates + ": mates are FASTQ or FASTA; if this is the output, type -o " + a.mates);
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

namespace {

// What the user has typed to get sorted records.
std::string sorting_option(const std::string& preset) {
  const auto settings = preset_settings(preset, true);
  const bool sorts =
      std::any_of(settings.begin(), settings.end(), [](const Setting& s) { return s.option == "--sort"; });
  return sorts ? "--for " + preset : "--sort";
}

}  // namespace

std::optional<std::uint64_t> sort_memory(const MapArguments& a) {
  constexpr std::uint64_t least = std::uint64_t{1} << 20;
  if (!a.sort) {
    return {};
  }
  const std::string sorts = sorting_option(a.preset);
  if (io::is_stream(a.output)) {
    throw UsageError(sorts + " writes BAM or CRAM with an index beside it, but " +
                     (a.output == "-" ? "the standard output has no name" : a.output + " is a pipe or a device") +
                     "; name a file with -o, or leave " + sorts + " out: trawl map ... | samtools sort");
  }
  check_preset(a.preset, a.sort);
  const io::OutputFormat format = output_format(a);
  if (format != io::OutputFormat::bam && format != io::OutputFormat::cram) {
    throw UsageError(sorts + " writes BAM or CRAM; name the output with -o FILE.bam or FILE.cram");
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
  add(advice.empty(), "use fewer threads (-t)");
  return "not enough memory to map the reads: " + advice + ", or a machine with more memory" + memory_limit_text();
}

std::string canonical_command_line(const MapArguments& a, const std::string& fasta) {
  MapArguments given = a;
  MapArguments defaults;
  if (!clip_options(a).on()) {  // also with --clip 0%
    given.clip = defaults.clip;
    given.clip_when = defaults.clip_when;
    given.end_to_end = false;
    given.end_to_end = clip_options(given).on();
  } else if (a.clip == "auto") {  // which has these anyway
    given.split = false;
    given.join = a.join == auto_clip_options(a).join ? 0 : a.join;
  } else if (a.clip_when == "unmapped") {
    given.clip_when = defaults.clip_when;
  }
  if (a.report == "strata") {
    defaults.strata = ~std::uint32_t{0};  // --strata 0 is there, too
  }
  return "trawl map" + header_options(map_table(given), map_table(defaults)) + ' ' + fasta;
}

}  // namespace trawl::cli
