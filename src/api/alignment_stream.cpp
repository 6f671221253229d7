#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "api/guarded.hpp"
#include "api/mapper.hpp"
#include "base/error.hpp"
#include "cli/options/map_files.hpp"
#include "columns/map_columns.hpp"
#include "io/read/read_input.hpp"
#include "io/stats/map_stats.hpp"
#include "io/stats/progress.hpp"
#include "session/map_session.hpp"

namespace trawl::api {

namespace {

// The files as the input takes them. Throws UsageError.
io::ReadInput::Files input_files(const Mapper::Impl& mapper, const ReadFiles& files) {
  if (files.reads.empty()) {
    throw UsageError("no file of reads is given");
  }
  cli::MapArguments arguments = mapper.arguments;
  arguments.reads = files.reads;
  arguments.mates = files.mates;
  arguments.interleaved = files.interleaved;
  return cli::read_files(arguments);
}

// Reads of files through the pipeline of `trawl map`, to columns instead of a file. `take` may move the batch away; it
// gets how far the input is, too.
void map_files(const Mapper::Impl& mapper, const ReadFiles& files,
               const std::function<bool(Alignments&, const Progress&)>& take, const OnProgress& progress) {
  mapper.use_threads();
  io::ReadInput input(input_files(mapper, files), mapper.options.threads);
  std::optional<PairEngine> of_pairs;
  input.open();
  if (input.paired()) {
    of_pairs.emplace(mapper);
  }
  ProgressReport report(progress, input.total_bytes().value_or(0));
  columns::ColumnSink sink(mapper.arguments.records, [&](Alignments& rows, std::uint64_t input_bytes) {
    report.done = input_bytes;
    if (!take(rows, report.now())) {
      throw Cancelled();
    }
  });
  io::Progress none(false, {});
  io::RunStats stats;
  session::MapSession(of_pairs ? **of_pairs : *mapper.engine, mapper.options, mapper.arguments.insert,
                      mapper.arguments.batch_size)
      .run(input, sink, none, stats);
  report.say();
}

}  // namespace

}  // namespace trawl::api

namespace trawl::inline v0 {

void Mapper::map_files(const ReadFiles& files, const OnAlignments& take, const OnProgress& progress) const {
  if (!take) {
    throw UsageError("map_files() needs a function that takes the batches");
  }
  api::guarded([&] {
    api::map_files(
        *impl_, files, [&](Alignments& batch, const Progress&) { return take(batch); }, progress);
  });
}

// A thread that maps, and a short queue of batches.
struct AlignmentStream::Impl {
  Impl(std::shared_ptr<const Mapper::Impl> of, ReadFiles of_files) : mapper(std::move(of)), files(std::move(of_files)) {
    mapper->use_threads();
    (void)api::input_files(*mapper, files);  // wrong usage is reported at once
    thread = std::thread([this] { run(); });
  }
  ~Impl() {
    {
      const std::lock_guard lock(mutex);
      stopped = true;
    }
    changed.notify_all();
    thread.join();
  }

  void run() {
    const Stop stop([this] {
      if (stopped) {
        throw Cancelled();
      }
    });
    try {
      api::guarded([&] {
        api::map_files(*mapper, files, [&](Alignments& batch, const Progress& now) { return put(batch, now); }, {});
      });
    } catch (...) {
      const std::lock_guard lock(mutex);
      failure = std::current_exception();
    }
    {
      const std::lock_guard lock(mutex);
      ended = true;
    }
    changed.notify_all();
  }

  bool put(Alignments& batch, const Progress& so_far) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return stopped || queue.size() < kMost; });
    if (stopped) {
      return false;
    }
    queue.emplace_back(std::move(batch), so_far);
    changed.notify_all();
    return true;
  }

  bool next(Alignments& batch) {
    std::unique_lock lock(mutex);
    while (!changed.wait_for(lock, kLook, [&] { return ended || !queue.empty(); })) {
      Stop::look();
    }
    if (queue.empty()) {
      if (failure) {
        std::rethrow_exception(std::exchange(failure, nullptr));
      }
      return false;
    }
    batch = std::move(queue.front().first);
    progress = queue.front().second;
    queue.pop_front();
    changed.notify_all();
    return true;
  }

  static constexpr std::size_t kMost = 4;
  static constexpr std::chrono::milliseconds kLook{50};

  std::shared_ptr<const Mapper::Impl> mapper;
  ReadFiles files;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::pair<Alignments, Progress>> queue;  // each with how far it is
  Progress progress;                                  // of the latest batch that was taken
  std::exception_ptr failure;
  bool ended = false;
  std::atomic<bool> stopped = false;
  std::thread thread;
};

bool AlignmentStream::next(Alignments& batch) {
  if (!impl_) {
    throw UsageError("this stream was moved away");
  }
  return impl_->next(batch);
}

Progress AlignmentStream::progress() const { return impl_ ? impl_->progress : Progress(); }

AlignmentStream Mapper::stream(const ReadFiles& files) const {
  return AlignmentStream(std::make_shared<AlignmentStream::Impl>(impl_, files));
}

}  // namespace trawl::inline v0
