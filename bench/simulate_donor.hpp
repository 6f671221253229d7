// A diploid donor: SNPs, indels and changes of short tandem repeats on two haplotypes of a reference.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/random.hpp"
#include "bench/simulation.hpp"

namespace trawl::bench {

struct DonorModel {
  double variant_rate = 0.001;       // SNPs and indels a base; a third are on both haplotypes
  double indel_share = 0.1;          // of them; half are insertions (half of which copy the letters before)
  std::uint64_t longest_indel = 50;  // the share of those of n letters and more falls as 1 / n
  double str_changes = 0.05;         // share of the short tandem repeats that have units more, or fewer
};

/// Letters that lie side by side in a haplotype, and where they are from.
struct Stretch {
  std::string bases;
  std::vector<std::size_t> positions;  // of each base in the genome; of an inserted one: of the next base that is not
  std::vector<std::uint32_t> edits;    // of the variant that changes, adds or goes before this base
};

class Donor {
 public:
  /// Variants, and starts of stretches, lie in [begin, end) of the genome, which is kept by reference.
  Donor(const SourceGenome& genome, std::size_t begin, std::size_t end, const DonorModel& model, std::uint64_t seed);

  /// Fills the stretch with `length` letters from a random place of either haplotype. False if it would leave the
  /// contig or has an ambiguous letter.
  bool draw(SplitMix64& random, std::size_t length, Stretch& out) const;

  /// The variants, with their genotypes.
  void write_vcf(const std::string& path) const;

 private:
  // `removed` letters from `position` on are replaced by `inserted`.
  struct Variant {
    std::size_t position = 0;
    std::size_t removed = 0;
    std::string inserted;
    unsigned haplotypes = 0;  // bit h: it is on haplotype h

    std::uint32_t edits() const { return static_cast<std::uint32_t>(std::max(removed, inserted.size())); }
  };

  // The variants of one haplotype.
  struct Haplotype {
    std::vector<std::uint32_t> variants;
    std::vector<std::size_t> starts;  // of their inserted letters, counted in the haplotype from `begin` on
    std::size_t length = 0;
  };

  void draw_small_variants(const DonorModel& model, SplitMix64& random);
  Variant draw_indel(std::size_t position, const DonorModel& model, SplitMix64& random) const;
  void draw_str_changes(double share, SplitMix64& random);
  void add_str_change(std::size_t start, std::size_t end, std::size_t unit, SplitMix64& random);
  void keep_separate_ones();
  bool is_known(std::size_t first, std::size_t last) const;

  const SourceGenome& genome_;
  std::size_t begin_;
  std::size_t end_;
  std::vector<Variant> variants_;
  Haplotype haplotypes_[2];
};

}  // namespace trawl::bench
