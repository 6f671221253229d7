// A process that is forked has none of the threads of the one that it comes from, and not its device.
//
//   use_threads();      // throws Error in a process that was forked after such a call
#pragma once

namespace trawl::api {

/// Call it before work on other threads or on a device. Throws Error in a process that was forked after such work:
/// there a call could wait for ever.
void use_threads();

}  // namespace trawl::api
