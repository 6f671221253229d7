#include "base/machine_memory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>

namespace trawl {

namespace {

// The number in a file; the largest one if there is no file, or something else in it ("max").
std::uint64_t number_in(const std::string& path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  return file >> number ? number : std::numeric_limits<std::uint64_t>::max();
}

// The lowest limit of a control group and all groups that it is in.
std::uint64_t limit_of_group(const std::string& root, std::string group, const std::string& file) {
  std::uint64_t least = number_in(root + "/" + file);
  while (!group.empty() && group != "/") {
    least = std::min(least, number_in(root + group + "/" + file));
    group.resize(std::min(group.size(), group.rfind('/')));
  }
  return least;
}

}  // namespace

std::uint64_t usable_memory(const std::string& root) {
  std::uint64_t bytes =
      static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  // Lines "0::/group" (version 2) and "4:memory:/group" (version 1).
  std::ifstream groups(root + "/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos) {
      continue;
    }
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string group = line.substr(second + 1);
    if (controllers == ",,") {
      bytes = std::min(bytes, limit_of_group(root + "/sys/fs/cgroup", group, "memory.max"));
    } else if (controllers.find(",memory,") != std::string::npos) {
      bytes = std::min(bytes, limit_of_group(root + "/sys/fs/cgroup/memory", group, "memory.limit_in_bytes"));
    }
  }
  return bytes;
}

std::string memory_limit_text() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return "";
  }
  return "; 'ulimit -v' allows only " + std::to_string(limit.rlim_cur / 1'000'000) +
         " MB: raise it, or use fewer threads";
}

}  // namespace trawl
