// Brings reads, or queries of engine::RangeFinder, to the device: their text, what is known of each, and both strands
// encoded. Some of them are left to the CPU.
//
//   Upload<Space> upload(work);
//   const ReadsView reads = upload.reads(batch, 0, batch.size(), depth, false);
//   upload.list_left(0, batch.size(), left);
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/engine.hpp"
#include "gpu/map/device_reference.hpp"
#include "gpu/map/loci.hpp"
#include "gpu/map/range_filter.hpp"
#include "gpu/map/reads.hpp"
#include "map/search_depth.hpp"
#include "sequence/alphabet.hpp"
#include "sequence/read_batch.hpp"

namespace trawl::gpu {

template <class Space>
class Upload {
 public:
  /// `work` must outlive it. All memory is taken from its arena.
  explicit Upload(DeviceWork<Space>& work) : work_(work), short_reads_(work.options, work.reference.bases()) {}

  /// `count` reads from read `first` on. Either both mates of a pair are left, or none. `depth`: how many edits they
  /// are searched for first; `paired`: they are mapped as pairs.
  ReadsView reads(const sequence::ReadBatch& batch, std::size_t first, std::size_t count, const map::SearchDepth& depth,
                  bool paired) {
    // To build all parts of an index twice costs more than a search for few edits saves.
    const bool full = !work_.reference.plan().resident;
    start(count);
    for (std::size_t r = 0; r < count; ++r) {
      const std::size_t i = first + r;
      const auto name = batch.name(i);
      const auto bases = batch.bases(i);
      const auto qualities = batch.qualities(i);
      ReadEntry& entry = entries_[r];
      entry.number = static_cast<std::uint32_t>(r);
      entry.name = put_text(name);
      entry.name_length = static_cast<std::uint32_t>(name.size());
      if (short_reads_.is_too_short(bases)) {
        entry.too_short = true;
      } else {
        put_bases(entry, put_text(bases), bases.size(), work_.options.allowed_edits(bases.size()));
        if (!full && entry.length > 0) {
          const auto ambiguous = std::count_if(bases.begin(), bases.end(), [](char letter) {
            return sequence::base_code(letter) == sequence::kAmbiguous;
          });
          entry.max_edits = static_cast<std::uint16_t>(
              depth.first(bases.size(), static_cast<std::size_t>(ambiguous), entry.allowed_edits, paired));
        }
      }
      entry.has_qualities = !qualities.empty();
      set_strands(entry, batch.is_second(i));
      entry.qualities = put_text(qualities);
    }
    for (std::size_t r = 0; batch.paired && r < count; r += 2) {
      if (entries_[r].is_left() || entries_[r + 1].is_left()) {
        leave(r);
        leave(r + 1);
      }
    }
    return encode();
  }

  /// The queries are the first reads of `reads` and all of `queries`. After them come the whole reads that they belong
  /// to, if their ranges are to be filtered.
  LimitedRanges queries(std::span<const engine::RangeQuery> queries) {
    start(queries.size());
    limits_.assign(queries.size(), {});
    std::string_view read;
    for (std::size_t q = 0; q < queries.size(); ++q) {
      const engine::RangeQuery& query = queries[q];
      entries_[q].number = static_cast<std::uint32_t>(q);
      set_strands(entries_[q], query.second_mate);
      const bool has_limit = query.most_penalty < query.read.size();
      if (query.read.empty() || query.read.size() > kMaxDeviceRead || !has_limit) {
        put_bases(entries_[q], put_text(query.bases), query.bases.size(), query.max_edits);
        continue;
      }
      // Queries of one read follow each other.
      if (query.read.data() != read.data() || query.read.size() != read.size()) {
        read = query.read;
        ReadEntry entry;
        put_bases(entry, put_text(read), read.size(), 0);
        entries_.push_back(entry);
      }
      const auto begin = static_cast<std::uint32_t>(query.bases.data() - read.data());
      put_bases(entries_[q], entries_.back().bases + begin, query.bases.size(), query.max_edits);
      limits_[q] = {static_cast<std::uint32_t>(entries_.size() - 1), begin, query.most_penalty};
    }
    LimitedRanges limited;
    limited.position_bits = work_.format.position_bits;
    limited.reads = limited.queries = encode();
    limited.queries.limit_to(entries_.data(), queries.size());
    if (entries_.size() > queries.size() && limited.queries.longest > 0) {
      RangeLimit* const limits = work_.arena.template take<RangeLimit>(queries.size());
      work_.space.upload(limits, limits_.data(), queries.size());
      limited.limits = limits;
    }
    return limited;
  }

  /// The CPU maps this read.
  void leave(std::size_t r) {
    entries_[r].length = entries_[r].max_edits = entries_[r].allowed_edits = 0;
    entries_[r].too_short = false;
  }

  /// `count` of the reads: those that KeepSome keeps, for another search.
  ReadsView some(ReadsView reads, const std::uint32_t* places, std::uint32_t count) {
    ReadEntry* const kept = work_.arena.template take<ReadEntry>(count);
    work_.space.for_each(reads.count, KeepSome<ReadEntry>{places, reads.reads, kept});
    reads.reads = kept;
    reads.count = count;
    reads.most_edits = reads.most_allowed;
    encode_strands(reads);
    return reads;
  }

  /// Lists the reads or queries that the CPU maps; the first one here is number `first`.
  void list_left(std::size_t first, std::size_t count, std::vector<std::uint32_t>& left) const {
    for (std::size_t r = 0; r < count; ++r) {
      if (entries_[r].is_left()) {
        left.push_back(static_cast<std::uint32_t>(first + r));
      }
    }
  }

 private:
  void start(std::size_t count) {
    text_.clear();
    entries_.assign(count, {});
  }

  std::uint64_t put_text(std::string_view piece) {
    const std::uint64_t at = text_.size();
    text_ += piece;
    return at;
  }

  // `bases`: where they are in the text.
  static void put_bases(ReadEntry& entry, std::uint64_t bases, std::size_t length, std::uint32_t max_edits) {
    entry.bases = bases;
    if (length <= max_edits) {
      entry.too_short = true;
    } else if (length <= kMaxDeviceRead && max_edits <= kMaxDeviceEdits) {
      entry.length = static_cast<std::uint32_t>(length);
      entry.max_edits = entry.allowed_edits = static_cast<std::uint16_t>(max_edits);
    }
  }

  void set_strands(ReadEntry& entry, bool second_mate) const {
    for (const bool reverse : {false, true}) {
      entry.searched[reverse] = work_.options.searches(reverse, second_mate);
    }
  }

  // First the text of the reads and the facts about each read; then both strands, encoded.
  ReadsView encode() {
    ReadsView reads;
    const std::size_t count = entries_.size();
    reads.limit_to(entries_.data(), count);
    if (reads.longest == 0) {
      return reads;
    }
    Arena& arena = work_.arena;
    reads.stride = reads.longest / 32 + 2;
    char* const device_text = arena.take<char>(text_.size());
    ReadEntry* const device_entries = arena.take<ReadEntry>(count);
    work_.space.upload(device_text, text_.data(), text_.size());
    work_.space.upload(device_entries, entries_.data(), count);
    reads.text = device_text;
    reads.reads = device_entries;
    encode_strands(reads);
    return reads;
  }

  void encode_strands(ReadsView& reads) {
    const std::uint64_t blocks = 2 * std::uint64_t{reads.count} * reads.stride;
    BaseBlock* const strands = work_.arena.template take<BaseBlock>(blocks);
    const bool ambiguous_matches = work_.options.ambiguous == map::Ambiguous::match;
    SetBlock* const sets = ambiguous_matches ? work_.arena.template take<SetBlock>(blocks) : nullptr;
    reads.strands = strands;
    reads.sets = sets;
    work_.space.for_each(blocks, EncodeStrands{reads, strands, sets});
  }

  DeviceWork<Space>& work_;
  map::ShortReads short_reads_;
  std::vector<ReadEntry> entries_;
  std::string text_;  // of the reads that are mapped together: name, bases, qualities, read by read
  std::vector<RangeLimit> limits_;
};

}  // namespace trawl::gpu
