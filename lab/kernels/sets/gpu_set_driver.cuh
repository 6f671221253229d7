// Puts the tables of a matcher of sets (lab/matchers/sets/set_matcher.hpp) on the device, with its kernels.
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/stopwatch.hpp"
#include "lab/kernels/sets/set_kernel.cuh"
#include "lab/kernels/sets/set_search.hpp"

namespace trawl::gpu {

namespace internal {

/// All arrays after each other, each from a multiple of 16 bytes on, so that no element crosses one.
template <class Matcher>
class MatcherTables : public DeviceSetTables {
 public:
  explicit MatcherTables(const matchers::HostTables<Matcher>& host) {
    std::uint64_t bytes = 0;
    std::vector<std::uint64_t> begins;
    const auto give_room = [&](const auto& array) {
      begins.push_back(bytes);
      bytes += (array.size() * sizeof(array[0]) + sizeof(uint4) - 1) / sizeof(uint4) * sizeof(uint4);
    };
    std::apply([&](const auto&... array) { (give_room(array), ...); }, host.arrays());
    on_device_ = DeviceBuffer<std::uint8_t>(bytes);
    const Stream stream;
    auto begin = begins.begin();
    const auto copy = [&](const auto& array) {
      on_device_.copy_from(reinterpret_cast<const std::uint8_t*>(array.data()), *begin++,
                           array.size() * sizeof(array[0]), stream);
    };
    std::apply([&](const auto&... array) { (copy(array), ...); }, host.arrays());

    // Each view asks for the arrays in their order.
    const auto next = [&]<class T>(const std::vector<T>&) {
      return reinterpret_cast<const T*>(on_device_.data() + *begin++);
    };
    begin = begins.begin();
    plain_ = matchers::place_tables<Matcher, StageArray<SetStage::u>::template Array>(host, next);
    begin = begins.begin();
    read_only_ = matchers::place_tables<Matcher, StageArray<SetStage::tc>::template Array>(host, next);
    begin = begins.begin();
    split_ = matchers::place_tables<Matcher, SplitArray>(host, [&](const auto& array) {
      const std::uint64_t shared_at = *begin;
      return SplitPlace{next(array), shared_at, array.size()};
    });
    stream.synchronize();
  }

  const void* kernel(SetStage stage, SetForm form) const override {
    switch (stage) {
      case SetStage::u:
        return kernel_of<SetStage::u>(form);
      case SetStage::tc:
        return kernel_of<SetStage::tc>(form);
      case SetStage::cr:
        return kernel_of<SetStage::cr>(form);
      case SetStage::r16:
        return kernel_of<SetStage::r16>(form);
      case SetStage::cw:
        return kernel_of<SetStage::cw>(form);
      default:
        return kernel_of<SetStage::st>(form);
    }
  }

  void with_view(SetStage stage, std::uint32_t in_shared, const std::function<void(void* view)>& use) const override {
    if (stage == SetStage::st) {
      auto view = split_;
      std::apply([&](auto&... array) { (array.limit(in_shared), ...); }, view.arrays());
      use(&view);
    } else if (stage == SetStage::u) {
      auto view = plain_;
      use(&view);
    } else {
      auto view = read_only_;
      use(&view);
    }
  }
  const uint4* in_global() const override { return reinterpret_cast<const uint4*>(on_device_.data()); }
  std::uint64_t bytes() const override { return on_device_.size(); }

 private:
  template <SetStage kStage>
  static const void* kernel_of(SetForm form) {
    return form == SetForm::counts ? reinterpret_cast<const void*>(&set_kernel<Matcher, kStage, SetForm::counts>)
           : form == SetForm::patterns
               ? reinterpret_cast<const void*>(&set_kernel<Matcher, kStage, SetForm::patterns>)
               : reinterpret_cast<const void*>(&set_kernel<Matcher, kStage, SetForm::positions>);
  }

  DeviceBuffer<std::uint8_t> on_device_;
  StageTables<Matcher, SetStage::u> plain_;
  StageTables<Matcher, SetStage::tc> read_only_;
  StageTables<Matcher, SetStage::st> split_;
};

template <class Matcher>
class PreparedOnDevice : public GpuPreparedSet {
 public:
  explicit PreparedOnDevice(const matchers::PatternSet& set) : patterns_(set.size()), longest_(set.longest()) {
    Stopwatch watch;
    matchers::HostTables<Matcher> host;
    Matcher::prepare(set, host);
    tables_ = std::make_unique<MatcherTables<Matcher>>(host);
    watch.lap(prepare_seconds);
  }

  GpuSetFound search(const DeviceText& text, const GpuSetWork& work, unsigned repeats) const override {
    return search_set(*tables_, patterns_, longest_, text, work, repeats);
  }
  std::uint64_t table_bytes() const override { return tables_->bytes(); }

 private:
  std::uint32_t patterns_;
  std::uint64_t longest_;
  std::unique_ptr<MatcherTables<Matcher>> tables_;
};

template <class Matcher>
constexpr GpuSetMatcher gpu_set_matcher() {
  return {&Matcher::kFacts, [](const matchers::PatternSet& set) -> std::unique_ptr<GpuPreparedSet> {
            return std::make_unique<PreparedOnDevice<Matcher>>(set);
          }};
}

}  // namespace internal

}  // namespace trawl::gpu
