// The columns that results show under a name, to Python and in Arrow.
//
//   const auto contigs = std::make_shared<const std::vector<std::string>>(1, "chr1");
//   const Table table = table_of(std::make_shared<Alignments>(), contigs, false);
//   table.find("start")->format == 'l'
//   table.find("mate_start") == nullptr
#pragma once

#include <memory>

#include "columns/table.hpp"
#include "trawl/mapper.hpp"
#include "trawl/scanner.hpp"

namespace trawl::columns {

/// Of reads: read, name (if they have names), contig, start, end, strand, distance, mapq, cigar, flag, edits, score,
/// count, dropped; of pairs mate_contig, mate_start, template_length; md.
Table table_of(std::shared_ptr<const Alignments> found, Labels contigs, bool has_pairs);

/// Of patterns: pattern, name, contig, start, end, strand, distance, mismatches, dna_bulges, rna_bulges, edits, cigar,
/// sequence. `patterns`: their names.
Table table_of(std::shared_ptr<const Hits> found, Labels contigs, Labels patterns);

}  // namespace trawl::columns
