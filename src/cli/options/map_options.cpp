#include "cli/options/map_options.hpp"

#include <algorithm>
#include <span>

#include "base/error.hpp"
#include "cli/options/map_files.hpp"
#include "cli/options/map_presets.hpp"

namespace trawl::cli {

namespace {

constexpr const char* kClipGroup = "Clipped ends";
constexpr const char* kPairsGroup = "Pairs";
constexpr const char* kNeedsClip = " needs --clip, which says how much of a read may be left out: --clip 30%";
// The time for a clipped read grows with it.
constexpr std::uint32_t kLargestJoin = 1000;

bool is_on(const map::NumberOrShare& most) { return map::ClipOptions{.most = most}.on(); }

// The value of --clip; nothing for auto.
std::optional<map::NumberOrShare> parse_clip(const std::string& text) {
  constexpr const char* kAdvice =
      "give a number of bases, for example 40, or a share of the read's length below 50%, for example 30%";
  if (text == "auto") {
    return std::nullopt;
  }
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
  if (a.end_to_end || a.rules.report != map::Report::best || !a.rules.gaps()) {
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
  map::ClipOptions clip = a.clip ? map::ClipOptions{.most = *a.clip} : auto_clip_options(a);
  clip.when = a.clip_when.value_or(clip.when);
  clip.split |= a.split;
  clip.join = a.join > 0 ? a.join : clip.join;
  clip.hard = a.records.hard_clips;
  return clip;
}

bool clips(const MapArguments& a) { return clip_options(a).on(); }

// The arguments, and the options of each section of the help.

std::vector<Option> arguments_table(MapArguments& a) {
  return {reference_argument(a.reference),
          {.names = "READS",
           .to = &a.reads,
           .help = "Reads: FASTQ or FASTA, plain, gzip or BGZF; several files with commas between them; - is stdin",
           .required = true,
           .is_path = true},
          {.names = "MATES",
           .to = &a.mates,
           .help = "Second mates, if READS has the first ones: pairs, in the same order",
           .is_path = true}};
}

std::vector<Option> matching_table(MapArguments& a) {
  return {max_edits_option(a.rules.max_edits),
          {.names = "--min-length",
           .to = &a.rules.min_length,
           .help = "Reads of fewer bases stay unmapped; 0: reads that would fit at more than 1,000 places by chance, "
                   "which depends on -e and the reference",
           .group = kMatchingGroup,
           .in_header = InHeader::if_changed},
          metric_option(a.rules.metric, InHeader::if_changed, ", so alignments have no gaps"),
          strand_option(a.rules.strands, InHeader::if_changed,
                        {{[&a](auto&) { return a.paired(); },
                          " is for single reads; of pairs, samtools view keeps those whose first mate is on one "
                          "strand: -f 64 -F 16, or -f 80"}}),
          ambiguous_option(a.ambiguous),
          circular_option(a.circular, kMatchingGroup)};
}

std::vector<Option> clip_table(MapArguments& a) {
  const std::vector<Conflict> needs_clip = {{[&a](auto&) { return !clips(a); }, kNeedsClip}};
  return {
      {.names = "--end-to-end",
       .to = &a.end_to_end,
       .help = "No base of a read is left out; this is what --report strata and all do without --clip",
       .group = kClipGroup,
       .conflicts = {{[&a](auto&) { return a.clip && is_on(*a.clip); },
                      ": the whole read must fit, but --clip leaves bases out; give one of them"}},
       .in_header = InHeader::if_changed},
      {.names = "--clip",
       .value = "auto|N|N%",
       .to = typed(&a.clip, parse_clip, clip_text),
       .help = "Most bases of a read that may be left out, at both ends together: a number (40), or a share of the "
               "read length, rounded down (30%); always less than half of the read. auto: with --report best, wherever "
               "that makes the penalty smaller, and with --split and --join 120; otherwise none",
       .group = kClipGroup,
       .conflicts = {{[&a](auto&) { return clips(a) && !a.rules.gaps(); },
                      " needs alignments with gaps; leave --clip or --metric hamming out"}},
       .in_header = InHeader::if_changed,
       .may_be_empty = true},
      {.names = "--clip-when",
       .to = choice(
           &a.clip_when,
           {{"auto", std::nullopt}, {"unmapped", align::ClipWhen::unmapped}, {"always", align::ClipWhen::always}}),
       .help = "Which reads are searched for a clipped place: those that fit nowhere as a whole, or all; auto: with "
               "--clip auto reads are placed by their words, otherwise as unmapped",
       .group = kClipGroup,
       .conflicts = {{[&a](auto&) { return a.clip_when == align::ClipWhen::always && !clips(a); }, kNeedsClip}},
       .in_header = InHeader::if_changed},
      {.names = "--split",
       .to = &a.split,
       .help = "Also map clipped ends of 30 bases and more; those that fit are supplementary records, with tag SA",
       .group = kClipGroup,
       .conflicts = needs_clip,
       .in_header = InHeader::if_changed},
      {.names = "--join",
       .to = &a.join,
       .help = "Join a clipped end of a primary record to its piece by one long gap: a deletion or insertion of up to "
               "N bases, at most 1000, if at least 16 bases fit after it; 0: no",
       .group = kClipGroup,
       .most = kLargestJoin,
       .conflicts = needs_clip,
       .in_header = InHeader::if_changed},
      {.names = "--hard-clip",
       .to = &a.records.hard_clips,
       .help =
           "H instead of S in secondary and supplementary records; supplementary records have only the bases that fit",
       .group = kClipGroup,
       .conflicts = needs_clip,
       .in_header = InHeader::if_changed}};
}

std::vector<Option> records_table(MapArguments& a) {
  const Conflict with_best = {[&a](auto&) { return a.rules.report == map::Report::best; },
                              ": --report best writes one record for each read anyway; give --report strata or all"};
  return {
      {.names = "--output-format",
       .to = choice(&a.output_format, {{"sam", io::OutputFormat::sam},
                                       {"bam", io::OutputFormat::bam},
                                       {"cram", io::OutputFormat::cram},
                                       {"bed", io::OutputFormat::bed}}),
       .help = "Format of the output, where its name does not say it, for example BAM on stdout",
       .group = kRecordsGroup},
      {.names = "--report",
       .to = choice(&a.rules.report,
                    {{"best", map::Report::best}, {"strata", map::Report::strata}, {"all", map::Report::all}}),
       .help = "Which loci are reported (of pairs: which pairs of loci): one with the fewest edits; those with up to "
               "--strata edits more; all",
       .group = kRecordsGroup,
       .in_header = InHeader::always},
      {.names = "--strata",
       .to = &a.rules.strata,
       .help = "With --report strata: loci with up to N edits more than the best",
       .group = kRecordsGroup,
       .needs = "--report strata",
       .in_header = InHeader::if_changed},
      {.names = "-k,--max-hits",
       .to = &a.rules.max_hits,
       .help = "With --report strata or all: at most N loci for each read, N pairs of loci for each pair; tag ZD "
               "says how many were left out; 0: no limit",
       .group = kRecordsGroup,
       .conflicts = {{with_best.holds, with_best.text + ", or -e if you mean edits"}},
       .in_header = InHeader::if_changed},
      {.names = "--max-loci",
       .to = &a.rules.max_loci,
       .help = "With --report strata or all: a read or mate that would have more than N records stays unmapped, with "
               "tag XM:i:N+1; 0: no limit",
       .group = kRecordsGroup,
       .conflicts = {with_best},
       .in_header = InHeader::if_changed},
      {.names = "--placements",
       .to = &a.rules.placements,
       .help = "With --report strata or all: a record for each placement in a tandem repeat, and not one for each "
               "locus",
       .group = kRecordsGroup,
       .conflicts = {with_best},
       .in_header = InHeader::if_changed},
      {.names = "--eqx",
       .to = &a.rules.eqx,
       .help = "= and X instead of M in CIGARs",
       .group = kRecordsGroup,
       .conflicts = {{[&a](auto&) { return output_format(a) == io::OutputFormat::cram; },
                      ": CRAM does not keep = and X; write .bam or .sam, or leave --eqx out"}},
       .in_header = InHeader::if_changed},
      {.names = "--secondary-seq",
       .to = &a.records.secondary_bases,
       .help = "Write SEQ and QUAL in secondary records, too, which otherwise have *",
       .group = kRecordsGroup,
       .in_header = InHeader::if_changed},
      {.names = "-R,--read-group",
       .value = "STR",
       .to = &a.read_group,
       .help = "Read group line, for example '@RG\\tID:x\\tSM:y'",
       .group = kRecordsGroup},
      {.names = "--unmapped",
       .to = choice(&a.records.keep_unmapped, {{"keep", true}, {"drop", false}}),
       .help = "Reads without a locus: one unmapped record, or nothing",
       .group = kRecordsGroup,
       .in_header = InHeader::if_changed},
      {.names = "-C,--comments",
       .to = &a.comments,
       .help = "Add the comments of reads, which must be SAM tags, to their records; Illumina's 1:N:0:INDEX and "
               "tags that the records have anyway are left out",
       .group = kRecordsGroup,
       .conflicts = {{[&a](auto&) { return is_bed(output_format(a)); },
                      ": BED has no tags; write .sam, .bam or .cram"}},
       .in_header = InHeader::if_changed},
      {.names = "--collapsed",
       .to = &a.collapsed,
       .help = "Reads are collapsed: one named seq_7_x123, or 7-123, counts as 123 reads in the summary, --stats and "
               "--report-html; the records stay the same",
       .group = kRecordsGroup},
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
       .to = choice(&a.preset, preset_names()),
       .help = "Set the options that a purpose or a downstream program needs, see below; options that you give "
               "yourself win",
       .group = kRecordsGroup,
       .conflicts = {{[&a](auto&) { return a.sort && needs_read_order(a.preset); },
                      ": its program needs the records of a read together, so leave --sort out"},
                     {[&a](auto&) { return a.paired() && a.preset == "hla"; },
                      " hla: OptiType reads the mates from two files; map R1 and R2 each by itself, in two runs"}}}};
}

// But for --interleaved, they are for pairs only.
std::vector<Option> pairs_table(MapArguments& a) {
  std::vector<Option> table = {
      {.names = "--interleaved",
       .to = &a.interleaved,
       .help = "READS has pairs: the two mates follow each other",
       .group = kPairsGroup,
       .conflicts = {{[&a](auto&) { return !a.mates.empty(); },
                      ": the mates are in READS, so give no MATES; or leave --interleaved out"}}},
      {.names = "--insert",
       .value = "MIN-MAX",
       .to = sizes_target("--insert", a.insert, "a pair"),
       .help = "Smallest and largest outer distance of the mates, for example 100-600; by default estimated from "
               "the first pairs",
       .group = kPairsGroup,
       .in_header = InHeader::if_changed},
      {.names = "--orientation",
       .to = choice(&a.rules.pairs.orientation,
                    {{"fr", align::Orientation::fr}, {"rf", align::Orientation::rf}, {"ff", align::Orientation::ff}}),
       .help = "How mates lie: towards each other, away from each other, or on one strand with the first mate first",
       .group = kPairsGroup,
       .in_header = InHeader::if_changed},
      {.names = "--discordant",
       .to = choice(&a.rules.pairs.discordant, {{"if-none", align::Discordant::if_none},
                                                {"always", align::Discordant::always},
                                                {"never", align::Discordant::never}}),
       .help = "Report each mate's own loci: only if the mates fit together nowhere; also beside pairs; or never, "
               "then mates that fit nowhere together become unmapped",
       .group = kPairsGroup,
       .in_header = InHeader::if_changed},
      {.names = "--one-end",
       .to = choice(&a.rules.one_end, {{"report", true}, {"never", false}}),
       .help = "Pairs of which only one mate has a locus: report that mate, or leave both unmapped",
       .group = kPairsGroup,
       .in_header = InHeader::if_changed},
      {.names = "--mate-fields",
       .to = choice(&a.records.mate_fields,
                    {{"paired", align::MateFields::paired}, {"primary", align::MateFields::primary}}),
       .help = "The mate fields of secondary records: of the mate in the same pair, or of the mate's primary record",
       .group = kPairsGroup,
       .in_header = InHeader::if_changed}};
  for (Option& option : std::span(table).subspan(1)) {
    option.conflicts = {
        {[](const Command& given) { return !given.is_changed("MATES") && !given.is_changed("--interleaved"); },
         " is for pairs; give them as two files, trawl map REF R1 R2, or as one file with --interleaved"}};
  }
  return table;
}

std::vector<Option> work_table(MapArguments& a) {
  std::vector<Option> table = work_options_table(a);
  append(table, report_options(a, "mapped shares, distances, qualities, insert sizes, coverage"));
  append(table, {{.names = "--sort-memory",
                  .value = "SIZE",
                  .to = bytes_target("--sort-memory", a.sort_memory, std::uint64_t{1} << 20),
                  .help = "Memory for the records that --sort holds, at least 1M; the rest waits in temporary files in "
                          "TMPDIR; by default a quarter of the machine's memory",
                  .group = kWorkGroup,
                  .needs = "--sort"},
                 tune_option({{.names = "search",
                               .to = choice(&a.rules.search, {{"auto", map::SearchMethod::automatic},
                                                              {"seeds", map::SearchMethod::seeds},
                                                              {"scan", map::SearchMethod::scan}})},
                              {.names = "batch-size", .to = &a.batch_size}})});
  return table;
}

}  // namespace

std::string clip_text(const std::optional<map::NumberOrShare>& clip) { return clip ? text_of(*clip) : "auto"; }

std::vector<Option> map_table(MapArguments& a) {
  std::vector<Option> table = options_of_others();
  append(table, arguments_table(a));
  append(table, matching_table(a));
  append(table, clip_table(a));
  append(table, output_options(a, ".sam .bam .cram .bed .bed.gz; - is SAM on stdout",
                               ".bam and .bed.gz: 0 not compressed, 1 fastest, 9 smallest; by default the fastest "
                               "whose .bam is at most 10% larger than that of samtools; .bed.gz is then about a "
                               "quarter larger than that of bgzip"));
  append(table, records_table(a));
  append(table, pairs_table(a));
  append(table, work_table(a));
  set_most_used(table, {"--max-edits", "--clip", "--output", "--sort", "--report", "--max-hits", "--read-group",
                        "--interleaved", "--threads", "--stats"});
  return table;
}

Command map_rules(MapArguments& a) {
  Command command{.name = "map", .description = "Map reads: every place within an edit distance"};
  command.options = map_table(a);
  command.about_extra_words = [](const std::string& words) {
    return is_name_of_records(words)
               ? "the output is named by -o: -o " + words.substr(words.rfind(' ') + 1)
               : "READS and MATES are one list each: to give several files, put commas between them: "
                 "a.fq,b.fq";
  };
  command.settings = [&a](const Command& given) {
    return preset_settings(a.preset, given.is_given("MATES") || given.is_given("--interleaved"));
  };
  return command;
}

map::MapOptions map_options(const MapArguments& a) {
  map::MapOptions options = a.rules;
  static_cast<WorkOptions&>(options) = work_options(a);
  options.clip = clip_options(a);
  options.ambiguous = a.ambiguous ? map::Ambiguous::match : map::Ambiguous::mismatch;
  options.max_ambiguous = a.ambiguous.value_or(sequence::AmbiguousLimit{});
  return options;
}

std::string canonical_command_line(const MapArguments& a, const std::string& fasta) {
  MapArguments given = a;
  MapArguments defaults;
  if (!clips(a)) {  // also with --clip 0%
    given.clip = defaults.clip;
    given.clip_when = defaults.clip_when;
    given.end_to_end = false;
    given.end_to_end = clips(given);
  } else if (!a.clip) {  // which has these anyway
    given.split = false;
    given.join = a.join == auto_clip_options(a).join ? 0 : a.join;
  } else if (a.clip_when == align::ClipWhen::unmapped) {
    given.clip_when = defaults.clip_when;
  }
  if (a.rules.report == map::Report::strata) {
    defaults.rules.strata = ~std::uint32_t{0};  // --strata 0 is there, too
  }
  return "trawl map" + header_options(map_table(given), map_table(defaults)) + ' ' + fasta;
}

}  // namespace trawl::cli
