#include "io/write/sort/sorted_sink.hpp"

#include <utility>

#include "base/stopwatch.hpp"

namespace trawl::io {

namespace {

struct SortedChunk : RecordChunk {
  MemoryRun::Scratch scratch;
  std::unique_ptr<MemoryRun> run;
  std::unique_ptr<SortedRun> run_of_keys;
};

// A pair has about 140 bytes of keys and 400 to 900 bytes of records.
std::uint64_t memory_of_keys(const SortOptions& options) { return options.mark_duplicates ? options.memory / 5 : 0; }

}  // namespace

void SortedFormatter::format(const sequence::ReadBatch& reads, const align::AlignmentBatch& alignments,
                             RecordChunk& chunk) const {
  RecordFormatter::format(reads, alignments, chunk);
  if (makes_keys_) {
    DuplicateFinder::make_keys(reads, alignments, chunk.keys);
  }
}

SortedSink::SortedSink(const SinkOptions& options, OutputFormat format, const sequence::Reference& reference,
                       const std::vector<std::string>& md5s)
    : FormattingSink(std::make_unique<SortedFormatter>(options, format, reference)),
      options_(*options.sort),
      file_(make_record_sink(options, format, reference, md5s)),
      sorter_(options_.memory - memory_of_keys(options_), options.threads) {
  if (options_.mark_duplicates) {
    duplicates_.emplace(memory_of_keys(options_), options.threads);
  }
}

std::unique_ptr<Chunk> SortedSink::make_chunk() const { return std::make_unique<SortedChunk>(); }

void SortedSink::pack(Chunk& chunk) const {
  auto& made = static_cast<SortedChunk&>(chunk);
  made.run = std::make_unique<MemoryRun>(made.records, made.scratch, made.first_read);
  if (duplicates_) {
    made.run_of_keys = std::make_unique<MemoryRun>(made.keys, made.scratch, made.first_read);
  }
}

void SortedSink::write(Chunk& chunk) {
  auto& made = static_cast<SortedChunk&>(chunk);
  if (duplicates_) {
    duplicates_->add(std::move(made.run_of_keys), made.reads_end);
  }
  sorter_.add(std::move(made.run));
}

void SortedSink::close() {
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

}  // namespace trawl::io
