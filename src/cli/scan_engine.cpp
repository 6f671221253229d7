#include "cli/scan_engine.hpp"

#include "error.hpp"

namespace trawl::cli {

std::unique_ptr<scan::Finder> make_finder(const std::string& name, const std::vector<scan::Query>& queries,
                                          const scan::Options& options) {
  if (name == "auto" || name == "cpu") {
    return scan::make_cpu_finder(queries, options);
  }
  throw UsageError("--engine " + name + ": trawl scan has: cpu");
}

}  // namespace trawl::cli
