#include "io/write/sort/sorted_merge.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/error.hpp"
#include "base/ordered_pipeline.hpp"
#include "base/radix_sort.hpp"
#include "io/format/gzip_format.hpp"
#include "io/read/gzip/inflate_stream.hpp"
#include "io/write/bgzf_compressor.hpp"
#include "io/write/record_sinks.hpp"

namespace trawl::io {

namespace {

// Larger ranges are not faster; smaller ones read more of each run for nothing.
constexpr std::uint64_t kMostRangeBytes = std::uint64_t{4} << 20;
// Memory for a range of one byte: its records, once from files and once merged, their infos and entries, and what the
// target makes of them.
constexpr std::uint64_t kMemoryFactor = 4;
BamRecordInfo info_of(const char* record, std::size_t at, std::size_t size) {
  const BamFields fields = bam_fields(record);
  BamRecordInfo info;
  info.at = at;
  info.size = static_cast<std::uint32_t>(size);
  info.contig = fields.contig;
  info.start = fields.start;
  info.flag = fields.flag;
  std::int32_t covered = 0;
  const char* operation = record + sizeof fields + fields.name_size;
  for (unsigned i = 0; i < fields.cigar_operations; ++i, operation += 4) {
    std::uint32_t element;
    std::memcpy(&element, operation, sizeof element);
    // M, D, N, = and X cover bases of the reference.
    constexpr unsigned covers = 1u << 0 | 1u << 2 | 1u << 3 | 1u << 7 | 1u << 8;
    covered += (covers >> (element & 15) & 1) != 0 ? static_cast<std::int32_t>(element >> 4) : 0;
  }
  info.end = info.start + std::max(covered, 1);
  return info;
}

// Copies the records in their order, each with its order after it if `with_orders`.
void copy_entries(const std::vector<SortEntry>& entries, bool with_orders, BamRecords& to) {
  to.clear();
  to.infos.reserve(entries.size());
  std::size_t bytes = with_orders ? entries.size() * sizeof(std::uint64_t) : 0;
  for (const SortEntry& entry : entries) {
    bytes += bam_record_size(entry.record);
  }
  char* at = to.bytes.room(bytes);
  const char* const begin = at;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    constexpr std::size_t ahead = 8;
    if (i + ahead < entries.size()) {
      const char* const next = entries[i + ahead].record;
      for (std::size_t line = 0; line < 256; line += 64) {
        __builtin_prefetch(next + line);
      }
    }
    const char* const record = entries[i].record;
    const std::size_t size = bam_record_size(record);
    std::memcpy(at, record, size);
    to.infos.push_back(info_of(at, static_cast<std::size_t>(at - begin), size));
    at += size;
    if (with_orders) {
      std::memcpy(at, &entries[i].place.order, sizeof entries[i].place.order);
      at += sizeof entries[i].place.order;
    }
  }
  to.bytes.end_at(at);
}

// Sets the flag of duplicates in the copies of the entries.
void mark(const std::vector<SortEntry>& entries, const std::vector<bool>& duplicates, BamRecords& copies) {
  constexpr std::uint16_t others = align::kFlagUnmapped | align::kFlagSecondary | align::kFlagSupplementary;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    BamRecordInfo& info = copies.infos[i];
    if ((info.flag & others) == 0 && duplicates[entries[i].place.order]) {
      info.flag |= align::kFlagDuplicate;
      std::memcpy(copies.bytes.data() + info.at + offsetof(BamFields, flag), &info.flag, sizeof info.flag);
    }
  }
}

void sort_by_key(std::vector<SortEntry>& entries, std::vector<SortEntry>& room) {
  radix_sort(entries, room, [](const SortEntry& entry) { return entry.place.key; });
}

constexpr std::uint64_t kSamplesPerRange = 32;
constexpr std::uint64_t kLeastRangeBytes = std::uint64_t{1} << 16;

// The places of samples: a group of every `step` bytes of each run.
std::vector<SortPlace> samples_of(const std::vector<const SortedRun*>& runs, std::uint64_t step) {
  std::vector<SortPlace> samples;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const auto& marks = runs[r]->marks();
    // The first sample is at another offset in each run, evenly spread: otherwise runs shorter than a step would all be
    // sampled at their first record, or not at all.
    constexpr double golden = 0.6180339887498949;
    const double share = static_cast<double>(r) * golden;
    auto at = static_cast<std::uint64_t>((share - std::floor(share)) * static_cast<double>(step));
    for (std::size_t group = 0; at < runs[r]->record_bytes(); at += step) {
      const auto after = std::upper_bound(marks.begin() + static_cast<std::ptrdiff_t>(group), marks.end(), at,
                                          [](std::uint64_t value, const auto& mark) { return value < mark.at; });
      group = static_cast<std::size_t>(after - marks.begin()) - 1;
      samples.push_back(marks[group].place);
    }
  }
  return samples;
}

// The first places of all ranges but the first one, so that each has as many samples.
std::vector<SortPlace> splitters_of(std::vector<SortPlace> samples) {
  std::sort(samples.begin(), samples.end());
  std::vector<SortPlace> splitters;
  for (std::size_t i = kSamplesPerRange; i < samples.size(); i += kSamplesPerRange) {
    splitters.push_back(samples[i]);
  }
  return splitters;
}

// Merges each range of some runs. Any thread may call the functions. They throw IoError.
class RangeMerge {
 public:
  RangeMerge(std::vector<const SortedRun*> runs, std::vector<SortPlace> splitters)
      : runs_(std::move(runs)), splitters_(std::move(splitters)) {}

  std::size_t ranges() const { return splitters_.size() + 1; }
  // The records of a range. Equal keys keep the order of the runs, and the order in each run.
  // `with_orders`, `duplicates`: as MergeOptions has them.
  void take(std::size_t range, BamRecords& to, bool with_orders, const std::vector<bool>* duplicates) {
    Buffers& buffers = buffers_.local();
    buffers.entries.clear();
    buffers.slices.resize(runs_.size());
    for (std::size_t r = 0; r < runs_.size(); ++r) {
      const SortedRun& run = *runs_[r];
      const RunCut low = range == 0 ? RunCut{} : run.cut(splitters_[range - 1]);
      const RunCut high = range == splitters_.size() ? run.end() : run.cut(splitters_[range]);
      for_each_record(run, low, high, buffers.slices[r], [&](const SortPlace& place, const char* record) {
        buffers.entries.push_back({place, record});
      });
    }
    sort_by_key(buffers.entries, buffers.scratch);
    copy_entries(buffers.entries, with_orders, to);
    if (duplicates != nullptr) {
      mark(buffers.entries, *duplicates, to);
    }
  }

 private:
  struct Buffers {
    std::vector<SortEntry> entries, scratch;
    std::vector<ByteBuffer> slices;  // of each run
  };

  std::vector<const SortedRun*> runs_;
  std::vector<SortPlace> splitters_;
  tbb::enumerable_thread_specific<Buffers> buffers_;
};

}  // namespace

void merge_runs(const std::vector<const SortedRun*>& runs, ChunkOutput& target, const MergeOptions& options,
                const std::function<void(double)>& progress) {
  // One range for every thread, and some that wait for their turn to be placed or written.
  const std::uint64_t most_pieces = std::max<std::uint64_t>(1, options.memory / (kMemoryFactor * kLeastRangeBytes));
  const std::uint64_t pieces_wanted = std::min<std::uint64_t>(options.threads + options.threads / 4 + 1, most_pieces);
  const std::uint64_t range_bytes =
      std::clamp(options.memory / (kMemoryFactor * pieces_wanted), kLeastRangeBytes, kMostRangeBytes);
  // Each sample stands for as many bytes.
  const std::uint64_t step = std::max<std::uint64_t>(1, range_bytes / kSamplesPerRange);
  RangeMerge merge(runs, splitters_of(samples_of(runs, step)));

  struct MergeRange {
    std::size_t number = 0;
    std::unique_ptr<Chunk> piece;
  };
  std::vector<std::shared_ptr<MergeRange>> ranges;
  for (std::uint64_t i = 0; i < pieces_wanted; ++i) {
    ranges.push_back(std::make_shared<MergeRange>(MergeRange{0, target.make_chunk()}));
  }
  // There are as many pieces as are in work at a time. They end in order, so a piece is free when its turn comes again.
  std::size_t taken = 0;
  std::size_t written = 0;
  const auto take = [&]() -> std::shared_ptr<MergeRange> {
    if (taken == merge.ranges()) {
      return nullptr;
    }
    auto range = ranges[taken % ranges.size()];
    range->number = taken++;
    return range;
  };
  const auto gather = [&](MergeRange& range) {
    merge.take(range.number, static_cast<RecordChunk&>(*range.piece).records, options.with_orders, options.duplicates);
  };
  const auto write = [&](const std::shared_ptr<MergeRange>& range) {
    target.write(*range->piece);
    ++written;
    if (progress) {
      progress(static_cast<double>(written) / static_cast<double>(merge.ranges()));
    }
  };
  run_in_order<MergeRange>(ranges.size(), take,
                           {{Stage::parallel, gather},
                            {Stage::in_order, [&](MergeRange& range) { target.place(*range.piece); }},
                            {Stage::parallel, [&](MergeRange& range) { target.pack(*range.piece); }}},
                           write);
}

namespace {

// A range of a merge reads whole groups, of each file one too many. Smaller groups compress less.
constexpr std::uint64_t kGroupBytes = std::uint64_t{1} << 14;
// The file is read once or twice, so time counts for more than space. Measured on one core with ISA-L, reads of 100 bp
// with qualities: 118 bytes a read instead of 246, for 0.9 us a read, writing and reading together. A disk takes
// 0.25 us less a read at 1 GB/s, and the threads share the work.
constexpr int kLevel = 1;

// Inflates the block at the start of `packed` to `to`, where `room` bytes are free. Takes it away from `packed`;
// returns the size of its text. False if it is not as it was written.
bool inflate_block(std::string_view& packed, char* to, std::size_t room, std::size_t& text_size) {
  const auto* const block = reinterpret_cast<const unsigned char*>(packed.data());
  if (packed.size() < kBgzfHead) {
    return false;
  }
  const std::size_t size = little_endian(block + kBgzfHead - 2, 2) + std::size_t{1};
  if (size > packed.size() || size < kBgzfHead + kGzipSums) {
    return false;
  }
  const unsigned char* const sums = block + size - kGzipSums;
  text_size = little_endian(sums + 4, 4);
  packed.remove_prefix(size);
  return text_size <= room && inflate_whole(block + kBgzfHead, size - kBgzfHead - kGzipSums, to, text_size) &&
         crc32_of(to, text_size) == little_endian(sums, 4);
}

}  // namespace

std::string_view FileRun::groups(std::size_t first, std::size_t last, ByteBuffer& buffer) const {
  const auto offset = [&](std::size_t group) { return group < offsets_.size() ? offsets_[group] : file_.size(); };
  std::vector<char> packed(offset(last) - offset(first));
  file_.read(offset(first), packed.data(), packed.size());
  buffer.clear();
  const std::size_t size = group_at(last) - group_at(first);
  char* to = buffer.room(size);
  char* const end = to + size;
  std::string_view rest(packed.data(), packed.size());
  for (std::size_t text_size = 0; to != end; to += text_size) {
    if (!inflate_block(rest, to, static_cast<std::size_t>(end - to), text_size)) {
      throw Error("a temporary file for sorted records was damaged; is the disk of TMPDIR sound?");
    }
  }
  buffer.end_at(to);
  return buffer.view();
}

class SpillTarget : public ChunkOutput {
 public:
  std::unique_ptr<Chunk> make_chunk() const override { return std::make_unique<SpillPiece>(); }

  void pack(Chunk& merged) const override {
    auto& piece = static_cast<SpillPiece&>(merged);
    const auto& infos = piece.records.infos;
    piece.packed.clear();
    piece.groups.clear();
    BgzfCompressor& compressor = compressors_.local();
    for (std::size_t i = 0; i < infos.size();) {
      const BamRecordInfo& first = infos[i];
      std::size_t end = first.at;
      for (; i < infos.size() && end - first.at < kGroupBytes; ++i) {
        end = i + 1 < infos.size() ? infos[i + 1].at : piece.records.bytes.size();
      }
      piece.groups.push_back({{place_of(piece.records.bytes.data() + first.at), first.at}, piece.packed.size()});
      for (std::size_t at = first.at; at < end; at += kBgzfText) {
        char* const to = piece.packed.room(kBgzfBlock);
        const auto text = piece.records.bytes.view(at, std::min(end, at + kBgzfText));
        piece.packed.end_at(to + compressor.compress(text, to));
      }
    }
  }

  void write(Chunk& merged) override {
    const auto& piece = static_cast<SpillPiece&>(merged);
    for (const auto& group : piece.groups) {
      run_->marks_.push_back({group.mark.place, run_->record_bytes_ + group.mark.at});
      run_->offsets_.push_back(run_->file_.size() + group.offset);
    }
    run_->record_bytes_ += piece.records.bytes.size();
    run_->file_.write(piece.packed.view());
  }

  std::unique_ptr<FileRun> take() { return std::move(run_); }

 private:
  struct GroupStart {
    SortedRun::Mark mark;  // relative to the piece
    std::size_t offset;    // in `packed`
  };
  struct SpillPiece : RecordChunk {
    ByteBuffer packed;
    std::vector<GroupStart> groups;
  };

  mutable tbb::enumerable_thread_specific<BgzfCompressor> compressors_{[] { return BgzfCompressor(kLevel); }};
  std::unique_ptr<FileRun> run_ = std::make_unique<FileRun>();
};

std::unique_ptr<FileRun> spill_runs(const std::vector<const SortedRun*>& runs, const MergeOptions& options) {
  SpillTarget target;
  MergeOptions with_orders = options;
  with_orders.with_orders = true;
  merge_runs(runs, target, with_orders);
  return target.take();
}

}  // namespace trawl::io
