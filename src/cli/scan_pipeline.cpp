#include "cli/scan_pipeline.hpp"

#include <tbb/parallel_sort.h>

#include <algorithm>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "base/stopwatch.hpp"
#include "scan/report/collector.hpp"
#include "scan/report/site.hpp"

namespace trawl::cli {

namespace {

// Records that wait until nothing can come before them.
class RecordQueue {
 public:
  std::vector<scan::Record>& incoming() { return waiting_; }

  // Writes what comes before `limit`.
  void write_until(const std::pair<std::uint64_t, std::uint64_t>& limit, const std::vector<std::string>& contig_names,
                   io::ScanSink& sink, io::ScanStats& stats) {
    tbb::parallel_sort(waiting_.begin(), waiting_.end(),
                       [](const scan::Record& a, const scan::Record& b) { return a.key() < b.key(); });
    const auto end = std::partition_point(waiting_.begin(), waiting_.end(), [&](const scan::Record& record) {
      return std::pair(record.contig, record.start) < limit;
    });
    const std::span<const scan::Record> ready(waiting_.begin(), end);
    sink.write(ready, contig_names);
    for (const scan::Record& record : ready) {
      ++stats.records;
      if (stats.records_by_distance.size() <= record.distance) {
        stats.records_by_distance.resize(record.distance + std::size_t{1});
      }
      ++stats.records_by_distance[record.distance];
      ++stats.records_by_pattern[record.pattern].by_distance[record.distance];
    }
    waiting_.erase(waiting_.begin(), end);
  }

 private:
  std::vector<scan::Record> waiting_;
};

// Reads a chunk while another one is searched.
class ChunkReader {
 public:
  ChunkReader(std::shared_ptr<io::FastaChunks> chunks, bool ahead) : chunks_(std::move(chunks)), ahead_(ahead) {}

  // Begins with the next chunk, of `bases` where that is to change.
  void start(std::optional<std::uint64_t> bases) {
    if (bases) {
      chunks_->set_bases(*bases);
    }
    std::packaged_task<Result()> task([chunks = chunks_] {
      Stopwatch watch;
      Result result{std::make_unique<sequence::TextChunk>(), 0};
      if (!chunks->next(*result.chunk)) {
        result.chunk.reset();
      }
      watch.lap(result.seconds);
      return result;
    });
    next_ = task.get_future();
    if (ahead_) {
      // A thread that can be left behind: if the run fails meanwhile, nobody waits for input that may never come.
      std::thread(std::move(task)).detach();
    } else {
      task_ = std::move(task);
    }
  }

  // What start() has begun; nothing at the end.
  std::unique_ptr<sequence::TextChunk> take() {
    if (!ahead_) {
      task_();
    }
    Result result = next_.get();
    seconds_ += result.seconds;
    return std::move(result.chunk);
  }

  double seconds() const { return seconds_; }

 private:
  struct Result {
    std::unique_ptr<sequence::TextChunk> chunk;
    double seconds = 0;
  };

  std::shared_ptr<io::FastaChunks> chunks_;
  bool ahead_;
  std::packaged_task<Result()> task_;
  std::future<Result> next_;
  double seconds_ = 0;
};

constexpr std::uint64_t kLeastBases = std::uint64_t{1} << 16;
constexpr std::uint64_t kMostBases = std::uint64_t{1} << 25;
// Of a chunk. A record takes some 200 bytes.
constexpr std::uint64_t kWantedEnds = std::uint64_t{1} << 20;

}  // namespace

ChunkSize::ChunkSize(std::size_t queries)
    : bases_(std::clamp(kWantedEnds * 4 / (queries + 1), kLeastBases, kMostBases)) {}

void ChunkSize::learn(std::uint64_t bases, std::uint64_t ends) {
  const double wanted = static_cast<double>(kWantedEnds) * static_cast<double>(bases) / static_cast<double>(ends + 1);
  bases_ =
      std::clamp(std::min(static_cast<std::uint64_t>(std::min(wanted, 1e18)), 4 * bases_), kLeastBases, kMostBases);
}

void run_scan_pipeline(const std::shared_ptr<io::FastaChunks>& chunks, scan::Finder& finder,
                       const std::vector<scan::Query>& queries, const scan::Options& options, io::ScanSink& sink,
                       io::Progress& progress, io::ScanStats& stats, ChunkSize* size) {
  ChunkReader reader(chunks, options.threads > 1);
  const scan::SiteFinder site_finder(queries, options);
  scan::RecordCollector collector(queries, options);
  RecordQueue queue;
  std::vector<scan::Hit> ends;
  std::vector<std::string> contig_names;
  const auto chunk_size = [&] { return size != nullptr ? std::optional(size->bases()) : std::nullopt; };
  reader.start(chunk_size());
  while (const auto chunk = reader.take()) {
    reader.start(chunk_size());
    for (std::size_t p = 0; p < chunk->pieces.size(); ++p) {
      const auto& piece = chunk->pieces[p];
      const auto& contig = chunk->reference.contigs()[p];
      if (piece.contig == contig_names.size()) {
        contig_names.push_back(contig.name);
      }
      stats.reference_bases += contig.length - (piece.fresh - piece.begin);
    }
    Stopwatch watch;
    finder.find(chunk->reference, ends);
    if (size != nullptr) {
      size->learn(chunk->reference.bases(), ends.size());
    }
    watch.lap(stats.seconds["find"]);
    collector.add(*chunk, site_finder.find(*chunk, ends), queue.incoming());
    watch.lap(stats.seconds["align"]);
    queue.write_until(collector.limit(), contig_names, sink, stats);
    watch.lap(stats.seconds["write"]);
    progress.update(stats.reference_bases, chunk->input_bytes);
  }
  stats.contigs = contig_names.size();
  stats.seconds["read"] = reader.seconds();
}

}  // namespace trawl::cli
