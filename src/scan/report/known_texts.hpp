// What is known of texts beside a guide's PAM: in repeats the same letters occur thousands of times, and each distinct
// text is compared and aligned only once, or a few times. For one thread.
//
//   KnownTexts<int> known;
//   const sequence::PlaneBlock text = sequence::planes_of("GATTACA");
//   known.find(3, text) == nullptr                 // of query 3
//   known.put(3, text, 5);
//   *known.find(3, text) == 5                      // unless another text has taken its place
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sequence/plane_window.hpp"

namespace trawl::scan {

template <class Value>
class KnownTexts {
 public:
  const Value* find(std::uint32_t query, const sequence::PlaneBlock& text) const {
    if (slots_.empty()) {
      return nullptr;
    }
    const Slot& slot = slots_[place(query, text)];
    return slot.query == query && slot.high == text.high && slot.low == text.low ? &slot.value : nullptr;
  }
  void put(std::uint32_t query, const sequence::PlaneBlock& text, const Value& value) {
    if (slots_.empty()) {
      slots_.resize(kSlots);
    }
    slots_[place(query, text)] = {text.high, text.low, query, value};
  }

 private:
  // With 32 bytes each, they stay in the caches of the processor.
  static constexpr std::size_t kSlots = std::size_t{1} << 14;
  static constexpr std::uint32_t kNone = UINT32_MAX;

  struct Slot {
    std::uint64_t high = 0, low = 0;
    std::uint32_t query = kNone;
    Value value{};
  };

  static std::size_t place(std::uint32_t query, const sequence::PlaneBlock& text) {
    std::uint64_t hash = (text.high ^ query) * 0x9E3779B97F4A7C15u;
    hash = (hash ^ (hash >> 29) ^ text.low) * 0xC2B2AE3D27D4EB4Fu;
    return static_cast<std::size_t>(hash >> 50);
  }
  static_assert(kSlots == std::size_t{1} << (64 - 50));

  std::vector<Slot> slots_;
};

}  // namespace trawl::scan
