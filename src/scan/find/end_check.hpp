// Computes distances at a few ends, column by column, for parts of the text that the row-wise scan leaves to be
// checked.
//
//   with: const sequence::Reference reference = reference_of("GGATTACAGG")
//   const Options options;
//   const QueryList queries = make_queries({{"p", "GATTACA"}}, options);
//   std::vector<Hit> ends;
//   EndCheck(reference, options).check(queries[0], 0, sequence::kContigGap, sequence::kContigGap + 9, ends);
//   ends[0].end == sequence::kContigGap + 7
#pragma once

#include <cstdint>
#include <vector>

#include "match/myers.hpp"
#include "scan/find/query.hpp"
#include "scan/options.hpp"
#include "sequence/reference.hpp"
#include "sequence/text_window.hpp"

namespace trawl::scan {

class EndCheck {
 public:
  EndCheck(const sequence::Reference& reference, const Options& options) : reference_(reference), options_(options) {}

  /// Appends the ends in [first, last] at which `query` has a distance of at most max_edits. The query must not have a
  /// PAM.
  void check(const Query& query, std::uint32_t id, std::uint64_t first, std::uint64_t last, std::vector<Hit>& ends);

 private:
  void check_edits(const Query& query, std::uint32_t id, std::uint64_t first, std::uint64_t last,
                   std::vector<Hit>& ends);
  void check_mismatches(const Query& query, std::uint32_t id, std::uint64_t first, std::uint64_t last,
                        std::vector<Hit>& ends);

  const sequence::Reference& reference_;
  const Options& options_;
  sequence::TextWindow text_;
  const Query* loaded_ = nullptr;
  std::vector<std::uint64_t> eq_;  // [set][word]: the rows that match a text letter with this set
  std::vector<match::MyersWord<std::uint64_t>> column_;
};

}  // namespace trawl::scan
