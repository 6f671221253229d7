// The records of `trawl map` under mpirun: one output, in input order, from the batches of all ranks.
//
// Where the output is a file that all ranks can open, each rank compresses its records and writes them at their place;
// only what one batch leaves for the next one goes through the first rank. Otherwise (a stream, CRAM) the records
// themselves go there, and the first rank writes them.
//
// With --sort each rank keeps its records, and all merge them afterwards (ranks/range_exchange.hpp).
//
//   SharedOutput output(cluster, options, reference, md5s);      // opens it, on all ranks
//   SharedChunks target(cluster, output.sink(), output.all_write(), turns, "no memory");
//   ...                                                          // run::map_reads() with `target`
//   output.sink().close();                                       // on the first rank, after all ranks are done
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "io/write/alignment_sink.hpp"
#include "io/write/chunk_output.hpp"
#include "ranks/cluster.hpp"
#include "ranks/turns.hpp"
#include "run/record_target.hpp"
#include "sequence/reference.hpp"

namespace trawl::ranks {

/// How many chains of Turns the records need.
inline constexpr unsigned kRecordChains = 2;

class SharedOutput {
 public:
  /// For all ranks. Throws AgreedError.
  SharedOutput(ranks::Cluster& cluster, io::SinkOptions options, const sequence::Reference& reference,
               const std::vector<std::string>& md5s);

  io::AlignmentSink& sink() { return *sink_; }
  /// Whether each rank writes to the file. Otherwise only the first one does.
  bool all_write() const { return all_write_; }
  /// Why not, if a rank could not open the file; empty otherwise.
  const std::string& warning() const { return warning_; }
  /// What is left to do after the last batch of a sorted output of several ranks; null otherwise.
  io::SortedRanges* ranges() { return ranges_; }

 private:
  std::unique_ptr<io::AlignmentSink> sink_;
  bool all_write_ = false;
  std::string warning_;
  io::SortedRanges* ranges_ = nullptr;
};

/// The numbered chunks of an output, in their order.
class SharedChunks final : public run::RecordTarget {
 public:
  /// `all_write`: see SharedOutput. `out_of_memory`: the message if memory is not enough. The others must outlive this
  /// object.
  SharedChunks(ranks::Cluster& cluster, io::ChunkOutput& output, bool all_write, ranks::Turns& turns,
               std::string out_of_memory);

  void place(std::uint64_t number, io::Chunk& chunk) override;
  void write(std::uint64_t number, io::Chunk& chunk) override;
  void fail_to_place(std::uint64_t number, const std::exception_ptr& failure) override;
  [[noreturn]] void fail(std::uint64_t number, const std::exception_ptr& failure) override;
  /// How many threads wait for other ranks.
  static constexpr unsigned kWaitingThreads = 2;
  unsigned waiting_threads() const override { return kWaitingThreads; }

  /// On the first rank, after `chunks` chunks of all ranks: the output can be closed.
  void end(std::uint64_t chunks);

  /// Ends the run, with the message of the failure.
  [[noreturn]] void say_and_end(const std::exception_ptr& failure);

 private:
  bool waits_to_write() const { return !all_write_ || output_.has_end(); }
  void write_in_turn(std::uint64_t number, io::Chunk& chunk);

  ranks::Cluster& cluster_;
  bool all_write_;
  ranks::Turns& turns_;
  std::string out_of_memory_;
};

}  // namespace trawl::ranks
