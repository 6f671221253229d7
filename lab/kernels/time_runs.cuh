// How long work on a device takes. Only .cu files include this.
#pragma once

#include <cuda_runtime.h>

#include <vector>

#include "gpu/device/cuda_error.hpp"
#include "gpu/device/device_memory.hpp"

namespace trawl::gpu {

/// Waits for `end`.
inline double seconds_between(const CudaEvent& begin, const CudaEvent& end) {
  end.synchronize();
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, begin, end), "cudaEventElapsedTime");
  return milliseconds / 1e3;
}

/// The seconds of each of `repeats` runs of `work`, which enqueues on `stream`. To warm up, `work` first runs once, and
/// again until the device has been busy for 20 ms: an idle device starts with a low clock. `before_last` may enqueue
/// work before the last run; its time is not measured.
template <class Work, class BeforeLast = void (*)()>
std::vector<double> time_runs(
    const Stream& stream, unsigned repeats, Work&& work, BeforeLast&& before_last = [] {}) {
  CudaEvent begin_warm_up;
  begin_warm_up.record(stream);
  for (double warm_up = 0; warm_up < 20e-3;) {
    work();
    CudaEvent end;
    end.record(stream);
    warm_up = seconds_between(begin_warm_up, end);
  }
  std::vector<double> seconds;
  for (unsigned i = 0; i < repeats; ++i) {
    if (i + 1 == repeats) {
      before_last();
    }
    CudaEvent begin, end;
    begin.record(stream);
    work();
    end.record(stream);
    seconds.push_back(seconds_between(begin, end));
  }
  stream.synchronize();
  return seconds;
}

}  // namespace trawl::gpu
