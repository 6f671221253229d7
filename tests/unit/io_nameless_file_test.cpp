#include <sys/resource.h>

#include <string>

#include "base/error.hpp"
#include "io/write/nameless_file.hpp"
#include "tests/catch.hpp"

using trawl::io::NamelessFile;

TEST_CASE("nameless file: what was written can be read") {
  NamelessFile file("records");
  file.write("some");
  file.write(" text");
  std::string text(20, '.');
  CHECK(file.read(2, text.data(), text.size()) == 7);
  CHECK(text.substr(0, 7) == "me text");
  file.clear();
  CHECK(file.size() == 0);
}

TEST_CASE("nameless file: too many open files are not the fault of TMPDIR") {
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  const rlimit none{0, before.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &none) == 0);
  std::string message;
  try {
    NamelessFile file("records");
  } catch (const trawl::IoError& error) {
    message = error.what();
  }
  ::setrlimit(RLIMIT_NOFILE, &before);
  CHECK(
      message.ends_with("cannot create a temporary file for records: Too many open files; allow more open files "
                        "(ulimit -n)"));
}
