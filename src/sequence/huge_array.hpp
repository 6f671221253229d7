// Memory that asks the system for huge pages: the reference and the index are read at random, and with pages of 4 KiB
// most reads would miss the TLB.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

namespace trawl::sequence {

/// `bytes` of memory, not initialised; on huge pages if that is worth it. Freed by std::free. Throws std::bad_alloc.
inline void* allocate_huge(std::size_t bytes) {
  constexpr std::size_t huge = std::size_t{2} << 20;
  if (bytes < huge) {
    if (void* small = std::malloc(bytes == 0 ? 1 : bytes)) {
      return small;
    }
    throw std::bad_alloc();
  }
  const std::size_t rounded = (bytes + huge - 1) / huge * huge;
  void* large = std::aligned_alloc(huge, rounded);
  if (large == nullptr) {
    throw std::bad_alloc();
  }
#ifdef MADV_HUGEPAGE
  madvise(large, rounded, MADV_HUGEPAGE);  // a hint; without it all is slower, not wrong
#endif
  return large;
}

/// For standard containers.
template <class T>
struct HugeAllocator {
  using value_type = T;

  HugeAllocator() = default;
  template <class U>
  HugeAllocator(const HugeAllocator<U>&) {}

  T* allocate(std::size_t n) { return static_cast<T*>(allocate_huge(n * sizeof(T))); }
  void deallocate(T* p, std::size_t) { std::free(p); }
  bool operator==(const HugeAllocator&) const { return true; }
};

/// A fixed array that is not initialised.
template <class T>
class HugeArray {
 public:
  HugeArray() = default;
  explicit HugeArray(std::size_t size) : data_(static_cast<T*>(allocate_huge(size * sizeof(T)))), size_(size) {}

  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return data_.get()[i]; }
  const T& operator[](std::size_t i) const { return data_.get()[i]; }

 private:
  struct Free {
    void operator()(T* p) const { std::free(p); }
  };
  std::unique_ptr<T, Free> data_;
  std::size_t size_ = 0;
};

}  // namespace trawl::sequence
