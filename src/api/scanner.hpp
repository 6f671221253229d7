// What a trawl::Scanner holds, and its searches.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "api/short_scan.hpp"
#include "base/pool.hpp"
#include "cli/options/scan_options.hpp"
#include "io/read/pattern_reader.hpp"
#include "scan/find/finder.hpp"
#include "scan/find/query.hpp"
#include "scan/options.hpp"
#include "sequence/reference.hpp"
#include "session/load_reference.hpp"
#include "trawl/scanner.hpp"

namespace trawl::inline v0 {

struct Scanner::Impl {
  /// `patterns`: without the PAM.
  Impl(cli::ScanArguments given, scan::PatternList patterns);

  cli::ScanArguments arguments;
  scan::ScanOptions options;
  scan::QueryList queries;
  scan::PatternList searched;  // with the PAM
  std::vector<Pattern> shown;  // the same for the caller
  std::optional<api::ShortScan> short_scan;

  bool cpu_only = false;  // finders can be used again, whatever is searched
  mutable Pool<std::unique_ptr<scan::Finder>> finders;
};

}  // namespace trawl::inline v0

// References of any kind through the search of `trawl scan`, to columns instead of a file: scan_run.cpp.
namespace trawl::api {

/// Appends the hits in one string, of checked letters.
void scan_text(const Scanner::Impl& scanner, std::string_view text, Hits& hits);

/// Appends the hits in a reference in memory.
void scan_reference(const Scanner::Impl& scanner, const std::shared_ptr<const sequence::Reference>& reference,
                    Hits& hits, const OnProgress& progress);

/// Gives the hits in contigs that are read one after the other, chunk by chunk.
void scan_contigs(const Scanner::Impl& scanner, session::ReferenceStream contigs, const OnHits& take,
                  const OnProgress& progress);

/// The contigs that a caller gives piece by piece.
session::ReferenceStream stream_of(const NextChunk& next);

}  // namespace trawl::api
