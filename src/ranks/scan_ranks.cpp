#include "ranks/scan_ranks.hpp"

#include <tbb/concurrent_queue.h>

#include <algorithm>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "base/stopwatch.hpp"
#include "io/write/nameless_file.hpp"
#include "pipeline/scan_alone.hpp"
#include "ranks/scan_messages.hpp"

namespace trawl::ranks {

namespace {

constexpr Tag kAskChunk = 100;  // to the first rank: a chunk, please
constexpr Tag kChunk = 101;     // a chunk; empty: there is none left
constexpr Tag kFound = 102;     // to the first rank: what was found in a chunk
constexpr Tag kLines = 103;     // and its lines, some at a time

// Chunks that a rank has or has asked for, besides the one that it scans.
constexpr unsigned kAhead = 2;
// Results of a rank that wait until the first one takes them.
constexpr int kWaitingResults = 2;
constexpr std::size_t kHeldText = std::size_t{64} << 20;

// On the first rank: how large the next chunk is. Used by deal() and by collect().
class SharedSize {
 public:
  SharedSize(const std::optional<pipeline::ChunkSize>& size, std::optional<std::uint64_t> input_bytes, unsigned ranks)
      : size_(size), input_bytes_(input_bytes), ranks_(ranks) {}

  // Nothing: it stays as it is.
  std::optional<std::uint64_t> next() {
    const std::lock_guard lock(mutex_);
    return size_ ? std::optional(std::min(size_->bases(), share())) : std::nullopt;
  }
  void learn(std::uint64_t bases, std::uint64_t ends) {
    const std::lock_guard lock(mutex_);
    if (size_) {
      size_->learn(bases, ends);
    }
  }
  // `input_bytes`: read so far.
  void dealt(std::uint64_t bases, std::uint64_t input_bytes) {
    const std::lock_guard lock(mutex_);
    bases_ += bases;
    read_bytes_ = input_bytes;
  }

 private:
  // Towards the end chunks become small, so that all ranks end at about the same time.
  std::uint64_t share() const {
    constexpr std::uint64_t kLeast = std::uint64_t{1} << 20;
    constexpr std::uint64_t kParts = 4;  // of what is left, for each rank
    if (!input_bytes_) {
      return 8 * kLeast;
    }
    const double bases_of_byte = read_bytes_ > 0 ? static_cast<double>(bases_) / static_cast<double>(read_bytes_) : 1;
    const double left = static_cast<double>(*input_bytes_ - std::min(*input_bytes_, read_bytes_)) * bases_of_byte;
    return std::max(kLeast, static_cast<std::uint64_t>(left) / (kParts * ranks_));
  }

  std::mutex mutex_;
  std::optional<pipeline::ChunkSize> size_;
  std::optional<std::uint64_t> input_bytes_;
  unsigned ranks_;
  std::uint64_t bases_ = 0;
  std::uint64_t read_bytes_ = 0;
};

// On the first rank: reads the chunks, and gives them to the ranks that ask.
void deal(Cluster& cluster, ScanSource& source, SharedSize& size, bool ahead, Owners& owners, double& read_seconds) {
  pipeline::ChunkReader reader(source.chunks, ahead);
  reader.start(size.next());
  bool at_end = false;
  for (unsigned ends = 0; ends < kAhead * cluster.size();) {
    const Message ask = cluster.receive(kAskChunk);
    if (const auto chunk = at_end ? nullptr : reader.take()) {
      size.dealt(chunk->fresh_bases(), chunk->input_bytes);
      reader.start(size.next());
      owners.push(ask.from);
      cluster.send(ask.from, kChunk, packed(*chunk));
      continue;
    }
    if (!std::exchange(at_end, true)) {
      owners.push(std::nullopt);
    }
    cluster.send(ask.from, kChunk, {});
    ++ends;
  }
  read_seconds = reader.seconds();
}

// On the first rank: writes what the ranks have found, in the order of the chunks.
void collect(Cluster& cluster, ScanSource& source, SharedSize& size, Owners& owners,
             const std::vector<scan::Query>& queries, const scan::ScanOptions& options, io::ScanStats& stats) {
  sequence::ContigNames names;
  pipeline::ScanMerge merge(queries, options, [&](std::span<const scan::SiteRecord> records) {
    source.sink.write(records, names);
    stats.count(records);
  });
  for (std::optional<unsigned> owner; owners.pop(owner), owner;) {
    FoundMessage message = found_of(cluster.receive_from(*owner, kFound).view());
    size.learn(message.bases, message.found.ends);
    for (const auto& [contig, name] : message.names) {
      names.set(contig, name);
    }
    stats.reference_bases += message.fresh_bases;
    merge.begin(std::move(message.found), message.text_size > 0);
    for (std::uint64_t left = message.text_size; left > 0;) {
      const Message lines = cluster.receive_from(*owner, kLines);
      source.sink.write(lines.view());
      left -= lines.size;
    }
    merge.end();
    source.progress.update(stats.reference_bases, message.input_bytes);
  }
  merge.finish();
  stats.contigs = names.size();
}

// Receives chunks while others are scanned.
class ChunkFetcher {
 public:
  ChunkFetcher(Cluster& cluster, const RunEnd& run_end)
      : cluster_(cluster), thread_([this, &run_end] { run_end.guard([this] { fetch(); }); }) {}

  // Nothing at the end.
  std::optional<sequence::TextChunk> next() {
    for (; ends_ < kAhead; ++ends_) {
      std::optional<sequence::TextChunk> chunk;
      fetched_.pop(chunk);
      if (chunk) {
        cluster_.send(0, kAskChunk, {});
        return chunk;
      }
    }
    return std::nullopt;
  }

 private:
  void fetch() {
    for (unsigned i = 0; i < kAhead; ++i) {
      cluster_.send(0, kAskChunk, {});
    }
    for (unsigned ends = 0; ends < kAhead;) {
      const Message message = cluster_.receive_from(0, kChunk);
      ends += message.size == 0 ? 1 : 0;
      fetched_.push(message.size == 0 ? std::nullopt : std::optional(chunk_of(message)));
    }
  }

  Cluster& cluster_;
  tbb::concurrent_bounded_queue<std::optional<sequence::TextChunk>> fetched_;
  unsigned ends_ = 0;
  std::jthread thread_;
};

// Sends what was found in chunks, while others are scanned.
class ResultSender {
 public:
  struct ChunkResult {
    std::string found;  // FoundMessage
    std::unique_ptr<io::HeldText> text;
  };

  ResultSender(Cluster& cluster, const RunEnd& run_end)
      : run_end_(run_end), thread_([this, &cluster, &run_end] { run_end.guard([&] { send_all(cluster); }); }) {
    waiting_.set_capacity(kWaitingResults);
  }
  ~ResultSender() {
    run_end_.guard([&] { waiting_.push(nullptr); });
  }

  void add(ChunkResult result) { waiting_.push(std::make_shared<ChunkResult>(std::move(result))); }

 private:
  void send_all(Cluster& cluster) {
    for (std::shared_ptr<ChunkResult> result; waiting_.pop(result), result;) {
      cluster.send(0, kFound, result->found);
      result->text->read([&](std::string_view some) { cluster.send(0, kLines, some); });
    }
  }

  const RunEnd& run_end_;
  tbb::concurrent_bounded_queue<std::shared_ptr<ChunkResult>> waiting_;
  std::jthread thread_;
};

// On each rank: scans chunks until there are none left.
void scan_chunks(Cluster& cluster, const RunEnd& run_end, scan::Finder& finder, const std::vector<scan::Query>& queries,
                 const scan::ScanOptions& options, io::ScanLines& lines, io::ScanStats& stats) {
  pipeline::AloneScan scan(finder, queries, options, lines, stats);
  ResultSender sender(cluster, run_end);
  ChunkFetcher fetcher(cluster, run_end);
  Stopwatch watch;
  const auto scan_one = [&](const sequence::TextChunk& chunk) {
    watch.lap(stats.seconds["wait"]);
    auto text = std::make_unique<io::HeldText>(kHeldText);
    FoundMessage message;
    message.found = scan.run(chunk, *text);
    watch = {};  // the stages of the scan are measured there
    message.text_size = text->size();
    message.bases = chunk.reference.bases();
    message.fresh_bases = chunk.fresh_bases();
    message.input_bytes = chunk.input_bytes;
    stats.searched_bases += message.fresh_bases;
    for (std::size_t p = 0; p < chunk.slices.size(); ++p) {
      message.names.emplace_back(chunk.slices[p].contig, chunk.reference.contigs()[p].name);
    }
    sender.add({packed(message), std::move(text)});
    watch.lap(stats.seconds["send"]);
  };
  // Not later: the threads would be waited for first, and they wait for other ranks.
  run_end.guard([&] {
    while (const auto chunk = fetcher.next()) {
      scan_one(*chunk);
    }
  });
  watch.lap(stats.seconds["wait"]);
}

}  // namespace

void run_scan_ranks(Cluster& cluster, ScanSource* source, const RunEnd& run_end, scan::Finder& finder,
                    const std::vector<scan::Query>& queries, const scan::ScanOptions& options, io::ScanLines& lines,
                    io::ScanStats& stats) {
  // A failure ends the run before a thread is joined that waits for other ranks: so each step is guarded by itself.
  const auto scan = [&] {
    run_end.guard([&] { scan_chunks(cluster, run_end, finder, queries, options, lines, stats); });
  };
  run_end.guard([&] {
    if (source == nullptr) {
      scan();
      return;
    }
    SharedSize size(source->size, source->bytes, cluster.size());
    Owners owners;
    owners.set_capacity(kMostUnderWay * cluster.size());
    double read_seconds = 0;
    io::ScanStats order_stats;
    order_stats.records_by_pattern = stats.records_by_pattern;
    order_stats.guides = stats.guides;
    order_stats.sites = stats.sites;
    {
      const std::jthread dealer(
          [&] { run_end.guard([&] { deal(cluster, *source, size, options.threads > 1, owners, read_seconds); }); });
      run_end.guard([&] {
        const std::jthread collector(
            [&] { run_end.guard([&] { collect(cluster, *source, size, owners, queries, options, order_stats); }); });
        scan();
      });
    }
    stats.add(order_stats);
    stats.seconds["read"] = read_seconds;
  });
}

}  // namespace trawl::ranks
