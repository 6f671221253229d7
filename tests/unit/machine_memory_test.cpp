// The limit of a control group, or of a group that it is in, counts where it is less than the machine's memory.
#include "base/machine_memory.hpp"

#include <unistd.h>

#include <filesystem>

#include "tests/catch.hpp"
#include "tests/unit/io_files.hpp"

using trawl::usable_memory;
using trawl::test::TempDir;

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
