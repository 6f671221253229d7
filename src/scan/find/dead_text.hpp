// Stretches of a reference that need no scan, because what came before them does not matter and nothing new comes.
#pragma once

#include <cstdint>

#include "sequence/reference.hpp"

namespace trawl::scan {

/// Asked for ascending positions.
class DeadText {
 public:
  /// `reach`: no match is longer.
  DeadText(const sequence::Reference& reference, bool ambiguous_matches, std::uint64_t reach)
      : reference_(reference), ambiguous_matches_(ambiguous_matches), reach_(reach) {}

  /// Positions from `begin` on, in whole blocks of `block`, that are dead: like `reach` positions before them, nothing
  /// matches there, or, with `all_match`, everything (a run of N where ambiguous letters match). There as many live
  /// positions follow, because matches that leave the run may have parts in it.
  std::uint64_t from(std::uint64_t begin, std::uint64_t block, bool& all_match);

 private:
  struct Run {
    std::uint64_t begin;
    std::uint64_t end;
    char letter;  // '\0': a gap, or, where ambiguous letters match nothing, any of them
  };

  Run run_at(std::uint64_t position);
  Run narrow(const Run& run, std::uint64_t position) const;

  const sequence::Reference& reference_;
  bool ambiguous_matches_;
  std::uint64_t reach_;
  Run run_{0, 0, '\0'};
};

/// The twin of matches_everywhere(): whether a pattern of `length` letters would match [begin, end), as long as it or
/// shorter at the border of a contig, whatever the letters there that are no N. So N alone makes the match, and with
/// ambiguous letters that match it is none.
bool is_matched_by_n(const sequence::Reference& reference, std::uint64_t begin, std::uint64_t end, std::uint32_t length,
                     std::uint32_t max_edits);

}  // namespace trawl::scan
