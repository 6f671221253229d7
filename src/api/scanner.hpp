// What a trawl::Scanner holds.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "api/short_scan.hpp"
#include "base/pool.hpp"
#include "cli/options/scan_options.hpp"
#include "io/read/pattern_reader.hpp"
#include "scan/find/finder.hpp"
#include "scan/find/query.hpp"
#include "scan/options.hpp"
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
