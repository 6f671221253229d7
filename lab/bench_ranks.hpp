// Searches for sets of patterns, on either engine. Under `mpirun -n N trawl-bench multi`, as in the paper, the text is
// dealt out to the ranks in equal pieces, each searches its piece, and the counts are added up. Without mpirun there is
// one rank, which makes no MPI call.
//
//   const SetText text("GATTACAGATTACA", false);
//   SetSearch("wu-manber", false, set).search(text, {.output = SetOutput::patterns}, 5).patterns
//
//   Ranks ranks;
//   RankSearch search(ranks);
//   if (!ranks.is_first()) {
//     search.serve();                                    // until the first rank calls end()
//   } else {
//     RankRun run = search.run({"wu-manber", "", 4, 1, 5, false}, text, patterns);
//     run.count, run.load_seconds, run.search_seconds, run.reduce_seconds
//     search.end();
//   }
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lab/matchers/sets/cpu_set_matchers.hpp"
#ifdef TRAWL_WITH_CUDA
#include "lab/kernels/sets/gpu_set_matchers.hpp"
#endif

namespace trawl::lab {

/// The matchers of sets of an engine.
std::vector<const matchers::SetFacts*> set_matchers(bool on_device);

/// A text in the memory of the host, which must stay there, and of the device if it is searched there.
struct SetText {
  SetText(std::string_view text, [[maybe_unused]] bool on_device) : characters(text) {
#ifdef TRAWL_WITH_CUDA
    if (on_device) {
      device = std::make_unique<gpu::DeviceText>(text);
    }
#endif
  }

  std::string_view characters;
#ifdef TRAWL_WITH_CUDA
  std::unique_ptr<gpu::DeviceText> device;
#endif
};

struct SetHow {
  matchers::SetOutput output = matchers::SetOutput::count;
  std::string stage = "";     // of the kernels on the device
  bool all_threads = false;   // on the CPU
  std::uint64_t stretch = 0;  // characters that a thread searches at a time; 0: chosen
  std::uint64_t room = 0;     // on the device: the most positions
};

/// Positions stay on the device.
struct SetResult : matchers::SetFound {
  std::uint64_t digest = 0;          // of the positions, as digest_of() says
  std::vector<double> seconds = {};  // of each timed search
  std::string grid = {};             // on the device: blocks x threads
};

/// A matcher with its tables for a set of patterns, on either engine.
class SetSearch {
 public:
  /// Throws UsageError if it cannot take the set.
  SetSearch(const std::string& matcher, bool on_device, const matchers::PatternSet& set);
  /// Searches once without a time, and `repeats` times more.
  SetResult search(const SetText& text, const SetHow& how, unsigned repeats) const;
  double prepare_seconds() const { return prepare_seconds_; }
  std::uint64_t table_bytes() const;

 private:
  std::unique_ptr<matchers::PreparedSet> prepared_;
#ifdef TRAWL_WITH_CUDA
  std::unique_ptr<gpu::GpuPreparedSet> on_device_;
#endif
  double prepare_seconds_ = 0;
};

class Ranks {
 public:
  /// Starts MPI if the program runs under its launcher with more than one rank. Throws Error if it cannot.
  Ranks();
  /// Finishes MPI, which waits for all ranks.
  ~Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  unsigned rank() const { return rank_; }
  unsigned size() const { return size_; }
  bool is_first() const { return rank_ == 0; }
  /// Among the ranks of this machine.
  unsigned local_rank() const { return local_rank_; }
  /// How many cores this rank may use: of those that other ranks may use, too, its share.
  unsigned cores() const { return cores_; }
  /// Ends all ranks at once. Returns if there is one.
  void abort(int status);

  void send(unsigned to, std::string_view bytes);
  /// From the first rank.
  std::string receive();

  // All ranks must call these, in the same order.
  void barrier();
  /// The bytes of the first rank, on every rank.
  void broadcast(std::string& bytes);
  /// The numbers of all ranks by rank, on the first one; on the others only zeros.
  std::vector<double> gather(double number);
  /// Adds up the numbers of all ranks, on the first rank.
  void sum(std::vector<std::uint64_t>& numbers);

 private:
  unsigned rank_ = 0;
  unsigned size_ = 1;
  unsigned local_rank_ = 0;
  unsigned cores_ = 1;
};

struct RankJob {
  std::string algorithm;
  std::string stage;     // of its kernels on the GPU; empty: it runs on the CPU
  unsigned ranks = 1;    // how many of the ranks work
  unsigned threads = 1;  // of each
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
  explicit RankSearch(Ranks& ranks) : ranks_(ranks) {}

  /// On the first rank. Throws UsageError if the algorithm cannot take the set; then the others wait for the next job.
  RankRun run(const RankJob& job, const std::string& text, const std::vector<std::string>& patterns);
  void end();
  /// On the other ranks.
  void serve();

 private:
  struct Shared;

  RankRun work(const Shared& shared, const std::string* text);
  std::string take_piece(const Shared& shared, const std::string* text);

  Ranks& ranks_;
};

}  // namespace trawl::lab
