// How queries are searched: whole, or by parts.
//
// A match with k edits, cut at the borders of parts with e_1, e_2, .. allowed edits of their own, has at most e_i edits
// in some part i wherever (e_1 + 1) + (e_2 + 1) + .. > k. So all matches are found by searching the parts and checking
// where the whole may end around each of their hits. That pays where the parts are long enough to be rare.
#pragma once

#include <cstdint>
#include <vector>

#include "scan/find/wu_manber_program.hpp"
#include "scan/options.hpp"
#include "scan/query.hpp"

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

/// What parts cost and save, in the same unit: parts pay while checks cost less than saving times positions.
struct PartCosts {
  double of_check = 0;  // of checking a run of ends of `query`,
  double of_end = 0;    // and of each of them
  double saving = 0;    // for a position of the text, against searching the query whole
};
PartCosts part_costs(const Query& query, const std::vector<Part>& parts, const Options& options);

/// Programs, and what their ids stand for: below the number of queries the query, otherwise parts[id - that].
struct SearchPlan {
  std::vector<WuManberProgram> programs;
  std::vector<Part> parts;
  std::uint64_t reach = 0;  // no match of a query is longer
  std::uint64_t lead = 0;   // no hit of a part lies farther before the end of the match
};

/// Queries with `by_parts[q]` not empty are searched by those.
SearchPlan make_plan(const std::vector<Query>& queries, const std::vector<std::vector<Part>>& by_parts,
                     const Options& options);

/// No query by parts: one program at most.
SearchPlan make_whole_plan(const std::vector<Query>& queries, const Options& options);

}  // namespace trawl::scan
