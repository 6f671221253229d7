// Writes what a run found as "custom content" of MultiQC (https://multiqc.info), which needs no plugin for it.
//
//   multiqc_files("liver_mqc.json")[0] == "liver_mqc.json"      // the general statistics of "liver"
//   write_multiqc(RunStats(), "liver_mqc.json");                // and liver_distance_mqc.json: one for each section
//
// MultiQC takes one section from a file, so there are several files. It finds them by their names, and puts the samples
// of files with the same section into one plot.
#pragma once

#include <string>
#include <vector>

#include "io/stats/map_stats.hpp"
#include "io/stats/scan_stats.hpp"

namespace trawl::io {

/// The name of every file that may be written for this path, `path` first. Throws UsageError if `path` does not end in
/// NAME_mqc.json.
std::vector<std::string> multiqc_files(const std::string& path);

/// Writes the general statistics and the sections distance, loci and mapq; for pairs also pairs and insert. Each file
/// appears only when it is complete. Throws IoError.
void write_multiqc(const RunStats& stats, const std::string& path);

/// Writes the general statistics and the section distance.
void write_multiqc(const ScanStats& stats, const std::string& path);

}  // namespace trawl::io
