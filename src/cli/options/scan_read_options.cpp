#include <algorithm>
#include <cctype>

#include "align/sam_fields.hpp"
#include "base/error.hpp"
#include "cli/options/output_check.hpp"
#include "cli/options/scan_options.hpp"
#include "io/read/reference_files.hpp"
#include "io/write/read_files.hpp"

namespace trawl::cli {

namespace {

const std::string kOwnRows = " best writes a row for each read; leave out ";

io::ReadEnds parse_ends(const std::string& text) {
  io::ReadEnds ends;
  for (const std::string& one : split(text, ',')) {
    std::uint64_t& end = one.starts_with("3p:") ? ends.last : ends.first;
    if (!(one.starts_with("5p:") || one.starts_with("3p:")) || end > 0 ||
        !set({.names = "--within", .to = &end, .least = 1}, one.substr(3)).empty()) {
      throw UsageError("--within " + text +
                       ": give how many bases of each end of a read are searched, as 5p:150, 3p:150 or 5p:150,3p:150");
    }
  }
  return ends;
}

std::string ends_text(const std::optional<io::ReadEnds>& ends) {
  const std::string first = ends && ends->first > 0 ? "5p:" + std::to_string(ends->first) : "";
  const std::string last = ends && ends->last > 0 ? "3p:" + std::to_string(ends->last) : "";
  return first + (first.empty() || last.empty() ? "" : ",") + last;
}

// Of the user's choice: records have the others, with a meaning of their own.
bool is_free_tag(const std::string& name) {
  const auto* const end = std::end(align::kWrittenTags);
  return name.size() == 2 && std::isalpha(static_cast<unsigned char>(name[0])) != 0 &&
         std::isalnum(static_cast<unsigned char>(name[1])) != 0 && name != "RG" &&
         std::find(std::begin(align::kWrittenTags), end, name) == end;
}

// The names of the tags; "." leaves one out.
io::ReadTags parse_tags(const std::string& text) {
  const std::vector<std::string> names = split(text, ',');
  io::ReadTags tags;
  std::string fault = names.size() > tags.size() ? "there are more than six" : "";
  for (std::size_t n = 0; n < names.size() && fault.empty(); ++n) {
    const std::string name = names[n] == "." ? "" : names[n];
    fault = name.empty()         ? ""
            : !is_free_tag(name) ? "'" + name + "' is no tag, or has a meaning of its own"
            : std::find(tags.begin(), tags.end(), name) != tags.end() ? name + " comes twice"
                                                                      : "";
    tags[n] = name;
  }
  if (!fault.empty() || tags == io::ReadTags{}) {
    throw UsageError("--tags " + text + ": " + (fault.empty() ? "there is no tag" : fault) +
                     "; give tags of two characters for the barcode, its letters in the read and their qualities, and "
                     "the same three for molecules, as in CB,CR,CY,UB,UR,UY; a dot leaves one out");
  }
  return tags;
}

std::string tags_text(const io::ReadTags& tags) {
  std::string text;
  for (const std::string& tag : tags) {
    text.append(&tag == &tags.front() ? "" : ",").append(tag.empty() ? "." : tag);
  }
  return tags == io::ReadTags{} ? "" : text;
}

}  // namespace

std::vector<Option> reads_options(ScanArguments& a) {
  const std::vector<Conflict> for_written = {
      {[&a](auto&) { return !a.writes_reads(); },
       " needs --extract FOLDER, or -o with a name of reads, such as x.bam or x.fq.gz"}};
  std::vector<Conflict> for_turned = for_written;
  for_turned.push_back({[&a](auto&) { return a.paired(); }, " is for single reads; leave it out with pairs"});
  std::vector<Option> table = {
      {.names = "--per-read",
       .to = choice(&a.best_per_read, {{"all", false}, {"best", true}}),
       .help = "all: a record for each place of a pattern; best: a row for each read of REF, with its best "
               "pattern and the next one (.tsv .csv; - is TSV on stdout), or the reads with tags (.bam .sam .cram "
               ".fq.gz .fa.gz; of pairs x_%.fq.gz are two files)",
       .conflicts = {{[&a](auto&) { return !a.pam.empty(); }, kOwnRows + "--pam"},
                     {[&a](auto&) { return !a.annotation.empty(); }, kOwnRows + "--annotate"},
                     {[&a](auto&) { return a.rules.report == scan::RecordUnit::ends; }, kOwnRows + "--report ends"}}},
      {.names = "--margin",
       .to = &a.margin,
       .help = "The best pattern of a read must be N edits closer than any other; else the read is ambiguous",
       .least = 1,
       .needs = "--per-read best",
       .in_header = InHeader::if_changed},
      {.names = "--ties",
       .to = choice(&a.ties, {{"ambiguous", scan::Ties::ambiguous},
                              {"longest", scan::Ties::longest},
                              {"posterior", scan::Ties::posterior}}),
       .help =
           "If several patterns are equally near: ambiguous: the read has none of them; longest: the longest one, of "
           "those that overlap; posterior: the likeliest one, by base qualities and numbers of exact reads (REF is "
           "read twice)",
       .needs = "--per-read best",
       .in_header = InHeader::if_changed},
      {.names = "--partial",
       .to = &a.partial,
       .help = "Up to N letters of a pattern may hang over an end of a read; two of them cost one edit",
       .needs = "--per-read best",
       .conflicts = {{[&a](auto&) { return a.rules.metric == scan::Metric::hamming || a.ambiguous.has_value(); },
                      " cannot be used with --metric hamming and --ambiguous match; leave them out"},
                     {[&a](auto&) { return a.partial > 2 * a.max_edits.value_or(0); },
                      ": two letters beyond an end cost one edit, so N is at most 2 e; give fewer, or a larger -e"}},
       .in_header = InHeader::if_changed},
      {.names = "--within",
       .value = "5p:N,3p:N",
       .to = typed(&a.within, parse_ends, ends_text),
       .help = "Search the first (5p) or last (3p) N bases of each read only, or both; REF is reads",
       .conflicts = {{[&a](auto&) { return !a.pam.empty(); }, " is for patterns in reads; leave out --pam"}},
       .in_header = InHeader::if_changed},
      {.names = "--extract",
       .value = "FOLDER",
       .to = &a.extract,
       .help = "Write the reads into a new folder, a file for each pattern, by --per-read best, which is then set: "
               "NAME.fq.gz, ambiguous.fq.gz, unassigned.fq.gz; of pairs NAME_R1.fq.gz and NAME_R2.fq.gz; the table "
               "only with -o",
       .needs = "--per-read best",
       .is_path = true},
      {.names = "--counts",
       .value = "FILE",
       .to = &a.counts,
       .help = "Count the assigned reads of each pattern and sample, by --per-read best, which is then set: a line for "
               "each pattern, as mageck test reads it (.tsv .csv); the table of calls only with -o",
       .needs = "--per-read best",
       .is_path = true},
      {.names = "--read-structure",
       .value = "16B12M+T",
       .to = &a.read_structure,
       .help =
           "Where the barcodes (B), the UMI (M) and the template (T) of a read are, as in fgbio; S is skipped, + is "
           "the rest, [ACGT] a linker. Of pairs: one for each mate, with a comma. Several barcodes: a list for "
           "each (a.txt,b.txt), or a table of combinations",
       .needs = "--per-read best",
       .conflicts = {{[&a](auto&) { return a.within.has_value() || a.partial > 0; },
                      " says where to search; leave out --within and --partial"},
                     {[&a](auto&) { return a.labels.trim != io::Trim::none; },
                      " says with T what is written; leave out --trim"},
                     {[&a](auto&) { return a.labels.orient; }, " turns reads already; leave out --orient"},
                     {[&a](auto&) { return a.ambiguous.has_value(); },
                      " takes letters as they are; leave out --ambiguous match"},
                     {[&a](auto&) { return a.paired() && a.rules.strands == scan::Strands::both; },
                      " is for one direction of pairs; leave out --strand"}},
       .in_header = InHeader::if_changed},
      {.names = "--mates",
       .value = "FILE",
       .to = &a.mates,
       .help = "Second mates; REF has the first ones, which are searched; both mates are written together",
       .conflicts = {{[&a](auto&) { return a.interleaved; },
                      ": with --interleaved, REF has both mates; leave one out"}},
       .in_header = InHeader::if_changed,
       .is_path = true},
      {.names = "--interleaved",
       .to = &a.interleaved,
       .help = "REF has pairs: the two mates follow each other; SAM, BAM and CRAM may have single reads, too",
       .in_header = InHeader::if_changed},
      {.names = "--trim",
       .to =
           choice(&a.labels.trim, {{"none", io::Trim::none}, {"before", io::Trim::before}, {"after", io::Trim::after}}),
       .help = "Of reads that are written: cut off the pattern and all before it, or all after it, in its direction",
       .conflicts = for_written,
       .in_header = InHeader::if_changed},
      {.names = "--orient",
       .to = &a.labels.orient,
       .help =
           "Write assigned reads in the direction of their patterns: those with one on the reverse strand are turned",
       .conflicts = for_turned,
       .in_header = InHeader::if_changed},
      {.names = "--tags",
       .value = "CB,CR,CY,UB,UR,UY",
       .to = typed(&a.labels.tags, parse_tags, tags_text),
       .help = "Names of the SAM tags of reads that are written: of the barcode, its letters in the read and their "
               "qualities, and the same of molecules; a dot leaves one out. -o with reads has these, --extract none",
       .conflicts = for_written,
       .in_header = InHeader::if_changed}};
  return in_group(kReadsGroup, std::move(table));
}

io::ReadInput::Files read_files(const ScanArguments& a, const std::vector<std::string>& reads) {
  io::ReadInput::Files files{reads, a.mates.empty() ? std::vector<std::string>() : io::reference_files(a.mates),
                             a.interleaved};
  for (const std::string& first : files.reads) {
    for (const std::string& second : files.mates) {
      if (is_same_input(first, second)) {
        throw UsageError(first + " and " + second +
                         " are the same file; --mates names that of the second mates, and --interleaved says that REF "
                         "has both");
      }
    }
  }
  return files;
}

std::vector<std::string> output_files(const ScanArguments& a) {
  std::vector<std::string> files = io::files_of_mates(a.output);
  if (!a.outputs_reads() || !io::is_fastq_name(a.output) || files.size() < 2) {
    return {};
  }
  if (!a.paired()) {
    throw UsageError("-o " + a.output +
                     ": % stands for the mate of a pair; name one file, or give --mates or --interleaved");
  }
  return files;
}

}  // namespace trawl::cli
