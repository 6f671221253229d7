// The end of `trawl map --sort` under mpirun: each rank has sorted the records of its own batches. The order of all of
// them is cut into ranges, by samples of their keys. Range n is merged by rank n mod the number of ranks: it asks all
// others for their parts of it, compresses the records, and writes them at their place in the file.
//
//   exchange_ranges(cluster, output, {.threads = 16, ...});     // on all ranks, after the last batch
//   output.sink().close();                                      // on the first rank
//
// A rank asks for the parts of a few ranges ahead. So it holds as many bytes, whatever the number of ranks.
#pragma once

#include <functional>
#include <string>

#include "ranks/cluster.hpp"
#include "ranks/shared_records.hpp"

namespace trawl::ranks {

struct ExchangeOptions {
  unsigned threads = 1;
  std::string out_of_memory;                             // the message if memory is not enough
  std::function<void(const std::string& message)> fail;  // must end the run; needed on the first rank
};

/// For all ranks. `output` must have ranges(). Throws AgreedError.
void exchange_ranges(ranks::Cluster& cluster, SharedOutput& output, const ExchangeOptions& options);

}  // namespace trawl::ranks
