// The records of `trawl map` under mpirun: one output, in input order, from the batches of all ranks.
//
// Where the output is a file that all ranks can open, each rank compresses its records and writes them at their place;
// only what one batch leaves for the next one goes through the first rank. Otherwise (a stream, CRAM, --sort) the
// records themselves go there, and the first rank writes them.
//
//   SharedOutput output(cluster, options, reference, md5s);      // opens it, on all ranks
//   SharedRecords target(cluster, output, turns);                // for run_map_pipeline()
//   ...
//   output.sink().close();                                       // on the first rank, after all ranks are done
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/record_target.hpp"
#include "cluster/cluster.hpp"
#include "cluster/turns.hpp"
#include "io/out/alignment_sink.hpp"
#include "sequence/reference.hpp"

namespace trawl::cli {

/// How many chains of Turns the records need.
inline constexpr unsigned kRecordChains = 2;

class SharedOutput {
 public:
  /// For all ranks. Throws AgreedError.
  SharedOutput(cluster::Cluster& cluster, io::SinkOptions options, const sequence::Reference& reference,
               const std::vector<std::string>& md5s);

  io::AlignmentSink& sink() { return *sink_; }
  /// Whether each rank writes to the file. Otherwise only the first one does.
  bool all_write() const { return all_write_; }
  /// Why not, if a rank could not open the file; empty otherwise.
  const std::string& warning() const { return warning_; }

 private:
  std::unique_ptr<io::AlignmentSink> sink_;
  bool all_write_ = false;
  std::string warning_;
};

class SharedRecords final : public RecordTarget {
 public:
  /// `out_of_memory`: the message if memory is not enough.
  SharedRecords(cluster::Cluster& cluster, SharedOutput& output, cluster::Turns& turns, std::string out_of_memory);

  const io::AlignmentSink& sink() const override { return sink_; }
  bool packs() const override { return sink_.packs(); }
  void place(std::uint64_t number, io::Chunk& chunk) override;
  void pack(io::Chunk& chunk) const override { sink_.pack(chunk); }
  void write(std::uint64_t number, io::Chunk& chunk) override;
  void fail_to_place(std::uint64_t number, const std::exception_ptr& failure) override;
  void fail(std::uint64_t number, const std::exception_ptr& failure) override;
  unsigned waiting_threads() const override { return 2; }

  /// On the first rank, after `batches` batches of all ranks: the sink can be closed.
  void end(std::uint64_t batches);

 private:
  bool waits_to_write() const { return !all_write_ || sink_.has_end(); }
  void write_in_turn(std::uint64_t number, io::Chunk& chunk);
  [[noreturn]] void say_and_end(const std::exception_ptr& failure);

  cluster::Cluster& cluster_;
  io::AlignmentSink& sink_;
  bool all_write_;
  cluster::Turns& turns_;
  std::string out_of_memory_;
};

}  // namespace trawl::cli
