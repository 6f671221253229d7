// One strand of one pattern, ready to be searched.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scan/find/wu_manber_program.hpp"
#include "scan/options.hpp"
#include "sequence/encoded_read.hpp"

namespace trawl::scan {

struct Query {
  std::uint32_t pattern = 0;  // index of the pattern in the list of patterns
  bool reverse = false;
  std::string bases;            // this strand, in the direction of the reference, with the PAM
  std::uint32_t pam_first = 0;  // number of PAM bases before the guide, in that direction
  std::uint32_t pam_last = 0;   // number of PAM bases after the guide
  std::vector<Row> rows;        // one row per base
  sequence::EncodedRead read;   // the bases

  std::uint32_t length() const { return static_cast<std::uint32_t>(rows.size()); }
  std::uint32_t guide_length() const { return length() - pam_first - pam_last; }
  bool has_pam() const { return pam_first + pam_last > 0; }
};

/// Whether a pattern would match everywhere: the number of its letters that are not N is at most `max_edits`.
bool matches_everywhere(const Pattern& pattern, std::uint32_t max_edits);

/// The queries of all patterns, except those that match everywhere. Sorted by pattern, the forward strand first.
std::vector<Query> make_queries(const std::vector<Pattern>& patterns, const Options& options);

}  // namespace trawl::scan
