// Records of a scan as columns.
//
//   const scan::PatternList patterns{{"p", "GATTACA"}};
//   scan::Record record;
//   record.end = 7;
//   Hits hits;
//   add_hit(record, patterns[0].bases, hits);
//   hits.cigar_of(0) == "7M"
//   hits.sequence[0] == "GATTACA"
#pragma once

#include <string_view>

#include "scan/report/record.hpp"
#include "trawl/scanner.hpp"

namespace trawl::columns {

/// Appends a row. `bases`: the pattern, with its PAM.
void add_hit(const scan::Record& record, std::string_view bases, Hits& hits);

/// Puts the rows of `more` behind those of `all`, with the names of the contigs of `more`.
void append(Hits& all, const Hits& more);

/// Empties the columns; their memory is kept.
void clear(Hits& hits);

}  // namespace trawl::columns
