#include "io/write/output_file.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/error.hpp"
#include "io/write/nameless_file.hpp"
#include "tests/catch.hpp"
#include "tests/random_cases.hpp"
#include "tests/unit/io/files.hpp"

using namespace trawl;
using trawl::io::NamelessFile;
using trawl::io::OutputFile;
using trawl::test::file_content;
using trawl::test::message_of;
using trawl::test::TempDir;

namespace {

// An open output has no name, except where the file system cannot do that.
std::size_t names_of(const OutputFile& file) { return file.write_path().starts_with("/proc/self/fd/") ? 0 : 1; }

}  // namespace

TEST_CASE("an output appears when it is committed, and not before") {
  TempDir dir;
  const std::string path = dir.path("out.txt");
  {
    OutputFile file(path);
    file.write("new");
    CHECK(!std::filesystem::exists(path));
    CHECK(dir.entries() == names_of(file));
    CHECK(file_content(file.write_path()) == "new");
    file.commit();
    CHECK(file_content(path) == "new");
    CHECK(dir.entries() == 1);
  }
  CHECK(file_content(path) == "new");
}

TEST_CASE("an output that is not committed leaves nothing, and what was there stays") {
  TempDir dir;
  {
    OutputFile file(dir.path("out.txt"));
    file.write("half");
  }
  CHECK(dir.entries() == 0);
  const std::string path = dir.write("old.txt", "old");
  {
    OutputFile file(path);
    file.write("half");
  }
  CHECK(file_content(path) == "old");
  CHECK(dir.entries() == 1);
}

TEST_CASE("remove_temporaries() removes what is not committed") {
  TempDir dir;
  OutputFile done(dir.path("done"));
  done.commit();
  OutputFile open(dir.path("open"));
  const int slot = trawl::io::register_temporary(dir.write("temporary", "text"));
  const int forgotten = trawl::io::register_temporary(dir.write("forgotten", "text"));
  trawl::io::forget_temporary(forgotten);
  CHECK(dir.entries() == 3 + names_of(open));
  trawl::io::remove_temporaries();
  CHECK(dir.entries() == 2);
  CHECK(std::filesystem::exists(dir.path("done")));
  CHECK(std::filesystem::exists(dir.path("forgotten")));
  trawl::io::forget_temporary(slot);
}

TEST_CASE("an output that replaces a file keeps its permissions") {
  TempDir dir;
  const std::string path = dir.write("out", "old");
  std::filesystem::permissions(path, std::filesystem::perms(0640));
  OutputFile file(path);
  file.commit();
  CHECK(std::filesystem::status(path).permissions() == std::filesystem::perms(0640));
}

TEST_CASE("a symbolic link stays one, and what it points to is written") {
  TempDir dir;
  std::filesystem::create_directory(dir.path("there"));
  for (const char* target : {"there/real", "there/new"}) {
    const std::string link = dir.path("link");
    std::filesystem::remove(link);
    std::filesystem::create_symlink(target, link);
    OutputFile file(link);
    file.write("text");
    file.commit();
    CHECK(std::filesystem::is_symlink(link));
    CHECK(file_content(dir.path(target)) == "text");
  }
}

TEST_CASE("pipes and devices are written directly") {
  TempDir dir;
  const std::string fifo = dir.path("fifo");
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  std::string got;
  std::thread reader([&] { got = file_content(fifo); });
  {
    OutputFile file(fifo);
    file.write("text");
    file.commit();
  }
  reader.join();
  CHECK(got == "text");
  CHECK(std::filesystem::is_fifo(fifo));
  OutputFile null("/dev/null");
  CHECK(null.write_path() == "/dev/null");
  null.commit();
  CHECK(std::filesystem::exists("/dev/null"));
}

TEST_CASE("outputs that cannot be written are errors that name them") {
  TempDir dir;
  CHECK(message_of([&] { OutputFile(dir.path("no/out")); }) ==
        dir.path("no/out") + ": cannot create a file in its directory: No such file or directory");
  CHECK(message_of([&] { OutputFile(dir.path("")); }) == dir.path("") + ": is a directory; name a file in it");
  CHECK(message_of([] {
          OutputFile full("/dev/full");
          full.write("x");
        }) == "/dev/full: cannot write: No space left on device");
}

TEST_CASE("an output of a terabyte, by count") {
  constexpr std::uint64_t kTerabyte = std::uint64_t{1} << 40;
  TempDir dir;
  OutputFile file(dir.path("out"));
  file.write("begin");
  std::uint64_t place = 0;
  try {
    place = file.take_place(kTerabyte);
    file.write_at(place + kTerabyte - 3, "far");
    file.write("end");
  } catch (const trawl::Error&) {
    return;  // the file system allows only smaller files
  }
  CHECK(place == 5);
  file.commit();
  CHECK(std::filesystem::file_size(dir.path("out")) == kTerabyte + 8);
}

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

TEST_CASE("text that waits comes back in order, from memory and from a file") {
  tests::RandomCases random(7);
  for (const std::size_t most_bytes : {0u, 1000u, 70'000u, 1'000'000u}) {
    io::HeldText held(most_bytes);
    std::string all;
    for (std::size_t piece = 0; piece < 30; ++piece) {
      const std::string text = random.bases(random.number(0, 5000));
      held.append(text);
      all += text;
    }
    CHECK(held.size() == all.size());
    std::string read;
    held.read([&](std::string_view some) { read += some; });
    CHECK(read == all);
  }
}
