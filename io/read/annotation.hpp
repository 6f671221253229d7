// Genes and their parts, from GFF3, GTF or BED, and which of them a place of the reference overlaps.
//
//   const auto genes = read_annotation("genes.gff3");
//   Annotation::Finding found;
//   genes->find("chr1", 10, 20, found);
//   found.genes == "ABC1"            // or "ABC1,XYZ2", or "." if there is none
//   found.feature == "CDS"           // or "exon", "intron", "gene", "intergenic"
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "sequence/reference.hpp"

namespace trawl::io {

class Annotation {
 public:
  /// What a place is. A larger value is the more specific part of a gene.
  enum class Feature : std::uint8_t { intergenic, gene, intron, exon, cds };

  /// A part of a gene: positions from `begin` to `end`, from 0, without the end.
  struct GenePart {
    std::string contig;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint32_t gene = 0;  // index of its name
    Feature feature = Feature::gene;
  };

  /// What find() says of a place.
  struct Finding {
    std::string genes;
    std::string_view feature;
    std::vector<std::uint32_t> found;  // room for the work
  };

  Annotation() = default;
  /// `genes`: their names, in the order in which a place names them.
  Annotation(std::vector<std::string> genes, std::vector<GenePart> parts);

  /// The genes that overlap the positions from `begin` to `end` of a contig, on either strand, and the most specific of
  /// their parts there. Several threads may call this at the same time.
  void find(std::string_view contig, std::uint64_t begin, std::uint64_t end, Finding& place) const;

  /// A warning if none of these has a gene in the file `path`; otherwise empty.
  std::string warning(const std::vector<sequence::Contig>& contigs, const std::string& path) const;
  std::size_t genes() const { return genes_.size(); }

  /// For a message to another process.
  template <class Self>
  static auto members(Self& self) {
    return std::tie(self.genes_, self.lists_, self.contigs_);
  }

 private:
  // Where a gene begins or ends, a segment ends; so all its positions have the same genes and feature.
  struct GeneSegment {
    std::uint64_t begin;
    std::uint64_t end;
    std::uint32_t first;  // of its genes in lists_
    std::uint16_t genes;
    Feature feature;
  };

  std::vector<std::string> genes_;
  std::vector<std::uint32_t> lists_;
  std::unordered_map<std::string, std::vector<GeneSegment>> contigs_;  // those that have a gene, ascending
};

/// Reads GFF3, GTF or BED, plain, gzip or BGZF; its lines say which it is.
///
/// GFF3 and GTF: the name of a gene is its `gene_name`, `Name`, `gene`, `gene_id` or `ID`, the first that it has. In a
/// gene that has exons or CDS, the rest is intron. BED: each line is a gene; with 12 columns its blocks are exons, and
/// what lies between thickStart and thickEnd is CDS. Throws IoError; InputError, with the line, for anything else.
std::shared_ptr<const Annotation> read_annotation(const std::string& path);

}  // namespace trawl::io
