// Hands out parts of one allocation on a device, from both of its ends: the working memory of a batch. If a part does
// not fit, OutOfRoom is thrown, and the caller processes fewer reads at a time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace trawl::gpu {

/// The memory asked for does not fit.
struct OutOfRoom {};

class Arena {
 public:
  Arena() = default;
  Arena(char* memory, std::size_t size) : memory_(memory), high_(size / kAlignment * kAlignment), size_(high_) {}

  void clear() {
    low_ = 0;
    high_ = size_;
  }

  /// `count` elements after those taken last.
  template <class T>
  T* take(std::uint64_t count) {
    const std::uint64_t bytes = rounded<T>(count);
    low_ += bytes;
    return reinterpret_cast<T*>(memory_ + low_ - bytes);
  }
  /// `count` elements at the high end.
  template <class T>
  T* take_high(std::uint64_t count) {
    high_ -= rounded<T>(count);
    return reinterpret_cast<T*>(memory_ + high_);
  }

  /// release(m) gives back all that take() gave since m = mark().
  std::size_t mark() const { return low_; }
  void release(std::size_t mark) { low_ = mark; }

  std::size_t room() const { return high_ - low_; }

 private:
  static constexpr std::size_t kAlignment = 256;

  template <class T>
  std::uint64_t rounded(std::uint64_t count) const {
    const std::uint64_t room = high_ - low_;
    if (count > room / sizeof(T)) {
      throw OutOfRoom();
    }
    const std::uint64_t bytes = (count * sizeof(T) + kAlignment - 1) / kAlignment * kAlignment;
    if (bytes > room) {
      throw OutOfRoom();
    }
    return bytes;
  }

  char* memory_ = nullptr;
  std::size_t low_ = 0;
  std::size_t high_ = 0;
  std::size_t size_ = 0;
};

}  // namespace trawl::gpu
