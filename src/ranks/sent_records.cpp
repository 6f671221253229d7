#include "ranks/sent_records.hpp"

#include <tbb/task_arena.h>

#include <chrono>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/ordered_pipeline.hpp"
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
    : thread_([this, &cluster, &sink, threads, &run_end] { run_end.guard([&] { collect(cluster, sink, threads); }); }) {
}

void RecordCollector::collect(Cluster& cluster, io::AlignmentSink& sink, unsigned threads) {
  struct Batch {
    Message message;
    std::unique_ptr<io::Chunk> records;
  };
  const auto take = [&]() -> std::shared_ptr<Batch> {
    std::optional<unsigned> owner;
    owners_.pop(owner);
    return owner ? std::make_shared<Batch>(Batch{cluster.receive_from(*owner, kRecords), sink.make_chunk()}) : nullptr;
  };
  const auto unpack = [](Batch& batch) {
    Unpacker from(batch.message.view());
    if (const std::string_view failure = from.text(); !failure.empty()) {
      throw InputError(std::string(failure));  // it is said as it is
    }
    static_cast<io::RecordChunk&>(*batch.records).unpack(from);
    batch.message = {};
  };
  tbb::task_arena arena(static_cast<int>(threads));
  arena.execute([&] {
    run_in_order<Batch>(threads + 1, take,
                        {{Stage::parallel, unpack},
                         {Stage::in_order, [&](Batch& batch) { sink.place(*batch.records); }},
                         {Stage::parallel, [&](Batch& batch) { sink.pack(*batch.records); }}},
                        [&](const std::shared_ptr<Batch>& batch) { sink.write(*batch->records); });
  });
}

}  // namespace trawl::ranks
