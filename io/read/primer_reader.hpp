// Reads primers from the files that people have: tables of pairs; schemes in BED (ARTIC); lists and tables of names and
// sequences; FASTA; the output of primer3.
//
//   with: const sequence::Reference& reference
//   const PrimerFile file = read_primers("primer.bed", 16384, reference);
//   file.pool.patterns()[0].name == "SARS-CoV-2_1_LEFT"
//   file.pool.amplicons()[0] == "SARS-CoV-2_1"
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "scan/primer_pool.hpp"
#include "sequence/reference.hpp"

namespace trawl::io {

struct PrimerFile {
  scan::PrimerPool pool;
  std::string form;                // what was read: "a table of pairs"
  std::uint64_t probes = 0;        // left out: they make no products
  std::uint64_t elsewhere = 0;     // primers of a BED whose contig the reference does not have
  std::string elsewhere_contig{};  // one of these contigs
  bool has_sizes = false;          // pairs have a smallest and a largest size of the product, as ipcress's
};

/// The primers of a plain, gzip or BGZF file, or of the standard input ("-"). What the first line looks like decides:
///
/// - A pair in each line: its name, the forward and the reverse primer. A header line may name the columns.
/// - BED with at least five columns: contig, start, end, name, pool, strand, sequence. Without a strand the name says
///   it. Without a sequence the primer is that of the reference. A scheme.
/// - A name and a sequence, or a sequence only; a header line may name the columns, also one for the pool.
/// - FASTA.
/// - primer3's output (Boulder-IO), whose pairs are alternatives.
///
/// Each primer is written as it is ordered, 5' to 3'. Except for pairs, scan::split_primer_name() says which amplicon a
/// primer belongs to.
///
/// Throws IoError. Throws InputError (with the line) where a line is none of these, and as read_patterns() does.
PrimerFile read_primers(const std::string& path, std::size_t longest, const sequence::Reference& reference);

}  // namespace trawl::io
