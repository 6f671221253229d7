// A program of somebody who uses the library.
#include <cstdio>

#include "trawl/trawl.hpp"

int main() {
  const auto reference = trawl::Reference::of({{"chr1", "TTTTGATTACAGGCATGAGCCACCGCGCCCGGCCTTTT"}});
  const trawl::Mapper mapper(reference, {{"report", "all"}, {"edits", 1}, {"min-length", 1}});
  const trawl::Alignments found = mapper.map({"GATTACAGGCATGAGCCACC"});
  const trawl::Hits hits = trawl::Scanner({"GATTACA"}).scan("CCGATTACACC");
  std::printf("%zu %lld %zu %lld\n", found.size(), static_cast<long long>(found.start[0]), hits.size(),
              static_cast<long long>(trawl::distance("GATTACA", "GATACAT")));
  return found.size() == 1 && found.start[0] == 4 && hits.size() == 1 ? 0 : 1;
}
