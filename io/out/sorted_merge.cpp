#include "io/out/sorted_merge.hpp"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_pipeline.h>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace trawl::io {

namespace {

constexpr std::uint64_t kLeastRangeBytes = std::uint64_t{1} << 16;
// Larger ranges are not faster; smaller ones read more of each run for nothing.
constexpr std::uint64_t kMostRangeBytes = std::uint64_t{4} << 20;
// Memory for a range of one byte: its records, once from files and once merged, their infos and entries, and what the
// target makes of them.
constexpr std::uint64_t kMemoryFactor = 4;
constexpr std::uint64_t kSamplesPerRange = 32;

// The end of a range: before the first record of a group.
struct Splitter {
  SortKey key = 0;
  std::size_t run = 0;
  std::size_t group = 0;

  auto order() const { return std::tuple(key, run, group); }
};

// The cut that a splitter makes in a run. Equal keys are before it in the runs before the splitter's.
RunCut cut_of(const Splitter& splitter, const SortedRun& run, std::size_t number) {
  if (number == splitter.run) {
    return {splitter.group, splitter.key};
  }
  return run.cut(number < splitter.run ? splitter.key + 1 : splitter.key);
}

// Takes a group of every `step` bytes as sample. Each sample stands for as many bytes, so every kSamplesPerRange-th
// one ends a range.
std::vector<Splitter> splitters_of(const std::vector<const SortedRun*>& runs, std::uint64_t range_bytes) {
  const std::uint64_t step = std::max<std::uint64_t>(1, range_bytes / kSamplesPerRange);
  std::vector<Splitter> samples;
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
      samples.push_back({marks[group].key, r, group});
    }
  }
  std::sort(samples.begin(), samples.end(), [](const Splitter& a, const Splitter& b) { return a.order() < b.order(); });
  std::vector<Splitter> splitters;
  for (std::size_t i = kSamplesPerRange; i < samples.size(); i += kSamplesPerRange) {
    splitters.push_back(samples[i]);
  }
  return splitters;
}

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

class Merge {
 public:
  Merge(const std::vector<const SortedRun*>& runs, std::vector<Splitter> splitters)
      : runs_(runs), splitters_(std::move(splitters)) {}

  std::size_t ranges() const { return splitters_.size() + 1; }

  // The records of a range, in order.
  void take(std::size_t range, BamRecords& to) {
    Buffers& buffers = buffers_.local();
    buffers.slices.resize(runs_.size());
    auto& entries = buffers.entries;
    entries.clear();
    std::size_t bytes = 0;
    for (std::size_t r = 0; r < runs_.size(); ++r) {
      const SortedRun& run = *runs_[r];
      const RunCut low = range == 0 ? RunCut{} : cut_of(splitters_[range - 1], run, r);
      const RunCut high = range == splitters_.size() ? run.end() : cut_of(splitters_[range], run, r);
      for_each_record(run, low, high, buffers.slices[r], [&](SortKey key, const char* record) {
        entries.push_back({key, record});
        bytes += bam_record_size(record);
      });
    }
    sort_by_key(entries, buffers.scratch);
    to.clear();
    to.infos.reserve(entries.size());
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
    }
    to.bytes.end_at(at);
  }

 private:
  struct Buffers {
    std::vector<SortEntry> entries;
    std::vector<SortEntry> scratch;
    std::vector<ByteBuffer> slices;  // of each run
  };

  const std::vector<const SortedRun*>& runs_;
  std::vector<Splitter> splitters_;
  tbb::enumerable_thread_specific<Buffers> buffers_;
};

}  // namespace

void merge_runs(const std::vector<const SortedRun*>& runs, MergeTarget& target, const MergeOptions& options,
                const std::function<void(double)>& progress) {
  // One range for every thread, and some that wait for their turn to be placed or written.
  const std::uint64_t most_pieces = std::max<std::uint64_t>(1, options.memory / (kMemoryFactor * kLeastRangeBytes));
  const std::uint64_t pieces_wanted = std::min<std::uint64_t>(options.threads + options.threads / 4 + 1, most_pieces);
  const std::uint64_t range_bytes =
      std::clamp(options.memory / (kMemoryFactor * pieces_wanted), kLeastRangeBytes, kMostRangeBytes);
  Merge merge(runs, splitters_of(runs, range_bytes));

  std::vector<std::unique_ptr<MergePiece>> pieces;
  for (std::uint64_t i = 0; i < pieces_wanted; ++i) {
    pieces.push_back(target.make_piece());
  }
  // So many ranges are in work at a time, and they end in order: a piece is free when its turn comes again.
  std::size_t taken = 0;
  std::size_t written = 0;
  struct Range {
    std::size_t number;
    MergePiece* piece;
  };
  const auto take = tbb::make_filter<void, Range>(tbb::filter_mode::serial_in_order, [&](tbb::flow_control& control) {
    if (taken == merge.ranges()) {
      control.stop();
      return Range{};
    }
    const std::size_t number = taken++;
    return Range{number, pieces[number % pieces.size()].get()};
  });
  const auto gather = tbb::make_filter<Range, Range>(tbb::filter_mode::parallel, [&](Range range) {
    merge.take(range.number, range.piece->records);
    return range;
  });
  const auto place = tbb::make_filter<Range, Range>(tbb::filter_mode::serial_in_order, [&](Range range) {
    target.place(*range.piece);
    return range;
  });
  const auto pack = tbb::make_filter<Range, Range>(tbb::filter_mode::parallel, [&](Range range) {
    target.pack(*range.piece);
    return range;
  });
  const auto write = tbb::make_filter<Range, void>(tbb::filter_mode::serial_in_order, [&](Range range) {
    target.write(*range.piece);
    ++written;
    if (progress) {
      progress(static_cast<double>(written) / static_cast<double>(merge.ranges()));
    }
  });
  tbb::parallel_pipeline(pieces.size(), take & gather & place & pack & write);
}

}  // namespace trawl::io
