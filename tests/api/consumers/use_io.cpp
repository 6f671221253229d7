// Writes alignments as `trawl map` does.
#include "trawl/mapper.hpp"

int main(int, char** argv) {
  const trawl::Mapper mapper(trawl::Reference(argv[1]), {{"report", "all"}, {"edits", 5}});
  trawl::map_to_file(mapper, {argv[2]}, argv[3]);
  return 0;
}
