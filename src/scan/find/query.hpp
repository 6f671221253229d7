// One strand of one pattern, ready to be searched. There may be millions, so a query is small: its rows and its encoded
// bases are made where they are needed.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "scan/find/wu_manber_program.hpp"
#include "scan/options.hpp"
#include "sequence/alphabet.hpp"
#include "sequence/letter_store.hpp"
#include "sequence/pattern.hpp"

namespace trawl::scan {

struct Query {
  std::string_view bases;       // this strand, in the direction of the reference, with the PAM
  std::uint32_t pattern = 0;    // index of the pattern in the list of patterns
  std::uint32_t pam_first = 0;  // number of PAM bases before the guide, in that direction
  std::uint32_t pam_last = 0;   // number of PAM bases after the guide
  bool reverse = false;
  bool no_gaps = false;     // edits are mismatches
  bool is_literal = false;  // each base is A, C, G or T
  bool is_run = false;      // of one letter: only then exact matches may overlap in all but one letter

  std::uint32_t length() const { return static_cast<std::uint32_t>(bases.size()); }
  std::uint32_t guide_length() const { return length() - pam_first - pam_last; }
  bool has_pam() const { return pam_first + pam_last > 0; }

  /// The bases that base i matches, as a set: bit 0 = A .. bit 3 = T.
  std::uint8_t set(std::uint32_t i) const { return sequence::iupac_set(bases[i]); }
  /// The row of base i in a row-wise scan.
  PatternRow row(std::uint32_t i) const;
  /// The rows of `count` bases from `first` on.
  std::vector<PatternRow> rows(std::uint32_t first, std::uint32_t count) const;
};

/// Queries, and what keeps their bases.
class QueryList {
 public:
  const std::vector<Query>& all() const { return queries_; }
  /// A search needs no more than these.
  operator const std::vector<Query>&() const { return queries_; }  // NOLINT(google-explicit-constructor)

  std::size_t size() const { return queries_.size(); }
  bool empty() const { return queries_.empty(); }
  const Query& front() const { return queries_.front(); }
  const Query& operator[](std::size_t i) const { return queries_[i]; }
  auto begin() const { return queries_.begin(); }
  auto end() const { return queries_.end(); }

 private:
  friend QueryList make_queries(const PatternList& patterns, const ScanOptions& options);

  std::vector<Query> queries_;
  std::shared_ptr<const void> of_patterns_;
  sequence::LetterStore own_;
};

/// Whether a pattern would match everywhere: the number of its letters that are not N is at most `max_edits`.
bool matches_everywhere(const Pattern& pattern, std::uint32_t max_edits);

/// The queries of all patterns, except those that match everywhere. Sorted by pattern, the forward strand first.
///
///   const QueryList queries = make_queries({{"p", "GATTACA"}}, ScanOptions());
///   queries[1].bases == "TGTAATC"
QueryList make_queries(const PatternList& patterns, const ScanOptions& options);

}  // namespace trawl::scan
