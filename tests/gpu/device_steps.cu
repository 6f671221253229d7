#include "gpu/device/device_space.cuh"
#include "gpu/map/block.hpp"
#include "tests/gpu/device_steps.hpp"

namespace trawl::tests {

namespace {

struct Visit {
  std::uint64_t step;
  std::uint64_t* visits;

  __device__ void operator()(std::uint64_t i) const {
    if (i % step == 0) {
      gpu::add_to(visits, 1);
      gpu::add_to(visits + 1, i);
    }
  }
};

}  // namespace

Visits visit_on_device(std::uint64_t items, std::uint64_t step) {
  gpu::DeviceSpace space(0);
  const gpu::DeviceBuffer<std::uint64_t> visits(2);
  space.zero(visits.data(), 2);
  space.for_each(items, Visit{step, visits.data()});
  return {space.fetch(visits.data()), space.fetch(visits.data() + 1)};
}

}  // namespace trawl::tests
