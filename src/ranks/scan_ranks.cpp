#include "ranks/scan_ranks.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <functional>
#include <iostream>
#include <map>
#include <mutex>
#include <new>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "base/packer.hpp"
#include "base/stopwatch.hpp"
#include "io/write/held_text.hpp"
#include "ranks/scan_messages.hpp"
#include "run/scan_alone.hpp"

namespace trawl::ranks {

namespace {

using ranks::Cluster;
using ranks::Message;

constexpr ranks::Tag kAskChunk = 100;   // to the first rank: a chunk, please
constexpr ranks::Tag kChunk = 101;      // a chunk; empty: there is none left
constexpr ranks::Tag kOrder = 102;      // to the first rank: an Event
constexpr ranks::Tag kChunkTurn = 103;  // where the lines of a chunk go
constexpr ranks::Tag kPlace = 104;      // where their blocks go
constexpr ranks::Tag kLines = 105;      // some lines, to the first rank

/// What the first rank must know to keep the order.
enum class Event : std::uint8_t { found, packed, end };

// Chunks that a rank has or has asked for, besides the one that it scans.
constexpr unsigned kAhead = 2;
// Texts of a rank that wait for their turn.
constexpr std::size_t kWaitingTexts = 2;
constexpr std::size_t kHeldText = std::size_t{64} << 20;

// Says what has failed, and ends all ranks.
[[noreturn]] void end_run(Cluster& cluster) {
  std::string what = "not enough memory: use a machine with more";
  try {
    throw;
  } catch (const std::bad_alloc&) {
  } catch (const std::exception& error) {
    what = error.what();
  }
  std::cerr << "trawl scan: " + cluster.name() + ": " + what + "\n";
  io::remove_temporaries();
  cluster.abort(1);
  std::terminate();
}

// Ends the run if the work fails. Where there are helpers this must not be done later: they would be waited for first,
// and they wait for other ranks.
template <class Work>
void do_or_end_run(Cluster& cluster, const Work& work) {
  try {
    work();
  } catch (...) {
    end_run(cluster);
  }
}

// A thread that ends the run if its work fails.
class Helper {
 public:
  Helper(Cluster& cluster, std::function<void()> work)
      : thread_([&cluster, work = std::move(work)] { do_or_end_run(cluster, work); }) {}
  ~Helper() { thread_.join(); }
  Helper(const Helper&) = delete;
  Helper& operator=(const Helper&) = delete;

 private:
  std::thread thread_;
};

// A queue between two threads of a rank.
template <class Value>
class Pipe {
 public:
  void push(Value value, std::size_t most = SIZE_MAX) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return values_.size() < most; });
    values_.push_back(std::move(value));
    changed_.notify_all();
  }
  Value pop() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !values_.empty(); });
    Value value = std::move(values_.front());
    values_.pop_front();
    changed_.notify_all();
    return value;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Value> values_;
};

// On the first rank: how large the next chunk is. Used by the dealer and by the keeper of the order.
class SharedSize {
 public:
  SharedSize(const std::optional<run::ChunkSize>& size, std::optional<std::uint64_t> input_bytes, unsigned ranks)
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
  std::optional<run::ChunkSize> size_;
  std::optional<std::uint64_t> input_bytes_;
  unsigned ranks_;
  std::uint64_t bases_ = 0;
  std::uint64_t read_bytes_ = 0;
};

// On the first rank: reads the chunks, and gives them to the ranks that ask.
void deal(Cluster& cluster, ScanSource& source, SharedSize& size, bool ahead, double& read_seconds) {
  run::ChunkReader reader(source.chunks, ahead);
  reader.start(size.next());
  std::uint64_t number = 0;
  bool at_end = false;
  for (unsigned ends = 0; ends < kAhead * cluster.size();) {
    const Message ask = cluster.receive(kAskChunk);
    const auto chunk = at_end ? nullptr : reader.take();
    if (chunk) {
      size.dealt(chunk->fresh_bases(), chunk->input_bytes);
      reader.start(size.next());
      cluster.send(ask.from, kChunk, packed(number++, *chunk));
      continue;
    }
    if (!std::exchange(at_end, true)) {
      Packer packer;
      cluster.send(0, kOrder, packer.number(Event::end).number(number).bytes());
    }
    cluster.send(ask.from, kChunk, {});
    ++ends;
  }
  read_seconds = reader.seconds();
}

// On the first rank: puts what the ranks have found in order.
class OrderKeeper {
 public:
  OrderKeeper(Cluster& cluster, ScanSource& source, SharedSize& size, const std::vector<scan::Query>& queries,
              const scan::Options& options, io::ScanStats& stats)
      : cluster_(cluster),
        source_(source),
        size_(size),
        stats_(stats),
        merge_(queries, options, [this](std::span<const scan::Record> records) {
          source_.sink.write(records, names_);
          stats_.count(records);
        }) {}

  void run() {
    while (!end_ || written_ < *end_ || !is_settled()) {
      const Message message = cluster_.receive(kOrder);
      Unpacker unpacker(message.view());
      const auto event = unpacker.number<Event>();
      if (event == Event::end) {
        end_ = unpacker.number<std::uint64_t>();
      } else if (event == Event::packed) {
        // A rank packs its texts in order, so it is enough to know the rank.
        source_.sink.shared()->add_packed(message.from, unpacker.number<std::uint64_t>());
      } else {
        FoundMessage found = found_of(message.view().substr(sizeof event));
        size_.learn(found.bases, found.found.ends);
        const std::uint64_t number = found.number;
        found_.emplace(number, std::pair(message.from, std::move(found)));
        while (!found_.empty() && found_.begin()->first == written_) {
          write(found_.begin()->second.first, std::move(found_.begin()->second.second));
          found_.erase(found_.begin());
          ++written_;
        }
      }
    }
    merge_.finish();
    stats_.contigs = names_.size();
  }

 private:
  bool is_settled() const { return source_.sink.shared() == nullptr || source_.sink.shared()->is_settled(); }

  void write(unsigned from, FoundMessage message) {
    for (const auto& [contig, name] : message.names) {
      names_.set(contig, name);
    }
    stats_.reference_bases += message.fresh_bases;
    merge_.begin(std::move(message.found), message.text_size > 0);
    if (message.text_size > 0) {
      write_text(from, message);
    }
    merge_.end();
    source_.progress.update(stats_.reference_bases, message.input_bytes);
  }

  void write_text(unsigned from, const FoundMessage& message) {
    if (message.text_size == message.text.size()) {
      source_.sink.write(message.text);
      return;
    }
    Packer packer;
    packer.number(message.number);
    if (io::SharedText* const shared = source_.sink.shared()) {
      const io::TextTurn turn = shared->next(from, message.text_size, message.text);
      cluster_.post(from, kChunkTurn, packer.number(turn.place).text(turn.head).take());
      return;
    }
    cluster_.post(from, kChunkTurn, packer.take());
    for (std::uint64_t left = message.text_size; left > 0;) {
      const Message lines = cluster_.receive_from(from, kLines);
      source_.sink.write(lines.view());
      left -= lines.size;
    }
  }

  Cluster& cluster_;
  ScanSource& source_;
  SharedSize& size_;
  io::ScanStats& stats_;
  run::ScanMerge merge_;
  sequence::ContigNames names_;                                       // of the contigs
  std::map<std::uint64_t, std::pair<unsigned, FoundMessage>> found_;  // by number: they wait for those before
  std::uint64_t written_ = 0;
  std::optional<std::uint64_t> end_;  // how many there are
};

// Receives chunks while others are scanned.
class ChunkFetcher {
 public:
  explicit ChunkFetcher(Cluster& cluster) : cluster_(cluster), helper_(cluster, [this] { fetch(); }) {}

  // Nothing at the end.
  std::optional<ChunkMessage> next() {
    for (; ends_ < kAhead; ++ends_) {
      if (auto message = fetched_.pop()) {
        cluster_.send(0, kAskChunk, {});
        return message;
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
  Pipe<std::optional<ChunkMessage>> fetched_;
  unsigned ends_ = 0;
  Helper helper_;
};

// Writes the lines of chunks when their turn comes, while others are scanned.
class LineWriter {
 public:
  LineWriter(Cluster& cluster, const ScanPlace& place)
      : cluster_(cluster), place_(place), helper_(cluster, [this] { write_all(); }) {}
  ~LineWriter() { waiting_.push(nullptr); }

  void add(std::uint64_t number, std::unique_ptr<io::HeldText> text) {
    waiting_.push(std::make_unique<Waiting>(Waiting{number, std::move(text)}), kWaitingTexts);
  }
  double seconds() const { return seconds_; }

 private:
  struct Waiting {
    std::uint64_t number;
    std::unique_ptr<io::HeldText> text;
  };

  void write_all() {
    while (const auto one = waiting_.pop()) {
      const Message message = cluster_.receive_from(0, kChunkTurn);
      Stopwatch watch;
      Unpacker unpacker(message.view());
      if (unpacker.number<std::uint64_t>() != one->number) {
        throw Error("the lines of a chunk got the turn of another one; this is an error of trawl, please report it");
      }
      if (place_.file == nullptr) {
        one->text->read([&](std::string_view some) { cluster_.send(0, kLines, some); });
        watch.lap(seconds_);
        continue;
      }
      io::TextTurn turn{unpacker.number<std::uint64_t>(), {}};
      turn.head = unpacker.text();
      const io::SharedTextWriter writer(*place_.file, place_.level);
      if (!place_.level) {
        writer.write(turn, *one->text);
      } else {
        const io::PackedBlocks packed = writer.pack(turn, *one->text);
        Packer packer;
        cluster_.send(0, kOrder, packer.number(Event::packed).number(size_of(packed)).bytes());
        const Message place = cluster_.receive_from(0, kPlace);
        writer.write(packed, Unpacker(place.view()).number<std::uint64_t>());
      }
      watch.lap(seconds_);
    }
  }

  Cluster& cluster_;
  const ScanPlace& place_;
  Pipe<std::unique_ptr<Waiting>> waiting_;
  double seconds_ = 0;
  Helper helper_;
};

// On each rank: scans chunks until there are none left.
void scan_chunks(Cluster& cluster, const ScanPlace& place, scan::Finder& finder,
                 const std::vector<scan::Query>& queries, const scan::Options& options, io::ScanLines& lines,
                 io::ScanStats& stats) {
  run::AloneScan scan(finder, queries, options, lines, stats);
  LineWriter writer(cluster, place);
  ChunkFetcher fetcher(cluster);
  Stopwatch watch;
  const auto scan_one = [&](const ChunkMessage& fetched) {
    watch.lap(stats.seconds["wait"]);
    const sequence::TextChunk& chunk = fetched.chunk;
    auto text = std::make_unique<io::HeldText>(kHeldText);
    FoundMessage message;
    message.number = fetched.number;
    message.found = scan.run(chunk, *text);
    watch = {};  // the stages of the scan are measured there
    message.bases = chunk.reference.bases();
    message.fresh_bases = chunk.fresh_bases();
    message.input_bytes = chunk.input_bytes;
    stats.searched_bases += message.fresh_bases;
    for (std::size_t p = 0; p < chunk.slices.size(); ++p) {
      message.names.emplace_back(chunk.slices[p].contig, chunk.reference.contigs()[p].name);
    }
    message.text_size = text->size();
    message.text = text->last(io::kLeastTurn);
    Packer packer;
    cluster.send(0, kOrder, packer.number(Event::found).take() + packed(message));
    if (message.text_size > message.text.size()) {
      writer.add(message.number, std::move(text));
    }
    watch.lap(stats.seconds["send"]);
  };
  do_or_end_run(cluster, [&] {
    while (const auto fetched = fetcher.next()) {
      scan_one(*fetched);
    }
  });
  watch.lap(stats.seconds["wait"]);
}

}  // namespace

void give_scan_place(Cluster& cluster, std::uint64_t rank, std::uint64_t place) {
  Packer packer;
  cluster.post(static_cast<unsigned>(rank), kPlace, packer.number(place).take());
}

void run_scan_ranks(Cluster& cluster, ScanSource* source, const ScanPlace& place, scan::Finder& finder,
                    const std::vector<scan::Query>& queries, const scan::Options& options, io::ScanLines& lines,
                    io::ScanStats& stats) {
  try {
    if (source == nullptr) {
      scan_chunks(cluster, place, finder, queries, options, lines, stats);
      return;
    }
    SharedSize size(source->size, source->bytes, cluster.size());
    double read_seconds = 0;
    io::ScanStats order_stats;
    order_stats.records_by_pattern = stats.records_by_pattern;
    order_stats.guides = stats.guides;
    order_stats.sites = stats.sites;
    {
      const Helper dealer(cluster, [&] { deal(cluster, *source, size, options.threads > 1, read_seconds); });
      do_or_end_run(cluster, [&] {
        const Helper keeper(cluster, [&] { OrderKeeper(cluster, *source, size, queries, options, order_stats).run(); });
        do_or_end_run(cluster, [&] { scan_chunks(cluster, place, finder, queries, options, lines, stats); });
      });
    }
    stats.add(order_stats);
    stats.seconds["read"] = read_seconds;
  } catch (...) {
    end_run(cluster);
  }
}

}  // namespace trawl::ranks
