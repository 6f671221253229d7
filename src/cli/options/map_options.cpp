#include "cli/options/map_options.hpp"

#include <span>

#include "base/error.hpp"
#include "cli/options/map_files.hpp"
#include "cli/options/map_presets.hpp"
#include "io/write/sam_header.hpp"

namespace trawl::cli {

namespace {

constexpr const char* kPairsGroup = "Pairs";
// The value of --max-loci.
align::LociLimit parse_max_loci(const std::string& text) {
  align::LociLimit limit;
  const std::string number = text.substr(0, text.find(','));
  limit.keeps_one = number.size() < text.size();
  const std::string wrong = set({.names = "--max-loci", .to = &limit.most}, number);
  if (!wrong.empty() || (limit.keeps_one && (text.substr(number.size()) != ",one" || limit.most == 0))) {
    throw UsageError("--max-loci " + text + ": give a number, for example 10, or 10,one to keep one of the loci");
  }
  return limit;
}

std::string max_loci_text(const align::LociLimit& limit) {
  return std::to_string(limit.most) + (limit.keeps_one ? ",one" : "");
}

// The arguments, and the options of each section of the help.

std::vector<Option> arguments_table(MapArguments& a) {
  return {
      reference_argument(a.reference),
      {.names = "READS",
       .to = &a.reads,
       .help = "Reads: FASTQ, FASTA, SAM, BAM or CRAM, also compressed; several files with commas between them; - is "
               "stdin",
       .required = true,
       .is_path = true},
      {.names = "MATES",
       .to = &a.mates,
       .help = "Second mates, if READS has the first ones: pairs, in the same order",
       .is_path = true}};
}

std::vector<Option> matching_table(MapArguments& a) {
  std::vector<Option> table = {
      max_edits_option(a.rules.max_edits),
      {.names = "--min-length",
       .to = &a.rules.min_length,
       .help = "Reads of fewer bases stay unmapped; 0: reads that would fit at more than 1,000 places by chance, "
               "which depends on -e and the reference",
       .in_header = InHeader::if_changed},
      metric_option(a.rules.metric, InHeader::if_changed, ", so alignments have no gaps"),
      strand_option(a.rules.strands, InHeader::if_changed, "; of pairs those of the first mates"),
      ambiguous_option(a.ambiguous),
      {.names = "--phred64",
       .to = &a.phred64,
       .help = "The qualities of FASTQ are Phred+64, as Illumina wrote them until 2011",
       .in_header = InHeader::if_changed},
      damage_option(a),
      circular_option(a.circular),
      rename_option(a.renames_contigs)};
  return in_group(kMatchingGroup, std::move(table));
}

std::vector<Option> records_table(MapArguments& a) {
  const Conflict with_best = {[&a](auto&) { return a.rules.report == map::Report::best; },
                              ": --report best writes one record for each read anyway; give --report strata or all"};
  const Conflict with_bed = {[&a](auto&) { return is_bed(output_format(a)); },
                             ": BED has no tags; write .sam, .bam or .cram"};
  std::vector<Option> table = {
      {.names = "--output-format",
       .to = choice(&a.output_format, {{"sam", io::OutputFormat::sam},
                                       {"bam", io::OutputFormat::bam},
                                       {"cram", io::OutputFormat::cram},
                                       {"bed", io::OutputFormat::bed}}),
       .help = "Format of the output, where its name does not say it, for example BAM on stdout"},
      {.names = "--report",
       .to = choice(&a.rules.report,
                    {{"best", map::Report::best}, {"strata", map::Report::strata}, {"all", map::Report::all}}),
       .help = "Which loci are reported (of pairs: which pairs of loci): one with the fewest edits; those with up to "
               "--strata edits more; all",
       .in_header = InHeader::always},
      {.names = "--strata",
       .to = &a.rules.strata,
       .help = "With --report strata: loci with up to N edits more than the best",
       .needs = "--report strata",
       .in_header = InHeader::if_changed},
      {.names = "-k,--max-hits",
       .to = &a.rules.max_hits,
       .help = "With --report strata or all: at most N loci for each read, N pairs of loci for each pair; tag ZD "
               "says how many were left out; 0: no limit",
       .conflicts = {{with_best.holds, with_best.text + ", or -e if you mean edits"}},
       .in_header = InHeader::if_changed},
      {.names = "--max-loci",
       .value = "N|N,one",
       .to = typed(&a.rules.max_loci, parse_max_loci, max_loci_text),
       .help =
           "With --report strata or all: a read or mate with more than N records stays unmapped, or with N,one keeps "
           "its primary one, at MAPQ 0; tag XM:i:N+1 says so; 0: no limit",
       .conflicts = {with_best},
       .in_header = InHeader::if_changed},
      {.names = "--placements",
       .to = &a.rules.placements,
       .help = "With --report strata or all: a record for each placement in a tandem repeat, and not one for each "
               "locus",
       .conflicts = {with_best},
       .in_header = InHeader::if_changed},
      {.names = "--xa",
       .to = &a.records.most_in_xa,
       .help = "With --report strata or all: the other places of a read are in tag XA of its primary record, as bwa "
               "writes it, and not records; reads with more than N have no XA; 0: they are records",
       .conflicts = {with_best, with_bed},
       .in_header = InHeader::if_changed},
      {.names = "--eqx",
       .to = &a.rules.eqx,
       .help = "= and X instead of M in CIGARs",
       .conflicts = {{[&a](auto&) { return output_format(a) == io::OutputFormat::cram; },
                      ": CRAM does not keep = and X; write .bam or .sam, or leave --eqx out"}},
       .in_header = InHeader::if_changed},
      {.names = "--secondary-seq",
       .to = &a.records.secondary_bases,
       .help = "Write SEQ and QUAL in secondary records, too, which otherwise have *",
       .in_header = InHeader::if_changed},
      {.names = "-R,--read-group",
       .value = "LINE|FILE",
       .to = OwnType{[&a](const std::string& given) { io::add_header_lines(given, a.header_lines); },
                     [&a] { return joined(a.header_lines, "\n"); }},
       .help = "A line of the header ('@RG\\tID:x\\tSM:y'), or a file of such lines; may be given more than once. The "
               "first @RG is the read group of the reads",
       .may_repeat = true},
      {.names = "-C,--comments",
       .to = &a.comments,
       .help = "Add the comments of reads, which must be SAM tags, to their records, or the tags of SAM, BAM and CRAM; "
               "Illumina's 1:N:0:INDEX and tags of alignments are left out",
       .conflicts = {with_bed},
       .in_header = InHeader::if_changed},
      {.names = "--copy-tags",
       .value = "TAG,...",
       .to = &a.copied_tags,
       .help = "Add only these tags, of comments or of SAM, BAM and CRAM: RX,BC; all is the same as -C",
       .conflicts = {with_bed, {[&a](auto&) { return a.comments; }, ": -C adds all tags; leave one of them out"}},
       .in_header = InHeader::if_changed},
      {.names = "--collapsed",
       .to = &a.collapsed,
       .help = "Reads are collapsed: one named seq_7_x123, or 7-123, counts as 123 reads in the summary, --stats and "
               "--report-html; the records stay the same"},
      {.names = "--sort",
       .to = &a.sort,
       .help = "BAM or CRAM in coordinate order, with its index beside it",
       .in_header = InHeader::if_changed},
      {.names = "--mark-duplicates",
       .to = &a.mark_duplicates,
       .help = "Set flag 0x400 of duplicates, with the result of samtools fixmate -m, sort and markdup",
       .needs = "--sort",
       .in_header = InHeader::if_changed},
      {.names = "--for",
       .value = "NAME",
       .to = choice(&a.preset, preset_names()),
       .help = "Set the options that a purpose or a downstream program needs: see the names below; options that you "
               "give yourself win",
       .conflicts = {{[&a](auto&) { return a.sort && needs_read_order(a.preset); },
                      ": its program needs the records of a read together, so leave --sort out"},
                     {[&a](auto&) { return a.has_mates() && a.preset == "hla"; },
                      " hla: OptiType reads the mates from two files; map R1 and R2 each by itself, in two runs"}}}};
  return in_group(kRecordsGroup, std::move(table));
}

// But for the first two, they are for pairs only.
std::vector<Option> pairs_table(MapArguments& a) {
  std::vector<Option> table = {
      {.names = "--interleaved",
       .to = &a.interleaved,
       .help = "READS has pairs: the two mates follow each other",
       .conflicts = {{[&a](auto&) { return !a.mates.empty(); },
                      ": the mates are in READS, so give no MATES; or leave --interleaved out"}}},
      {.names = "--singles",
       .to = &a.singles,
       .help = "With --interleaved: reads whose neighbours have other names have no mates, as in bwa mem -p",
       .needs = "--interleaved"},
      {.names = "--insert",
       .value = "MIN-MAX",
       .to = sizes_target("--insert", a.insert, "a pair"),
       .help = "Smallest and largest outer distance of the mates, for example 100-600; by default estimated from "
               "the first pairs",
       .in_header = InHeader::if_changed},
      {.names = "--orientation",
       .to = choice(&a.rules.pairs.orientation,
                    {{"fr", align::Orientation::fr}, {"rf", align::Orientation::rf}, {"ff", align::Orientation::ff}}),
       .help = "How mates lie: towards each other, away from each other, or on one strand with the first mate first",
       .in_header = InHeader::if_changed},
      {.names = "--discordant",
       .to = choice(&a.rules.pairs.discordant, {{"if-none", align::Discordant::if_none},
                                                {"always", align::Discordant::always},
                                                {"never", align::Discordant::never}}),
       .help = "Report each mate's own loci: only if the mates fit together nowhere; also beside pairs; or never, "
               "then mates that fit nowhere together become unmapped",
       .in_header = InHeader::if_changed},
      {.names = "--one-end",
       .to = choice(&a.rules.one_end, {{"report", true}, {"never", false}}),
       .help = "Pairs of which only one mate has a locus: report that mate, or leave both unmapped",
       .in_header = InHeader::if_changed},
      {.names = "--mate-fields",
       .to = choice(&a.records.mate_fields,
                    {{"paired", align::MateFields::paired}, {"primary", align::MateFields::primary}}),
       .help = "The mate fields of secondary records: of the mate in the same pair, or of the mate's primary record",
       .in_header = InHeader::if_changed}};
  for (Option& option : std::span(table).subspan(2)) {
    option.conflicts = {
        {[&a](const Command& given) { return !given.is_changed("MATES") && !a.paired() && a.reads != "-"; },
         " is for pairs; give them as two files, trawl map REF R1 R2, or as one file with --interleaved"}};
  }
  return in_group(kPairsGroup, std::move(table));
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

bool MapArguments::paired() const { return has_mates() || may_have_alignments(reads); }

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
  append(table, reads_files_options(a));
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
    return preset_settings(a.preset, given.is_given("MATES") || given.is_given("--interleaved") || a.reads == "-" ||
                                         may_have_alignments(a.reads));
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
  given.unmapped_file.clear();
  MapArguments defaults;
  if (!clip_options(a).on()) {  // also with --clip 0%
    given.clip = defaults.clip;
    given.clip_when = defaults.clip_when;
    given.end_to_end = false;
    given.end_to_end = clip_options(given).on();
  } else if (!a.clip) {  // which has these anyway
    given.split = false;
    given.join = 0;
    given.join = a.join == clip_options(given).join ? 0 : a.join;
  } else if (a.clip_when == align::ClipWhen::unmapped) {
    given.clip_when = defaults.clip_when;
  }
  if (a.rules.report == map::Report::strata) {
    defaults.rules.strata = ~std::uint32_t{0};  // --strata 0 is there, too
  }
  return "trawl map" + header_options(map_table(given), map_table(defaults)) + ' ' + fasta;
}

}  // namespace trawl::cli
