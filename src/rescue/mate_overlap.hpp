// How long the fragment of a pair is, where it is shorter than a read: then the mates overlap from both 5' ends, and
// what follows the fragment is adapter.
//
//   fragment           ATTACAGGCATTGCACGT
//   mate 1             ATTACAGGCATTGCACGTagatcg
//   mate 2, turned     tctagcATTACAGGCATTGCACGT                mate 2 is ACGTGCAATGCCTGTAATgctaga
//
//   MateOverlap overlap;
//   overlap.find("ATTACAGGCATTGCACGTAGATCG", "", "ACGTGCAATGCCTGTAATGCTAGA", "") == 18
//   overlap.fragment().bases == "ATTACAGGCATTGCACGT"
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sequence/letter_masks.hpp"

namespace trawl::rescue {

/// A fragment in the direction of mate 1, with the better base where the mates differ.
struct Fragment {
  std::string bases;
  std::string qualities;  // Phred+33; empty if the mates have none
};

class MateOverlap {
 public:
  /// Mates that overlap by fewer bases may do so by chance: 130 lengths of pairs of 150 do in 1 of 30 million.
  static constexpr std::uint32_t kShortest = 16;
  /// Longer mates are not looked at.
  static constexpr std::size_t kLongestRead = 1000;

  /// The length of the fragment of two mates as they are in the file, if it is less than that of a mate; 0 if it is
  /// not, or if several lengths fit: mates in a tandem repeat say nothing.
  ///
  /// A base that fits counts 1, one that differs -4, or 0 if a mate has it with low quality. The overlap must have
  /// kShortest points, and three quarters of its bases; all but 10, if fewer than 6 bases would be adapter.
  std::uint32_t find(std::string_view first, std::string_view first_qualities, std::string_view second,
                     std::string_view second_qualities);

  /// Whether find() has just returned 0 since several lengths fit.
  bool fits_several() const { return fits_several_; }
  /// Then the caller may know the length in another way. Returns false if the mates do not fit with it.
  bool take(std::size_t length);

  /// The fragment of the last pair whose length is known.
  const Fragment& fragment();

 private:
  // The letters of a mate as bits: bit i % 64 of word i / 64 is for letter i. The arrays have a word more than that.
  struct LetterPlanes {
    std::vector<std::uint64_t> high, low, bases;
    std::vector<sequence::LetterMasks> masks;

    void load(std::string letters);
  };
  // Bases [first, first + count) of mate 1 lie beside those of the turned mate 2 from `second` on.
  struct Overlap {
    std::size_t first = 0;
    std::size_t second = 0;
    std::size_t count = 0;
  };

  Overlap overlap_of(std::size_t fragment) const;
  bool may_fit(const Overlap& overlap) const;
  std::int64_t points_of(const Overlap& overlap) const;
  std::int64_t fewest_points(std::size_t fragment, const Overlap& overlap) const;

  std::string_view first_, first_qualities_;
  std::string second_, second_qualities_;  // turned
  LetterPlanes planes_[2];
  std::uint32_t length_ = 0;
  bool fits_several_ = false;
  Fragment fragment_;
};

}  // namespace trawl::rescue
