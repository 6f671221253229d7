// Runs the examples of the headers, in a folder of its own that has the files of tests/examples/files.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>
#include <string_view>

#include "tests/examples/checks.hpp"

namespace {
int problems = 0, runs = 0;
}

namespace trawl::examples {

void fail(std::string_view file, int line, std::string_view problem) {
  ++problems;
  std::fprintf(stderr, "%.*s:%d: %.*s\n", static_cast<int>(file.size()), file.data(), line,
               static_cast<int>(problem.size()), problem.data());
}

void run(std::string_view file, int line, void (*example)()) {
  ++runs;
  try {
    example();
  } catch (const std::exception& e) {
    fail(file, line, std::string("throws: ") + e.what());
  }
}

}  // namespace trawl::examples

int main(int, char** arguments) {
  namespace fs = std::filesystem;
  std::string folder = (fs::temp_directory_path() / "trawl_examples_XXXXXX").string();
  if (!mkdtemp(folder.data())) {
    std::perror(folder.c_str());
    return 1;
  }
  fs::copy(arguments[1], folder);
  fs::current_path(folder);
  trawl::examples::run_all();
  fs::current_path("/");
  fs::remove_all(folder);
  std::printf("%d examples ran, %d problems\n", runs, problems);
  return problems == 0 ? 0 : 1;
}
