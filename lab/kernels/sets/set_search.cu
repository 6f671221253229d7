#include <algorithm>
#include <numeric>
#include <string>

#include "base/error.hpp"
#include "lab/kernels/sets/set_kernel.cuh"

namespace trawl::gpu {

namespace {

constexpr unsigned kHashThreads = 256;

__global__ void hash_matches(const SetMatch* list, std::uint64_t count, unsigned long long* sum) {
  unsigned long long hash = 0;
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    hash += matchers::hash_of(list[i]);
  }
  if (hash != 0) {
    atomicAdd(sum, hash);
  }
}

SetForm form_of(SetOutput output) {
  return output == SetOutput::patterns    ? SetForm::patterns
         : output == SetOutput::positions ? SetForm::positions
                                          : SetForm::counts;
}

using Counters = DeviceBuffer<unsigned long long>;

// The result of a search in device memory.
class DeviceResult {
 public:
  DeviceResult(SetForm form, const SetPlan& plan, std::uint32_t patterns, std::uint64_t room)
      : form_(form),
        threads_(form == SetForm::counts ? plan.all_threads() : 0),
        count_(1),
        patterns_(form == SetForm::patterns ? patterns : 0),
        list_(form == SetForm::positions ? room : 0) {}

  SetOutView view() const { return {threads_.data(), count_.data(), patterns_.data(), list_.data(), list_.size()}; }

  // Before each run.
  void reset(const Stream& stream) {
    count_.clear(stream);
    if (patterns_.size() > 0) {
      patterns_.clear(stream);
    }
  }

  // Before the last run: what is fetched later was written by that run, or it is obviously wrong.
  void spoil(const Stream& stream) {
    if (threads_.size() > 0) {
      threads_.fill(0xFF, stream);
    }
    if (list_.size() > 0) {
      list_.fill(0xFF, stream);
    }
  }

  void fetch(const GpuSetWork& work, GpuSetFound& found, const Stream& stream) const {
    found.count = fetched(count_, 0, 1, stream).front();
    if (form_ == SetForm::patterns) {
      found.patterns = fetched(patterns_, 0, patterns_.size(), stream);
      found.count = std::accumulate(found.patterns.begin(), found.patterns.end(), std::uint64_t{0});
    } else if (form_ == SetForm::positions) {
      fetch_positions(work.fetch, found, stream);
    } else if (work.output == SetOutput::stretches) {
      found.threads = fetched(threads_, 0, threads_.size(), stream);
    }
  }

 private:
  void fetch_positions(bool all, GpuSetFound& found, const Stream& stream) const {
    if (found.count > list_.size()) {
      throw Error("the list of positions has room for " + std::to_string(list_.size()) + ", but there are " +
                  std::to_string(found.count) + "; make it for so many");
    }
    Counters sum(1);
    sum.clear(stream);
    hash_matches<<<1024, kHashThreads, 0, stream>>>(list_.data(), found.count, sum.data());
    check_launch("hash_matches");
    found.hash = fetched(sum, 0, 1, stream).front();
    if (all) {
      found.positions = fetched(list_, 0, found.count, stream);
      std::sort(found.positions.begin(), found.positions.end());
    }
  }

  SetForm form_;
  Counters threads_, count_, patterns_;
  DeviceBuffer<SetMatch> list_;
};

}  // namespace

GpuSetFound search_set(const DeviceSetTables& tables, std::uint32_t patterns, std::uint64_t longest,
                       const DeviceText& text, const GpuSetWork& work, unsigned repeats) {
  GpuSetFound found;
  if (text.size() == 0) {
    found.patterns.resize(work.output == SetOutput::patterns ? patterns : 0);
    found.seconds.resize(repeats);
    return found;
  }
  const SetForm form = form_of(work.output);
  const void* const kernel = tables.kernel(work.stage, form);
  const ExactDevice device = exact_device();
  found.plan =
      plan_set(device, {text.size(), longest, tables.bytes(), patterns}, work,
               [&](unsigned threads, std::size_t shared) { return resident_on_one(device, kernel, threads, shared); });
  const Stream stream;
  DeviceResult output(form, found.plan, patterns, work.room);
  tables.with_view(work.stage, found.plan.tables, [&](void* view) {
    SearchedText searched{text.data(), text.size(), 0};
    const uint4* in_global = tables.in_global();
    SetOutView out = output.view();
    void* arguments[] = {&searched, &in_global, view, &found.plan, &out};
    const auto run = [&] {
      output.reset(stream);
      check(cudaLaunchKernel(kernel, dim3(found.plan.blocks), dim3(found.plan.threads), arguments, found.plan.shared,
                             stream),
            "launch of set_kernel");
    };
    found.seconds = run_or_time(stream, repeats, run, [&] { output.spoil(stream); });
  });
  output.fetch(work, found, stream);
  return found;
}

}  // namespace trawl::gpu
