#include "cli/scan_pipeline.hpp"

#include <algorithm>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "base/stopwatch.hpp"
#include "io/out/record_queue.hpp"
#include "scan/find/region_finder.hpp"
#include "scan/report/collector.hpp"
#include "scan/report/site.hpp"

namespace trawl::cli {

namespace {

// About how many bytes may wait to be written: ends, their sites and records.
constexpr std::uint64_t kHeldBytes = std::uint64_t{64} << 20;

void count(std::span<const scan::Record> records, io::ScanStats& stats) {
  for (const scan::Record& record : records) {
    ++stats.records;
    if (stats.records_by_distance.size() <= record.distance) {
      stats.records_by_distance.resize(record.distance + std::size_t{1});
    }
    ++stats.records_by_distance[record.distance];
    if (stats.records_by_pattern) {
      stats.records_by_pattern->add(record.pattern, record.distance);
    }
  }
}

// How many ends are made into records at a time: as many as kHeldBytes hold.
std::size_t most_ends(const std::vector<scan::Query>& queries) {
  std::uint64_t letters = 0;
  for (const scan::Query& query : queries) {
    letters += query.length();
  }
  constexpr std::uint64_t kBytesOfOne = 256;
  return kHeldBytes / (kBytesOfOne + 3 * letters / std::max<std::size_t>(1, queries.size()));
}

// Reads the next chunk while another one is searched.
class ChunkReader {
 public:
  ChunkReader(std::shared_ptr<io::FastaChunks> chunks, bool ahead) : chunks_(std::move(chunks)), ahead_(ahead) {}

  // Starts to read the next chunk. `bases`: the new size of chunks, if it changes.
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
      // This thread may be left alone: if the run fails, nobody waits for input that may never come.
      std::thread(std::move(task)).detach();
    } else {
      task_ = std::move(task);
    }
  }

  // The chunk that start() began to read; null at the end of the input.
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
// About how many ends a chunk should have; if there are more, they are found region by region.
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
  scan::RegionFinder regions(finder, site_finder.look_back(), most_ends(queries));
  io::RecordQueue queue(2 * kHeldBytes);
  std::vector<scan::Hit> ends;
  std::vector<std::string> contig_names;
  const auto chunk_size = [&] { return size != nullptr ? std::optional(size->bases()) : std::nullopt; };
  reader.start(chunk_size());
  while (const auto chunk = reader.take()) {
    reader.start(chunk_size());
    for (std::size_t p = 0; p < chunk->slices.size(); ++p) {
      const auto& slice = chunk->slices[p];
      const auto& contig = chunk->reference.contigs()[p];
      if (slice.contig == contig_names.size()) {
        contig_names.push_back(contig.name);
      }
      stats.reference_bases += contig.length - (slice.fresh - slice.begin);
    }
    Stopwatch watch;
    std::uint64_t found = 0;
    scan::Region region;
    regions.begin(chunk->reference, site_finder.first_position(*chunk));
    while (regions.next(region, ends)) {
      found += ends.size();
      watch.lap(stats.seconds["find"]);
      collector.add(*chunk, region, site_finder.find(*chunk, region, ends),
                    [&](std::vector<scan::Record>& records) { queue.take(records); });
      watch.lap(stats.seconds["align"]);
      queue.write_until(collector.limit(), [&](std::span<const scan::Record> records) {
        sink.write(records, contig_names);
        count(records, stats);
      });
      watch.lap(stats.seconds["write"]);
    }
    watch.lap(stats.seconds["find"]);
    if (size != nullptr) {
      size->learn(chunk->reference.bases(), found);
    }
    progress.update(stats.reference_bases, chunk->input_bytes);
  }
  stats.contigs = contig_names.size();
  stats.seconds["read"] = reader.seconds();
}

}  // namespace trawl::cli
