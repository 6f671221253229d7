#include "ranks/sent_records.hpp"

#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <chrono>
#include <string>
#include <utility>

#include "base/packer.hpp"

namespace trawl::ranks {

namespace {

constexpr Tag kRecords = 10;

}  // namespace

void SentRecords::write(io::Chunk& chunk) {
  const auto& made = static_cast<const io::RecordChunk&>(chunk);
  Packer packer;
  packer.reserve(made.records.bytes.size() + made.text.size());
  packer.text("");
  made.pack(packer);
  cluster_.send(0, kRecords, packer.bytes());
}

void SentRecords::fail(const std::string& message) {
  cluster_.send(0, kRecords, Packer().text(message).bytes());
  while (true) {
    std::this_thread::sleep_for(std::chrono::hours(1));
  }
}

RecordCollector::RecordCollector(Cluster& cluster, io::AlignmentSink& sink, unsigned threads, const RunEnd& run_end)
    : thread_([this, &cluster, &sink, threads, &run_end] {
        run_end.guard([&] { collect(cluster, sink, threads, run_end); });
      }) {}

void RecordCollector::collect(Cluster& cluster, io::AlignmentSink& sink, unsigned threads, const RunEnd& run_end) {
  using enum tbb::filter_mode;
  struct Batch {
    Message message;
    std::unique_ptr<io::Chunk> records;
  };
  using BatchPointer = std::shared_ptr<Batch>;
  const auto take = tbb::make_filter<void, BatchPointer>(serial_in_order, [&](tbb::flow_control& control) {
    std::optional<unsigned> owner;
    owners_.pop(owner);
    if (!owner) {
      control.stop();
      return BatchPointer();
    }
    return std::make_shared<Batch>(Batch{cluster.receive_from(*owner, kRecords), sink.make_chunk()});
  });
  const auto unpack = tbb::make_filter<BatchPointer, BatchPointer>(parallel, [&](BatchPointer batch) {
    Unpacker from(batch->message.view());
    if (const std::string_view failure = from.text(); failure.empty()) {
      static_cast<io::RecordChunk&>(*batch->records).unpack(from);
      batch->message = {};
    }
    return batch;
  });
  const auto place = tbb::make_filter<BatchPointer, BatchPointer>(serial_in_order, [&](BatchPointer batch) {
    if (batch->message.size > 0) {
      run_end.end(std::string(Unpacker(batch->message.view()).text()));
    }
    sink.place(*batch->records);
    return batch;
  });
  const auto pack = tbb::make_filter<BatchPointer, BatchPointer>(parallel, [&](BatchPointer batch) {
    sink.pack(*batch->records);
    return batch;
  });
  const auto write = tbb::make_filter<BatchPointer, void>(
      serial_in_order, [&](const BatchPointer& batch) { sink.write(*batch->records); });
  tbb::task_arena arena(static_cast<int>(threads));
  arena.execute([&] { tbb::parallel_pipeline(threads + 1, take & unpack & place & pack & write); });
}

}  // namespace trawl::ranks
