// Short pieces of haplotypes: the reference with the alternative alleles of a sample, around each of them. Whatever
// lies on such an allele lies on one of these pieces.
//
//   with: const std::string contig = "GGACGTACGTGG"
//   with: const HaplotypePieces::Letters letters = [&](auto a, auto b) { return contig.substr(a, b - a); }
//   AlleleList list;
//   list.alleles = {{.begin = 5, .end = 6, .letters = "A"}};
//   list.haplotypes = {{{0, 0}}};                                    // one, which has the allele
//   const HaplotypePieces pieces(list, letters, contig.size(), 3);   // 3 letters on each side
//   const HaplotypePiece& piece = pieces.all()[0];
//   piece.letters == "ACGAACG"                                       // is scanned like a contig
//   pieces.place(piece, 1, 5)->begin == 3                            // where its letters 1 to 5 are in the contig
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace trawl::scan {

/// An alternative allele, in place of the letters from `begin` to `end` of a contig (from 0). Letters that both alleles
/// have at their ends are left out: of an insertion, begin == end; of a deletion, `letters` is empty.
struct Allele {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::string letters;
  std::string name;                // as the VCF has it: "chr1:100:A>AT"
  std::uint64_t record_begin = 0;  // of REF, with the letters that both alleles have
  std::uint64_t record_end = 0;
};

/// Whether a haplotype that has `before` cannot have `after`, an allele of a later record: the rule of bcftools
/// consensus. REFs that share a letter overlap, unless `after` is an insertion or deletion behind that letter, and
/// `before` adds no letters.
bool overlap(const Allele& before, const Allele& after);

/// The alternative alleles of a contig, and who has them.
struct AlleleList {
  static constexpr std::uint32_t kReference = UINT32_MAX;

  /// What a haplotype has where a record is: an allele, by its index, or kReference. Two different ones: of a genotype
  /// that is not phased, so that it has one of them.
  struct Choice {
    std::uint32_t first = kReference;
    std::uint32_t second = kReference;

    bool is_known() const { return first == second; }
    bool may_be_reference() const { return first == kReference || second == kReference; }
  };

  std::vector<Allele> alleles;                  // by begin, then end
  std::vector<std::vector<Choice>> haplotypes;  // in the order of the records
};

struct HaplotypePiece {
  std::uint32_t anchor = 0;            // the allele that it was made for
  std::vector<std::uint32_t> alleles;  // all that are applied, ascending
  std::uint64_t begin = 0;             // where its first letter lies in the contig
  std::string letters;
  std::vector<std::uint32_t> carriers;  // haplotypes that have it, or may have it
};

class HaplotypePieces {
 public:
  /// `letters`: letters of the contig, given a begin and an end; `length`: of the contig. `reach`: letters on each side
  /// of an allele. All must outlive this object.
  using Letters = std::function<std::string(std::uint64_t, std::uint64_t)>;
  HaplotypePieces(const AlleleList& list, const Letters& letters, std::uint64_t length, std::uint64_t reach);

  /// Each once, those of an allele next to each other.
  const std::vector<HaplotypePiece>& all() const { return pieces_; }
  /// The number of alleles with too many unphased ones around them: not all combinations of those are there.
  std::uint64_t incomplete() const { return incomplete_; }
  /// How many alleles a haplotype does not have because one before them overlaps them there.
  std::uint64_t skipped() const { return skipped_; }

  struct PieceLocation {
    std::uint64_t begin = 0;  // in the contig
    std::uint64_t end = 0;
    std::vector<std::uint32_t> alleles;  // those that the letters have
  };
  /// Where the letters from `begin` to `end` of a piece lie. Nothing if the piece's anchor is not the first allele that
  /// they have: then they are reported with another piece, or have no allele.
  std::optional<PieceLocation> place(const HaplotypePiece& piece, std::uint64_t begin, std::uint64_t end) const;

  /// Whether it is sure that a haplotype has all these alleles.
  bool is_sure(std::uint32_t haplotype, const std::vector<std::uint32_t>& alleles) const;

 private:
  HaplotypePiece make(std::uint32_t anchor, const std::vector<std::uint32_t>& alleles) const;

  const AlleleList& list_;
  const Letters& letters_;
  std::uint64_t length_;
  std::int64_t reach_;
  std::uint64_t incomplete_ = 0;
  std::uint64_t skipped_ = 0;
  std::vector<std::vector<std::uint32_t>> sure_;  // by haplotype: the alleles that it has for sure, ascending
  std::vector<HaplotypePiece> pieces_;
};

}  // namespace trawl::scan
