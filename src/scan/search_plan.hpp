// How queries are searched: whole, or by parts.
//
// A match with k edits, cut at the borders of parts with e_1, e_2, .. allowed edits of their own, has at most e_i edits
// in some part i wherever (e_1 + 1) + (e_2 + 1) + .. > k. So all matches are found by searching the parts and checking
// where the whole may end around each of their hits. That pays where the parts are long enough to be rare.
#pragma once

#include <cstdint>
#include <vector>

#include "scan/options.hpp"
#include "scan/query.hpp"
#include "scan/row_program.hpp"

namespace trawl::scan {

/// A piece of a query.
struct Part {
  std::uint32_t query = 0;
  std::uint32_t first = 0;   // row of the query
  std::uint32_t length = 0;  // rows
  std::uint32_t edits = 0;   // allowed
};

/// The parts to search instead of the query; nothing where it is better searched whole.
std::vector<Part> choose_parts(const Query& query, const Options& options);

/// The cost of checking one hit of a part of `query`, and what its parts save for a position of the text, in the same
/// unit: parts pay while fewer than saving / cost positions hold a hit.
struct PartCosts {
  double of_check = 0;
  double saving = 0;
};
PartCosts part_costs(const Query& query, const std::vector<Part>& parts, const Options& options);

/// Programs, and what their ids stand for: below the number of queries the query, otherwise parts[id - that].
struct SearchPlan {
  std::vector<RowProgram> programs;
  std::vector<Part> parts;
};

/// Queries with `by_parts[q]` not empty are searched by those.
SearchPlan make_plan(const std::vector<Query>& queries, const std::vector<std::vector<Part>>& by_parts,
                     const Options& options);

}  // namespace trawl::scan
