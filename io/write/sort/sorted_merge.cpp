#include "io/write/sort/sorted_merge.hpp"

#include <tbb/parallel_pipeline.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>

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
template <class Entry>
void copy_entries(const std::vector<Entry>& entries, bool with_orders, BamRecords& to) {
  to.clear();
  to.infos.reserve(entries.size());
  std::size_t bytes = with_orders ? entries.size() * sizeof(std::uint64_t) : 0;
  for (const Entry& entry : entries) {
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
    if constexpr (requires { entries[i].order; }) {
      if (with_orders) {
        std::memcpy(at, &entries[i].order, sizeof entries[i].order);
        at += sizeof entries[i].order;
      }
    }
  }
  to.bytes.end_at(at);
}

std::uint64_t order_of(const SortEntry& entry) { return order_after(entry.record); }
std::uint64_t order_of(const OrderedEntry& entry) { return entry.order; }

// Sets the flag of duplicates in the copies of the entries, whose records have their orders after them.
template <class Entry>
void mark(const std::vector<Entry>& entries, const std::vector<bool>& duplicates, BamRecords& copies) {
  constexpr std::uint16_t others = align::kFlagUnmapped | align::kFlagSecondary | align::kFlagSupplementary;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    BamRecordInfo& info = copies.infos[i];
    if ((info.flag & others) == 0 && duplicates[order_of(entries[i])]) {
      info.flag |= align::kFlagDuplicate;
      std::memcpy(copies.bytes.data() + info.at + offsetof(BamFields, flag), &info.flag, sizeof info.flag);
    }
  }
}

// Records with equal keys, which are in the order of their sources: by their orders.
void sort_ties(std::vector<OrderedEntry>& entries) {
  const auto comes_before = [](const OrderedEntry& a, const OrderedEntry& b) { return a.order < b.order; };
  for (auto first = entries.begin(); first != entries.end();) {
    auto last = first + 1;
    while (last != entries.end() && last->key == first->key) {
      ++last;
    }
    if (!std::is_sorted(first, last, comes_before)) {
      std::stable_sort(first, last, comes_before);
    }
    first = last;
  }
}

}  // namespace

std::vector<SortPlace> samples_of(const std::vector<const SortedRun*>& runs, std::uint64_t step, std::size_t first) {
  std::vector<SortPlace> samples;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const auto& marks = runs[r]->marks();
    // The first sample is at another offset in each run, evenly spread: otherwise runs shorter than a step would all be
    // sampled at their first record, or not at all.
    constexpr double golden = 0.6180339887498949;
    const double share = static_cast<double>(first + r) * golden;
    auto at = static_cast<std::uint64_t>((share - std::floor(share)) * static_cast<double>(step));
    for (std::size_t group = 0; at < runs[r]->record_bytes(); at += step) {
      const auto after = std::upper_bound(marks.begin() + static_cast<std::ptrdiff_t>(group), marks.end(), at,
                                          [](std::uint64_t value, const auto& mark) { return value < mark.at; });
      group = static_cast<std::size_t>(after - marks.begin()) - 1;
      samples.push_back(runs[r]->place(group));
    }
  }
  return samples;
}

std::vector<SortPlace> splitters_of(std::vector<SortPlace> samples, std::uint64_t samples_per_range) {
  std::sort(samples.begin(), samples.end());
  std::vector<SortPlace> splitters;
  for (std::size_t i = samples_per_range; i < samples.size(); i += samples_per_range) {
    splitters.push_back(samples[i]);
  }
  return splitters;
}

std::uint64_t range_bytes_of(std::uint64_t memory, std::uint64_t pieces) {
  return std::clamp(memory / (kMemoryFactor * pieces), kLeastRangeBytes, kMostRangeBytes);
}

// Calls each(run, place, record) for the records of a range.
template <class Each>
void RangeMerge::for_each(std::size_t range, std::vector<ByteBuffer>& slices, Each&& each) const {
  slices.resize(runs_.size());
  for (std::size_t r = 0; r < runs_.size(); ++r) {
    const SortedRun& run = *runs_[r];
    const RunCut low = range == 0 ? RunCut{} : run.cut(splitters_[range - 1]);
    const RunCut high = range == splitters_.size() ? run.end() : run.cut(splitters_[range]);
    for_each_record(run, low, high, slices[r], each);
  }
}

void RangeMerge::take(std::size_t range, BamRecords& to, const std::vector<bool>* duplicates) {
  Buffers& buffers = buffers_.local();
  buffers.entries.clear();
  for_each(range, buffers.slices, [&](const SortPlace& place, const char* record) {
    buffers.entries.push_back({place.key, record});
  });
  sort_by_key(buffers.entries, buffers.scratch);
  copy_entries(buffers.entries, false, to);
  if (duplicates != nullptr) {
    mark(buffers.entries, *duplicates, to);
  }
}

void RangeMerge::take_with_orders(std::size_t range, BamRecords& to) {
  Buffers& buffers = buffers_.local();
  buffers.ordered.clear();
  for_each(range, buffers.slices, [&](const SortPlace& place, const char* record) {
    buffers.ordered.push_back({place.key, record, place.order});
  });
  sort_by_key(buffers.ordered, buffers.ordered_scratch);
  copy_entries(buffers.ordered, true, to);
}

void RangeMerge::merge_parts(std::span<const std::string_view> parts, BamRecords& to,
                             const std::vector<bool>* duplicates) {
  Buffers& buffers = buffers_.local();
  auto& entries = buffers.ordered;
  entries.clear();
  for (const std::string_view part : parts) {
    const char* record = part.data();
    for (const char* const end = record + part.size(); record < end;) {
      entries.push_back({sort_key(record), record, order_after(record)});
      record += bam_record_size(record) + sizeof entries.back().order;
    }
  }
  sort_by_key(entries, buffers.ordered_scratch);
  sort_ties(entries);
  copy_entries(entries, false, to);
  if (duplicates != nullptr) {
    mark(entries, *duplicates, to);
  }
}

void merge_runs(const std::vector<const SortedRun*>& runs, MergeTarget& target, const MergeOptions& options,
                const std::function<void(double)>& progress) {
  // One range for every thread, and some that wait for their turn to be placed or written.
  const std::uint64_t most_pieces = std::max<std::uint64_t>(1, options.memory / (kMemoryFactor * kLeastRangeBytes));
  const std::uint64_t pieces_wanted = std::min<std::uint64_t>(pieces_for(options.threads), most_pieces);
  const std::uint64_t range_bytes = range_bytes_of(options.memory, pieces_wanted);
  // Each sample stands for as many bytes.
  const std::uint64_t step = std::max<std::uint64_t>(1, range_bytes / kSamplesPerRange);
  RangeMerge merge(runs, splitters_of(samples_of(runs, step), kSamplesPerRange));

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
    if (options.with_orders) {
      merge.take_with_orders(range.number, range.piece->records);
    } else {
      merge.take(range.number, range.piece->records, options.duplicates);
    }
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
