#include "scan/find/query.hpp"

#include <algorithm>

namespace trawl::scan {

namespace {

using match::RowKind;

bool is_acgt(std::string_view bases) {
  unsigned other = 0;
  for (const char base : bases) {
    other |= static_cast<unsigned>(base != 'A') & static_cast<unsigned>(base != 'C') &
             static_cast<unsigned>(base != 'G') & static_cast<unsigned>(base != 'T');
  }
  return other == 0;
}

}  // namespace

PatternRow Query::row(std::uint32_t i) const {
  RowKind kind = no_gaps ? RowKind::mismatches : RowKind::edits;
  if (i < pam_first || i + pam_last >= length()) {
    kind = !no_gaps && i + 1 == pam_first ? RowKind::anchor : RowKind::exact;
  }
  return {set(i), kind};
}

std::vector<PatternRow> Query::rows(std::uint32_t first, std::uint32_t count) const {
  std::vector<PatternRow> rows(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    rows[i] = row(first + i);
  }
  return rows;
}

bool matches_everywhere(const Pattern& pattern, std::uint32_t max_edits) {
  const auto any = std::count(pattern.bases.begin(), pattern.bases.end(), 'N');
  return pattern.bases.size() - static_cast<std::size_t>(any) <= max_edits;
}

QueryList make_queries(const PatternList& patterns, const ScanOptions& options) {
  QueryList list;
  list.of_patterns_ = patterns.store();
  list.queries_.reserve(patterns.size() * (options.strands == Strands::both ? 2 : 1));
  const std::string_view pam = options.pam.bases;
  const auto pam_length = static_cast<std::uint32_t>(pam.size());
  for (std::uint32_t p = 0; p < patterns.size(); ++p) {
    const Pattern pattern = patterns[p];
    if (matches_everywhere(pattern, options.max_edits)) {
      continue;
    }
    Query query;
    query.pattern = p;
    query.no_gaps = !options.has_gaps();
    query.bases = pattern.bases;
    (options.pam.is_last ? query.pam_last : query.pam_first) = pam_length;
    if (options.pam.three_prime > 0) {
      query.pam_last = options.pam.three_prime;
    } else if (pam_length > 0) {
      char* const with_pam = list.own_.room(pattern.bases.size() + pam.size());
      const std::string_view first = options.pam.is_last ? pattern.bases : pam;
      const std::string_view last = options.pam.is_last ? pam : pattern.bases;
      std::copy(last.begin(), last.end(), std::copy(first.begin(), first.end(), with_pam));
      query.bases = {with_pam, pattern.bases.size() + pam.size()};
    }
    query.is_literal = is_acgt(query.bases);
    query.is_run = query.bases.find_first_not_of(query.bases.front()) == query.bases.npos;
    if (options.strands != Strands::reverse) {
      list.queries_.push_back(query);
    }
    if (options.strands != Strands::forward) {
      char* const other = list.own_.room(query.bases.size());
      std::transform(query.bases.rbegin(), query.bases.rend(), other, sequence::complement_base);
      query.bases = {other, query.bases.size()};
      query.reverse = true;
      std::swap(query.pam_first, query.pam_last);
      list.queries_.push_back(query);
    }
  }
  return list;
}

}  // namespace trawl::scan
