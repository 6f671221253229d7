// Many sequences of bases that are searched at once, each exactly. The cost of a search hardly grows with their number.
//
//   with: const sequence::Reference reference = reference_of("CCGATTACAGATTACACC")
//   const LiteralSet set({{0, "GATTACAGATTACA"}, {1, "ACGTACGTACGT"}});
//   std::vector<Hit> hits;
//   literal_scan(reference, set, {}, 0, reference.size(), hits);
//   hits[0].end == sequence::kContigGap + 15
//   hits[0].id == 0
//
// Of every w grams of q letters in a row, of the text as of the literals, one is taken (text_grams.hpp): the same one
// wherever a literal occurs. So it is enough to look up these grams of the text, about 2 of w + 1, in a bitmap of one
// gram of each literal, that of its last window. Where it has a gram, literals may end with the windows that the gram
// was taken for: a table lists the literals by their last letters, and they are compared with the text. (Listed by
// their grams, too many would have to be compared in repeats, which have the same grams again and again.) Literals are
// grouped by length, so that short ones do not make the grams of all others short.
//
// In a large set each step of a look-up misses the cache. So each step is done for many places at a time, and asks for
// the memory that the next one reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "scan/find/literal_group.hpp"
#include "scan/find/literal_table.hpp"
#include "scan/find/wu_manber_program.hpp"
#include "sequence/reference.hpp"

namespace trawl::scan {

class LiteralSet {
 public:
  /// `most_unknown`: the most ambiguous letters that a literal may have in the text. More than 0 is for literals whose
  /// hits are checked afterwards: such a letter stands for any one base, and a few hits have more of these letters.
  explicit LiteralSet(const std::vector<Literal>& literals, unsigned most_unknown = 0);

  const std::vector<LiteralTable>& tables() const { return tables_; }

 private:
  std::vector<LiteralTable> tables_;
};

struct LiteralScanOptions {
  std::size_t most_hits = SIZE_MAX;  // stop after this many hits
  std::size_t room = SIZE_MAX;       // never hold many more hits than this
};

/// Appends every hit with an end in [begin, end) to `hits`, in no particular order, and returns `end`, or an earlier
/// position, as wu_manber_scan() does.
std::uint64_t literal_scan(const sequence::Reference& reference, const LiteralSet& set,
                           const LiteralScanOptions& options, std::uint64_t begin, std::uint64_t end,
                           std::vector<Hit>& hits);

}  // namespace trawl::scan
