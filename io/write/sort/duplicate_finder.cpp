#include "io/write/sort/duplicate_finder.hpp"

#include <string>
#include <string_view>
#include <tuple>

#include "io/write/duplicate_keys.hpp"
#include "io/write/record_sinks.hpp"
#include "io/write/sort/sorted_run.hpp"

namespace trawl::io {
namespace {

// Reads the key records in their order, and marks the duplicates.
class Judge : public ChunkOutput {
 public:
  Judge(std::vector<bool>& duplicates, DuplicateCounts& counts) : duplicates_(duplicates), counts_(counts) {}

  std::unique_ptr<Chunk> make_chunk() const override { return std::make_unique<RecordChunk>(); }
  void write(Chunk& chunk) override {
    const BamRecords& records = static_cast<RecordChunk&>(chunk).records;
    for (const BamRecordInfo& info : records.infos) {
      judge(records.bytes_of(info));
    }
  }
  void end() {
    for (std::size_t i = 0; i < groups_in_use_; ++i) {
      const CopyGroup& group = groups_[i];
      if (group.has_sign && group.read.is_set) {
        mark(group.read.read, counts_.single_reads);
      }
    }
    groups_in_use_ = 0;
  }

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
      end();
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

  std::vector<bool>& duplicates_;
  DuplicateCounts& counts_;
  SortKey place_ = kAfterAllKeys;
  std::vector<CopyGroup> groups_;
  std::size_t groups_in_use_ = 0;
};

}  // namespace

void DuplicateFinder::find() {
  duplicates_.assign(reads_, false);
  Judge judge(duplicates_, counts_);
  sorter_.merge(judge);
  judge.end();
}

}  // namespace trawl::io
