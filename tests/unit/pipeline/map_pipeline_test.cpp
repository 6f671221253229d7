// The pipeline of `trawl map`, with an engine that the test controls.
#include "pipeline/map_pipeline.hpp"

#include <tbb/global_control.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "base/ordered_pipeline.hpp"
#include "base/stop.hpp"
#include "io/read/reference_files.hpp"
#include "session/map_session.hpp"
#include "tests/catch.hpp"
#include "tests/unit/io/files.hpp"

using namespace trawl;
using namespace std::chrono_literals;
using test::message_of;
using trawl::pipeline::BatchSizer;

namespace {

// Calls `work` with the number of each batch. No read has a locus.
class FakeEngine final : public engine::Engine {
 public:
  using Work = std::function<void(std::uint64_t)>;
  explicit FakeEngine(Work work) : work_(std::move(work)) {}

  std::unique_ptr<engine::Worker> make_worker() override { return std::make_unique<FakeWorker>(work_); }
  std::unique_ptr<engine::Worker> make_single_worker() override { return make_worker(); }
  std::unique_ptr<engine::RangeFinder> make_range_finder() override { return nullptr; }
  void set_inserts(const align::InsertModel&) override {}
  std::size_t reads_per_batch() const override { return 1; }
  std::size_t batches_under_way(unsigned threads) const override { return 2 * threads; }
  std::string description() const override { return "fake"; }

 private:
  class FakeWorker final : public engine::Worker {
   public:
    explicit FakeWorker(const Work& work) : work_(work) {}
    void map(const sequence::ReadBatch& batch, align::AlignmentBatch& out) override {
      work_(batch.number);
      out.clear();
      out.reads.resize(batch.size());
    }
    engine::StageSeconds seconds() const override { return {}; }

   private:
    const Work& work_;
  };

  Work work_;
};

constexpr std::size_t kReads = 20;

std::string reads_text() {
  std::string text;
  for (std::size_t r = 0; r < kReads; ++r) {
    text += "@r" + std::to_string(r) + "\nACGT\n+\nIIII\n";
  }
  return text;
}

// The result of a run with batches of one read: the exception, and the content of the file after -o ("" if there is
// none).
struct Outcome {
  std::string error;
  std::string output;
  std::size_t files = 0;
};

Outcome map_with(FakeEngine& engine, unsigned threads, const std::string& reads) {
  const test::TempDir dir;
  const auto reference = io::read_reference(dir.write("r.fa", ">c\nACGTACGT\n"));
  io::ReadInput input({.reads = {dir.write("r.fq", reads)}, .mates = {}});
  Outcome outcome;
  {
    io::SinkOptions options;
    options.path = dir.path("o.sam");
    const auto sink = session::make_sink(options, reference, io::contig_md5s(reference));
    io::Progress progress(false, {});
    io::RunStats stats;
    outcome.error = message_of([&] {
      map::MapOptions options_of_map;
      options_of_map.threads = threads;
      pipeline::InputBatches source(input);
      pipeline::map_reads(source, engine, *sink, options_of_map, 1, progress, stats);
      input.check_end();
      sink->close();
    });
  }
  outcome.output = test::file_content(dir.path("o.sam"));
  outcome.files = dir.entries();
  return outcome;
}

// Counts how many batches are in the engine at the same time.
class Together {
 public:
  // Waits until `wanted` batches have been here at the same time, at most 20 seconds.
  void wait_for(unsigned wanted) {
    std::unique_lock lock(mutex_);
    most_ = std::max(most_, ++here_);
    more_.notify_all();
    more_.wait_for(lock, 20s, [&] { return most_ >= wanted; });
    --here_;
  }
  unsigned most() const { return most_; }

 private:
  std::mutex mutex_;
  std::condition_variable more_;
  unsigned here_ = 0;
  unsigned most_ = 0;
};

}  // namespace

TEST_CASE("records are written in the order of the reads, whichever batch is done first") {
  for (const unsigned threads : {1u, 2u, 8u}) {
    FakeEngine engine([](std::uint64_t batch) { std::this_thread::sleep_for(batch % 3 * 2ms); });
    const Outcome outcome = map_with(engine, threads, reads_text());
    CHECK(outcome.error == "");
    std::size_t last = 0;
    for (std::size_t r = 0; r < kReads; ++r) {
      const std::size_t at = outcome.output.find("\nr" + std::to_string(r) + "\t");
      REQUIRE(at != std::string::npos);
      CHECK(at > last);
      last = at;
    }
    CHECK(outcome.files == 3);
  }
}

TEST_CASE("the first error in the order of the input is the one told, and no file is left") {
  for (const unsigned threads : {1u, 2u, 8u}) {
    INFO(threads << " threads");
    // The first batch fails later than the batches after it.
    FakeEngine engine([](std::uint64_t batch) {
      if (batch == 6) {
        std::this_thread::sleep_for(30ms);
      }
      if (batch >= 6) {
        throw Error("batch " + std::to_string(batch) + " failed");
      }
    });
    const Outcome outcome = map_with(engine, threads, reads_text());
    CHECK(outcome.error == "batch 6 failed");
    CHECK(outcome.output == "");
    CHECK(outcome.files == 2);
  }
}

TEST_CASE("of an error of the engine and one of the input, the first is told") {
  for (const unsigned threads : {1u, 8u}) {
    for (const std::uint64_t failing : {kReads - 1, kReads + 1}) {
      FakeEngine engine([&](std::uint64_t batch) {
        if (batch == failing) {
          throw Error("the engine failed");
        }
      });
      const Outcome outcome = map_with(engine, threads, reads_text() + "@r\nAC-T\n+\nIIII\n" + reads_text());
      CHECK((outcome.error == "the engine failed") == (failing < kReads));
      CHECK(outcome.error != "");
      CHECK(outcome.output == "");
    }
  }
}

TEST_CASE("as many threads as were asked for") {
  for (const unsigned threads : {1u, 2u, 5u}) {
    INFO(threads << " threads");
    const tbb::global_control parallelism(tbb::global_control::max_allowed_parallelism, threads);
    Together together;
    FakeEngine engine([&](std::uint64_t) { together.wait_for(threads); });
    CHECK(map_with(engine, threads, reads_text()).error == "");
    CHECK(together.most() == threads);
  }
}

TEST_CASE("a batch has as many reads as the engine likes where they have few alignments") {
  BatchSizer sizer({.reads = 8192});
  CHECK(sizer.max_alignments() == 8 * 8192);
  // Starts with few reads, before anything is known.
  CHECK(sizer.next() == 1024);
  sizer.saw(1024, 1024);
  CHECK(sizer.next() == 8192);
  sizer.saw(8192, 7 * 8192);
  CHECK(sizer.next() == 8192);
}

TEST_CASE("a batch has fewer reads where they have many alignments") {
  BatchSizer sizer({.reads = 8192});
  sizer.saw(1000, 64 * 1000);
  CHECK(sizer.next() * 65 <= sizer.max_alignments());
  CHECK(sizer.next() > 1000);
  // Never zero reads.
  sizer.saw(1, std::size_t{1} << 40);
  CHECK(sizer.next() == 16);
  // One batch without any alignments does not make the next one large: earlier batches count as well.
  sizer.saw(100, 0);
  CHECK(sizer.next() == 16);
}

TEST_CASE("the batch seen last counts as it is, however many came before") {
  BatchSizer sizer({.reads = 8192});
  for (int batch = 0; batch < 1000; ++batch) {
    sizer.saw(8192, 8192);
  }
  sizer.saw(8192, 8192 * std::size_t{1023});
  CHECK(sizer.next() == 64);
  sizer.saw(8192, 8192);
  CHECK(sizer.next() == 8192);
}

TEST_CASE("an empty batch says nothing") {
  BatchSizer sizer({.reads = 8192});
  sizer.saw(0, 0);
  CHECK(sizer.next() == 1024);
}

TEST_CASE("a batch size that the user gave stays, and so does one that is very small") {
  BatchSizer fixed({.reads = 8192, .fixed = true});
  CHECK(fixed.next() == 8192);
  fixed.saw(10, 1000000);
  CHECK(fixed.next() == 8192);
  BatchSizer small({.reads = 4});
  CHECK(small.next() == 4);
  small.saw(4, 1000000);
  CHECK(small.next() == 4);
}

TEST_CASE("with pairs of loci, it begins with one pair and grows with what it has seen") {
  BatchSizer sizer({.reads = 8192, .pairs_of_loci = true});
  CHECK(sizer.next() == 2);
  sizer.saw(2, 4);
  CHECK(sizer.next() == 32);
  sizer.saw(2, 4);
  CHECK(sizer.next() == 64);
  sizer.saw(64, 128);
  CHECK(sizer.next() == 16 * 68);
  sizer.saw(1088, 2000);
  CHECK(sizer.next() == 8192);
  // A pair of two repeats with 1,500 copies each.
  sizer.saw(8192, std::size_t{8192} * 2'250'000);
  CHECK(sizer.next() == 2);
}

TEST_CASE("an ordered pipeline throws the first failure in the order of the items, wherever it happens") {
  enum class Fails { nowhere, take, first, second, write };
  for (const Fails fails : {Fails::nowhere, Fails::take, Fails::first, Fails::second, Fails::write}) {
    constexpr int kItems = 200, kFirst = 70;
    // Later items fail, too, and earlier in time.
    const auto check = [&](Fails here, int item) {
      if (here == fails && item >= kFirst) {
        throw Error("item " + std::to_string(item));
      }
      if (here == fails) {
        std::this_thread::sleep_for(10us);
      }
    };
    int taken = 0;
    std::vector<int> written;
    const auto take = [&]() -> std::shared_ptr<int> {
      if (taken == kItems) {
        return nullptr;
      }
      check(Fails::take, taken);
      return std::make_shared<int>(taken++);
    };
    const auto write = [&](const std::shared_ptr<int>& item) {
      check(Fails::write, *item);
      written.push_back(*item);
    };
    const std::string message = message_of([&] {
      run_in_order<int>(8, take,
                        {{Stage::parallel, [&](int& item) { check(Fails::first, item); }},
                         {Stage::in_order, [&](int& item) { check(Fails::second, item); }}},
                        write);
    });
    CAPTURE(static_cast<int>(fails));
    CHECK(message == (fails == Fails::nowhere ? "" : "item 70"));
    CHECK(std::ssize(written) == (fails == Fails::nowhere ? kItems : kFirst));
    CHECK(std::is_sorted(written.begin(), written.end()));
  }
}

TEST_CASE("work that is ended early") {
  std::atomic<bool> wanted = true;
  int asked = 0;
  const auto run = [&] {
    const Stop outer([&] {
      ++asked;  // never by two threads at once
      if (!wanted) {
        throw Error("enough");
      }
    });
    const Stop inner([] {});
    int number = 0;
    const auto end = std::chrono::steady_clock::now() + 60s;
    run_in_order<int>(
        8, [&] { return std::chrono::steady_clock::now() < end ? std::make_shared<int>(number++) : nullptr; },
        {{Stage::parallel,
          [&](const int& item) {
            while (item >= 100) {
              Stop::look();
              wanted = false;
            }
          }}},
        [](std::shared_ptr<int>) {});
  };
  CHECK(message_of(run) == "enough");
  CHECK(asked >= 2);
  CHECK(message_of(run) == "enough");
  Stop::look();  // nobody asks here
  const Stop none(nullptr);
  Stop::look();
}
