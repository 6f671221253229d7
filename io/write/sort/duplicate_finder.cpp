#include "io/write/sort/duplicate_finder.hpp"

#include <cstring>
#include <string>
#include <string_view>

#include "align/duplicate_rule.hpp"
#include "io/write/bam_fields.hpp"
#include "io/write/record_sinks.hpp"
#include "io/write/sort/sorted_run.hpp"

namespace trawl::io {
namespace {

using align::DuplicateKey;

// What a key record stands for.
enum class Role : std::uint16_t {
  pair,  // the left mate; what is true for it is true for the right one
  mate,  // one mate of a pair whose mates begin at one position: they are judged one by one
  read,  // a read without a mapped mate
  sign,  // a mate of a pair: reads without a mapped mate that have this key are duplicates
};

constexpr bool is_of_pair(Role role) { return role == Role::pair || role == Role::mate; }

// A key record looks like a BAM record, so that it can be sorted as one. After the fixed fields it has the number of
// the read and the name, as far as its role needs them.
struct KeyRecord {
  DuplicateKey key;
  Role role = Role::read;
  std::uint32_t score = 0;
  std::uint64_t read = 0;  // number in the input
  std::string_view name;   // of a pair
};

// Where a key record is sorted to, on its contig. Pairs with one left end and many right ones are spread. Others lie at
// their position, because neighbours then have few bytes that differ, and temporary files become smaller.
std::uint32_t place_of(const DuplicateKey& key, Role role) {
  if (!is_of_pair(role)) {
    return key.at;
  }
  constexpr std::uint64_t factor = 0x9e3779b97f4a7c15;
  std::uint64_t hash = (std::uint64_t{key.at} << 32 | key.other_at) * factor;
  hash =
      (hash ^ hash >> 32 ^ (std::uint64_t{key.other_contig} << 3 | static_cast<std::uint64_t>(key.strands))) * factor;
  return static_cast<std::uint32_t>(hash >> 32);
}

void append(BamRecords& to, const KeyRecord& record, std::uint32_t other_at) {
  const bool has_read = record.role != Role::sign;
  const std::uint32_t place = place_of(record.key, record.role);
  BamFields fields;
  // These make the SortKey.
  fields.contig = static_cast<std::int32_t>(record.key.contig);
  fields.start = static_cast<std::int32_t>(place >> 1);
  fields.flag = (place & 1) != 0 ? align::kFlagReverse : 0;
  // The others are free.
  fields.mate_contig = static_cast<std::int32_t>(record.key.other_contig);
  fields.mate_start = is_of_pair(record.role) ? static_cast<std::int32_t>(record.key.at) : 0;
  fields.template_length = static_cast<std::int32_t>(other_at);
  fields.mapq = static_cast<std::uint8_t>(record.key.strands);
  fields.bin = static_cast<std::uint16_t>(record.role);
  fields.bases = record.score;
  const std::size_t size = sizeof fields + (has_read ? sizeof record.read : 0) + record.name.size();
  fields.block_size = static_cast<std::uint32_t>(size - sizeof fields.block_size);
  BamRecordInfo info;
  info.at = to.bytes.size();
  info.size = static_cast<std::uint32_t>(size);
  info.contig = fields.contig;
  info.start = fields.start;
  info.end = fields.start + 1;
  info.flag = fields.flag;
  to.infos.push_back(info);
  char* const at = to.bytes.room(size);
  std::memcpy(at, &fields, sizeof fields);
  if (has_read) {
    std::memcpy(at + sizeof fields, &record.read, sizeof record.read);
    record.name.copy(at + sizeof fields + sizeof record.read, record.name.size());
  }
  to.bytes.end_at(at + size);
}

// Appends the keys of a batch.
class KeyMaker {
 public:
  KeyMaker(const sequence::ReadBatch& reads, const align::AlignmentBatch& alignments, BamRecords& to)
      : reads_(reads), alignments_(alignments), to_(to) {}

  void add_all() {
    if (alignments_.pairs.empty()) {
      for (std::size_t i = 0; i < alignments_.reads.size(); ++i) {
        add_read(i, align::primary_of(alignments_, i));
      }
      return;
    }
    for (std::size_t i = 0; i < alignments_.reads.size(); i += 2) {
      const align::Alignment* const first = align::primary_of(alignments_, i);
      const align::Alignment* const second = align::primary_of(alignments_, i + 1);
      if (first && second) {
        add_pair(i, align::unclipped_ends(alignments_, *first), align::unclipped_ends(alignments_, *second));
      } else {
        add_read(i, first);
        add_read(i + 1, second);
      }
    }
  }

 private:
  std::uint32_t score(std::size_t i) const { return align::duplicate_score(reads_.qualities(i), reads_.length(i)); }

  void add_read(std::size_t i, const align::Alignment* alignment) {
    if (alignment) {
      const DuplicateKey key = align::key_of_read(align::unclipped_ends(alignments_, *alignment));
      // Of equal scores the smaller start decides.
      append(to_, {key, Role::read, score(i), reads_.first_read + i, {}}, static_cast<std::uint32_t>(alignment->start));
    }
  }

  void add_pair(std::size_t i, const align::UnclippedEnds& first, const align::UnclippedEnds& second) {
    const bool lefts[] = {align::lies_left(first, second), align::lies_left(second, first)};
    const Role role = lefts[0] && lefts[1] ? Role::mate : Role::pair;
    const std::uint32_t both = score(i) + score(i + 1);
    for (std::size_t mate = 0; mate < 2; ++mate) {
      const align::UnclippedEnds& own = mate == 0 ? first : second;
      if (lefts[mate]) {
        const DuplicateKey key = align::key_of_pair(own, mate == 0 ? second : first, mate == 0);
        append(to_, {key, role, both, reads_.first_read + i + mate, reads_.name(i)}, key.other_at);
      }
      append(to_, {align::key_of_read(own), Role::sign, 0, 0, {}}, 0);
    }
  }

  const sequence::ReadBatch& reads_;
  const align::AlignmentBatch& alignments_;
  BamRecords& to_;
};

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
      const Group& group = groups_[i];
      if (group.has_sign && group.read.is_set) {
        mark(group.read.read, counts_.single_reads);
      }
    }
    groups_in_use_ = 0;
  }

 private:
  // The best one so far.
  struct Best {
    bool is_set = false;
    std::uint32_t score = 0;
    std::uint32_t start = 0;
    std::string name;
    std::uint64_t read = 0;
  };
  // The records of one key.
  struct Group {
    DuplicateKey key;
    bool has_sign = false;
    Best left;   // of pairs, and of mates that are judged alone
    Best right;  // of pairs
    Best read;   // without a mapped mate
  };

  void judge(std::string_view record) {
    const BamFields fields = bam_fields(record.data());
    const SortKey place = sort_key(fields.contig, fields.start, fields.flag);
    if (place != place_) {
      end();
      place_ = place;
    }
    const auto role = static_cast<Role>(fields.bin);
    const bool is_pair = is_of_pair(role);
    const auto other = static_cast<std::uint32_t>(fields.template_length);
    const DuplicateKey key = {static_cast<std::uint32_t>(fields.contig), static_cast<std::uint32_t>(fields.mate_start),
                              static_cast<std::uint32_t>(fields.mate_contig), is_pair ? other : 0,
                              static_cast<align::DuplicateStrands>(fields.mapq)};
    Group& group = group_of(key);
    if (role == Role::sign) {
      group.has_sign = true;
      return;
    }
    std::uint64_t read;
    std::memcpy(&read, record.data() + sizeof fields, sizeof read);
    const std::string_view name = record.substr(sizeof fields + sizeof read);
    if (role == Role::read) {
      compare(group.read, fields.bases, other, name, read, counts_.single_reads);
      return;
    }
    compare(group.left, fields.bases, 0, name, read, counts_.reads_of_pairs);
    if (role == Role::pair) {
      compare(group.right, fields.bases, 0, name, read ^ 1, counts_.reads_of_pairs);
    }
  }

  // Nearly always there is one group of a place.
  Group& group_of(const DuplicateKey& key) {
    for (std::size_t i = 0; i < groups_in_use_; ++i) {
      if (groups_[i].key == key) {
        return groups_[i];
      }
    }
    if (groups_in_use_ == groups_.size()) {
      groups_.emplace_back();
    }
    Group& group = groups_[groups_in_use_++];
    group.key = key;
    group.has_sign = group.left.is_set = group.right.is_set = group.read.is_set = false;
    return group;
  }

  // Keeps the better one; the other is a duplicate.
  void compare(Best& best, std::uint32_t score, std::uint32_t start, std::string_view name, std::uint64_t read,
               std::uint64_t& count) {
    if (best.is_set) {
      const int by_name = name.compare(best.name);
      const bool is_better = score != best.score   ? score > best.score
                             : start != best.start ? start < best.start
                             : by_name != 0        ? by_name < 0
                                                   : read < best.read;
      mark(is_better ? best.read : read, count);
      if (!is_better) {
        return;
      }
    }
    best.is_set = true;
    best.score = score;
    best.start = start;
    best.name.assign(name);
    best.read = read;
  }

  void mark(std::uint64_t read, std::uint64_t& count) {
    duplicates_[read] = true;
    ++count;
  }

  std::vector<bool>& duplicates_;
  DuplicateCounts& counts_;
  SortKey place_ = kAfterAllKeys;
  std::vector<Group> groups_;
  std::size_t groups_in_use_ = 0;
};

}  // namespace

void DuplicateFinder::make_keys(const sequence::ReadBatch& reads, const align::AlignmentBatch& alignments,
                                BamRecords& keys) {
  keys.clear();
  KeyMaker(reads, alignments, keys).add_all();
}

void DuplicateFinder::find() {
  duplicates_.assign(reads_, false);
  Judge judge(duplicates_, counts_);
  sorter_.merge(judge);
  judge.end();
}

}  // namespace trawl::io
