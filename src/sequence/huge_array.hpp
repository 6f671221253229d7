// Memory for which huge pages are requested from the system. The reference and the index are read at random positions.
// With pages of 4 KiB most of these reads would miss the TLB.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>

namespace trawl::sequence {

/// Allocates `bytes` of memory without initialising it, on huge pages if that is useful. Free it with std::free. Throws
/// std::bad_alloc.
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
  madvise(large, rounded, MADV_HUGEPAGE);  // a hint: without it the program is slower, but still correct
#endif
  return large;
}

/// An array of fixed size that is not initialised. It owns its memory, or it shows memory of another owner.
///
///   HugeArray<int> own(1000);
///   const auto owner = std::make_shared<std::vector<int>>(1000);
///   const auto shown = HugeArray<int>::view(owner, owner->data(), 1000);   // keeps the owner alive
///   shown[7] == 0
template <class T>
class HugeArray {
 public:
  HugeArray() = default;
  /// Throws std::bad_alloc.
  explicit HugeArray(std::size_t size)
      : data_(static_cast<T*>(allocate_huge(size * sizeof(T))), FreeMemory{}), size_(size) {}

  /// Shows `size` values at `data`, which `owner` keeps alive. They must not be written.
  static HugeArray view(std::shared_ptr<const void> owner, const T* data, std::size_t size) {
    HugeArray array;
    array.data_ = std::unique_ptr<T, FreeMemory>(const_cast<T*>(data), FreeMemory{std::move(owner)});
    array.size_ = size;
    return array;
  }

  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return data_.get()[i]; }
  const T& operator[](std::size_t i) const { return data_.get()[i]; }
  const T* begin() const { return data_.get(); }
  const T* end() const { return data_.get() + size_; }

 private:
  struct FreeMemory {
    std::shared_ptr<const void> owner;  // of the memory; none: the array owns it
    void operator()(T* p) const {
      if (!owner) {
        std::free(p);
      }
    }
  };
  std::unique_ptr<T, FreeMemory> data_;
  std::size_t size_ = 0;
};

}  // namespace trawl::sequence
