// Things that are costly to make, and are used again. Several threads may use a pool at a time.
//
//   Pool<std::string> pool;
//   std::string text = pool.take([] { return std::string("a new one"); });
//   pool.give_back(std::move(text));
#pragma once

#include <cstddef>
#include <mutex>
#include <utility>
#include <vector>

namespace trawl {

template <class T>
class Pool {
 public:
  /// One that was given back, or a new one.
  template <class Make>
  T take(const Make& make) {
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        T one = std::move(idle_.back());
        idle_.pop_back();
        return one;
      }
    }
    return make();
  }
  /// Keeps it, unless `most` wait already.
  void give_back(T one, std::size_t most = ~std::size_t{0}) {
    const std::lock_guard lock(mutex_);
    if (idle_.size() < most) {
      idle_.push_back(std::move(one));
    }
  }

 private:
  std::mutex mutex_;
  std::vector<T> idle_;
};

}  // namespace trawl
