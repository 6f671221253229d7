#include "ranks/record_sender.hpp"

#include <tbb/task_arena.h>

#include <chrono>

#include "base/ordered_pipeline.hpp"
#include "base/packer.hpp"
#include "base/stopwatch.hpp"

namespace trawl::ranks {

namespace {

constexpr Tag kRecords = 10;

}  // namespace

void RecordSender::write(io::Chunk& chunk) {
  const auto& made = static_cast<const io::RecordChunk&>(chunk);
  Packer packer;
  packer.reserve(made.records.bytes.size() + made.text.size());
  packer.number(false);
  made.pack(packer);
  cluster_.send(0, kRecords, packer.bytes());
  ++sent_;
}

void RecordSender::fail(const std::string& message) {
  cluster_.send(0, kRecords, Packer().number(true).text(message).bytes());
  while (true) {
    std::this_thread::sleep_for(std::chrono::hours(1));
  }
}

RecordReceiver::RecordReceiver(Cluster& cluster, io::AlignmentSink& sink, unsigned threads, const RunEnd& run_end) {
  owners_.set_capacity(kMostUnderWay * cluster.size());
  thread_ = std::jthread(
      [this, &cluster, &sink, threads, &run_end] { run_end.guard([&] { collect(cluster, sink, threads, run_end); }); });
}

// A failure ends the run at once: the next batch may be that of a rank that has failed.
void RecordReceiver::collect(Cluster& cluster, io::AlignmentSink& sink, unsigned threads, const RunEnd& run_end) {
  struct ReceivedBatch {
    Message message;
    std::string failure;
    std::unique_ptr<io::Chunk> records;
  };
  const auto take = [&]() -> std::shared_ptr<ReceivedBatch> {
    std::optional<unsigned> owner;
    owners_.pop(owner);
    return owner ? std::make_shared<ReceivedBatch>(
                       ReceivedBatch{cluster.receive_from(*owner, kRecords), "", sink.make_chunk()})
                 : nullptr;
  };
  const auto unpack = [](ReceivedBatch& batch) {
    Unpacker from(batch.message.view());
    if (from.number<bool>()) {
      batch.failure = from.text();
    } else {
      static_cast<io::RecordChunk&>(*batch.records).unpack(from);
    }
    batch.message = {};
  };
  const auto place = [&](ReceivedBatch& batch) {
    if (!batch.failure.empty()) {
      run_end.end(batch.failure);
    }
    sink.place(*batch.records);
  };
  const auto write = [&](const std::shared_ptr<ReceivedBatch>& batch) {
    Stopwatch watch;
    sink.write(*batch->records);
    watch.lap(seconds_);
  };
  const auto guarded = [&](const auto& work) { return [&](auto&& batch) { run_end.guard([&] { work(batch); }); }; };
  const auto pack = [&](ReceivedBatch& batch) { sink.pack(*batch.records); };
  tbb::task_arena arena(static_cast<int>(threads));
  arena.execute([&] {
    run_in_order<ReceivedBatch>(
        threads + 1, take,
        {{Stage::parallel, guarded(unpack)}, {Stage::in_order, guarded(place)}, {Stage::parallel, guarded(pack)}},
        guarded(write));
  });
}

}  // namespace trawl::ranks
