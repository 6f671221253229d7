#include "ranks/range_exchange.hpp"

#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/packer.hpp"
#include "io/write/sort/sorted_sink.hpp"
#include "ranks/turns.hpp"

namespace trawl::ranks {

namespace {

constexpr ranks::Tag kAskPart = 10;  // for a part of a range
constexpr ranks::Tag kPart = 11;     // the part
constexpr ranks::Tag kIndex = 12;    // to the first rank: what the index needs of a range

// Small inputs are cut into so many ranges for each thread.
constexpr std::uint64_t kRangesOfThread = 4;
// Of all ranks together: 16 MiB.
constexpr std::uint64_t kMostSamples = std::uint64_t{1} << 20;

// Where the ranges begin, on all ranks.
std::vector<io::SortPlace> find_splitters(ranks::Cluster& cluster, io::SortedRanges& ranges) {
  io::SortedRanges::Size mine;
  cluster.together([&] { mine = ranges.size(); });
  std::uint64_t record_bytes = 0;
  std::uint64_t threads = 0;
  std::uint64_t range_bytes = std::numeric_limits<std::uint64_t>::max();
  for (const std::string& bytes : cluster.gather_everywhere(Packer().number(mine).bytes())) {
    const auto size = Unpacker(bytes).number<io::SortedRanges::Size>();
    record_bytes += size.record_bytes;
    threads += size.threads;
    range_bytes = std::min(range_bytes, size.range_bytes);
  }
  range_bytes = std::min(range_bytes, std::max(io::kLeastRangeBytes, record_bytes / (threads * kRangesOfThread)));
  const std::uint64_t step = std::max(range_bytes / io::kSamplesPerRange, record_bytes / kMostSamples);
  // Ranks have runs of about the same sizes: the samples of each must lie elsewhere.
  constexpr std::size_t kMostRuns = 1'000'003;
  std::vector<io::SortPlace> samples;
  for (const std::string& bytes :
       cluster.gather(Packer().numbers(ranges.samples(step, cluster.rank() * kMostRuns)).bytes())) {
    const auto some = Unpacker(bytes).numbers<io::SortPlace>();
    samples.insert(samples.end(), some.begin(), some.end());
  }
  Packer splitters;
  if (cluster.is_first()) {
    splitters.numbers(io::splitters_of(std::move(samples), std::max<std::uint64_t>(1, range_bytes / step)));
  }
  std::string bytes = splitters.take();
  cluster.broadcast(bytes);
  return Unpacker(bytes).numbers<io::SortPlace>();
}

// The first rank gets the keys of all and finds the duplicates; all ranks get the result.
void find_duplicates(ranks::Cluster& cluster, io::DuplicateFinder& finder) {
  constexpr std::size_t bytes_at_once = std::size_t{4} << 20;
  for (std::string more = "more"; !more.empty();) {
    std::string keys;
    cluster.together([&] { keys = cluster.is_first() ? "" : finder.take_keys(bytes_at_once); });
    const std::vector<std::string> all = cluster.gather(keys);
    more.clear();
    cluster.together([&] {
      for (const std::string& part : all) {
        if (!part.empty()) {
          finder.add_keys(part);
          more = "more";
        }
      }
    });
    cluster.broadcast(more);
  }
  std::string result;
  cluster.together([&] {
    if (cluster.is_first()) {
      finder.find();
      result = finder.result();
    }
  });
  cluster.broadcast(result);
  if (!cluster.is_first()) {
    finder.set_result(result);
  }
}

// The parts that others have sent, by their range.
class Inbox {
 public:
  explicit Inbox(std::size_t others) : others_(others) {}

  void put(ranks::Message message) {
    const auto range = Unpacker(message.view()).number<std::uint64_t>();
    {
      const std::lock_guard lock(mutex_);
      parts_[range].push_back(std::move(message));
    }
    changed_.notify_all();
  }
  // Waits for all parts of a range.
  std::vector<ranks::Message> take(std::uint64_t range) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return parts_[range].size() == others_; });
    return std::move(parts_.extract(range).mapped());
  }

 private:
  std::size_t others_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::uint64_t, std::vector<ranks::Message>> parts_;
};

// On the first rank: the parts of the index, in their order.
class IndexParts {
 public:
  explicit IndexParts(io::SortedFile& file) : file_(file) {}

  void put(ranks::Message message) {
    const std::lock_guard lock(mutex_);
    early_.emplace(Unpacker(message.view()).number<std::uint64_t>(), std::move(message));
    for (auto next = early_.begin(); next != early_.end() && next->first == next_; next = early_.erase(next)) {
      Unpacker from(next->second.view());
      from.number<std::uint64_t>();
      file_.add_index_part(from.rest());
      ++next_;
    }
    changed_.notify_all();
  }
  void wait_for_all(std::uint64_t ranges) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return next_ == ranges; });
  }

 private:
  io::SortedFile& file_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::uint64_t, ranks::Message> early_;
  std::uint64_t next_ = 0;
};

// A range in work, with all its buffers. It is used again for later ranges.
struct Job {
  std::uint64_t range = 0;
  std::vector<ranks::Message> parts;
  io::BamRecords own;
  std::unique_ptr<io::MergePiece> piece;
};

class Exchange {
 public:
  Exchange(ranks::Cluster& cluster, io::SortedRanges& ranges, bool all_write, ranks::Turns& turns,
           const ExchangeOptions& options)
      : cluster_(cluster),
        ranges_(ranges),
        file_(ranges.file()),
        all_write_(all_write),
        options_(options),
        chunks_(cluster, file_, all_write, turns, options.out_of_memory),
        inbox_(cluster.size() - 1),
        index_(file_),
        jobs_(ranges.size().pieces) {
    for (std::uint64_t range = 0; cluster.is_first() && range < ranges.ranges(); ++range) {
      turns.give(range, static_cast<unsigned>(range % cluster.size()));
    }
    for (unsigned s = 0; s < ranges.servers(); ++s) {
      start(kAskPart, [this, part = std::make_shared<io::BamRecords>()](const ranks::Message& message) {
        const auto range = Unpacker(message.view()).number<std::uint64_t>();
        ranges_.take_part(range, *part);
        cluster_.send(message.from, kPart, Packer().number(range).bytes(part->bytes.view()).bytes());
      });
    }
    start(kPart, [this](ranks::Message message) { inbox_.put(std::move(message)); });
    if (cluster.is_first() && all_write) {
      start(kIndex, [this](ranks::Message message) { index_.put(std::move(message)); });
    }
  }

  void run() {
    for (std::uint64_t turn = 0; turn < jobs_.size(); ++turn) {
      ask(turn);
    }
    tbb::task_arena arena(static_cast<int>(options_.threads + kThreadsForOthers));
    arena.execute([&] { merge_all(); });
    if (cluster_.is_first()) {
      chunks_.end(ranges_.ranges());
      if (all_write_) {
        index_.wait_for_all(ranges_.ranges());
      }
    }
    // The others may still need parts of this rank.
    cluster_.barrier();
  }

 private:
  // Threads that wait for parts, for a place, and for the turn to write. They need no core.
  static constexpr unsigned kThreadsForOthers = 1 + SharedChunks::kWaitingThreads;

  void start(ranks::Tag tag, std::function<void(ranks::Message)> work) {
    threads_.emplace_back([this, tag, work = std::move(work)](const std::stop_token& stop) {
      end_if_it_fails([&] {
        while (auto message = cluster_.receive(tag, stop)) {
          work(std::move(*message));
        }
      });
    });
  }

  template <class Work>
  void end_if_it_fails(const Work& work) {
    try {
      work();
    } catch (...) {
      chunks_.say_and_end(std::current_exception());
    }
  }

  // The range that this rank has after so many others.
  std::uint64_t range_of(std::uint64_t turn) const { return turn * cluster_.size() + cluster_.rank(); }

  void ask(std::uint64_t turn) {
    const std::uint64_t range = range_of(turn);
    for (unsigned rank = 0; rank < cluster_.size() && range < ranges_.ranges(); ++rank) {
      if (rank != cluster_.rank()) {
        cluster_.post(rank, kAskPart, Packer().number(range).take());
      }
    }
  }

  void merge(Job& job) {
    ranges_.take_part(job.range, job.own);
    std::vector<std::string_view> parts = {job.own.bytes.view()};
    for (const ranks::Message& message : job.parts) {
      Unpacker from(message.view());
      from.number<std::uint64_t>();
      parts.push_back(from.rest());
    }
    if (!job.piece) {
      job.piece = file_.make_piece();
    }
    ranges_.merge(parts, *job.piece);
    job.parts.clear();
  }

  void write(Job& job) {
    chunks_.write(job.range, *job.piece);
    if (all_write_) {
      std::string bytes;
      file_.append_index_part(*job.piece, bytes);
      cluster_.post(0, kIndex, Packer().number(job.range).bytes(bytes).take());
    }
  }

  // So many ranges are in work at a time, and they end in order: a job is free when its turn comes again.
  void merge_all() {
    std::uint64_t taken = 0;
    std::uint64_t written = 0;
    const auto fetch = tbb::make_filter<void, Job*>(tbb::filter_mode::serial_in_order, [&](tbb::flow_control& control) {
      const std::uint64_t range = range_of(taken);
      if (range >= ranges_.ranges()) {
        control.stop();
        return static_cast<Job*>(nullptr);
      }
      Job& job = jobs_[taken % jobs_.size()];
      ++taken;
      job.range = range;
      job.parts = inbox_.take(range);
      return &job;
    });
    const auto merge_one = tbb::make_filter<Job*, Job*>(tbb::filter_mode::parallel, [&](Job* job) {
      end_if_it_fails([&] { merge(*job); });
      return job;
    });
    const auto place = tbb::make_filter<Job*, Job*>(tbb::filter_mode::serial_in_order, [&](Job* job) {
      chunks_.place(job->range, *job->piece);
      return job;
    });
    const auto pack = tbb::make_filter<Job*, Job*>(tbb::filter_mode::parallel, [&](Job* job) {
      end_if_it_fails([&] { chunks_.pack(*job->piece); });
      return job;
    });
    const auto write_one = tbb::make_filter<Job*, void>(tbb::filter_mode::serial_in_order, [&](Job* job) {
      end_if_it_fails([&] { write(*job); });
      ask(written + jobs_.size());
      ++written;
      ranges_.show_progress(static_cast<double>(job->range + 1) / static_cast<double>(ranges_.ranges()));
    });
    const auto merged = fetch & merge_one;
    tbb::parallel_pipeline(jobs_.size(), (chunks_.packs() ? merged & place & pack : merged) & write_one);
  }

  ranks::Cluster& cluster_;
  io::SortedRanges& ranges_;
  io::SortedFile& file_;
  bool all_write_;
  const ExchangeOptions& options_;
  SharedChunks chunks_;
  Inbox inbox_;
  IndexParts index_;
  std::vector<Job> jobs_;
  std::vector<std::jthread> threads_;  // the first to end
};

}  // namespace

void exchange_ranges(ranks::Cluster& cluster, SharedOutput& output, const ExchangeOptions& options) {
  io::SortedRanges& ranges = *output.ranges();
  if (ranges.duplicates() != nullptr) {
    find_duplicates(cluster, *ranges.duplicates());
  }
  ranges.begin(find_splitters(cluster, ranges));
  ranks::Turns turns(cluster, kRecordChains,
                     {[&](std::string_view parcel) { ranges.file().write_parcel(parcel); }, options.fail});
  Exchange(cluster, ranges, output.all_write(), turns, options).run();
  ranges.end();
}

}  // namespace trawl::ranks
