// Lets only the errors of trawl/error.hpp, and those of the caller's callbacks, out of the library; and what a call
// does before work on other threads.
//
//   const int found = guarded([&] { return 7; });
#pragma once

#include <atomic>
#include <cstdint>
#include <new>

#include "base/error.hpp"
#include "base/machine_memory.hpp"
#include "base/stop.hpp"
#include "trawl/options.hpp"

namespace trawl::api {

/// Call it before work on other threads or on a device. Throws Error in a process that was forked after such work:
/// there a call could wait forever.
void use_threads();

/// While it lives, it tells the caller how far the call is, and ends the call if they say so.
class ProgressReport {
 public:
  ProgressReport(const OnProgress& tell, std::uint64_t total)
      : tell_(tell), total_(total), stop_(tell ? std::function<void()>([this] { say(); }) : nullptr) {}
  Progress now() const { return {done, total_}; }
  /// Also at the end, where nothing else runs.
  void say() const {
    if (tell_ && !tell_(now())) {
      throw Cancelled();
    }
  }

  std::atomic<std::uint64_t> done{0};

 private:
  const OnProgress& tell_;
  std::uint64_t total_;
  Stop stop_;
};

template <class Work>
auto guarded(Work&& work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    throw Error("not enough memory: give less at a time, or use fewer threads" + memory_limit_text());
  }
}

}  // namespace trawl::api
