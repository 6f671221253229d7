#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/counted.hpp"
#include "base/error.hpp"
#include "io/read/gzip/input_file.hpp"
#include "io/read/primer_reader.hpp"
#include "io/read/reference_files.hpp"
#include "io/stats/progress.hpp"
#include "io/stats/scan_stats.hpp"
#include "io/write/amplicon_sink.hpp"
#include "pipeline/engine_choice.hpp"
#include "primers/primers_options.hpp"
#include "scan/find/query.hpp"
#include "scan/melting.hpp"
#include "scan/report/primer_dimers.hpp"
#include "sequence/alphabet.hpp"
#include "sequence/copy_letters.hpp"
#include "session/command_run.hpp"
#include "session/load_reference.hpp"
#include "session/pattern_check.hpp"
#include "session/scan_session.hpp"

namespace trawl::primers {

namespace {

constexpr const char* kPrimersExamples = R"(
Examples:
  trawl primers genome.fa primers.tsv -o products.bed
      the products of 50 to 2000 bases; primers.tsv has lines of a name and two primers
  trawl primers -e 3 --three-prime 5 --size 80-500 genome.fa primers.tsv -o products.tsv
      with up to 3 edits in each primer, none in its last 5 bases
  trawl primers -e 3 virus.fa primer.bed -o products.tsv --summary primers.csv --dimers dimers.tsv
      a scheme such as those of ARTIC: every primer with every other of its pool, and primer dimers
)";

// The primers that are searched, and what is known of them before.
class PrimersRun {
 public:
  PrimersRun(const PrimersArguments& arguments, session::CommandRun& run)
      : arguments_(arguments), run_(run), options_(primers_options(arguments)) {}

  void run() {
    const io::ScanFormat format = io::amplicon_format(arguments_.output);
    const int level = cli::compression_level(arguments_, io::is_packed(format));
    pipeline::ScanChoice choice(arguments_.engine, options_);
    begin();

    // The sequence of a product may lie in several chunks, so the whole reference is kept.
    session::LoadedReference loaded = session::load_reference(
        arguments_.reference, options_.threads, {session::CircularUse::letters}, arguments_.renames_contigs);
    run_.warn_all(loaded.warnings);
    const auto reference = std::make_shared<const sequence::Reference>(std::move(loaded.reference));
    read(*reference);
    set_circles(*reference);
    const std::vector<std::uint32_t> groups = pool_.groups(arguments_.combine.value_or(pool_.combine));
    find_dimers(groups, level);

    const scan::QueryList queries = scan::make_queries(pool_.patterns(), options_);
    const auto finder = choice.make(queries, reference->bases());
    run_.say_engine(finder->description(), choice.why());
    const session::ScanSession session(queries, options_, arguments_.chunk_size);
    const session::Chunks chunks =
        session.chunks_of(io::contigs_of(reference), session::CircularRule{arguments_.circular, true});
    io::AmpliconSink sink({.path = arguments_.output, .threads = options_.threads, .compression_level = level}, pool_,
                          groups, {arguments_.sizes->min, arguments_.sizes->max}, arguments_.conditions, *reference,
                          arguments_.mispriming, circles_);
    io::Progress progress(run_.shows_progress(), reference->bases(), "bases");
    session.scan(*finder, chunks, sink, progress, stats_);
    run_.end([&] { sink.close(); }, progress);
    if (!arguments_.summary.empty()) {
      io::write_primer_table({pool_, sink.counts().of_primers, dimers_, arguments_.conditions}, arguments_.summary,
                             level);
    }
    report(sink);
  }

 private:
  // Checks the outputs.
  void begin() {
    io::check_table_name("--summary", arguments_.summary);
    io::check_table_name("--dimers", arguments_.dimers);
    if (!arguments_.mispriming.empty() && io::scan_format(arguments_.mispriming) == io::ScanFormat::sam) {
      throw UsageError("--mispriming " + arguments_.mispriming + ": give a file named .tsv, .csv or .bed");
    }
    if (arguments_.reference == "-" && arguments_.primer_file == "-") {
      throw UsageError("only one of the files can be the standard input (-)");
    }
    run_.begin(
        arguments_, stats_, {arguments_.reference, arguments_.primer_file}, options_.threads,
        {{"--summary", arguments_.summary}, {"--mispriming", arguments_.mispriming}, {"--dimers", arguments_.dimers}});
  }

  void read(const sequence::Reference& reference) {
    io::PrimerFile file = io::read_primers(arguments_.primer_file, scan::kMaxPatternLength, reference);
    pool_ = std::move(file.pool);
    stats_.is_table_of_pairs = pool_.is_table_of_pairs;
    if (!pool_.is_table_of_pairs) {
      std::string what = io::display_name(arguments_.primer_file) + " is " + file.form + ": " +
                         counted(pool_.size(), "primer") + ", " + counted(pool_.amplicons().size(), "amplicon");
      if (!pool_.pools().empty()) {
        what += ", " + counted(pool_.pools().size(), "pool");
      }
      if (file.probes > 0) {
        what += "; " + counted(file.probes, "probe") + " left out, which make no products";
      }
      run_.say(what);
    }
    if (file.elsewhere > 0) {
      run_.warn(counted(file.elsewhere, "primer") + (file.elsewhere == 1 ? " lies" : " lie") +
                " on a sequence that the reference does not have (" + file.elsewhere_contig +
                "); their own places are not known");
    }
    check_places(reference);
    if (file.has_sizes) {
      run_.warn(
          "the sizes in the last two columns (MIN and MAX of ipcress) are not used; --size MIN-MAX is for all pairs");
    }
    filter();
    check();
    stats_.patterns = pool_.size();
  }

  // Whether the sequences of a BED are at their places. A primer may differ from this reference.
  void check_places(const sequence::Reference& reference) {
    constexpr std::uint64_t kNearby = 1000;
    session::NameList misplaced;
    for (std::size_t p = 0; p < pool_.size(); ++p) {
      if (!pool_[p].place) {
        continue;
      }
      const scan::PrimerPlace place = *pool_[p].place;
      const sequence::Contig& contig = reference.contigs()[place.contig];
      const auto [name, bases] = pool_.patterns()[p];
      const bool is_reverse = pool_[p].side == scan::PrimerSide::right;
      const std::string own = is_reverse ? sequence::reverse_complement(bases) : std::string(bases);
      const auto fits = [&](std::uint64_t at) {
        const bool is_inside = at + own.size() <= contig.length;
        const std::string letters =
            is_inside ? sequence::letters_at(reference, contig.offset + at, own.size()) : std::string();
        return std::ranges::equal(letters, own, sequence::is_part_of);
      };
      std::optional<std::uint64_t> found;
      for (std::uint64_t away = 0; away <= kNearby && !found; ++away) {
        const std::uint64_t before = place.start - std::min(place.start, away);
        found = fits(before)               ? std::optional(before)
                : fits(place.start + away) ? std::optional(place.start + away)
                                           : std::nullopt;
      }
      const auto text = [&](std::uint64_t start, std::uint64_t size) {
        return contig.name + ':' + std::to_string(start) + '-' + std::to_string(start + size);
      };
      const std::uint64_t length = place.end - place.start;
      if (length != own.size() || found.value_or(place.start) != place.start) {
        misplaced.add(std::string(name) + " (" + text(place.start, length) + "; its sequence is " +
                      (found ? "at " + text(*found, own.size()) : "not nearby") + ")");
      }
    }
    if (misplaced.count() > 0) {
      run_.warn(counted(misplaced.count(), "primer") + " not at the place in the BED: " + misplaced.text());
    }
  }

  // --circular, and sequences whose headers say that they are circular.
  void set_circles(const sequence::Reference& reference) {
    for (std::size_t c = 0; c < reference.contigs().size(); ++c) {
      const sequence::Contig& contig = reference.contigs()[c];
      if (contig.topology.circular ||
          std::find(arguments_.circular.begin(), arguments_.circular.end(), contig.name) != arguments_.circular.end()) {
        circles_[c] = contig.length;
        pool_.set_circle(c, contig.length);
      }
    }
  }

  // --tm.
  void filter() {
    if (!arguments_.melting) {
      return;
    }
    const auto [least, most] = *arguments_.melting;
    session::NameList left_out;
    std::vector<bool> keeps(pool_.size());
    for (std::uint32_t p = 0; p < pool_.size(); ++p) {
      const double melting = scan::melting_temperature(pool_.patterns()[p].bases, arguments_.conditions);
      keeps[p] = melting >= least && melting <= most;
      if (!keeps[p]) {
        left_out.add(io::primer_name(pool_, p));
      }
    }
    if (left_out.count() == pool_.size()) {
      throw UsageError("--tm " + melting_text(arguments_.melting) +
                       ": no primer has such a melting temperature; --summary lists them");
    }
    if (left_out.count() > 0) {
      run_.say(counted(left_out.count(), "primer") + " left out by --tm " + melting_text(arguments_.melting) + ": " +
               left_out.text());
      pool_.keep([&](std::size_t p) { return keeps[p]; });
    }
  }

  void check() {
    std::unordered_map<std::string_view, std::string_view> seen;  // by group and bases
    session::NameList same;
    std::vector<std::string> pairs(pool_.amplicons().size());  // their primers
    for (std::uint32_t p = 0; p < pool_.size(); ++p) {
      const auto [name, bases] = pool_.patterns()[p];
      const std::string which =
          pool_.is_table_of_pairs ? "a primer of the pair " + std::string(name) : "the primer " + std::string(name);
      if (bases.size() <= options_.pam.three_prime) {
        throw UsageError("--three-prime " + std::to_string(options_.pam.three_prime) + ": " + which + " has " +
                         std::to_string(bases.size()) + " letters; give fewer bases, or -e 0 for exact primers");
      }
      // The part that may have edits.
      if (scan::matches_everywhere({name, bases.substr(0, bases.size() - options_.pam.three_prime)},
                                   options_.max_edits)) {
        throw UsageError("-e " + std::to_string(options_.max_edits) + ": " + which +
                         " is so short that it would match everywhere; give fewer edits");
      }
      if (pool_.is_table_of_pairs) {
        std::string& pair = pairs[*pool_[p].amplicon];
        const std::string own(bases);
        pair = pair.empty() ? own : std::min(pair, own) + ' ' + std::max(pair, own);
      } else if (!seen.emplace(bases, name).second) {
        same.add(std::string(name) + " and " + std::string(seen[bases]));
      }
    }
    for (std::size_t a = 0; a < pairs.size() && pool_.is_table_of_pairs; ++a) {
      if (!pairs[a].empty() && !seen.emplace(pairs[a], pool_.amplicons()[a]).second) {
        same.add(pool_.amplicons()[a] + " and " + std::string(seen[pairs[a]]));
      }
    }
    if (same.count() > 0) {
      run_.warn((pool_.is_table_of_pairs ? "some pairs" : "some primers") +
                std::string(" are the same; each has its own products: ") + same.text());
    }
  }

  void find_dimers(const std::vector<std::uint32_t>& groups, int level) {
    if (arguments_.dimers.empty() && arguments_.summary.empty()) {
      return;
    }
    dimers_ = scan::find_dimers(pool_, groups, arguments_.conditions, -static_cast<double>(arguments_.dimer_energy));
    stats_.dimers = dimers_.size();
    if (!arguments_.dimers.empty()) {
      io::write_dimer_table({pool_, {}, dimers_, arguments_.conditions}, arguments_.dimers, level);
    }
  }

  void report(const io::AmpliconSink& sink) {
    stats_.amplicons = sink.counts().amplicons;
    stats_.expected_amplicons = sink.counts().expected;
    stats_.other_places = sink.counts().other_places;
    say_missing(sink);
    const std::string what =
        pool_.is_table_of_pairs ? counted(stats_.patterns / 2, "primer pair") : counted(stats_.patterns, "primer");
    run_.report(io::stats_json(stats_),
                what + ", " + counted(stats_.reference_bases, "base") + ", " +
                    counted(stats_.records, "locus", "loci") + " of primers, " + counted(stats_.amplicons, "product") +
                    (pool_.amplicons().empty() ? "" : " (" + std::to_string(stats_.expected_amplicons) + " expected)") +
                    (stats_.dimers ? ", " + counted(*stats_.dimers, "dimer") : "") + ", " +
                    seconds_text(stats_.wall_seconds));
  }

  // Amplicons that should have a product.
  void say_missing(const io::AmpliconSink& sink) {
    std::vector<bool> has_left(pool_.amplicons().size());
    std::vector<bool> has_right(pool_.amplicons().size());
    session::NameList nameless;
    for (std::size_t p = 0; p < pool_.size(); ++p) {
      if (!pool_[p].amplicon || pool_[p].side == scan::PrimerSide::unknown) {
        nameless.add(pool_.patterns()[p].name);
      }
      if (pool_[p].amplicon && pool_[p].side != scan::PrimerSide::unknown) {
        (pool_[p].side == scan::PrimerSide::left ? has_left : has_right)[*pool_[p].amplicon] = true;
      }
    }
    session::NameList missing;
    session::NameList alone;
    for (std::size_t a = 0; a < pool_.amplicons().size(); ++a) {
      if (has_left[a] != has_right[a]) {
        alone.add(pool_.amplicons()[a]);
      } else if (has_left[a] && sink.counts().expected_of[a] == 0) {
        missing.add(pool_.amplicons()[a]);
      }
    }
    if (nameless.count() > 0 && (!pool_.amplicons().empty() || arguments_.combine == scan::Combine::pair)) {
      run_.warn(counted(nameless.count(), "primer") + " whose names say no partner: " + nameless.text() +
                "; call them ..._LEFT and ..._RIGHT");
    }
    if (alone.count() > 0) {
      run_.warn(counted(alone.count(), "amplicon") + " with primers of one side only: " + alone.text());
    }
    if (missing.count() > 0) {
      run_.warn(counted(missing.count(), pool_.is_table_of_pairs ? "pair" : "amplicon") +
                " without an expected product of " + cli::text_of(*arguments_.sizes) + " bases: " + missing.text() +
                "; more edits (-e) or sizes (--size) may show it");
    }
  }

  const PrimersArguments& arguments_;
  session::CommandRun& run_;
  io::AmpliconStats stats_;
  scan::ScanOptions options_;
  scan::PrimerPool pool_;
  std::vector<scan::PrimerDimer> dimers_;
  std::map<std::uint64_t, std::uint64_t> circles_;  // by contig: the lengths of circular ones
};

}  // namespace

cli::Command primers_command() {
  const auto arguments = std::make_shared<PrimersArguments>();
  return {.name = "primers",
          .description = "Search primers, pairs or pools: all their products, within an edit distance",
          .options = primers_table(*arguments),
          .footer = kPrimersExamples,
          .work = [arguments](const cli::Command&, session::CommandRun& run) { PrimersRun(*arguments, run).run(); }};
}

}  // namespace trawl::primers
