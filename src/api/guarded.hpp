// Lets only the errors of trawl/error.hpp, and those of the caller's callbacks, out of the library; and what a call
// does before work on other threads.
//
//   const int found = guarded([&] { return 7; });
#pragma once

#include <new>

#include "base/error.hpp"
#include "base/machine_memory.hpp"

namespace trawl::api {

/// Call it before work on other threads or on a device. Throws Error in a process that was forked after such work:
/// there a call could wait forever.
void use_threads();

template <class Work>
auto guarded(Work&& work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    throw Error("not enough memory: give less at a time, or use fewer threads" + memory_limit_text());
  }
}

}  // namespace trawl::api
