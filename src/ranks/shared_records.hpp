// The records of `trawl map` under mpirun: one output, in input order, from the batches of all ranks.
//
// Where the output is a file that all ranks can open, each rank compresses its records and writes them at their place;
// only what one batch leaves for the next one goes through the first rank. Otherwise (a stream, CRAM) the records
// themselves go there, and the first rank writes them.
//
// With --sort each rank keeps its records, and all merge them afterwards (ranks/range_exchange.hpp).
//
//   SharedOutput output(cluster, options, reference, md5s);      // opens it, on all ranks
//   SharedRecords target(cluster, output, turns, "what to do if memory is short");   // for run::map_reads()
//   ...
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

/// The numbered chunks of an output, in their order. The functions are those of run::RecordTarget.
class SharedChunks {
 public:
  /// `all_write`: see SharedOutput. `out_of_memory`: the message if memory is not enough. The others must outlive this
  /// object.
  SharedChunks(ranks::Cluster& cluster, io::ChunkOutput& output, bool all_write, ranks::Turns& turns,
               std::string out_of_memory);

  bool packs() const { return output_.packs(); }
  void place(std::uint64_t number, io::Chunk& chunk);
  void pack(io::Chunk& chunk) const { output_.pack(chunk); }
  void write(std::uint64_t number, io::Chunk& chunk);
  void fail_to_place(std::uint64_t number, const std::exception_ptr& failure);
  [[noreturn]] void fail(std::uint64_t number, const std::exception_ptr& failure);
  /// How many threads wait for other ranks.
  static constexpr unsigned kWaitingThreads = 2;

  /// On the first rank, after `chunks` chunks of all ranks: the output can be closed.
  void end(std::uint64_t chunks);

  /// Ends the run, with the message of the failure.
  [[noreturn]] void say_and_end(const std::exception_ptr& failure);

 private:
  bool waits_to_write() const { return !all_write_ || output_.has_end(); }
  void write_in_turn(std::uint64_t number, io::Chunk& chunk);

  ranks::Cluster& cluster_;
  io::ChunkOutput& output_;
  bool all_write_;
  ranks::Turns& turns_;
  std::string out_of_memory_;
};

/// The records of the batches.
class SharedRecords final : public run::RecordTarget {
 public:
  SharedRecords(ranks::Cluster& cluster, SharedOutput& output, ranks::Turns& turns, std::string out_of_memory)
      : sink_(output.sink()), chunks_(cluster, output.sink(), output.all_write(), turns, std::move(out_of_memory)) {}

  const io::AlignmentSink& sink() const override { return sink_; }
  bool packs() const override { return chunks_.packs(); }
  void place(std::uint64_t number, io::Chunk& chunk) override { chunks_.place(number, chunk); }
  void pack(io::Chunk& chunk) const override { chunks_.pack(chunk); }
  void write(std::uint64_t number, io::Chunk& chunk) override { chunks_.write(number, chunk); }
  void fail_to_place(std::uint64_t number, const std::exception_ptr& failure) override {
    chunks_.fail_to_place(number, failure);
  }
  void fail(std::uint64_t number, const std::exception_ptr& failure) override { chunks_.fail(number, failure); }
  unsigned waiting_threads() const override { return SharedChunks::kWaitingThreads; }

  /// See SharedChunks.
  void end(std::uint64_t batches) { chunks_.end(batches); }

 private:
  const io::AlignmentSink& sink_;
  SharedChunks chunks_;
};

}  // namespace trawl::ranks
