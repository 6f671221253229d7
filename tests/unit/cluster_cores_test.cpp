#include <numeric>

#include "ranks/cluster.hpp"
#include "tests/catch.hpp"

using trawl::ranks::allowed_cores;
using trawl::ranks::share_of_cores;
using Cores = std::vector<std::uint64_t>;

TEST_CASE("a rank takes its share of each core that it may use") {
  CHECK(share_of_cores(Cores{1, 1, 1, 1}, Cores{1, 1, 1, 1}) == 4);
  CHECK(share_of_cores(Cores{1, 1, 1, 1}, Cores{2, 2, 2, 2}) == 2);              // bound to none
  CHECK(share_of_cores(Cores{0, 0, 1, 1}, Cores{1, 1, 1, 1}) == 2);              // each to its own
  CHECK(share_of_cores(Cores{1, 1, 0, 0}, Cores{2, 2, 1, 1}) == 1);              // two to a socket
  CHECK(share_of_cores(Cores{1, 1, 1, 1, 1, 1}, Cores{3, 3, 3, 3, 3, 3}) == 2);  // thirds add up
  CHECK(share_of_cores(Cores{1, 1}, Cores{10, 10}) == 1);                        // never none
}

TEST_CASE("a process may run somewhere") {
  const Cores cores = allowed_cores();
  CHECK(std::accumulate(cores.begin(), cores.end(), std::uint64_t{0}) > 0);
}
