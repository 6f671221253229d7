// How the device searches queries: which of them by rows, by pieces, and from the sites of their PAM. No CUDA header is
// needed to use this.
//
//   const DevicePlan plan(queries, options, 8 << 30);
//   plan.programs, plan.literals, plan.guides
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "scan/find/guide_set.hpp"
#include "scan/find/literal_group.hpp"
#include "scan/find/place_check.hpp"
#include "scan/find/search_plan.hpp"
#include "scan/find/wu_manber_program.hpp"

namespace trawl::gpu {

/// What the steps take on a device: plans are chosen by these, and by LiteralPlan::cost(). Measured on an H200.
/// Rows: 1.3 Tbp/s for a pattern of 20 with 3 edits. Sites, words and guides: 312 to 100,000 guides of 20 with NGG on 1
/// Gbp. Places: 16,000 patterns of 20 and 32 with 2 and 3 edits.
inline constexpr scan::SearchCosts kDeviceCosts{.row = 2.4e-6,
                                                .site = 9e-4,
                                                .word = 6e-3,
                                                .guide = 2.8e-2,
                                                .guide_no_gaps = 1.2e-2,
                                                .place = 6e-2,
                                                .place_row = 2e-3};

/// How the device looks a group of literals up (literal_search.cu): the step and the gram that cost least, and the
/// sizes of the tables.
///
///   const LiteralPlan plan(group, false);
///   plan.step      // every step-th gram of the text is looked up
///   plan.bytes()   // of device memory for the tables
struct LiteralPlan {
  static constexpr unsigned kLongestGram = scan::LiteralGroup::kLongestGram;
  static constexpr unsigned kLargestStep = 16;

  unsigned gram = 0;  // letters
  unsigned step = 0;
  std::uint64_t entries = 0;
  unsigned shared_bits = 0;  // 0: no bitmap in shared memory
  unsigned global_bits = 0;
  unsigned bucket_bits = 0;

  LiteralPlan(const scan::LiteralGroup& group, bool are_parts) {
    // The bitmap in shared memory has up to 128 KiB: one block of threads runs on a multiprocessor. If the literals are
    // parts, places that wait for their check are there, too.
    const unsigned most_shared_bits = are_parts ? 19 : 20;
    double best = 0;
    for (unsigned s = 1; s <= kLargestStep && s <= group.shortest; s *= 2) {
      const LiteralPlan plan(group.size(), group.shortest, s, most_shared_bits);
      if (const double cost = plan.cost(); step == 0 || cost < best) {
        *this = plan;
        best = cost;
      }
    }
  }
  /// What looking them up takes for each position of the text, in nanoseconds.
  double nanoseconds() const { return kNanoseconds * cost(); }
  std::uint64_t bytes() const {
    // Sorting needs a second copy of the hashes and the entries, and a little more.
    return (std::uint64_t{1} << shared_bits) / 8 + (std::uint64_t{1} << global_bits) / 8 +
           ((std::uint64_t{1} << bucket_bits) + 1) * 4 + entries * 4 * 4 + (std::uint64_t{256} << 10);
  }

 private:
  LiteralPlan(std::uint64_t literals, std::uint32_t shortest, unsigned s, unsigned most_shared_bits)
      : gram(std::min(kLongestGram, shortest - s + 1)), step(s), entries(literals * s) {
    const auto bits_for = [](std::uint64_t bits, unsigned least, unsigned most) {
      return std::clamp(static_cast<unsigned>(std::bit_width(bits - 1)), least, most);
    };
    shared_bits = bits_for(entries * kSharedBitsAGram, kLeastSharedBits, most_shared_bits);
    global_bits = bits_for(entries * kGlobalBitsAGram, kLeastGlobalBits, kMostGlobalBits);
    bucket_bits = bits_for(entries, 8, 27);
    if (pass_rate(shared_bits) > kMostPassing) {
      shared_bits = 0;
    }
  }
  // The share of a random text's grams that a bitmap lets pass.
  double pass_rate(unsigned bits) const {
    return 1 - std::exp(-std::ldexp(static_cast<double>(entries), -static_cast<int>(bits)));
  }
  // For each position of the text.
  double cost() const {
    const double equal =
        std::ldexp(static_cast<double>(entries), -static_cast<int>(2 * gram));  // entries of a random gram
    const double first = shared_bits > 0 ? std::max(pass_rate(shared_bits), equal) : 1;
    const double both = std::max(first * pass_rate(global_bits), equal);
    return ((shared_bits > 0 ? 1 : kGlobalLookUp) + (shared_bits > 0 ? kSecondLookUp * first : 0) +
            (entries > kNearEntries ? kFarCheck : kCheck) * both) /
           step;
  }

  static constexpr unsigned kLeastSharedBits = 16;
  static constexpr std::uint64_t kSharedBitsAGram = 64;
  // The bitmap in global memory stays in the level 2 cache up to 2^28 bits, 32 MiB.
  static constexpr unsigned kLeastGlobalBits = 16;
  static constexpr unsigned kMostGlobalBits = 28;
  static constexpr std::uint64_t kGlobalBitsAGram = 32;

  static constexpr double kMostPassing = 0.6;
  // In units of a look-up in shared memory, on an H200.
  static constexpr double kNanoseconds = 5e-4;
  static constexpr double kSecondLookUp = 22, kGlobalLookUp = 20;
  // Checking one literal; more if the tables do not fit in the level 2 cache.
  static constexpr double kCheck = 100, kFarCheck = 400;
  static constexpr std::uint64_t kNearEntries = std::uint64_t{1} << 20;
};

struct DevicePlan {
  /// The least memory of a device, in bytes, for a stretch of the text and its hits.
  static constexpr std::uint64_t kLeastRoom = std::uint64_t{2} << 20;
  /// Bytes of device memory for each hit, for a place that waits for its check, and for a list of rows.
  static constexpr std::uint64_t kBytesAHit = 2 * 8 + 1, kBytesAPlace = 16, kBytesAList = 12;

  std::vector<scan::WuManberProgram> programs;   // at most one
  std::vector<scan::LiteralGroup> literals;      // queries or, if `places` is there, parts of them
  std::shared_ptr<const scan::PartList> parts;   // never null
  std::optional<scan::PlaceCheck> places;        // checks the places of parts
  std::unique_ptr<const scan::GuideSet> guides;  // null: there are none
  std::uint32_t query_count = 0;                 // how many; their ids are below that, and those of parts follow
  std::uint64_t reach = 0;                       // no match is longer
  sequence::AmbiguousLimit limit;                // scan::end_limit()

  /// Searches each query in the fastest way by kDeviceCosts, or as options.search says. Guides, and queries with edits,
  /// are searched by rows if the tables do not fit in `memory`, in bytes. `queries` must outlive the plan.
  DevicePlan(const std::vector<scan::Query>& queries, const scan::ScanOptions& options, std::uint64_t memory)
      : DevicePlan(queries, options, memory, scan::GuideSet::choose(queries, options, kDeviceCosts)) {}
  /// The same with guides that were chosen before the memory was known.
  DevicePlan(const std::vector<scan::Query>& queries, const scan::ScanOptions& options, std::uint64_t memory,
             std::unique_ptr<const scan::GuideSet> chosen);

  /// How many kinds of search there are.
  unsigned kinds() const { return !programs.empty() + !literals.empty() + (guides != nullptr); }
  /// Whether a search needs a PlanesText, and the letters before an end that this must have.
  bool has_planes() const { return !literals.empty() || guides; }
  std::uint64_t planes_reach() const;
  /// The most hits with one end: of literals, or of queries whose places may be on several diagonals; and of guides,
  /// where an end may be found from several sites, with different distances.
  std::uint64_t most_hits_of_literals() const;
  std::uint64_t most_hits_of_guides() const;
  /// Bytes on the device, with room for the hits of one end.
  std::uint64_t bytes() const { return row_bytes() + literal_bytes() + guide_bytes(); }

 private:
  std::uint64_t row_bytes() const;
  std::uint64_t literal_bytes() const;
  std::uint64_t guide_bytes() const;
  void look_up_parts(const std::vector<scan::Query>& queries, const scan::ScanOptions& options, std::uint64_t memory);
  void make(const std::vector<scan::Query>& queries, const scan::ScanOptions& options, bool look_up);
};

}  // namespace trawl::gpu
