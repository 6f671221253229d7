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
  std::uint32_t pattern = 0;  // index of the pattern
  bool reverse = false;
  std::string bases;            // of this strand, in the direction of the reference, with the PAM
  std::uint32_t pam_first = 0;  // bases of the PAM before the guide, in that direction
  std::uint32_t pam_last = 0;   // behind it
  std::vector<Row> rows;        // a base each
  sequence::EncodedRead read;   // the bases

  std::uint32_t length() const { return static_cast<std::uint32_t>(rows.size()); }
  std::uint32_t guide_length() const { return length() - pam_first - pam_last; }
  bool has_pam() const { return pam_first + pam_last > 0; }
};

/// Whether a pattern would match everywhere: no more of its letters say anything than there may be edits.
bool matches_everywhere(const Pattern& pattern, std::uint32_t max_edits);

/// The queries of all patterns but those that match everywhere; by pattern, the forward strand first.
std::vector<Query> make_queries(const std::vector<Pattern>& patterns, const Options& options);

}  // namespace trawl::scan
