#include "api/scanner.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "api/cuda_plugin.hpp"
#include "api/given_options.hpp"
#include "api/guarded.hpp"
#include "api/reference.hpp"
#include "base/error.hpp"
#include "columns/map_columns.hpp"
#include "io/format/letters.hpp"
#include "pipeline/engine_choice.hpp"
#include "scan/pam.hpp"
#include "sequence/alphabet.hpp"
#include "session/scan_session.hpp"

namespace trawl::api {

namespace {

scan::PatternList list_of(std::span<const Pattern> patterns) {
  scan::PatternList list;
  for (std::size_t p = 0; p < patterns.size(); ++p) {
    const auto& [bases, name] = patterns[p];
    const std::string which = "pattern " + std::to_string(p + 1);
    if (bases.empty()) {
      throw UsageError(which + " is empty; a pattern has at least one letter");
    }
    if (bases.size() > scan::kMaxPatternLength) {
      throw UsageError(which + " has " + std::to_string(bases.size()) + " letters; at most " +
                       std::to_string(scan::kMaxPatternLength) + " are possible");
    }
    if (const std::size_t at = io::find_not_iupac(bases); at < bases.size()) {
      throw UsageError(which + ", " + bases.substr(0, 64) + ": " + io::describe_character(bases[at]) +
                       " is not an IUPAC letter" + io::inosine_hint(bases[at]));
    }
    const std::string letters = sequence::upper_bases(bases);
    list.add(name.empty() ? io::name_of_pattern(letters, p + 1) : name, letters);
  }
  return list;
}

// scan_options() asks for patterns of the command line.
scan::ScanOptions options_of(const cli::ScanArguments& given) {
  cli::ScanArguments arguments = given;
  arguments.patterns = {"N"};
  return cli::scan_options(arguments);
}

void check_text(std::string_view text) {
  if (const std::size_t at = io::find_not_iupac(text); at < text.size()) {
    throw InputError("letter " + std::to_string(at + 1) + " of the text is " + io::describe_character(text[at]) +
                     ", which is not an IUPAC letter");
  }
}

}  // namespace

}  // namespace trawl::api

namespace trawl::inline v0 {

Scanner::Impl::Impl(cli::ScanArguments given, scan::PatternList patterns)
    : arguments(std::move(given)), options(api::options_of(arguments)) {
  if (patterns.empty()) {
    throw UsageError("nothing to search: give at least one pattern");
  }
  queries = scan::make_queries(patterns, options);
  if (queries.empty()) {
    throw UsageError("no pattern is left to search: each has at most " + std::to_string(options.max_edits) +
                     " letters that are not N, so it would match everywhere; allow fewer edits");
  }
  searched = scan::with_pam(patterns, options.pam);
  for (const auto [name, bases] : searched) {
    shown.emplace_back(bases, name);
  }
  short_scan.emplace(queries, options);
  api::know_cuda_plugin();
  if (arguments.engine != "auto" && arguments.engine != "cpu") {
    api::use_threads();
    pipeline::ScanChoice(arguments.engine, options).warm_up();  // an engine that cannot run is an error now
  }
  cpu_only = arguments.engine == "cpu" || (arguments.engine == "auto" && !api::has_cuda_plugin());
}

Scanner::Scanner(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

Scanner::Scanner(std::span<const Pattern> patterns, const Options& options)
    : impl_(api::guarded(
          [&] { return std::make_shared<const Impl>(api::scan_arguments(options), api::list_of(patterns)); })) {}

Scanner Scanner::from_file(const std::string& path, const Options& options) {
  return api::guarded([&] {
    cli::ScanArguments arguments = api::scan_arguments(options);
    arguments.pattern_file = path;
    std::optional<io::CasOffinderInput> cas;
    scan::PatternList patterns = session::read_patterns(arguments, cas);
    if (cas) {
      session::take_options(*cas, arguments);
    }
    return Scanner(std::make_shared<const Impl>(std::move(arguments), std::move(patterns)));
  });
}

Hits Scanner::scan(std::string_view text) const {
  Hits hits;
  scan(text, hits);
  return hits;
}

void Scanner::scan(std::string_view text, Hits& hits) const {
  columns::clear(hits);
  api::check_text(text);
  api::guarded([&] {
    if (impl_->short_scan->suits(text.size())) {
      static thread_local std::vector<scan::SiteRecord> records;
      records.clear();
      impl_->short_scan->find(text, records);
      for (const scan::SiteRecord& record : records) {
        columns::add_hit(record, impl_->searched[record.pattern].bases, hits);
      }
    } else if (!text.empty()) {
      api::scan_text(*impl_, text, hits);
    }
  });
}

Hits Scanner::scan(const Reference& reference, const OnProgress& progress) const {
  return api::guarded([&] {
    Hits all;
    api::scan_reference(*impl_, reference.impl()->reference, all, progress);
    all.contigs.clear();
    for (const Contig& contig : reference.contigs()) {
      all.contigs.push_back(contig.name);
    }
    return all;
  });
}

void Scanner::scan_file(const std::string& path, const OnHits& take, const OnProgress& progress) const {
  if (!take) {
    throw UsageError("scan_file() needs a function that takes the hits");
  }
  api::guarded([&] {
    api::use_threads();
    api::scan_contigs(*impl_, session::open_reference(io::read_samples(path), impl_->options.threads), take, progress);
  });
}

void Scanner::scan_stream(const NextChunk& next, const OnHits& take) const {
  if (!next || !take) {
    throw UsageError("scan_stream() needs a function that gives the pieces, and one that takes the hits");
  }
  api::guarded([&] { api::scan_contigs(*impl_, api::stream_of(next), take, {}); });
}

const std::vector<Pattern>& Scanner::patterns() const { return impl_->shown; }

}  // namespace trawl::inline v0
