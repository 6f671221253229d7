// How queries are searched: whole or by parts.
//
// Take a match with k edits. Cut it at the borders of the parts, and allow e_i edits in part i. If (e_1 + 1) + (e_2 +
// 1) + .. > k, at least one part i has at most e_i edits. So to find all matches it is enough to search the parts, and
// to check around each of their hits where the whole query may end. This is faster if the parts are long enough to be
// rare.
//
// Queries and parts are searched by rows, one after the other, or, if no edits are allowed in them, looked up together
// (literal_set.hpp): that takes about as long for a million as for fifty.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "scan/find/literal_set.hpp"
#include "scan/find/search_costs.hpp"
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
  std::uint32_t after = 0;   // rows of the query after the part
};

/// Whether the bases of the part [first, first + length) can be looked up as a literal: each row matches one base.
bool is_literal(const Query& query, std::uint32_t first, std::uint32_t length);

/// About what the CPU takes to search all queries in the best way, in nanoseconds of one thread for a position of the
/// text. It looks at some of the queries only.
double estimated_cost(const std::vector<Query>& queries, const Options& options);

/// The parts to search instead of the query; empty if it is better to search the query whole. `look_up`: parts without
/// edits are looked up in a LiteralSet if they are literals, and cost nearly nothing; otherwise they are scanned by
/// rows.
std::vector<Part> choose_parts(const Query& query, const Options& options, bool look_up);

/// Costs and savings of parts, in one unit. Parts are worth it while the checks cost less than saving * positions.
struct PartCosts {
  double of_check = 0;  // checking a run of consecutive ends of `query`,
  double of_end = 0;    // and checking each end of it
  double saving = 0;    // per text position, compared with searching the query whole
};
PartCosts part_costs(const Query& query, const std::vector<Part>& parts, const Options& options, bool look_up);

/// What scanning all rows of a query costs, in nanoseconds for a position of the text.
double whole_cost(const Query& query, const Options& options, const SearchCosts& costs = kCpuCosts);

/// The parts of all queries.
class PartList {
 public:
  PartList() = default;
  /// Those of choose_parts().
  PartList(const std::vector<Query>& queries, const Options& options, bool look_up);

  /// Appends those of the next query.
  void add(std::span<const Part> of_next) {
    parts_.insert(parts_.end(), of_next.begin(), of_next.end());
    first_.push_back(parts_.size());
  }

  /// The estimated cost of all searches and checks, for each position of the text.
  double cost() const { return cost_; }
  std::span<const Part> all() const { return parts_; }
  std::span<const Part> of(std::uint32_t query) const {
    return query + 1 < first_.size() ? all().subspan(first_[query], first_[query + 1] - first_[query])
                                     : std::span<const Part>();
  }

 private:
  std::vector<Part> parts_;
  std::vector<std::size_t> first_{0};  // by query, and one after the last
  double cost_ = 0;
};

/// How all queries are searched.
struct PartChoice {
  bool look_up = false;
  PartList parts;
};

/// Looks up what can be looked up if that is faster, or if Options::search says so.
PartChoice choose_part_list(const std::vector<Query>& queries, const Options& options);

/// For a search of exact parts only: max_edits + 1 of them of each query for which looking them up and checking their
/// places (place_check.hpp) is cheaper than its rows, or of all that can be checked with Search::pieces. `left_out` as
/// in make_plan(). `saving`: what this saves, apart from looking up, in nanoseconds for a position of the text.
PartList exact_parts(const std::vector<Query>& queries, const Options& options, const std::vector<bool>& left_out,
                     const SearchCosts& costs, double& saving);

/// What is searched, and the meaning of ids. An id below the number of queries n is a query; any other id stands for
/// parts->all()[id - n].
struct SearchPlan {
  std::vector<WuManberProgram> programs;  // for the row-wise scan
  std::vector<Literal> literals;          // looked up
  bool has_guides = false;                // the queries of the guide set are searched from their sites
  std::shared_ptr<const PartList> parts;
  std::vector<bool> given_up;  // by query: it is searched whole, and hits of its parts mean nothing; empty: none
  std::uint64_t reach = 0;     // no match of a query is longer
  std::uint64_t lead = 0;      // a hit of a part is at most this far before the end of the match
};

/// `given_up` as in SearchPlan. `look_up` as in choose_parts(); otherwise the plan has no literals. `left_out`, by
/// query: it is searched in another way; empty: none.
SearchPlan make_plan(const std::vector<Query>& queries, std::shared_ptr<const PartList> parts,
                     std::vector<bool> given_up, const Options& options, bool look_up,
                     const std::vector<bool>& left_out = {});

/// A plan without parts and without literals: at most one program.
SearchPlan make_whole_plan(const std::vector<Query>& queries, const Options& options);

}  // namespace trawl::scan
