// Literals that are whole queries: each one that occurs is a hit.
#include "gpu/scan/literal_kernel.cuh"

namespace trawl::gpu {

namespace {

struct LiteralHits {
  static constexpr std::size_t kSharedBytes = 0;
  static constexpr bool kSplitWords = false;

  HitsView out;

  __device__ void start(void*) {}
  __device__ void take(const LiteralGroupView& group, const scan::TextView& text, const scan::Region& region,
                       GramEntries& entries) const {
    std::uint32_t index = 0;
    std::uint64_t end = 0;
    while (entries.next(group, text, region, index, end)) {
      for (std::uint32_t i = group.literals[index].ids; i < group.literals[index + 1].ids; ++i) {
        out.add(end, group.ids[i], 0);
      }
    }
  }
  __device__ void finish(const scan::TextView&) const {}
};

}  // namespace

void launch_literals(const LiteralLaunch& launch) { launch_literal_kernel(launch, LiteralHits{launch.out}); }

}  // namespace trawl::gpu
