// Parts of a reference that a user names, as a BED file or otherwise.
//
//   with: const sequence::Reference& reference
//   const std::vector<NamedRegion> named = read_bed("exons.bed.gz");
//   named[0].contig == "chr1"                               // of the line "chr1	999	2000"
//   named[0].begin == 999
//   const std::vector<ContigRegion> regions = joined(find_regions(named, reference.contigs(), "exons.bed.gz"));
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sequence/reference.hpp"

namespace trawl::io {

/// A region as the user names it; positions from 0, without `end`.
struct NamedRegion {
  std::string contig;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t line = 0;  // of the file; 0: it is from none
};

/// A part of a contig; `contig` is its number.
struct ContigRegion {
  std::uint64_t contig = 0;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  auto operator<=>(const ContigRegion&) const = default;
};

/// Whether a line has the names of columns of a BED file, as tables of other programs have them in their first line.
/// False for a table with lengths beside the ends: those of R and of peak callers count from 1.
///   names_bed_columns("chrom\tchromStart\tchromEnd\tname")
///   !names_bed_columns("chr\tstart\tend\tlength")
///   !names_bed_columns("chr1\t10\t20")
bool names_bed_columns(std::string_view line);

/// Whether a line has no data of a BED or another table: a blank line, a comment, one of a genome browser or, if it is
/// the first line, names_bed_columns().
bool is_beside_table(std::string_view line, bool is_first);

/// The regions of a BED file, plain, gzip or BGZF, or of the standard input ("-"). Only the first three columns are
/// read; a first line of their names is skipped. Throws IoError; InputError for another line.
std::vector<NamedRegion> read_bed(const std::string& path);

/// The same for --regions of a command: InputError if there are none.
std::vector<NamedRegion> read_some_regions(const std::string& path);

/// Those of a whole reference.
std::vector<ContigRegion> whole_contigs(const std::vector<sequence::Contig>& contigs);

/// The regions in a reference, cut at the ends of their contigs. If there is no such contig, or if a region begins
/// after its end, throws InputError with `name` and the line or, for a region from no file, UsageError with `name`.
std::vector<ContigRegion> find_regions(const std::vector<NamedRegion>& regions,
                                       const std::vector<sequence::Contig>& contigs, const std::string& name);

/// In ascending order; those that overlap or touch are one.
///   joined({{0, 50, 60}, {0, 5, 9}, {0, 8, 20}, {0, 20, 22}}) == std::vector<ContigRegion>{{0, 5, 22}, {0, 50, 60}}
std::vector<ContigRegion> joined(std::vector<ContigRegion> regions);

}  // namespace trawl::io
