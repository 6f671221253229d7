// A million short calls of each kind do not make the process grow.
#include <unistd.h>

#include <fstream>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tests/catch.hpp"
#include "trawl/trawl.hpp"

namespace {

long resident_bytes() {
  long pages = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

}  // namespace

TEST_CASE("a million short calls take no memory", "[.memory]") {
  const std::string text = "TTTTGATTACAGGCATGAGCCACCGCGCCCGGCCTTTT";
  const auto reference = trawl::Reference::of({{"chr1", text}});
  const trawl::Mapper mapper(reference, {{"report", "all"}, {"edits", 1}, {"threads", 1}});
  const trawl::Scanner scanner({"GATTACA", "GATTGCA"}, {{"edits", 1}});  // an exact hit, and one with an edit
  const std::vector<std::pair<const char*, std::function<std::size_t()>>> calls{
      {"distance", [] { return static_cast<std::size_t>(trawl::distance("GATTACA", "GATACAT")); }},
      {"align", [] { return trawl::align("GATTACA", "GATACAT").cigar.size(); }},
      {"scan", [&] { return scanner.scan(text).size(); }},
      {"map", [&] { return mapper.map({"GATTACAGGCATGAGCCACC"}).is_found(0) ? std::size_t{1} : 0; }},
  };
  for (const auto& [name, call] : calls) {
    std::size_t found = 0;
    const auto repeat = [&](int times) {
      for (int i = 0; i < times; ++i) {
        found += call();
      }
    };
    repeat(100'000);
    const long before = resident_bytes();
    repeat(1'000'000);
    const long grown = resident_bytes() - before;
    INFO(name << ": " << grown << " bytes more");
    CHECK(found >= 1'100'000);
    CHECK(grown < 2 << 20);
  }
}
