// Maps reads with a saved index, to see that it is safe to use.
#pragma once

#include <string>
#include <vector>

#include "align/alignment.hpp"
#include "io/index/saved_index.hpp"
#include "map/options.hpp"
#include "run/engine_choice.hpp"
#include "sequence/read_batch.hpp"

namespace trawl::tests {

/// All loci with at most 2 edits, by the seeds of the index, on the CPU.
inline void map_reads(const io::SavedIndex& index, const std::vector<std::string>& reads) {
  map::Options options;
  options.max_edits = {false, 0, 2};
  options.report = map::Report::all;
  options.search = map::Search::seeds;
  options.seeds = index.seeds;
  sequence::ReadBatch batch;
  for (const std::string& read : reads) {
    batch.add("read", read, "");
  }
  align::AlignmentBatch alignments;
  run::make_engine("cpu", index.reference, options)->make_worker()->map(batch, alignments);
}

}  // namespace trawl::tests
