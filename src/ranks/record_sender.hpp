// The records of `trawl map` under mpirun. Each rank makes those of its own batches and sends them to the first one,
// which writes them in input order, as one process would.
//
//   RecordReceiver collector(cluster, sink, 16, run_end);     // on the first rank; collector.owners() for the dealer
//   RecordSender records(cluster, session::make_formatter(options, reference));    // on all ranks, for map_reads()
//   collector.wait();                                         // all are written
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "io/write/alignment_sink.hpp"
#include "io/write/record_sinks.hpp"
#include "ranks/cluster.hpp"

namespace trawl::ranks {

class RecordSender final : public io::FormattingSink {
 public:
  RecordSender(Cluster& cluster, std::unique_ptr<io::RecordFormatter> formatter)
      : FormattingSink(std::move(formatter)), cluster_(cluster) {}

  /// Waits until the first rank takes them.
  void write(io::Chunk& chunk) override;

  /// The next batch of this rank has failed. Does not return: the first rank reports the first failure in the order of
  /// the input, and ends the run.
  [[noreturn]] void fail(const std::string& message);
  /// How many batches were sent.
  std::uint64_t sent() const { return sent_; }

 private:
  Cluster& cluster_;
  std::uint64_t sent_ = 0;
};

class RecordReceiver {
 public:
  /// All must outlive this object. `threads`: for the work on the output.
  RecordReceiver(Cluster& cluster, io::AlignmentSink& sink, unsigned threads, const RunEnd& run_end);

  /// Takes the rank of each batch, in order.
  Owners& owners() { return owners_; }
  /// After the last batch: waits until all records are written.
  void wait() { thread_.join(); }
  /// After wait(): how long it took to write.
  double seconds() const { return seconds_; }

 private:
  void collect(Cluster& cluster, io::AlignmentSink& sink, unsigned threads, const RunEnd& run_end);

  Owners owners_;
  double seconds_ = 0;
  std::jthread thread_;
};

}  // namespace trawl::ranks
