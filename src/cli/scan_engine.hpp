// The engines of `trawl scan`.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scan/find/finder.hpp"
#include "scan/options.hpp"
#include "scan/query.hpp"

namespace trawl::cli {

/// `name` as in --engine: cpu, cuda, or auto, which takes a GPU where the work is worth its start and one serves; where
/// none does, `why` says so. `reference_bytes`: of the file, if known. `queries` must outlive the finder. Throws
/// UsageError for another name, Error for an engine named that cannot be used.
std::unique_ptr<scan::Finder> make_finder(const std::string& name, const std::vector<scan::Query>& queries,
                                          const scan::Options& options, std::optional<std::uint64_t> reference_bytes,
                                          std::string& why);

}  // namespace trawl::cli
