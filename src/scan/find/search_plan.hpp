// How queries are searched: whole or by parts.
//
//   ScanOptions options;
//   options.max_edits = 2;
//   const QueryList queries = make_queries({{"p", "GATTACAGATTACAGATTACAGATTACAGATTACA"}}, options);
//   const std::vector<QueryPart> parts = choose_parts(queries[0], options, kMostWords).parts;
//   parts.size() == 3
//   is_literal(queries[0], parts[0].first, parts[0].length) == true
//
// Take a match with k edits. Cut it at the borders of the parts, and allow e_i edits in part i. If (e_1 + 1) + (e_2 +
// 1) + .. > k, at least one part i has at most e_i edits. So to find all matches it is enough to search the parts, and
// to check around each of their hits where the whole query may end. This is faster if the parts are long enough to be
// rare.
//
// Queries and parts are searched by rows, one after the other, or, if no edits are allowed in them, looked up together
// (literal_table.hpp): that takes about as long for a million as for fifty. So parts with one edit are looked up as
// well, each as all words that it may be (for_near_words()); with one edit the only part may be the whole pattern. Two
// parts of a pattern of 20, of which one may have an edit, are rarer than three parts without edits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scan/find/literal_table.hpp"
#include "scan/find/query.hpp"
#include "scan/find/wu_manber_program.hpp"
#include "scan/options.hpp"
#include "sequence/letter_store.hpp"

namespace trawl::scan {

/// Measured averages, in nanoseconds. Each kind of processor has its own.
struct SearchCosts {
  double row;            // an operation of the row-wise scan, on one position
  double site;           // to find the sites of a PAM in a position of the text
  double word;           // to look up a word beside a site
  double guide;          // to compare a guide with the text at a site,
  double guide_no_gaps;  // and without bulges
  double place;          // to find a place where a part of a query occurs, and to check it,
  double place_row;      // and for each row of a check of edits
};

/// One core of 4 GHz with AVX2.
inline constexpr SearchCosts kCpuCosts{
    .row = 0.00045, .site = 1.2, .word = 2, .guide = 16, .guide_no_gaps = 8, .place = 30, .place_row = 0.5};

/// A part of a query.
struct QueryPart {
  std::uint32_t query = 0;
  std::uint32_t first = 0;   // its first row in the query
  std::uint32_t length = 0;  // rows
  std::uint32_t edits = 0;   // edits allowed
  std::uint32_t after = 0;   // rows of the query after the part
};

/// The most words that there can be for a part of `length` letters.
constexpr std::size_t most_near_words(std::size_t length, bool hamming) { return (hamming ? 3 : 7) * length; }

/// Calls use(word) for the words that a part of a query with one edit may be in the text, so that it can be looked up.
///
///   std::string words;
///   for_near_words("ACG", true, [&](std::string_view word) { words.append(word) += ' '; });
///   words == "CG AAG AGG ATG ACA ACC ACT "
///
/// Wherever the part matches with at most one edit, one of the words ends where the match ends, or one letter before it
/// if the match ends with an inserted letter. Words that end with another of the words are left out: with CG neither
/// ACG nor TCG is needed. `bases` has 2 letters or more, all of A, C, G and T. A few words may come twice.
template <class Use>
void for_near_words(std::string_view bases, bool hamming, const Use& use) {
  const std::size_t length = bases.size();
  use(bases.substr(1));
  std::string word(bases);
  for (std::size_t i = 1; i < length; ++i) {
    for (const char letter : {'A', 'C', 'G', 'T'}) {
      if (letter != bases[i]) {
        word[i] = letter;
        use(std::string_view(word));
      }
    }
    word[i] = bases[i];
  }
  if (hamming) {
    return;
  }
  for (std::size_t i = 1; i < length; ++i) {
    if (bases[i] != bases[i - 1]) {  // otherwise as without the letter before
      use(std::string_view(word.assign(bases.substr(0, i)).append(bases.substr(i + 1))));
    }
  }
  for (std::size_t i = 2; i < length; ++i) {
    for (const char letter : {'A', 'C', 'G', 'T'}) {
      if (letter != bases[i - 1]) {
        use(std::string_view(word.assign(bases.substr(0, i)).append(1, letter).append(bases.substr(i))));
      }
    }
  }
}

/// Whether the bases of the part [first, first + length) can be looked up as a literal: each row matches one base.
bool is_literal(const Query& query, std::uint32_t first, std::uint32_t length);

/// About what the CPU takes to search all queries in the best way, in nanoseconds of one thread for a position of the
/// text. It looks at some of the queries only. Without `with_near`: in another way than that of NearSet.
double estimated_cost(const std::vector<Query>& queries, const ScanOptions& options, bool with_near = true);

/// The most words that the parts of all queries stand for, about: this limits the memory of their tables.
constexpr std::uint64_t kMostWords = std::uint64_t{1} << 24;

/// Parts, and the estimated cost of searching them and checking their hits, or that of the whole query.
struct PartsChoice {
  std::vector<QueryPart> parts;
  double cost = 0;
};

/// The parts to search instead of the query; none if it is better to search the query whole. Parts of A, C, G and T
/// that stand for at most `most_words` words are looked up in a LiteralTable, and cost nearly nothing; others are
/// scanned by rows. Without edits a part is one word.
PartsChoice choose_parts(const Query& query, const ScanOptions& options, std::size_t most_words);

/// Costs and savings of parts, in one unit. Parts are worth it while the checks cost less than saving * positions.
struct PartCosts {
  double of_check = 0;  // checking a run of consecutive ends of `query`,
  double of_end = 0;    // and checking each end of it
  double saving = 0;    // per text position, compared with searching the query whole
};
PartCosts part_costs(const Query& query, const std::vector<QueryPart>& parts, const ScanOptions& options,
                     std::size_t most_words);

/// What scanning all rows of a query costs, in nanoseconds for a position of the text.
double whole_cost(const Query& query, const ScanOptions& options, const SearchCosts& costs = kCpuCosts);

/// The parts of all queries.
class PartList {
 public:
  PartList() = default;
  /// Those of choose_parts().
  PartList(const std::vector<Query>& queries, const ScanOptions& options, std::size_t most_words);

  /// Appends those of the next query.
  void add(std::span<const QueryPart> of_next) {
    parts_.insert(parts_.end(), of_next.begin(), of_next.end());
    first_.push_back(parts_.size());
  }

  /// The estimated cost of all searches and checks, for each position of the text.
  double cost() const { return cost_; }
  /// As in choose_parts().
  std::size_t most_words() const { return most_words_; }
  /// How many words are looked up.
  double words() const { return words_; }
  std::span<const QueryPart> all() const { return parts_; }
  std::span<const QueryPart> of(std::uint32_t query) const {
    return query + 1 < first_.size() ? all().subspan(first_[query], first_[query + 1] - first_[query])
                                     : std::span<const QueryPart>();
  }

 private:
  std::vector<QueryPart> parts_;
  std::vector<std::size_t> first_{0};  // by query, and one after the last
  std::size_t most_words_ = 0;
  double cost_ = 0;
  double words_ = 0;
};

/// The parts of all queries. They are looked up where possible, if that is faster or if ScanOptions::search says so.
PartList choose_part_list(const std::vector<Query>& queries, const ScanOptions& options);

/// For a search of exact parts only: max_edits + 1 of them of each query for which looking them up and checking their
/// places (place_check.hpp) is cheaper than its rows, or of all that can be checked with ScanMethod::pieces.
/// `left_out` as in make_plan(). `saving`: what this saves, apart from looking up, in nanoseconds for a position of the
/// text.
PartList exact_parts(const std::vector<Query>& queries, const ScanOptions& options, const std::vector<bool>& left_out,
                     const SearchCosts& costs, double& saving);

/// What is searched, and the meaning of ids. An id below the number of queries n is a query; any other id stands for
/// parts->all()[id - n].
struct SearchPlan {
  std::vector<WuManberProgram> programs;  // for the row-wise scan
  std::vector<Literal> literals;          // looked up
  sequence::LetterStore words;            // the letters of those that are not in a query
  bool has_near_words = false;            // ambiguous letters of the text may be a part's edit
  bool has_guides = false;                // the queries of the guide set are searched from their sites
  std::shared_ptr<const PartList> parts;
  std::vector<bool> given_up;  // by query: it is searched whole, and hits of its parts mean nothing; empty: none
  std::uint64_t reach = 0;     // no match of a query is longer
  std::uint64_t lead = 0;      // a hit of a part is at most this far before the end of the match
};

/// `given_up` as in SearchPlan. `most_words` as in choose_parts(); with 0 the plan has no literals. `left_out`, by
/// query: it is searched in another way; empty: none. `with_literals`: otherwise the literals are left out.
SearchPlan make_plan(const std::vector<Query>& queries, std::shared_ptr<const PartList> parts,
                     std::vector<bool> given_up, const ScanOptions& options, std::size_t most_words,
                     const std::vector<bool>& left_out = {}, bool with_literals = true);

}  // namespace trawl::scan
