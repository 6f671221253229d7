// From the parameters of a request to the query of `trawl serve`. The parameters are the options of `trawl map` and
// `trawl scan`, read by the same tables: ?max-edits=2&report=all is -e 2 --report all. Besides them: format=NAME.
#pragma once

#include <string>

#include "base/work_options.hpp"
#include "cli/options/option.hpp"
#include "serve/queries.hpp"

namespace trawl::serve {

/// `fasta`: the name of the reference in @PG. `work`: what the server works with.
QueryMaker query_maker(const std::string& fasta, const WorkOptions& work);

/// Whether a query may have this option of `trawl map` or `trawl scan`. Not: files, and what the server decides.
bool is_for_queries(const cli::Option& option);

/// The parameters for the options that the user has given. Throws UsageError for one that a query cannot have.
Fields parameters_of(const cli::Command& given);

}  // namespace trawl::serve
