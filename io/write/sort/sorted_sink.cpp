#include "io/write/sort/sorted_sink.hpp"

#include "base/stopwatch.hpp"
#include "io/write/bam_encoder.hpp"
#include "io/write/sam_header.hpp"

namespace trawl::io {

SortedRanges::Size SortedRanges::size() {
  Size size;
  for (const SortedRun* run : sorter_.runs()) {
    size.record_bytes += run->record_bytes();
  }
  const MergeOptions& merging = sorter_.merging();
  size.threads = merging.threads;
  // More than in one process: some wait for their parts.
  constexpr std::uint64_t kWaiting = 2;
  size.pieces = pieces_for(merging.threads) + kWaiting;
  size.range_bytes = range_bytes_of(merging.memory, size.pieces + servers());
  return size;
}

void SortedRanges::end() {
  merge_.reset();
  sorter_.clear();
}

namespace {

struct SortedChunk : Chunk {
  BamRecords records;
  MemoryRun::Scratch scratch;
  std::unique_ptr<MemoryRun> run;
  std::uint64_t number = 0;  // of the batch
  // With mark_duplicates.
  DuplicateFinder::Scratch key_scratch;
  std::unique_ptr<SortedRun> keys;
  std::uint64_t reads_end = 0;
};

// A pair has about 140 bytes of keys and 400 to 900 bytes of records.
std::uint64_t memory_of_keys(const SortOptions& options) { return options.mark_duplicates ? options.memory / 5 : 0; }

}  // namespace

SortedSink::SortedSink(const SinkOptions& options, OutputFormat format, const sequence::Reference& reference,
                       const std::vector<std::string>& md5s)
    : options_(*options.sort),
      reference_(reference),
      rule_(options),
      read_group_(parse_read_group(options.read_group).id),
      file_(open_sorted_file(
          options.output_name(), format,
          options.is_owner() ? sam_header(options, reference.contigs(), md5s, RecordOrder::by_place) : "", reference,
          options.compression_level)),
      sorter_(options_.memory - memory_of_keys(options_), options.threads) {
  if (options_.mark_duplicates) {
    sorter_.keep_orders();
    duplicates_.emplace(memory_of_keys(options_), options.threads);
  }
}

std::unique_ptr<Chunk> SortedSink::make_chunk() const { return std::make_unique<SortedChunk>(); }

void SortedSink::format(const sequence::ReadBatch& reads, const align::AlignmentBatch& alignments, Chunk& chunk) const {
  auto& made = static_cast<SortedChunk&>(chunk);
  made.records.clear();
  BamEncoder(made.records, reference_, read_group_, reads, alignments).append_all(rule_);
  made.number = reads.number;
  if (options_.mark_duplicates) {
    made.run = std::make_unique<MemoryRun>(made.records, made.scratch, reads.first_read);
    made.keys = DuplicateFinder::keys_of(reads, alignments, made.key_scratch);
    made.reads_end = reads.first_read + reads.size();
  } else {
    made.run = std::make_unique<MemoryRun>(made.records, made.scratch);
  }
}

void SortedSink::write(Chunk& chunk) {
  auto& made = static_cast<SortedChunk&>(chunk);
  if (duplicates_) {
    duplicates_->add(std::move(made.keys), made.reads_end);
  }
  if (ranges_) {
    sorter_.add(std::move(made.run), made.number);
  } else {
    sorter_.add(std::move(made.run));
  }
}

SortedRanges* SortedSink::sort_by_ranges() {
  return &ranges_.emplace(sorter_, *file_, options_.progress, duplicates_ ? &*duplicates_ : nullptr);
}

void SortedSink::close() {
  Stopwatch watch;
  double seconds = 0;
  if (!ranges_) {
    if (duplicates_) {
      duplicates_->find();
    }
    sorter_.merge(*file_, options_.progress, duplicates_ ? &duplicates_->duplicates() : nullptr);
  }
  file_->finish();
  file_->commit();
  watch.lap(seconds);
  if (options_.stats != nullptr) {
    options_.stats->merge_seconds += seconds;
    options_.stats->spilled_bytes += ranges_ ? 0 : sorter_.spilled_bytes();
    if (duplicates_) {
      options_.stats->spilled_bytes += ranges_ ? 0 : duplicates_->spilled_bytes();
      options_.stats->duplicates = duplicates_->counts();
    }
  }
}

}  // namespace trawl::io
