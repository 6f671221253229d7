#include "io/write/sort/sorted_sink.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/stopwatch.hpp"
#include "io/write/duplicate_keys.hpp"
#include "io/write/record_sinks.hpp"
#include "io/write/sort/record_sorter.hpp"
#include "io/write/sort/sorted_run.hpp"

namespace trawl::io {

namespace {

// Finds the duplicates among all reads (src/align/duplicate_rule.hpp) in limited memory. The key records of pairs and
// reads are sorted like the records of the output, so they wait in temporary files if there are many.
class DuplicateFinder final : public ChunkOutput {
 public:
  // `memory`: for the keys, in bytes. The result takes one bit for each read in addition.
  DuplicateFinder(std::uint64_t memory, unsigned threads) : sorter_(memory, threads) {}

  // Takes the keys of a batch, in any order. `reads_end`: the number of the read after its last one. Throws IoError.
  void add(std::unique_ptr<SortedRun> keys, std::uint64_t reads_end) {
    reads_ = std::max(reads_, reads_end);
    sorter_.add(std::move(keys));
  }
  // After the last batch. Frees the keys. Throws IoError.
  void find() {
    duplicates_.assign(reads_, false);
    sorter_.merge(*this);
    end_place();
  }
  // The key records, in their order.
  std::unique_ptr<Chunk> make_chunk() const override { return std::make_unique<RecordChunk>(); }
  void write(Chunk& chunk) override {
    const BamRecords& records = static_cast<RecordChunk&>(chunk).records;
    for (const BamRecordInfo& info : records.infos) {
      judge(records.bytes_of(info));
    }
  }

  // After find(): whether the primary record of a read is a duplicate, by the number of the read in the input.
  const std::vector<bool>& duplicates() const { return duplicates_; }
  const DuplicateCounts& counts() const { return counts_; }
  std::uint64_t spilled_bytes() const { return sorter_.spilled_bytes(); }

 private:
  // The best read or pair so far.
  struct BestCopy {
    bool is_set = false;
    std::uint32_t score = 0;
    std::uint32_t start = 0;
    std::string name;
    std::uint64_t read = 0;
  };
  // The records of one key.
  struct CopyGroup {
    align::DuplicateKey key;
    bool has_sign = false;
    BestCopy left;   // of pairs, and of mates that are judged alone
    BestCopy right;  // of pairs
    BestCopy read;   // without a mapped mate
  };

  void judge(std::string_view bytes) {
    const SortKey place = sort_key(bytes.data());
    if (place != place_) {
      end_place();
      place_ = place;
    }
    DuplicateKeyRecord record = parse_duplicate_key(bytes);
    CopyGroup& group = group_of(record.key);
    if (record.role == DuplicateRole::sign) {
      group.has_sign = true;
      return;
    }
    if (record.role == DuplicateRole::read) {
      compare(group.read, record, counts_.single_reads);
      return;
    }
    record.start = 0;
    compare(group.left, record, counts_.reads_of_pairs);
    if (record.role == DuplicateRole::pair) {
      record.read ^= 1;
      compare(group.right, record, counts_.reads_of_pairs);
    }
  }

  // Nearly always there is one group of a place.
  CopyGroup& group_of(const align::DuplicateKey& key) {
    for (std::size_t i = 0; i < groups_in_use_; ++i) {
      if (groups_[i].key == key) {
        return groups_[i];
      }
    }
    if (groups_in_use_ == groups_.size()) {
      groups_.emplace_back();
    }
    CopyGroup& group = groups_[groups_in_use_++];
    group.key = key;
    group.has_sign = group.left.is_set = group.right.is_set = group.read.is_set = false;
    return group;
  }

  // Keeps the better one; the other is a duplicate.
  void compare(BestCopy& best, const DuplicateKeyRecord& other, std::uint64_t& count) {
    if (best.is_set) {
      const auto rank = [](const auto& one, std::string_view name) {
        return std::tuple(~one.score, one.start, name, one.read);
      };
      const bool is_better = rank(other, other.name) < rank(best, best.name);
      mark(is_better ? best.read : other.read, count);
      if (!is_better) {
        return;
      }
    }
    best.is_set = true;
    best.score = other.score;
    best.start = other.start;
    best.name.assign(other.name);
    best.read = other.read;
  }

  void mark(std::uint64_t read, std::uint64_t& count) {
    duplicates_[read] = true;
    ++count;
  }

  void end_place() {
    for (std::size_t i = 0; i < groups_in_use_; ++i) {
      const CopyGroup& group = groups_[i];
      if (group.has_sign && group.read.is_set) {
        mark(group.read.read, counts_.single_reads);
      }
    }
    groups_in_use_ = 0;
  }

  RecordSorter sorter_;
  std::uint64_t reads_ = 0;  // in the input, as far as is known
  std::vector<bool> duplicates_;
  DuplicateCounts counts_;
  SortKey place_ = kAfterAllKeys;
  std::vector<CopyGroup> groups_;
  std::size_t groups_in_use_ = 0;
};

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
