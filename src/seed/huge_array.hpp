// A large array that is not initialised and asks the system for huge pages: the index is read at random, and with
// pages of 4 KiB most reads would miss the TLB.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

namespace trawl::seed {

template <class T>
class HugeArray {
 public:
  HugeArray() = default;

  explicit HugeArray(std::size_t size) : size_(size) {
    constexpr std::size_t huge = std::size_t{2} << 20;
    const std::size_t bytes = (size * sizeof(T) + huge - 1) / huge * huge;
    data_.reset(static_cast<T*>(std::aligned_alloc(huge, bytes == 0 ? huge : bytes)));
    if (!data_) {
      throw std::bad_alloc();
    }
#ifdef MADV_HUGEPAGE
    madvise(data_.get(), bytes, MADV_HUGEPAGE);  // a hint; without it all is slower, not wrong
#endif
  }

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

}  // namespace trawl::seed
