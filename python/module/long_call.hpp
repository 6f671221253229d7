// Long calls: without the lock of the interpreter, with progress, and ended by Ctrl-C.
#pragma once

#include <nanobind/nanobind.h>

#include <functional>

#include "base/stop.hpp"
#include "trawl/options.hpp"

namespace trawl::python {

/// Runs `work` on a thread of its own, while this one looks for signals ten times a second and calls `progress` (None,
/// or a callable of done and total) on the way. What either raises ends the work and comes out of here.
void long_call(nanobind::handle progress, const std::function<void(const OnProgress&)>& work);

/// What throws where Python has a signal for this thread.
void look_for_signals();

/// Runs `work`, which mostly takes less time than a thread needs to start, on this thread. Signals end it, too.
template <class Work>
auto short_call(const Work& work) {
  nanobind::gil_scoped_release unlocked;
  const Stop stop(look_for_signals);
  return work();
}

}  // namespace trawl::python
