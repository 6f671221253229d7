#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <string>

#include "cli/commands.hpp"

namespace trawl::cli {

Command bench_command() {
  return {.name = "bench", .description = "Run, check and time the published algorithms (trawl-bench)"};
}

int run_bench(int argc, char** argv) {
  std::error_code error;
  std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) {
    self = argv[0];
  }
  const std::string program = self.replace_filename("trawl-bench").string();
  // argv[1] is "bench"; it becomes the program's name for the other program.
  ::execv(program.c_str(), argv + (argc > 1 ? 1 : 0));
  std::cerr << "trawl bench: cannot start " << program << ": " << std::strerror(errno);
  if (errno == ENOENT) {
    std::cerr << "; build it in the source folder with 'scripts/build.sh trawl-bench', and keep it beside trawl";
  }
  std::cerr << '\n';
  return 1;
}

}  // namespace trawl::cli
