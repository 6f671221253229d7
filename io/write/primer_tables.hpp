// The tables of `trawl primers` besides that of the products: a line for each primer, and one for each dimer.
//
//   with: const PrimerTable& table
//   write_primer_table(table, "primers.tsv", 6);
//   write_dimer_table(table, "dimers.tsv", 6);
#pragma once

#include <string>
#include <vector>

#include "io/write/amplicon_sink.hpp"
#include "scan/melting.hpp"
#include "scan/primer_pool.hpp"
#include "scan/report/primer_dimers.hpp"

namespace trawl::io {

struct PrimerTable {
  const scan::PrimerPool& pool;
  const std::vector<PrimerCounts>& counts;  // of each primer
  const std::vector<scan::PrimerDimer>& dimers;
  const scan::MeltingConditions& conditions;
};

/// .tsv, .csv, or these with .gz. Throws IoError.
void write_primer_table(const PrimerTable& table, const std::string& path, int compression_level);
void write_dimer_table(const PrimerTable& table, const std::string& path, int compression_level);

/// What a primer is called: of a pair, its name and its side.
std::string primer_name(const scan::PrimerPool& pool, std::uint32_t primer);

}  // namespace trawl::io
