// Records of chains: what is known of a part of a read becomes a record of the whole read.
//
//   with: const sequence::Reference& reference, const map::MapOptions& options
//   with: const std::string& bases, const align::Alignment& of_part, align::AlignmentBatch& results
//   ChainRecords records(reference, options);
//   align::Alignment alignment = of_part;                        // the part begins with base 20 of the read
//   records.change(bases, alignment, results, [](const View&, Chain& chain) { return (chain.left += 20) > 0; });
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "align/aligner.hpp"
#include "align/alignment.hpp"
#include "map/options.hpp"
#include "polish/chain.hpp"
#include "sequence/encoded_read.hpp"
#include "sequence/reference.hpp"

namespace trawl::polish {

/// The bases of an alignment of `results` that lie on the reference and match nothing: N. `bases`: of its read.
std::uint32_t unknown_of(std::string_view bases, bool ambiguous_matches, const align::AlignmentBatch& results,
                         const align::Alignment& alignment);

/// The score of such an alignment: 1 for each base on the reference, less 5 for an edit, 2 for an N, and what gaps
/// cost.
std::int32_t score_of(std::string_view bases, bool ambiguous_matches, const align::AlignmentBatch& results,
                      const align::Alignment& alignment,
                      std::int32_t (*cost_of)(const align::AlignedRun& gap) = cost_in_score);

class ChainRecords {
 public:
  /// The longest unit of a tandem repeat that is looked for, and the most bases beside it (bases_beside_array()).
  static constexpr std::uint32_t kLongestUnit = 100;
  static constexpr std::uint32_t kMostBesideArray = 8;

  ChainRecords(const sequence::Reference& reference, const map::MapOptions& options)
      : ambiguous_matches_(options.ambiguous == map::Ambiguous::match),
        text_(reference, options),
        aligner_(reference, ambiguous_matches_, options.eqx) {}

  /// Takes up a read as it lies on a strand of a contig. All below is about it.
  View load(std::string_view bases, bool reverse, std::size_t contig);

  Chain chain_of(const align::AlignmentBatch& results, const align::Alignment& alignment) const {
    return polish::chain_of(results, alignment, text_.contig_begin());
  }

  /// The record of a chain; without its MAPQ. Its CIGAR and MD are appended to `out`.
  align::Alignment describe(const Chain& chain, bool reverse, align::AlignmentBatch& out);

  /// Calls change(view, chain) with the chain of an alignment of these bases in `results`, and returns its result. If
  /// that is true, the alignment becomes that of the changed chain; it keeps its MAPQ.
  template <class Change>
  auto change(std::string_view bases, align::Alignment& alignment, align::AlignmentBatch& results,
              const Change& change) {
    const View view = load(bases, alignment.reverse, alignment.contig);
    Chain chain = chain_of(results, alignment);
    const auto changed = change(view, chain);
    if (changed) {
      const std::uint8_t mapq = alignment.mapq;
      alignment = describe(chain, alignment.reverse, results);
      alignment.mapq = mapq;
    }
    return changed;
  }

  /// If the chain lies in a tandem repeat: how many bases at an end do not. 0: all of it has another placement
  /// (align/placements.hpp) that ends at most kLongestUnit bases away, and has no more edits. Nothing: it lies in no
  /// tandem repeat, or more than kMostBesideArray bases do not.
  std::optional<std::uint32_t> bases_beside_array(const Chain& chain);

 private:
  bool is_in_array(const Chain& chain);

  bool ambiguous_matches_;
  TextAround text_;
  align::Aligner aligner_;
  std::string_view bases_;
  sequence::EncodedRead file_strand_, strand_, part_;
  std::vector<align::Locus> placements_;
};

}  // namespace trawl::polish
