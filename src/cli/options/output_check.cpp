#include "cli/options/output_check.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <iterator>
#include <optional>

#include "base/error.hpp"
#include "io/write/output_file.hpp"

namespace trawl::cli {

namespace {

// "-" means the given standard stream.
std::optional<struct stat> status_of(const std::string& path, int standard_stream) {
  struct stat status {};
  const int result = path == "-" ? ::fstat(standard_stream, &status) : ::stat(path.c_str(), &status);
  return result == 0 ? std::optional(status) : std::nullopt;
}

// Only regular files and pipes count. A terminal or /dev/null may be used twice.
bool same_content(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino && (S_ISREG(a.st_mode) || S_ISFIFO(a.st_mode));
}

bool same_file(const std::string& a, int stream_of_a, const std::string& b, int stream_of_b) {
  const auto status_of_a = status_of(a, stream_of_a);
  const auto status_of_b = status_of(b, stream_of_b);
  if (status_of_a && status_of_b) {
    return same_content(*status_of_a, *status_of_b);
  }
  std::error_code error;
  return !status_of_a && !status_of_b &&
         std::filesystem::weakly_canonical(a, error) == std::filesystem::weakly_canonical(b, error) && !error;
}

void check_writable(const std::string& path) {
  const auto status = status_of(path, STDOUT_FILENO);
  if (path != "-" && (!status || S_ISREG(status->st_mode) || S_ISDIR(status->st_mode))) {
    io::OutputFile{path};
  }
}

}  // namespace

void check_outputs(const std::vector<std::string>& inputs, const std::vector<NamedOutput>& outputs) {
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    const NamedOutput& output = outputs[o];
    if (output.path.empty()) {
      continue;
    }
    const std::string given = output.option + " " + output.path;
    for (std::size_t p = 0; p < o; ++p) {
      const NamedOutput& other = outputs[p];
      if (!other.path.empty() && ((other.path == "-" && output.path == "-") ||
                                  same_file(other.path, STDOUT_FILENO, output.path, STDOUT_FILENO))) {
        throw UsageError(other.option + " " + other.path + " and " + given + " are the same file; give each its own");
      }
    }
    for (const std::string& input : inputs) {
      if (same_file(input, STDIN_FILENO, output.path, STDOUT_FILENO)) {
        throw UsageError(given + " is the input " + input + ", which would be lost; name another file");
      }
    }
  }
  for (const NamedOutput& output : outputs) {
    if (!output.path.empty()) {
      check_writable(output.path);
    }
  }
}

bool is_same_input(const std::string& a, const std::string& b) { return same_file(a, STDIN_FILENO, b, STDIN_FILENO); }

}  // namespace trawl::cli
