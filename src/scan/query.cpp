#include "scan/query.hpp"

#include <algorithm>

#include "sequence/alphabet.hpp"

namespace trawl::scan {

namespace {

using match::RowKind;

Query make_query(std::uint32_t pattern, const std::string& guide, bool reverse, const Options& options) {
  Query query;
  query.pattern = pattern;
  query.reverse = reverse;
  const auto pam_length = static_cast<std::uint32_t>(options.pam.bases.size());
  query.bases = options.pam.is_last ? guide + options.pam.bases : options.pam.bases + guide;
  if (reverse) {
    query.bases = sequence::reverse_complement(query.bases);
  }
  (options.pam.is_last != reverse ? query.pam_last : query.pam_first) = pam_length;
  query.read.encode(query.bases, true);
  const bool no_gaps = options.metric == Metric::hamming || (pam_length > 0 && options.max_bulges == 0);
  for (std::uint32_t i = 0; i < query.bases.size(); ++i) {
    RowKind kind = no_gaps ? RowKind::mismatches : RowKind::edits;
    if (i < query.pam_first || i + query.pam_last >= query.bases.size()) {
      kind = !no_gaps && i + 1 == query.pam_first ? RowKind::anchor : RowKind::exact;
    }
    query.rows.push_back({sequence::iupac_set(query.bases[i]), kind});
  }
  return query;
}

}  // namespace

bool matches_everywhere(const Pattern& pattern, std::uint32_t max_edits) {
  const auto any = std::count(pattern.bases.begin(), pattern.bases.end(), 'N');
  return pattern.bases.size() - static_cast<std::size_t>(any) <= max_edits;
}

std::vector<Query> make_queries(const std::vector<Pattern>& patterns, const Options& options) {
  std::vector<Query> queries;
  for (std::uint32_t p = 0; p < patterns.size(); ++p) {
    if (matches_everywhere(patterns[p], options.max_edits)) {
      continue;
    }
    if (options.strands != Strands::reverse) {
      queries.push_back(make_query(p, patterns[p].bases, false, options));
    }
    if (options.strands != Strands::forward) {
      queries.push_back(make_query(p, patterns[p].bases, true, options));
    }
  }
  return queries;
}

}  // namespace trawl::scan
