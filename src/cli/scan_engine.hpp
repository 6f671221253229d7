// The engines of `trawl scan`.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "scan/finder.hpp"
#include "scan/options.hpp"
#include "scan/query.hpp"

namespace trawl::cli {

/// `name` as in --engine, "auto" included. `queries` must outlive the finder. Throws UsageError for a name that this
/// build does not know.
std::unique_ptr<scan::Finder> make_finder(const std::string& name, const std::vector<scan::Query>& queries,
                                          const scan::Options& options);

}  // namespace trawl::cli
