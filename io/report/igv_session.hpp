// The session file of --igv-session: IGV opens it with the reference and the output.
//
//   write_igv_session({.reference = "ref/genome.fa", .output = "x.bam", .regions = {{"chr1", 100, 600}}}, "x.xml");
#pragma once

#include <string>
#include <vector>

#include "io/read/bed_regions.hpp"

namespace trawl::io {

struct IgvSession {
  std::string reference;  // a FASTA
  std::string output;     // BAM, CRAM or BED
  /// IGV opens with the first one, and lists all as regions of interest. None: it opens with the whole genome.
  std::vector<NamedRegion> regions;
};

/// Throws UsageError if IGV cannot open these files: it needs names, and alignments in order with an index.
/// `is_sorted`: of BAM and CRAM.
void check_igv_session(const std::string& reference, const std::string& output, bool is_sorted);

/// Names the files relative to the folder of `path`, so that the folder can be moved. The file appears only when it is
/// complete. Throws IoError.
void write_igv_session(const IgvSession& session, const std::string& path);

}  // namespace trawl::io
