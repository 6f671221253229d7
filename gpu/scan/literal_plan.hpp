// How the device looks a group of literals up (literal_search.cu), chosen by cost.
//
//   const LiteralPlan plan(group, false);
//   plan.step      // every step-th gram of the text is looked up
//   plan.bytes()   // of device memory for the tables
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "scan/find/literal_group.hpp"

namespace trawl::gpu {

/// The step and the gram that cost least, and the sizes of the tables.
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

}  // namespace trawl::gpu
