// The engines of `trawl scan`.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scan/finder.hpp"
#include "scan/options.hpp"
#include "scan/query.hpp"

namespace trawl::cli {

/// `name` as in --engine: cpu, cuda, or auto, which takes a GPU where one can be used and the work is worth its start.
/// `reference_bytes`: of the file, if known. `queries` must outlive the finder. Throws UsageError for another name,
/// Error for an engine that cannot be used.
std::unique_ptr<scan::Finder> make_finder(const std::string& name, const std::vector<scan::Query>& queries,
                                          const scan::Options& options, std::optional<std::uint64_t> reference_bytes);

}  // namespace trawl::cli
