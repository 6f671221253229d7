// Spreads work over threads.
//
//   run_tasks(8, reads.size(), [&](std::size_t i) { ... });   // each i once, on any of 8 threads
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace trawl::bench {

/// Calls task(0) .. task(count - 1). Throws what a task threw, after all threads have ended.
template <class Task>
void run_tasks(unsigned threads, std::size_t count, const Task& task) {
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr failure;
  const auto work = [&] {
    try {
      for (std::size_t i = next++; i < count; i = next++) {
        task(i);
      }
    } catch (...) {
      const std::scoped_lock lock(mutex);
      failure = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> workers;
    for (unsigned i = 0; i < threads; ++i) {
      workers.emplace_back(work);
    }
  }
  if (failure) {
    std::rethrow_exception(failure);
  }
}

}  // namespace trawl::bench
