// Alignments to files: SAM, BAM, CRAM and BED, with the bytes of `trawl map`. In the component `io`, which needs
// htslib.
//
//   with: const trawl::Reference& reference
//   const trawl::Mapper mapper(reference, {{"sort", true}});
//   trawl::map_to_file(mapper, {"R1.fq.gz", "R2.fq.gz"}, "sorted.bam");      // also sorted.bam.bai
#pragma once
#include "trawl/mapper.hpp"

namespace trawl::inline v0 {

/// Maps the reads of files and writes all records to `output`, in the format of its extension. The options of the
/// Mapper about records hold, too: sort, mark-duplicates, read-group, comments, secondary-seq, compression-level. The
/// file appears when it is complete. Throws UsageError, and what Mapper::map_files() throws. Threads: as there.
TRAWL_API void map_to_file(const Mapper& mapper, const ReadFiles& files, const std::string& output,
                           const OnProgress& progress = {});

}  // namespace trawl::inline v0
