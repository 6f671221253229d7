// What is known of texts beside a guide's PAM: in repeats the same letters occur thousands of times, and most distinct
// texts are compared and aligned only once. For many threads.
//
//   KnownTexts<int> known;
//   const sequence::PlaneBlock text = sequence::planes_of("GATTACA");
//   known.find(3, text).has_value() == false       // of query 3
//   known.put(3, text, 5);
//   known.find(3, text) == 5                       // unless another text has taken its place
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <type_traits>

#include "sequence/plane_window.hpp"

namespace trawl::scan {

/// `Value`: at most 8 bytes. Takes 32 MB of addresses; memory only for the pages that are used.
template <class Value>
class KnownTexts {
 public:
  /// Throws std::bad_alloc.
  KnownTexts() : slots_(static_cast<Slot*>(std::calloc(kSlots, sizeof(Slot)))) {
    if (!slots_) {
      throw std::bad_alloc();
    }
  }

  std::optional<Value> find(std::uint32_t query, const sequence::PlaneBlock& text) const {
    Slot& slot = slots_[place(query, text)];
    const std::uint32_t version = Atomic<std::uint32_t>(slot.version).load(std::memory_order_acquire);
    const bool is_same = load(slot.query) == query && load(slot.high) == text.high && load(slot.low) == text.low;
    const std::uint64_t bits = load(slot.value);
    std::atomic_thread_fence(std::memory_order_acquire);
    if (!is_same || version == 0 || version % 2 != 0 || load(slot.version) != version) {
      return std::nullopt;
    }
    Value value;
    std::memcpy(static_cast<void*>(&value), &bits, sizeof value);
    return value;
  }

  void put(std::uint32_t query, const sequence::PlaneBlock& text, const Value& value) {
    Slot& slot = slots_[place(query, text)];
    std::uint32_t version = load(slot.version);
    // While a thread writes, the number is odd. A thread that comes meanwhile does without.
    if (version % 2 != 0 || !Atomic<std::uint32_t>(slot.version).compare_exchange_strong(version, version + 1)) {
      return;
    }
    std::atomic_thread_fence(std::memory_order_release);
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    store(slot.query, query);
    store(slot.high, text.high);
    store(slot.low, text.low);
    store(slot.value, bits);
    Atomic<std::uint32_t>(slot.version).store(version + 2 != 0 ? version + 2 : 2, std::memory_order_release);
  }

 private:
  static_assert(std::is_trivially_copyable_v<Value> && sizeof(Value) <= sizeof(std::uint64_t));
  static constexpr unsigned kSlotBits = 20;
  static constexpr std::size_t kSlots = std::size_t{1} << kSlotBits;

  struct Slot {
    std::uint32_t version;  // 0: empty
    std::uint32_t query;
    std::uint64_t high, low;
    std::uint64_t value;
  };
  struct Free {
    void operator()(Slot* slots) const { std::free(slots); }
  };

  template <class T>
  using Atomic = std::atomic_ref<T>;
  template <class T>
  static T load(T& of) {
    return Atomic<T>(of).load(std::memory_order_relaxed);
  }
  template <class T>
  static void store(T& to, T value) {
    Atomic<T>(to).store(value, std::memory_order_relaxed);
  }

  static std::size_t place(std::uint32_t query, const sequence::PlaneBlock& text) {
    std::uint64_t hash = (text.high ^ query) * 0x9E3779B97F4A7C15u;
    hash = (hash ^ (hash >> 29) ^ text.low) * 0xC2B2AE3D27D4EB4Fu;
    return static_cast<std::size_t>(hash >> (64 - kSlotBits));
  }

  std::unique_ptr<Slot[], Free> slots_;
};

}  // namespace trawl::scan
