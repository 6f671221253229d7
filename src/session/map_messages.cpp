#include "session/map_messages.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <system_error>

#include "base/counted.hpp"
#include "base/error.hpp"
#include "io/format/file_format.hpp"
#include "io/index/saved_index.hpp"
#include "io/read/gzip/input_file.hpp"
#include "io/read/mate_record.hpp"
#include "io/read/read_source.hpp"
#include "io/read/two_bit_contigs.hpp"
#include "io/write/output_file.hpp"
#include "io/write/record_sinks.hpp"
#include "io/write/sam_header.hpp"
#include "session/command_run.hpp"

namespace trawl::session {

namespace {

std::string percent(std::uint64_t part, std::uint64_t all) {
  char text[64];
  std::snprintf(text, sizeof text, "%.2f%%",
                all == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(all));
  return text;
}

}  // namespace

std::string old_index_warning(const std::string& output, io::OutputFormat format) {
  if (io::is_stream(output) || (format != io::OutputFormat::bam && format != io::OutputFormat::cram)) {
    return "";
  }
  std::string names;
  for (const std::string& name : io::index_names(output, format)) {
    std::error_code error;
    if (std::filesystem::exists(name, error)) {
      names += (names.empty() ? "" : " and ") + name;
    }
  }
  return names.empty() ? ""
                       : "warning: " + names + (names.find(" and ") == names.npos ? " is" : " are") +
                             " of an older file, not of " + output + "; remove it, or write the file with --sort";
}

std::string cram_reference_warning(const std::string& output, const std::string& fasta) {
  const std::string warning = "warning: to read " + output + ", samtools needs the reference as plain or bgzip FASTA; ";
  std::error_code error;
  if (fasta == "-" || std::filesystem::is_fifo(fasta, error)) {
    return warning + "it came from " + (fasta == "-" ? "standard input" : "a pipe") +
           ", so keep it as a file, and name that with samtools view -T";
  }
  if (io::file_size(fasta) && io::is_two_bit(fasta)) {
    return warning + fasta + " is 2bit: twoBitToFa " + fasta + " FILE, then samtools view -T FILE";
  }
  if (io::file_size(fasta) && io::InputFile(fasta).is_ordinary_gzip()) {
    return warning + fasta + " is ordinary gzip: zcat " + fasta + " | bgzip > FILE, then samtools view -T FILE";
  }
  return "";
}

std::string without_reference_warning(const std::string& output, const std::string& fault) {
  return fault.empty()
             ? ""
             : "warning: samtools cannot use the FASTA (" + fault + "), so " + output +
                   " is larger: it has all bases of the reads, and is read without the FASTA. To mend that: " +
                   (fault.ends_with("SAM does not allow") ? "give the sequences other names, then " : "") +
                   R"(zcat -f FASTA | LC_ALL=C awk '{sub(/^\357\273\277/, "")} /^>/ {print (n++ ? "\n" : "") $0; )"
                   R"(next} {gsub(/[ \t\r]/, ""); gsub(/U/, "T"); gsub(/u/, "t"); printf "%s", $0} )"
                   R"(END {print ""}' > NEW)";
}

std::string saved_index_hint(const std::string& reference) {
  const std::string index = reference + ".trawl";
  if (reference == "-" || io::is_saved_index(reference) || !io::is_saved_index(index)) {
    return "";
  }
  return index + " lies beside " + reference + ": trawl map " + index + " ... starts at once";
}

namespace {

// What finds more pieces of reads.
std::string clip_advice(const map::MapOptions& options) {
  constexpr double kMostPercent = 49;
  if (!options.gaps()) {
    return "edits in place of --metric hamming, ";
  }
  if (!options.clip.on()) {
    return std::string(options.report == map::Report::best ? "no --end-to-end" : "--clip 30%") +
           " (adapters, bad ends), ";
  }
  return options.clip.most.is_share && options.clip.most.percent >= kMostPercent ? "" : "a larger --clip, ";
}

}  // namespace

std::string few_mapped_hint(const io::RunStats& stats, const cli::MapArguments& a, const map::MapOptions& options) {
  constexpr std::uint64_t kEnoughReads = 100;
  if (stats.reads < kEnoughReads || 10 * stats.mapped >= 9 * stats.reads || !a.unmapped_file.empty()) {
    return "";
  }
  std::string reasons;
  const auto add = [&](std::uint64_t reads, const std::string& reason) {
    reasons += reads == 0 ? "" : (reasons.empty() ? "" : ", ") + percent(reads, stats.reads) + ' ' + reason;
  };
  const std::uint64_t nowhere = stats.unmapped_no_locus - stats.limits.many_ambiguous;
  add(nowhere, "fit nowhere with -e " + cli::text_of(a.rules.max_edits));
  add(stats.limits.many_ambiguous,
      std::string("have more N than edits allowed (") + (options.ambiguous == map::Ambiguous::match
                                                             ? "--ambiguous match:30% lets more match)"
                                                             : "--ambiguous match lets N match any base)"));
  add(stats.unmapped_too_short, "are too short for so many edits (see --min-length)");
  add(stats.unmapped_many_loci, "have more loci than --max-loci allows");
  add(stats.pairs.discordant_mates, "fit, but not together with their mates (--discordant never, --one-end never)");
  return "hint: " + percent(stats.reads - stats.mapped, stats.reads) + " of the reads are not mapped: " + reasons +
         (nowhere == 0
              ? "."
              : ". Try a larger -e, " + clip_advice(options) + "or another reference (is it of this species?)");
}

std::string read_group_hint(const std::vector<std::string>& header_lines) {
  const auto lacks = [](const std::string& line) { return line.starts_with("@RG") && line.find("\tPL:") == line.npos; };
  return std::none_of(header_lines.begin(), header_lines.end(), lacks)
             ? ""
             : "hint: -R has no PL (the sequencer); GATK and picard want it: add \\tPL:ILLUMINA";
}

namespace {

// " (12.34%)"
std::string share(std::uint64_t part, std::uint64_t all) { return " (" + percent(part, all) + ")"; }

std::string pairs_text(const io::RunStats& stats, const map::MapOptions& options) {
  const io::PairCounts& pairs = stats.pairs;
  if (pairs.total == 0) {
    return stats.insert.source.empty() || stats.reads > 0 ? "" : "0 pairs; ";
  }
  const auto left = [](bool never) { return never ? " (left unmapped)" : ""; };
  const std::uint64_t singles = stats.reads - 2 * pairs.total;
  return counted(pairs.total, "pair") + ", " + std::to_string(pairs.concordant) + " concordant" +
         share(pairs.concordant, pairs.total) + ", " + std::to_string(pairs.discordant) + " discordant" +
         left(options.pairs.discordant == align::Discordant::never) + ", " + std::to_string(pairs.one_end) +
         " with one mate mapped" + left(!options.one_end) + "; " +
         (singles == 0 ? "" : counted(singles, "single read") + "; ");
}

std::string few_concordant_warning(const io::PairCounts& pairs) {
  constexpr std::uint64_t kEnoughPairs = 1000;
  const std::uint64_t both_mapped = pairs.concordant + pairs.discordant;
  if (both_mapped < kEnoughPairs || 10 * pairs.concordant >= both_mapped) {
    return "";
  }
  return "warning: only " + percent(pairs.concordant, both_mapped) +
         " of the pairs with both mates mapped are concordant; are the files mates of each other, and is "
         "--orientation right?";
}

std::string many_edits_warning(const std::string& max_edits, std::uint64_t many, std::uint64_t reads) {
  return many == 0 ? ""
                   : "warning: -e " + max_edits + " allows more edits than a quarter of the length of " +
                         std::to_string(many) + " of " + counted(reads, "read") +
                         "; reads with so many edits fit in many places by chance, and are slow to search";
}

std::string edits_limited_warning(const std::string& max_edits, const io::LimitCounts::FewerEdits& limited,
                                  std::uint64_t reads) {
  const std::string most = std::to_string(map::kMaxEdits);
  return limited.count == 0
             ? ""
             : "warning: -e " + max_edits + " is more than " + most + " edits, the most that are possible, for " +
                   std::to_string(limited.count) + " of " + counted(reads, "read") + "; the first is " + limited.first +
                   "; they were searched with " + most + " edits";
}

std::string clip_limit_warning(const std::string& clip, std::uint64_t limited, std::uint64_t reads) {
  return limited == 0 ? ""
                      : "warning: --clip " + clip + " is half or more of " + std::to_string(limited) + " of " +
                            counted(reads, "read") +
                            "; of each of them less than half may be left out; for reads of several lengths "
                            "give a share, for example --clip 30%";
}

}  // namespace

std::string longer_than_circle_warning(const io::RunStats& stats, const map::MapOptions& options) {
  return stats.limits.longer_than_circle == 0
             ? ""
             : "warning: " + counted(stats.limits.longer_than_circle, "read") + " of more than " +
                   counted(options.shortest_circle, "base") +
                   ": places over the origin of a circular sequence of this length may be missing";
}

std::vector<std::string> run_warnings(const io::RunStats& stats, const cli::MapArguments& a) {
  const io::LimitCounts& limits = stats.limits;
  const std::string max_edits = cli::text_of(a.rules.max_edits);
  return {few_concordant_warning(stats.pairs),
          stats.reads == 0 ? "warning: the input has no reads" : "",
          many_edits_warning(max_edits, limits.many_edits, stats.reads),
          edits_limited_warning(max_edits, limits.edits_limited, stats.reads),
          clip_limit_warning(cli::clip_text(a.clip), limits.clip_limited, stats.reads),
          limits.phred64 == 0 || limits.phred33 > 0 || a.phred64
              ? ""
              : "warning: the qualities seem to be Phred+64, as Illumina wrote them until 2011; give --phred64"};
}

std::string summary(const io::RunStats& stats, const map::MapOptions& options) {
  std::string text = pairs_text(stats, options) + counted(stats.reads, "read") +
                     (stats.collapsed ? " of " + counted(stats.sequences, "sequence") : "") + ", " +
                     std::to_string(stats.mapped) + " mapped" + share(stats.mapped, stats.reads) + ", " +
                     counted(stats.alignments, "alignment") + ", " + seconds_text(stats.wall_seconds);
  if (stats.clipped.reads > 0) {
    text += "; " + counted(stats.clipped.reads, "read") + " clipped" + share(stats.clipped.reads, stats.reads);
    if (stats.clipped.supplementary_records > 0) {
      text += ", " + counted(stats.clipped.supplementary_records, "supplementary record");
    }
  }
  if (stats.sort && stats.sort->duplicates) {
    text +=
        "; " + counted(stats.sort->duplicates->all(), "duplicate") + share(stats.sort->duplicates->all(), stats.mapped);
  }
  if (stats.unmapped_too_short > 0) {
    text += "; " + counted(stats.unmapped_too_short, "read") +
            " left unmapped: too short for these edits (see --min-length)";
  }
  if (const std::uint64_t many = stats.unmapped_many_loci + stats.one_of_many_loci; many > 0) {
    text += "; " + counted(many, "read") +
            (options.max_loci.keeps_one ? " at one of their places: more than " : " left unmapped: more than ") +
            counted(options.max_loci.most, "locus", "loci") + " (--max-loci)";
  }
  if (stats.limits.edits_limited.count > 0) {
    text += "; " + counted(stats.limits.edits_limited.count, "read") + " searched with " +
            std::to_string(map::kMaxEdits) + " edits only";
  }
  if (stats.dropped > 0) {
    text += "; " +
            (stats.pairs.total > 0 ? counted(stats.dropped, "record") : counted(stats.dropped, "locus", "loci")) +
            " of " + counted(stats.reads_with_dropped, "read") + " dropped by --max-hits";
  }
  return text;
}

namespace {

// The names of the first two reads without /1 and /2; fewer if there are none.
std::vector<std::string> first_names(const std::string& path) {
  std::vector<std::string> names;
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    return names;
  }
  try {
    io::ReadSource source({path}, 2);
    sequence::ReadBatch batch;
    while (names.size() < 2 && source.next(batch)) {
      for (std::size_t r = 0; r < batch.size(); ++r) {
        names.emplace_back(io::name_without_mate(io::name_without_mate(batch.name(r), 1), 2));
      }
    }
  } catch (const Error&) {
  }
  return names;
}

}  // namespace

std::string read_files_warning(const std::vector<std::string>& paths) {
  std::map<std::string, std::string> file_of;  // the file that begins with this name
  for (std::size_t p = 0; p < paths.size(); ++p) {
    const std::string& path = paths[p];
    if (std::find(paths.begin(), paths.begin() + static_cast<std::ptrdiff_t>(p), path) !=
        paths.begin() + static_cast<std::ptrdiff_t>(p)) {
      return "warning: " + path + " is given more than once; each of its reads is mapped more than once";
    }
    const auto names = first_names(path);
    if (names.size() == 2 && names[0] == names[1]) {
      return "warning: the first two reads of " + path + " are both named " + names[0] +
             ", so they look like mates, but are mapped as single reads; for pairs: trawl map --interleaved REF " +
             path;
    }
    if (names.empty()) {
      continue;
    }
    const auto [first, is_new] = file_of.emplace(names[0], path);
    if (!is_new) {
      return "warning: " + first->second + " and " + path + " both begin with a read named " + names[0] +
             ", so they look like mates, but are mapped as single reads; for pairs: trawl map REF " + first->second +
             " " + path;
    }
  }
  return "";
}

}  // namespace trawl::session
