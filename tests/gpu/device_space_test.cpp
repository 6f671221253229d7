// Tests the space in which the steps of the map engine run on a device.
#include "tests/catch.hpp"
#include "tests/gpu/device_steps.hpp"
#include "tests/gpu/has_device.hpp"

using namespace trawl::tests;

TEST_CASE("a step sees every item, however many there are") {
  if (!has_device()) {
    return;
  }
  constexpr std::uint64_t kStep = 4096;
  for (const std::uint64_t items : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{4097}, std::uint64_t{1} << 30,
                                    (std::uint64_t{1} << 30) + 1, (std::uint64_t{1} << 33) + 12345}) {
    INFO(items << " items");
    const std::uint64_t count = (items + kStep - 1) / kStep;
    const Visits visits = visit_on_device(items, kStep);
    CHECK(visits.count == count);
    CHECK(visits.sum == (count == 0 ? 0 : kStep * (count * (count - 1) / 2)));
  }
}
