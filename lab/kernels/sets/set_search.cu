#include <algorithm>
#include <numeric>
#include <string>

#include "base/error.hpp"
#include "lab/kernels/sets/set_kernel.cuh"

namespace trawl::gpu {

GpuSetFound DeviceSet::search(const DeviceText& text, const GpuSetWork& work, unsigned repeats) const {
  using Counters = DeviceBuffer<unsigned long long>;
  GpuSetFound found;
  if (text.size() == 0) {
    found.patterns.resize(work.output == SetOutput::patterns ? patterns_ : 0);
    found.seconds.resize(repeats);
    return found;
  }
  const bool of_patterns = work.output == SetOutput::patterns;
  const void* const kernel = this->kernel(work.stage, of_patterns);
  const ExactDevice device = exact_device();
  found.plan =
      plan_set(device, {text.size(), longest_, table_bytes(), patterns_}, work,
               [&](unsigned threads, std::size_t shared) { return resident_on_one(device, kernel, threads, shared); });
  const Stream stream;
  Counters threads(of_patterns ? 0 : found.plan.all_threads()), count(1), numbers(of_patterns ? patterns_ : 0);
  with_view(work.stage, found.plan.tables, [&](void* view) {
    SearchedText searched{text.data(), text.size(), 0};
    const auto* in_global = reinterpret_cast<const uint4*>(tables_.data());
    SetOutView out{threads.data(), count.data(), numbers.data()};
    void* arguments[] = {&searched, &in_global, view, &found.plan, &out};
    const auto run = [&] {
      count.clear(stream);
      if (of_patterns) {
        numbers.clear(stream);
      }
      check(cudaLaunchKernel(kernel, dim3(found.plan.blocks), dim3(found.plan.threads), arguments, found.plan.shared,
                             stream),
            "launch of set_kernel");
    };
    // What is fetched after it was written by the last run, or is obviously wrong.
    found.seconds = run_or_time(stream, repeats, run, [&] {
      if (!of_patterns) {
        threads.fill(0xFF, stream);
      }
    });
  });
  found.count = fetched(count, 0, 1, stream).front();
  if (of_patterns) {
    found.patterns = fetched(numbers, 0, patterns_, stream);
    found.count = std::accumulate(found.patterns.begin(), found.patterns.end(), std::uint64_t{0});
  } else if (work.output == SetOutput::stretches) {
    found.threads = fetched(threads, 0, threads.size(), stream);
  }
  return found;
}

}  // namespace trawl::gpu
