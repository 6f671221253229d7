#include <string>

#include "base/error.hpp"
#include "base/stopwatch.hpp"
#include "lab/kernels/device_search.hpp"

namespace trawl::gpu {

void DeviceSearch::copy_table(const void* table, std::size_t bytes, void* to) {
  const Stream stream;
  Stopwatch watch;
  check(cudaMemcpyAsync(to, table, bytes, cudaMemcpyHostToDevice, stream), "cudaMemcpyAsync to the device");
  stream.synchronize();
  watch.lap(prepare_seconds);
}

GpuRun GpuMatcher::run(const DeviceText& text, const MatcherSettings& settings, DeviceEnds& ends, unsigned repeats,
                       const GpuWork& work) const {
  const auto search = prepare(settings, work);
  auto& state = ends.state();
  const SearchedText searched{text.data(), text.size(), 0};
  const Stream stream;
  GpuRun run{search->prepare_seconds, {}, search->chosen(text.size())};
  search->reserve(searched, state);
  run.seconds = state.time(text, stream, repeats, [&] { search->enqueue(searched, state, stream); });
  return run;
}

const GpuMatcher& gpu_matcher(std::string_view name) {
  for (const GpuMatcher& matcher : gpu_matchers()) {
    if (matcher.facts->name == name) {
      return matcher;
    }
  }
  throw UsageError("there is no matcher '" + std::string(name) + "'");
}

GpuRun run_matcher(std::string_view name, const DeviceText& text, const MatcherSettings& settings, DeviceEnds& ends,
                   unsigned repeats, const GpuWork& work) {
  return gpu_matcher(name).run(text, settings, ends, repeats, work);
}

}  // namespace trawl::gpu
