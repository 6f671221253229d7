#include "cli/mates_check.hpp"

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/error.hpp"
#include "io/read/read_input.hpp"
#include "io/read/read_source.hpp"

namespace trawl::cli {

namespace {

// The names of the first two reads without /1 and /2; fewer if there are none.
std::vector<std::string> first_names(const std::string& path) {
  std::vector<std::string> names;
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    return names;
  }
  try {
    io::ReadSource source({path}, 2);
    sequence::ReadBatch batch;
    while (names.size() < 2 && source.next(batch)) {
      for (std::size_t r = 0; r < batch.size(); ++r) {
        names.emplace_back(io::name_without_mate(io::name_without_mate(batch.name(r), 1), 2));
      }
    }
  } catch (const Error&) {
  }
  return names;
}

}  // namespace

std::string read_files_warning(const std::vector<std::string>& paths) {
  std::map<std::string, std::string> file_of;  // the file that begins with this name
  for (std::size_t p = 0; p < paths.size(); ++p) {
    const std::string& path = paths[p];
    if (std::find(paths.begin(), paths.begin() + static_cast<std::ptrdiff_t>(p), path) !=
        paths.begin() + static_cast<std::ptrdiff_t>(p)) {
      return "warning: " + path + " is given more than once; each of its reads is mapped more than once";
    }
    const auto names = first_names(path);
    if (names.size() == 2 && names[0] == names[1]) {
      return "warning: the first two reads of " + path + " are both named " + names[0] +
             ", so they look like mates, but are mapped as single reads; for pairs: trawl map --interleaved REF " +
             path;
    }
    if (names.empty()) {
      continue;
    }
    const auto [first, is_new] = file_of.emplace(names[0], path);
    if (!is_new) {
      return "warning: " + first->second + " and " + path + " both begin with a read named " + names[0] +
             ", so they look like mates, but are mapped as single reads; for pairs: trawl map REF " + first->second +
             " " + path;
    }
  }
  return "";
}

}  // namespace trawl::cli
