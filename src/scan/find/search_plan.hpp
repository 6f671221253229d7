// How queries are searched: whole or by parts.
//
// Take a match with k edits. Cut it at the borders of the parts, and allow e_i edits in part i. If (e_1 + 1) + (e_2 +
// 1) + .. > k, at least one part i has at most e_i edits. So to find all matches it is enough to search the parts, and
// to check around each of their hits where the whole query may end. This is faster if the parts are long enough to be
// rare.
#pragma once

#include <cstdint>
#include <vector>

#include "scan/find/wu_manber_program.hpp"
#include "scan/options.hpp"
#include "scan/query.hpp"

namespace trawl::scan {

/// A part of a query.
struct Part {
  std::uint32_t query = 0;
  std::uint32_t first = 0;   // its first row in the query
  std::uint32_t length = 0;  // rows
  std::uint32_t edits = 0;   // edits allowed
};

/// The parts to search instead of the query; empty if it is better to search the query whole.
std::vector<Part> choose_parts(const Query& query, const Options& options);

/// Costs and savings of parts, in one unit. Parts are worth it while the checks cost less than saving * positions.
struct PartCosts {
  double of_check = 0;  // checking a run of consecutive ends of `query`,
  double of_end = 0;    // and checking each end of it
  double saving = 0;    // per text position, compared with searching the query whole
};
PartCosts part_costs(const Query& query, const std::vector<Part>& parts, const Options& options);

/// Programs, and the meaning of their ids. An id below the number of queries n is a query; any other id stands for
/// parts[id - n].
struct SearchPlan {
  std::vector<WuManberProgram> programs;
  std::vector<Part> parts;
  std::uint64_t reach = 0;  // no match of a query is longer
  std::uint64_t lead = 0;   // a hit of a part is at most this far before the end of the match
};

/// If `by_parts[q]` is not empty, query q is searched by these parts.
SearchPlan make_plan(const std::vector<Query>& queries, const std::vector<std::vector<Part>>& by_parts,
                     const Options& options);

/// A plan without parts: at most one program.
SearchPlan make_whole_plan(const std::vector<Query>& queries, const Options& options);

}  // namespace trawl::scan
