// Parts of a report's JSON that `trawl map` and `trawl scan` have in common.
//
//   const RunFiles files{.reference = "genome.fa", .inputs = {"reads.fq"}, .output = "x.bam"};
//   files_json(files, 0).find("\"genome.fa\"") != std::string::npos
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "io/report/run_files.hpp"
#include "io/stats/contig_bins.hpp"
#include "sequence/reference.hpp"

namespace trawl::io {

/// So many contigs, the longest ones, are shown one by one; the others only as a sum.
inline constexpr std::size_t kShownContigs = 100;

/// `depth`: the number of JSON objects around this one.
std::string files_json(const RunFiles& files, int depth);

/// Several series of bins along the contigs, each with a name. Completes the bins.
std::string coverage_json(const std::vector<sequence::Contig>& contigs,
                          const std::vector<std::pair<std::string, ContigBins*>>& series, int depth);

}  // namespace trawl::io
