#include "pipeline/chunk_reader.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include "base/stopwatch.hpp"

namespace trawl::pipeline {

namespace {

constexpr std::uint64_t kLeastBases = std::uint64_t{1} << 16;
// About how many ends a chunk should have; if there are more, they are found region by region.
constexpr std::uint64_t kWantedEnds = std::uint64_t{1} << 20;

}  // namespace

ChunkSize::ChunkSize(std::size_t queries, std::uint64_t most)
    : most_(most), bases_(std::clamp(kWantedEnds * 4 / (queries + 1), kLeastBases, most)) {}

void ChunkSize::learn(std::uint64_t bases, std::uint64_t ends) {
  const double wanted = static_cast<double>(kWantedEnds) * static_cast<double>(bases) / static_cast<double>(ends + 1);
  bases_ = std::clamp(std::min(static_cast<std::uint64_t>(std::min(wanted, 1e18)), 4 * bases_), kLeastBases, most_);
}

void ChunkReader::start(std::optional<std::uint64_t> bases) {
  if (bases) {
    chunks_->set_bases(*bases);
  }
  std::packaged_task<ReadAhead()> task([chunks = chunks_] {
    Stopwatch watch;
    ReadAhead result{std::make_unique<sequence::TextChunk>(), 0};
    if (!chunks->next(*result.chunk)) {
      result.chunk.reset();
    }
    watch.lap(result.seconds);
    return result;
  });
  next_ = task.get_future();
  if (ahead_) {
    // This thread may be left alone: if the run fails, nobody waits for input that may never come.
    std::thread(std::move(task)).detach();
  } else {
    task_ = std::move(task);
  }
}

std::unique_ptr<sequence::TextChunk> ChunkReader::take() {
  if (!ahead_) {
    task_();
  }
  ReadAhead result = next_.get();
  seconds_ += result.seconds;
  return std::move(result.chunk);
}

void add_contig_names(const sequence::TextChunk& chunk, sequence::ContigNames& names) {
  if (chunk.reads && !chunk.slices.empty()) {
    names.forget(chunk.slices.front().contig);
  }
  for (std::size_t p = 0; p < chunk.slices.size(); ++p) {
    names.set(chunk.slices[p].contig, chunk.reference.contigs()[p].name);
  }
}

}  // namespace trawl::pipeline
