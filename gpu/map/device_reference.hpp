// The reference and its seed index in the memory of a space (device_space.cuh, or host_space.hpp for tests). The
// reference takes 4 bits per base. It is on the device or, if it does not fit there, in host memory, where the steps of
// all devices read it. The index has parts of fewer than 2^32 positions. A part is built when reads need it. If memory
// allows, all parts are kept. Otherwise one part is kept at a time, and each part is built again when its turn comes.
//
// Parts overlap by more than the longest alignment of a read that the device maps. So every alignment lies with all its
// seeds in one part, and each part may choose its own seeds.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "align/mapq.hpp"
#include "base/error.hpp"
#include "engine/engine.hpp"
#include "gpu/device/arena.hpp"
#include "gpu/map/loci.hpp"
#include "gpu/map/reads.hpp"
#include "gpu/map/reference_view.hpp"
#include "gpu/map/seed_table.hpp"
#include "map/options.hpp"
#include "seed/seed_index.hpp"
#include "sequence/reference.hpp"

namespace trawl::gpu {

/// How the index is divided to fit in the memory.
struct IndexPlan {
  std::uint64_t part_positions = 0;  // with the overlap
  std::size_t parts = 0;             // 0: no index
  bool resident = true;              // all parts are kept in memory
  unsigned q = 0;

  static constexpr std::uint64_t kOverlap = 1088;  // above kMaxDeviceRead + kMaxDeviceEdits; a multiple of 64
  static_assert(kOverlap > kMaxDeviceRead + kMaxDeviceEdits);

  /// Scratch memory for the prefix sum over a table.
  static std::uint64_t scratch_bytes(unsigned q) { return (std::uint64_t{1} << (2 * q)) / 32 + 65536; }
  static std::uint64_t table_bytes(unsigned q) { return 4 * ((std::uint64_t{1} << (2 * q)) + 1) + scratch_bytes(q); }
  std::uint64_t part_bytes() const { return table_bytes(q) + 4 * part_positions; }
  std::uint64_t bytes() const { return parts > 0 ? part_bytes() * (resident ? parts : 1) : 0; }

  /// The q for which an average list has one to four positions: a GPU gains more from short lists than it loses by a
  /// large table.
  static unsigned suggest_q(std::uint64_t bases) {
    return std::clamp(static_cast<unsigned>((std::bit_width(bases | 1) - 1) / 2), 10u, seed::SeedIndex::kMaxQ);
  }

  /// A plan for `size` positions in `room` bytes. `most_positions`: the most positions of a part, for tests; 0: as many
  /// as 32 bits can count. Throws Error if no plan fits.
  static IndexPlan make(std::uint64_t size, std::uint64_t bases, std::uint64_t room, std::uint64_t most_positions = 0) {
    constexpr std::uint64_t kMost = (std::uint64_t{1} << 32) - 64;
    IndexPlan plan;
    plan.set(size, most_positions > 0 ? std::min(most_positions, kMost) : kMost, suggest_q(bases));
    if (plan.bytes() <= room) {
      return plan;
    }
    plan.resident = false;
    // A smaller table leaves more room for positions; the table may take half of the room.
    while (plan.q > seed::SeedIndex::kMinQ && table_bytes(plan.q) > room / 2) {
      --plan.q;
    }
    const std::uint64_t table = table_bytes(plan.q);
    const std::uint64_t positions = room > table ? (room - table) / 4 / 64 * 64 : 0;
    if (positions < 2 * kOverlap) {
      throw Error("the device memory given leaves no room for the seed index; give more, or use --engine cpu");
    }
    plan.set(size, std::min(plan.part_positions, positions), plan.q);
    plan.resident = plan.parts == 1;
    return plan;
  }

 private:
  void set(std::uint64_t size, std::uint64_t positions, unsigned gram) {
    q = gram;
    part_positions = std::min(std::max(positions / 64 * 64, 2 * kOverlap), (size + 63) / 64 * 64);
    parts = 1;
    for (std::uint64_t end = part_positions; end < size; end += part_positions - kOverlap) {
      ++parts;
    }
  }
};

template <class Space>
class DeviceReference {
 public:
  template <class T>
  using Buffer = typename Space::template Buffer<T>;

  template <class T>
  using HostBuffer = typename Space::template HostBuffer<T>;

  /// Bytes of the bases, which may also be in host memory.
  static std::uint64_t base_bytes(const sequence::Reference& reference) {
    return 2 * reference.planes().size() * sizeof(BaseBlock);
  }
  /// Bytes of everything else, without the index.
  static std::uint64_t other_bytes(const sequence::Reference& reference) {
    return reference.contigs().size() * sizeof(ContigSpan) +
           reference.ambiguous_runs().size() * sizeof(sequence::AmbiguousRun) + sizeof(align::MapqModel) +
           staging_blocks(reference) * (sizeof(sequence::PlaneBlock) + sizeof(std::uint64_t));
  }

  /// The bases in host memory, for the steps of any space.
  static HostBuffer<BaseBlock> make_host_bases(const sequence::Reference& reference, Space& space) {
    HostBuffer<BaseBlock> blocks(2 * reference.planes().size());
    put_bases(reference, blocks.data(), space);
    return blocks;
  }

  /// `reference` must outlive this. `host_bases`: the bases that make_host_bases() made; nullptr: put the bases on the
  /// device.
  DeviceReference(const sequence::Reference& reference, const IndexPlan& plan, const BaseBlock* host_bases,
                  Space& space)
      : source_(reference), size_(reference.size()), bases_(reference.bases()), plan_(plan) {
    const std::uint64_t blocks = 2 * reference.planes().size();
    if (host_bases == nullptr) {
      blocks_ = Buffer<BaseBlock>(blocks);
      put_bases(reference, blocks_.data(), space);
    }
    put_tables(reference, space);
    view_ = {host_bases != nullptr ? host_bases : blocks_.data(),
             static_cast<std::int64_t>(blocks),
             contigs_.data(),
             reference.contigs().size(),
             reference.has_repeats(),
             runs_.data(),
             reference.ambiguous_runs().size()};
    parts_.resize(plan_.resident ? plan_.parts : 1);
    for (IndexPart& part : parts_) {
      part.table = Buffer<std::uint32_t>((std::uint64_t{1} << (2 * plan_.q)) + 1);
      part.positions = Buffer<std::uint32_t>(plan_.part_positions);
      part.scratch = Buffer<char>(IndexPlan::scratch_bytes(plan_.q));
    }
  }

  const ReferenceView& view() const { return view_; }
  const sequence::Reference& source() const { return source_; }
  /// Reference::bases()
  std::uint64_t bases() const { return bases_; }
  const align::MapqModel* model() const { return model_.data(); }
  /// While no batch is mapped.
  void set_damage(const align::DamageRates& damage, Space& space) {
    const align::MapqModel model(damage);
    space.upload(model_.data(), &model, 1);
    space.synchronize();
  }
  const IndexPlan& plan() const { return plan_; }
  unsigned position_bits() const {
    unsigned bits = 1;
    while ((size_ >> bits) > 0) {
      ++bits;
    }
    return bits;
  }

  /// Whether a scan for this many reads costs less than building the index for them. False if the index is already
  /// there, or if all reads scanned so far, together with these, are worth an index.
  bool scan_is_cheaper(std::uint64_t reads) {
    if (size_ < kWorthAScan) {
      return false;
    }
    const std::lock_guard lock(mutex_);
    if (!plan_.resident) {
      return reads < kReadsWorthAnIndex;
    }
    if (parts_[0].number == 0 || scanned_ + reads >= kReadsWorthAnIndex) {
      return false;
    }
    scanned_ += reads;
    return true;
  }

  /// The part to begin with. If parts take turns, it is the one that is in memory now.
  std::size_t first_part() {
    const std::lock_guard lock(mutex_);
    return plan_.resident || parts_[0].number == IndexPart::kNone ? 0 : parts_[0].number;
  }

  /// Part p; it is built now if it is not there. If parts take turns, only one batch at a time may call this.
  PartView part(std::size_t p, Space& space) {
    const std::lock_guard lock(mutex_);
    IndexPart& slot = parts_[plan_.resident ? p : 0];
    if (slot.number != p) {
      slot.number = IndexPart::kNone;  // valid again when it is built
      try {
        build(p, slot, space);
        space.synchronize();
      } catch (...) {
        // Steps that are still running write to the part; another batch must not build it meanwhile.
        try {
          space.synchronize();
        } catch (const Error&) {
        }
        throw;
      }
      slot.number = p;
    }
    return {slot.table.data(), slot.positions.data(), part_begin(p), part_end(p), plan_.q};
  }

 private:
  struct IndexPart {
    static constexpr std::size_t kNone = ~std::size_t{0};
    std::size_t number = kNone;
    Buffer<std::uint32_t> table;
    Buffer<std::uint32_t> positions;
    Buffer<char> scratch;  // for the prefix sum
  };

  // On an H100 it takes 0.3 ns to index a position, and 3.3 ps to scan a position for one read
  // (docs/record/map.md).
  static constexpr std::uint64_t kReadsWorthAnIndex = 64;
  static constexpr std::uint64_t kWorthAScan = std::uint64_t{1} << 20;  // positions; smaller ones are fast anyway

  static constexpr std::uint64_t kStagingBlocks = std::uint64_t{1} << 18;
  static std::uint64_t staging_blocks(const sequence::Reference& reference) {
    return std::min<std::uint64_t>(kStagingBlocks, reference.planes().size());
  }

  std::uint64_t part_begin(std::size_t p) const { return p * (plan_.part_positions - IndexPlan::kOverlap); }
  std::uint64_t part_end(std::size_t p) const { return std::min(size_, part_begin(p) + plan_.part_positions); }

  static void put_bases(const sequence::Reference& reference, BaseBlock* blocks, Space& space) {
    const std::uint64_t words = reference.planes().size();
    const std::uint64_t staged = staging_blocks(reference);
    Buffer<sequence::PlaneBlock> planes(staged);
    Buffer<std::uint64_t> ambiguous(staged);
    for (std::uint64_t first = 0; first < words; first += staged) {
      const std::uint64_t count = std::min(staged, words - first);
      space.upload(planes.data(), reference.planes().data() + first, count);
      space.upload(ambiguous.data(), reference.ambiguous().data() + first, count);
      space.for_each(2 * count, MakeBlocks{planes.data(), ambiguous.data(), blocks + 2 * first});
    }
    space.synchronize();
  }

  void put_tables(const sequence::Reference& reference, Space& space) {
    std::vector<ContigSpan> spans;
    for (const auto& contig : reference.contigs()) {
      spans.push_back({contig.offset, contig.length, contig.topology.repeated});
    }
    const auto uploaded = [&]<class T>(const T* data, std::size_t count) {
      Buffer<T> buffer(count);
      space.upload(buffer.data(), data, count);
      return buffer;
    };
    const align::MapqModel model;
    contigs_ = uploaded(spans.data(), spans.size());
    runs_ = uploaded(reference.ambiguous_runs().data(), reference.ambiguous_runs().size());
    model_ = uploaded(&model, 1);
    space.synchronize();
  }

  void build(std::size_t p, IndexPart& part, Space& space) {
    const std::uint64_t keys = std::uint64_t{1} << (2 * plan_.q);
    const std::uint64_t begin = part_begin(p);
    const std::uint64_t positions = part_end(p) - begin;
    Arena scratch(part.scratch.data(), part.scratch.size());
    space.zero(part.table.data(), keys + 1);
    space.for_each(positions, CountKeys{view_, begin, plan_.q, part.table.data()});
    try {
      space.exclusive_sum(part.table.data() + 1, keys, scratch);
    } catch (const OutOfRoom&) {
      // This is not the batch's OutOfRoom: a smaller batch would not help.
      throw Error(
          "the seed index takes more working memory on this device than is set aside for it; use --engine cpu, "
          "or --tune search=scan, and report it");
    }
    space.for_each(positions, ScatterPositions{view_, begin, plan_.q, part.table.data(), part.positions.data()});
  }

  const sequence::Reference& source_;
  std::uint64_t size_;
  std::uint64_t bases_;
  IndexPlan plan_;
  ReferenceView view_;
  Buffer<BaseBlock> blocks_;  // used if the bases are not in host memory
  Buffer<ContigSpan> contigs_;
  Buffer<sequence::AmbiguousRun> runs_;
  Buffer<align::MapqModel> model_;
  std::mutex mutex_;
  std::vector<IndexPart> parts_;
  std::uint64_t scanned_ = 0;  // reads that were scanned because there is no index yet
};

/// What all steps of a batch work with.
template <class Space>
struct DeviceWork {
  DeviceReference<Space>& reference;
  const map::MapOptions& options;
  Space& space;
  Arena arena;
  LocusFormat format;
  engine::StageSeconds seconds;

  /// counts[i] becomes the sum of all elements before it; counts[n] is the sum of all.
  void to_places(std::uint32_t* counts, std::uint64_t n) {
    space.zero(counts + n, 1);
    space.exclusive_sum(counts, n + 1, arena);
  }
  /// The same. Returns the sum of all.
  std::uint32_t sum_up(std::uint32_t* counts, std::uint64_t n) {
    to_places(counts, n);
    return space.fetch(counts + n);
  }
};

}  // namespace trawl::gpu
