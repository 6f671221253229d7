// Records of chains: what is known of a part of a read becomes a record of the whole read.
//
//   with: const sequence::Reference& reference, const map::Options& options
//   with: const std::string& bases, const align::Alignment& of_part, align::AlignmentBatch& results
//   ChainRecords records(reference, options);
//   const View view = records.load(bases, of_part.reverse, of_part.contig);
//   Chain chain = records.chain_of(results, of_part);
//   chain.left += 20;                                            // the part begins with base 20 of the read
//   const align::Alignment of_read = records.describe(chain, of_part.reverse, results);
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

class ChainRecords {
 public:
  /// Of tandem repeats that are looked for.
  static constexpr std::uint32_t kLongestUnit = 100;
  static constexpr std::uint32_t kMostBesideArray = 8;

  ChainRecords(const sequence::Reference& reference, const map::Options& options)
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

  /// Whether what the chain aligns lies in a tandem repeat: how many bases at an end do not. 0: all of it has another
  /// placement (align/placements.hpp) that ends at most kLongestUnit bases away, and has no more edits. None: more than
  /// kMostBesideArray bases do not, or it lies in no tandem repeat.
  std::optional<std::uint32_t> bases_beside_array(const Chain& chain);

 private:
  bool is_in_array(const Chain& chain);

  bool ambiguous_matches_;
  TextAround text_;
  align::Aligner aligner_;
  sequence::EncodedRead file_strand_, strand_, part_;
  std::vector<align::Locus> placements_;
};

}  // namespace trawl::polish
