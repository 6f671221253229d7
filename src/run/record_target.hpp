// Where the records of `trawl map` go: to the sink, or under mpirun to the sink in the order of all ranks' batches
// (ranks/shared_records.hpp). The functions are those of io::ChunkOutput, with the number of the batch. And how the
// sink is made.
//
//   RecordTarget target(*sink);      // a run of one process
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "io/write/alignment_sink.hpp"
#include "io/write/chunk_output.hpp"
#include "sequence/reference.hpp"

namespace trawl::run {

class RecordTarget {
 public:
  explicit RecordTarget(io::ChunkOutput& output) : output_(output) {}
  virtual ~RecordTarget() = default;

  bool packs() const { return output_.packs(); }
  virtual void place(std::uint64_t, io::Chunk& chunk) { output_.place(chunk); }
  void pack(io::Chunk& chunk) const { output_.pack(chunk); }
  virtual void write(std::uint64_t, io::Chunk& chunk) { output_.write(chunk); }
  /// A batch has failed before it had its place: called instead of place().
  virtual void fail_to_place(std::uint64_t, const std::exception_ptr&) {}
  /// A batch has failed: called instead of write(). Throws.
  [[noreturn]] virtual void fail(std::uint64_t, const std::exception_ptr& failure) { std::rethrow_exception(failure); }

  /// How many threads may wait for something else than a core.
  virtual unsigned waiting_threads() const { return 0; }

 protected:
  io::ChunkOutput& output_;
};

/// The file of alignments that a run writes, sorted or not. Opens the output and writes its header. `reference` must
/// live longer than the sink. `md5s`: from contig_md5s(); may be empty unless needs_md5s(). Throws UsageError, IoError.
std::unique_ptr<io::AlignmentSink> make_sink(const io::SinkOptions& options, const sequence::Reference& reference,
                                             const std::vector<std::string>& md5s);

}  // namespace trawl::run
