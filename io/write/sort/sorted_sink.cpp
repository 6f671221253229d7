#include "io/write/sort/sorted_sink.hpp"

#include <optional>
#include <utility>

#include "base/stopwatch.hpp"
#include "io/write/record_sinks.hpp"
#include "io/write/sort/duplicate_finder.hpp"
#include "io/write/sort/record_sorter.hpp"

namespace trawl::io {

namespace {

struct SortedChunk : RecordChunk {
  MemoryRun::Scratch scratch;
  std::unique_ptr<MemoryRun> run;
  std::unique_ptr<SortedRun> run_of_keys;
};

// A pair has about 140 bytes of keys and 400 to 900 bytes of records.
std::uint64_t memory_of_keys(const SortOptions& options) { return options.mark_duplicates ? options.memory / 5 : 0; }

class SortedSink final : public FormattingSink {
 public:
  SortedSink(const SinkOptions& options, OutputFormat format, const sequence::Reference& reference,
             const std::vector<std::string>& md5s)
      : FormattingSink(std::make_unique<RecordFormatter>(options, format, reference)),
        options_(*options.sort),
        file_(make_record_sink(options, format, reference, md5s)),
        sorter_(options_.memory - memory_of_keys(options_), options.threads) {
    if (options_.mark_duplicates) {
      duplicates_.emplace(memory_of_keys(options_), options.threads);
    }
  }

  std::unique_ptr<Chunk> make_chunk() const override { return std::make_unique<SortedChunk>(); }
  bool packs() const override { return true; }
  // Sorts the batch.
  void pack(Chunk& chunk) const override {
    auto& made = static_cast<SortedChunk&>(chunk);
    made.run = std::make_unique<MemoryRun>(made.records, made.scratch, made.first_read);
    if (duplicates_) {
      made.run_of_keys = std::make_unique<MemoryRun>(made.keys, made.scratch, made.first_read);
    }
  }
  void write(Chunk& chunk) override {
    auto& made = static_cast<SortedChunk&>(chunk);
    if (duplicates_) {
      duplicates_->add(std::move(made.run_of_keys), made.reads_end);
    }
    sorter_.add(std::move(made.run));
  }
  void close() override {
    Stopwatch watch;
    double seconds = 0;
    if (duplicates_) {
      duplicates_->find();
    }
    sorter_.merge(*file_, options_.progress, duplicates_ ? &duplicates_->duplicates() : nullptr);
    file_->close();
    watch.lap(seconds);
    if (options_.stats != nullptr) {
      options_.stats->merge_seconds += seconds;
      options_.stats->spilled_bytes += sorter_.spilled_bytes();
      if (duplicates_) {
        options_.stats->spilled_bytes += duplicates_->spilled_bytes();
        options_.stats->duplicates = duplicates_->counts();
      }
    }
  }

 private:
  SortOptions options_;
  std::unique_ptr<AlignmentSink> file_;
  RecordSorter sorter_;
  std::optional<DuplicateFinder> duplicates_;
};

}  // namespace

std::unique_ptr<AlignmentSink> make_sorted_sink(const SinkOptions& options, OutputFormat format,
                                                const sequence::Reference& reference,
                                                const std::vector<std::string>& md5s) {
  return std::make_unique<SortedSink>(options, format, reference, md5s);
}

}  // namespace trawl::io
