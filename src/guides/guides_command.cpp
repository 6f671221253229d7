#include "guides/guides_command.hpp"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <memory>
#include <new>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "base/counted.hpp"
#include "base/error.hpp"
#include "base/machine_memory.hpp"
#include "base/ordered_pipeline.hpp"
#include "base/stopwatch.hpp"
#include "cli/options/scan_options.hpp"
#include "guides/guide_lines.hpp"
#include "io/format/file_format.hpp"
#include "io/read/bed_regions.hpp"
#include "io/write/text_output.hpp"
#include "pipeline/engine_choice.hpp"
#include "session/command_run.hpp"
#include "session/load_reference.hpp"

namespace trawl::guides {

namespace {

constexpr const char* kGuidesExamples = R"(
Examples:
  trawl guides genome.fa -o guides.tsv.gz
      every guide of 20 bases beside NGG: its sites by mismatches, CFD and MIT specificity
  trawl guides --off-pam NAG -e 4 --regions exons.bed genome.fa -o guides.tsv --annotate genes.gff3
      only guides in these regions, against the whole genome; sites beside NGG and NAG
  trawl guides --only-unique --min-specificity 80 genome.fa -o good.bed.gz
      guides without a second place, of which little else is cut
  trawl guides --pam "TTTV:5'" --length 23 genome.fa -o cas12a.tsv.gz
      the PAM before the guide
)";

struct GuidesArguments : cli::WorkArguments {
  std::string reference;
  std::string pam = "NGG";
  std::string off_pam;
  std::uint32_t length = 20;
  std::uint32_t max_mismatches = 3;
  std::uint32_t seed_length = 0;
  bool only_unique = false;
  std::uint32_t min_specificity = 0;
  std::string regions;
  std::string annotation;
  std::vector<std::string> circular;
  bool renames_contigs = false;
  std::optional<std::uint64_t> memory;
};

struct GuidesStats : io::CommandStats {
  std::uint64_t sites = 0, words = 0, parts = 0;
  GuideLines::GuideCounts guides;
};

std::vector<cli::Option> guides_table(GuidesArguments& a) {
  std::vector<cli::Option> guides = {
      {.names = "--pam",
       .value = "NGG[:3'|5']",
       .to = &a.pam,
       .help = "The motif after (3', the default) or before (5') each guide. Several: NGG,NAG"},
      {.names = "--off-pam",
       .value = "NAG",
       .to = &a.off_pam,
       .help = "Places beside this motif are also sites, which are counted, but no guides"},
      {.names = "-l,--length",
       .to = &a.length,
       .help = "Length of the guides, without the PAM: 12 to 28",
       .least = words::SiteRule::kShortest,
       .most = words::SiteRule::kLongest},
      {.names = "-e,--max-mismatches",
       .to = &a.max_mismatches,
       .help = "Count the sites with up to N mismatches, at most 4",
       .most = words::SiteRule::kMostMismatches},
      {.names = "--seed-length",
       .to = &a.seed_length,
       .help = "Also count the sites that have the same N bases nearest the PAM, whatever the others are; at most 12, "
               "0: no",
       .most = words::SiteRule::kShortest},
      {.names = "--regions",
       .value = "FILE.bed",
       .to = &a.regions,
       .help = "Only guides that overlap the regions of this BED file; sites are counted in the whole reference",
       .is_path = true},
      {.names = "--only-unique",
       .to = &a.only_unique,
       .help = "Write only guides with exactly one site without mismatches"},
      {.names = "--min-specificity",
       .to = &a.min_specificity,
       .help = "Write only guides with a CFD specificity of at least N, from 0 to 100",
       .most = 100},
      cli::circular_option(a.circular),
      cli::rename_option(a.renames_contigs)};
  std::vector<cli::Option> table = {cli::reference_argument(a.reference)};
  cli::append(table, cli::in_group("Guides", std::move(guides)));
  table.push_back(
      {.names = "--annotate",
       .value = "FILE",
       .to = &a.annotation,
       .help = "Genes, as GFF3, GTF or BED: a table gets the columns gene and feature (CDS, exon, intron, gene, "
               "intergenic)",
       .group = cli::kRecordsGroup,
       .is_path = true});
  cli::append(table, cli::output_options(a, ".tsv .csv .bed, these with .gz; - is TSV on stdout",
                                         ".gz: 0 not compressed, 1 fastest, 9 smallest; by default fast"));
  cli::append(table, cli::work_options_table(a));
  table.push_back({.names = "--memory",
                   .value = "LIMIT",
                   .to = cli::bytes_target("--memory", a.memory),
                   .help = "Most memory to use, for example 24G: the guides are counted in parts then, which takes "
                           "longer",
                   .group = cli::kWorkGroup,
                   .default_text = "that of the machine"});
  return table;
}

words::SiteRule rule_of(const GuidesArguments& a) {
  words::SiteRule rule{a.length, {cli::parse_pam("--pam", a.pam, 0)}, a.max_mismatches};
  if (rule.pam_size() > words::SiteRule::kLongestPam) {
    throw UsageError("--pam " + a.pam + ": give at most " + std::to_string(words::SiteRule::kLongestPam) + " letters");
  }
  if (!a.off_pam.empty()) {
    rule.pams.push_back(cli::parse_pam("--off-pam", a.off_pam, 0));
    if (rule.pams.back().bases.size() != rule.pam_size() || rule.pams.back().is_last != rule.is_last()) {
      throw UsageError("--off-pam " + a.off_pam + ": it must be as long as --pam " + a.pam +
                       ", and on the same side of the guide");
    }
  }
  if (a.min_specificity > 0 && !rule.has_scores()) {
    throw UsageError("--min-specificity: only guides of 20 bases with a PAM of three letters after them have scores");
  }
  return rule;
}

class GuidesRun {
 public:
  GuidesRun(const GuidesArguments& arguments, session::CommandRun& run)
      : arguments_(arguments), run_(run), rule_(rule_of(arguments)) {}

  void run() {
    const auto extension =
        io::extension_of(arguments_.output, {".tsv", ".csv", ".bed", ".tsv.gz", ".csv.gz", ".bed.gz"}, "TSV")
            .value_or(0);
    is_packed_ = extension >= 3;
    lines_rule_ = {.is_bed = extension % 3 == 2,
                   .separator = extension % 3 == 1 ? ',' : '\t',
                   .only_unique = arguments_.only_unique,
                   .min_specificity = arguments_.min_specificity,
                   .seed_length = arguments_.seed_length};
    if (lines_rule_.is_bed && !(arguments_.annotation.empty() && arguments_.seed_length == 0)) {
      throw UsageError(std::string(arguments_.seed_length > 0 ? "--seed-length" : "--annotate") +
                       " adds columns to a table; give -o a file named .tsv or .csv");
    }
    const int level = cli::compression_level(arguments_, is_packed_);
    work_ = cli::work_options(arguments_);
    pipeline::GuideChoice choice(arguments_.engine, work_);
    std::vector<std::string> inputs{arguments_.reference};
    for (const std::string& more : {arguments_.regions, arguments_.annotation}) {
      inputs.insert(inputs.end(), more.empty() ? 0 : 1, more);
    }
    run_.begin(arguments_, stats_, inputs, work_.threads);
    if (work_.all_devices || work_.devices.size() > 1) {
      run_.warn("--devices: trawl guides uses one device only");
    }
    const auto regions =
        arguments_.regions.empty() ? std::vector<io::NamedRegion>() : io::read_some_regions(arguments_.regions);
    if (!arguments_.annotation.empty()) {
      lines_rule_.genes = io::read_annotation(arguments_.annotation);
    }
    Stopwatch watch;
    const session::LoadedReference loaded =
        session::load_reference(arguments_.reference, work_.threads,
                                {session::CircularUse::repeated, arguments_.circular}, arguments_.renames_contigs);
    run_.warn_all(loaded.warnings);
    if (lines_rule_.genes) {
      run_.warn_all({lines_rule_.genes->warning(loaded.reference.contigs(), arguments_.annotation)});
    }
    watch.lap(stats_.seconds["reference"]);
    stats_.contigs = loaded.reference.contigs().size();
    stats_.reference_bases = loaded.reference.bases();
    io::Progress progress(run_.shows_progress(), std::nullopt, "guides");
    tbb::task_arena arena(static_cast<int>(work_.threads));
    try {
      arena.execute([&] { write(loaded.reference, regions, choice, level, progress, watch); });
    } catch (const std::bad_alloc&) {
      throw Error(
          "not enough memory to compare the sites; allow less by --memory, or give a PAM that fewer places have" +
          memory_limit_text());
    }
    report();
  }

 private:
  // Guides that begin in some places, and how many they are.
  struct GuidePiece {
    GuideStarts starts;
    std::uint64_t guides = 0;
  };

  void write(const sequence::Reference& reference, const std::vector<io::NamedRegion>& regions,
             pipeline::GuideChoice& choice, int level, io::Progress& progress, Stopwatch& watch) {
    io::TextOutput output(arguments_.output, is_packed_ ? std::optional(level) : std::nullopt);
    words::SiteRule guide_rule = rule_;
    guide_rule.pams.resize(1);
    const words::GuideSiteFinder finder(reference, guide_rule);
    const std::vector<GuidePiece> pieces = pieces_of(reference, regions, finder);
    const std::uint64_t room = room_for_sums(reference, pieces);
    progress.show_phase("sorting the sites", 0);
    words::SiteWords words(reference, rule_);
    const auto join = choice.make(words);
    run_.say_engine(join->description(), choice.why());
    watch.lap(stats_.seconds["sort"]);

    const GuideLines lines(reference, finder, words, lines_rule_);
    output.write(lines.header());
    const std::uint64_t most = std::min(room / sizeof(words::SiteSums), join->most_asked());
    for (std::size_t first = 0; first < pieces.size(); ++stats_.parts) {
      const auto part = part_of(std::span(pieces).subspan(first), most);
      ask(part, finder, words);
      std::vector<words::SiteSums> sums = words::own_sums(words);
      const double done = static_cast<double>(first) / static_cast<double>(pieces.size());
      const double now = static_cast<double>(part.size()) / static_cast<double>(pieces.size());
      if (!sums.empty()) {
        join->add(words, sums, [&](double share) { progress.show_phase("comparing the sites", done + now * share); });
      }
      watch.lap(stats_.seconds["compare"]);
      write_part(part, lines, sums, output, progress);
      watch.lap(stats_.seconds["write"]);
      first += part.size();
    }
    stats_.words = words.size();
    stats_.sites = std::reduce(words.sites().begin(), words.sites().end(), std::uint64_t{words.ambiguous().size()});
    run_.end([&] { output.close(); }, progress);
  }

  // Memory for the sums. Says how much the run will take: the reference, the words and how many sites each has, what is
  // sorted of them, and the sums.
  std::uint64_t room_for_sums(const sequence::Reference& reference, std::span<const GuidePiece> pieces) {
    constexpr std::uint64_t kOfSite = 12 + 2 + 4, kOfThread = 32 << 20, kProgram = 64 << 20, kLeast = 16 << 20;
    const std::uint64_t sites = words::GuideSiteFinder(reference, rule_).count();
    const std::uint64_t seeds = arguments_.seed_length > 0 ? std::uint64_t{4} << (2 * arguments_.seed_length) : 0;
    const std::uint64_t fixed =
        kProgram + reference.size() * 3 / 8 + sites * kOfSite + seeds + work_.threads * kOfThread;
    const std::uint64_t limit = arguments_.memory.value_or(usable_memory() / 10 * 9);
    const auto text = [](std::uint64_t bytes) { return std::to_string((bytes + (1 << 20) - 1) >> 20) + " MB"; };
    if (fixed + kLeast > limit) {
      throw Error((arguments_.memory ? "--memory: " : "not enough memory: ") + counted(sites, "site") +
                  " of guides need at least " + text(fixed + kLeast) +
                  "; allow that, or give a PAM that fewer places have");
    }
    std::uint64_t wanted = kLeast;
    for (const GuidePiece& piece : pieces) {
      wanted += piece.guides * sizeof(words::SiteSums);
    }
    const std::uint64_t room = std::min(wanted, limit - fixed);
    run_.say("up to " + counted(sites, "site") + "; the run takes about " + text(fixed + room) + " of memory");
    return room;
  }

  // The guides that are asked for.
  std::vector<GuidePiece> pieces_of(const sequence::Reference& reference, const std::vector<io::NamedRegion>& regions,
                                    const words::GuideSiteFinder& finder) const {
    constexpr std::uint64_t kPiece = 1 << 16;
    const auto& contigs = reference.contigs();
    const std::uint64_t before = rule_.length + rule_.pam_size() - 1;
    std::vector<io::ContigRegion> wanted =
        regions.empty() ? io::whole_contigs(contigs) : io::find_regions(regions, contigs, arguments_.regions);
    for (std::size_t r = 0, given = regions.empty() ? 0 : wanted.size(); r < given; ++r) {
      // Those that begin before the region reach into it.
      const std::uint64_t missing = before - std::min(before, wanted[r].begin);
      wanted[r].begin -= before - missing;
      const sequence::Contig& contig = contigs[wanted[r].contig];
      if (contig.topology.circular && missing > 0 && wanted[r].end > 0) {
        wanted.push_back({wanted[r].contig, contig.length - std::min(contig.length, missing), contig.length});
      }
    }
    std::vector<GuidePiece> pieces;
    for (const io::ContigRegion& region : io::joined(std::move(wanted))) {
      const std::uint64_t offset = contigs[region.contig].offset;
      for (std::uint64_t begin = region.begin; begin < region.end; begin += kPiece) {
        pieces.push_back({{offset + begin, offset + std::min(region.end, begin + kPiece)}});
      }
    }
    tbb::parallel_for(std::size_t{0}, pieces.size(), [&](std::size_t p) {
      for_each_guide(finder, pieces[p].starts, [&](const words::GuideSite&) { ++pieces[p].guides; });
    });
    return pieces;
  }

  // The first ones, of which `most` guides can be counted at a time; at least one.
  static std::span<const GuidePiece> part_of(std::span<const GuidePiece> pieces, std::uint64_t most) {
    std::size_t last = 0;
    for (std::uint64_t guides = 0; last < pieces.size(); ++last) {
      guides += pieces[last].guides;
      if (guides > most && last > 0) {
        break;
      }
    }
    return pieces.first(last);
  }

  static void ask(std::span<const GuidePiece> pieces, const words::GuideSiteFinder& finder, words::SiteWords& words) {
    words.forget_asked();
    tbb::parallel_for(std::size_t{0}, pieces.size(), [&](std::size_t p) {
      for_each_guide(finder, pieces[p].starts,
                     [&](const words::GuideSite& site) { words.ask(words.number(site.word)); });
    });
    words.end_asking();
  }

  void write_part(std::span<const GuidePiece> pieces, const GuideLines& lines, std::span<const words::SiteSums> sums,
                  io::TextOutput& output, io::Progress& progress) {
    struct WrittenPiece {
      GuideStarts starts;
      GuideLines::GuideCounts counts;
      std::string text;
    };
    std::size_t next = 0, written = 0;
    run_in_order<WrittenPiece>(
        2 * work_.threads,
        [&] {
          return next < pieces.size() ? std::make_shared<WrittenPiece>(WrittenPiece{pieces[next++].starts, {}, {}})
                                      : nullptr;
        },
        {{Stage::parallel, [&](WrittenPiece& piece) { piece.counts = lines.append(piece.starts, sums, piece.text); }}},
        [&](const std::shared_ptr<WrittenPiece>& piece) {
          output.write(piece->text);
          stats_.guides.guides += piece->counts.guides;
          stats_.guides.written += piece->counts.written;
          stats_.guides.unique += piece->counts.unique;
          progress.show_phase("writing the guides",
                              static_cast<double>(++written) / static_cast<double>(pieces.size()));
        });
  }

  void report() {
    if (stats_.guides.guides == 0) {
      run_.warn("no guide: no sequence has " + std::to_string(rule_.length) + " bases beside the PAM" +
                (arguments_.regions.empty() ? "" : " in these regions"));
    }
    io::JsonObject json = io::begin_json(stats_);
    json.add("sites", stats_.sites)
        .add("words", stats_.words)
        .add("guides", stats_.guides.guides)
        .add("unique", stats_.guides.unique)
        .add("written", stats_.guides.written)
        .add("parts", stats_.parts);
    io::add_seconds(stats_, json);
    json.add("peak_resident_bytes", io::peak_resident_bytes());
    run_.report(json.text() + "\n", counted(stats_.sites, "site") + ", " + counted(stats_.guides.guides, "guide") +
                                        ", " + counted(stats_.guides.unique, "guide") + " with exactly one site, " +
                                        std::to_string(stats_.guides.written) + " written, " +
                                        (stats_.parts > 1 ? "in " + counted(stats_.parts, "part") + ", " : "") +
                                        seconds_text(stats_.wall_seconds));
  }

  const GuidesArguments& arguments_;
  session::CommandRun& run_;
  words::SiteRule rule_;
  WorkOptions work_;
  LineRule lines_rule_;
  bool is_packed_ = false;
  GuidesStats stats_;
};

}  // namespace

cli::Command guides_command() {
  const auto arguments = std::make_shared<GuidesArguments>();
  return {.name = "guides",
          .description = "Every guide of a reference: how many sites it has, and its specificity",
          .options = guides_table(*arguments),
          .footer = kGuidesExamples,
          .work = [arguments](const cli::Command&, session::CommandRun& run) { GuidesRun(*arguments, run).run(); }};
}

}  // namespace trawl::guides
