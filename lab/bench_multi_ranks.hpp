// `trawl-bench multi` under mpirun, as in the paper: the text is dealt out to the ranks in equal pieces, each rank
// searches its piece, and the counts are added up.
//
//   RankSearch search(cluster);
//   if (!cluster.is_first()) {
//     search.serve();                                    // until the first rank calls end()
//   } else {
//     RankRun run = search.run({"wu-manber", "", 4, 1, 5, false}, text, patterns);
//     run.count, run.load_seconds, run.search_seconds, run.reduce_seconds
//     search.end();
//   }
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lab/bench_exact_text.hpp"
#include "ranks/cluster.hpp"

namespace trawl::lab {

/// The row of `trawl scan` among the matchers.
inline constexpr const char* kScanName = "trawl-scan";

struct RankJob {
  std::string algorithm;  // a matcher, or kScanName
  std::string stage;      // of its kernels on the GPU; empty: it runs on the CPU
  unsigned ranks = 1;     // how many of the ranks work
  unsigned threads = 1;   // of each
  unsigned repeats = 1;
  bool by_pattern = false;  // add up the number of occurrences of each pattern, not only of all
};

struct RankRun {
  std::uint64_t count = 0;               // of all occurrences
  std::vector<std::uint64_t> patterns;   // of each pattern of the set
  double prepare_seconds = 0;            // for the tables, on the slowest rank
  std::vector<double> load_seconds;      // of each run: until the last rank has its piece, on its device if it has one
  std::vector<double> search_seconds;    // on the slowest rank
  std::vector<double> cpu_seconds;       // of the search, of all ranks together
  std::vector<double> most_cpu_seconds;  // of the rank that needs most
  std::vector<double> reduce_seconds;    // until the first rank has the sum
};

class RankSearch {
 public:
  explicit RankSearch(ranks::Cluster& cluster) : cluster_(cluster) {}

  /// On the first rank. Throws AgreedError on all ranks if the algorithm cannot take the set.
  RankRun run(const RankJob& job, const ExactText& text, const std::vector<std::string>& patterns);
  void end();
  /// How many cores each rank may use, if all nodes are alike.
  unsigned cores() const { return cluster_.cores(); }
  /// On the other ranks.
  void serve();

 private:
  struct Shared;

  RankRun work(const Shared& shared, const ExactText* text);
  ExactText take_piece(const Shared& shared, const ExactText* text);

  ranks::Cluster& cluster_;
};

}  // namespace trawl::lab
