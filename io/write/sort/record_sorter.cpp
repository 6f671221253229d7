#include "io/write/sort/record_sorter.hpp"

#include <algorithm>
#include <utility>

namespace trawl::io {

namespace {

// More files than this are first merged into a larger one: each range of a merge reads a piece of every file.
constexpr std::size_t kMostFilesOfLevel = 64;

std::vector<const SortedRun*> pointers(const std::vector<std::unique_ptr<SortedRun>>& runs) {
  std::vector<const SortedRun*> result;
  for (const auto& run : runs) {
    result.push_back(run.get());
  }
  return result;
}

}  // namespace

// While some batches are spilled, as many more can come in. The rest is for the merge, and for what the allocator
// loses.
RecordSorter::RecordSorter(std::uint64_t memory, unsigned threads)
    : most_held_bytes_(memory * 3 / 8),
      merging_{.memory = memory / 5, .threads = threads},
      arena_(static_cast<int>(threads)) {}

RecordSorter::~RecordSorter() noexcept {
  spills_.cancel();
  arena_.execute([&] { spills_.wait(); });
}

void RecordSorter::wait() {
  arena_.execute([&] { spills_.wait(); });
  if (failure_) {
    std::rethrow_exception(failure_);
  }
}

void RecordSorter::add(std::unique_ptr<SortedRun> batch) {
  if (failed_) {
    wait();
  }
  const std::uint64_t bytes = batch->memory();
  if (held_bytes_ + bytes > most_held_bytes_ && !held_.empty()) {
    start_spill();
  }
  held_bytes_ += bytes;
  held_.push_back(std::move(batch));
}

void RecordSorter::start_spill() {
  wait();
  spilling_ = std::move(held_);
  held_.clear();
  held_bytes_ = 0;
  arena_.execute([&] {
    spills_.run([&] {
      try {
        spill();
      } catch (...) {
        failure_ = std::current_exception();
        failed_ = true;
      }
    });
  });
}

void RecordSorter::spill() {
  files_.push_back({spill_runs(pointers(spilling_), merging_)});
  spilling_.clear();
  spilled_bytes_ += files_.back().run->file_bytes();
  merge_last_files();
}

void RecordSorter::merge_last_files() {
  while (true) {
    const unsigned level = files_.back().level;
    const auto first =
        std::find_if(files_.begin(), files_.end(), [&](const SpillFile& file) { return file.level == level; });
    if (static_cast<std::size_t>(files_.end() - first) < kMostFilesOfLevel) {
      return;
    }
    std::vector<const SortedRun*> runs;
    for (auto file = first; file != files_.end(); ++file) {
      runs.push_back(file->run.get());
    }
    auto merged = spill_runs(runs, merging_);
    spilled_bytes_ += merged->file_bytes();
    files_.erase(first, files_.end());
    files_.push_back({std::move(merged), level + 1});
  }
}

// All that was added, in the order of equal keys.
std::vector<const SortedRun*> RecordSorter::runs() {
  wait();
  std::vector<const SortedRun*> runs;
  for (const SpillFile& file : files_) {
    runs.push_back(file.run.get());
  }
  for (const auto& batch : held_) {
    runs.push_back(batch.get());
  }
  return runs;
}

void RecordSorter::merge(ChunkOutput& target, const std::function<void(double)>& progress,
                         const std::vector<bool>* duplicates) {
  const auto all = runs();
  MergeOptions options = merging_;
  options.duplicates = duplicates;
  arena_.execute([&] { merge_runs(all, target, options, progress); });
  held_.clear();
  files_.clear();
}

}  // namespace trawl::io
