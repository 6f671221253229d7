// What of a machine a process may use: memory, up to the limit of its control groups, and cores.
#include <unistd.h>

#include <filesystem>
#include <numeric>

#include "base/machine_memory.hpp"
#include "ranks/cluster.hpp"
#include "tests/catch.hpp"
#include "tests/unit/io/files.hpp"

using trawl::usable_memory;
using trawl::ranks::allowed_cores;
using trawl::ranks::share_of_cores;
using trawl::test::TempDir;
using Cores = std::vector<std::uint64_t>;

TEST_CASE("the memory that may be used") {
  const TempDir dir;
  const std::string root = dir.path("");
  const auto machine =
      static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const auto write = [&](const std::string& name, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(dir.path(name)).parent_path());
    dir.write(name, text);
  };
  CHECK(usable_memory(root) == machine);  // no control groups
  CHECK(usable_memory() <= machine);
  CHECK(usable_memory() > 0);

  write("proc/self/cgroup", "0::/a/b\n");
  write("sys/fs/cgroup/a/b/memory.max", "max\n");
  CHECK(usable_memory(root) == machine);
  write("sys/fs/cgroup/a/memory.max", "5000000\n");
  CHECK(usable_memory(root) == 5000000);
  write("sys/fs/cgroup/a/b/memory.max", "4000000\n");
  CHECK(usable_memory(root) == 4000000);
  write("sys/fs/cgroup/memory.max", "3000000\n");  // a container that sees its own group as the root
  CHECK(usable_memory(root) == 3000000);

  write("proc/self/cgroup", "5:cpu,memory:/job\n4:cpuset:/job\n0::/\n");
  write("sys/fs/cgroup/memory.max", "max\n");
  write("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "9223372036854771712\n");
  CHECK(usable_memory(root) == machine);
  write("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "2000000\n");
  CHECK(usable_memory(root) == 2000000);
}

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
