// Started with TRAWL_CUDA_PLUGIN, which names the module of other_plugin.cpp.
#include <string>

#include "tests/catch.hpp"
#include "trawl/trawl.hpp"

TEST_CASE("a CUDA engine of another build is refused", "[.other_plugin]") {
  const auto reference = trawl::Reference::of({{"chr1", "TTTTGATTACAGGCATGAGCCACCGCGCCCGGCCTTTT"}});
  std::string message;
  try {
    trawl::Mapper(reference, {{"device", "cuda"}});
  } catch (const trawl::Error& error) {
    message = error.what();
  }
  INFO(message);
  CHECK(message.find("is of another build of Trawl (0.1.0, headers 0123456789abcdef)") != message.npos);
  CHECK(message.find("install both from one build") != message.npos);
  CHECK(trawl::Mapper(reference).engine() == "cpu");
}
