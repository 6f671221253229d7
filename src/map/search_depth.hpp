// How many edits a read is searched for where only its best strata are reported.
//
// A search for few edits is much cheaper than one for many: its seeds are longer and rarer. So a read is searched for
// kFirstDepth edits first. Where its best locus turns out to lie so near that all strata that shape its record are
// within that, it is done; otherwise it is searched again, as deep as it takes. The records are those of a full search.
#pragma once

#include <cstdint>
#include <span>

#include "align/select.hpp"
#include "map/options.hpp"
#include "sequence/encoded_read.hpp"
#include "sequence/reference.hpp"

namespace trawl::map {

class SearchDepth {
 public:
  SearchDepth(const sequence::Reference& reference, const Options& options);

  /// Loci so many edits worse than the best one shape a read's record: all of them with Report::all.
  static std::uint32_t strata(const Options& options);

  /// The edits that `read` is searched for first, at most its `allowed` ones.
  std::uint32_t first(const sequence::EncodedRead& read, std::uint32_t allowed) const;

  /// The edits that it must be searched for, at most `allowed`, when a first search found `loci`, of which `selection`
  /// chose. Where that is no more than the edits of the first search, that was enough.
  std::uint32_t needed(const align::Selection& selection, std::span<const align::Locus> loci,
                       std::uint32_t allowed) const;

 private:
  bool always_full_;
  std::uint32_t strata_;  // strata behind the best that are reported or counted
};

}  // namespace trawl::map
