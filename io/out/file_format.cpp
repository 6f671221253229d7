#include "io/out/file_format.hpp"

#include "base/error.hpp"
#include "io/out/output_file.hpp"

namespace trawl::io {

std::optional<std::size_t> extension_of(const std::string& path, std::initializer_list<std::string_view> extensions,
                                        std::string_view stream_format) {
  const std::string on_stdout = "- for " + std::string(stream_format) + " on the standard output";
  if (path.empty()) {
    throw UsageError("the output has no name; give a file, or " + on_stdout);
  }
  std::string list;
  for (std::size_t n = 0; n < extensions.size(); ++n) {
    const std::string_view extension = extensions.begin()[n];
    if (path.ends_with(extension)) {
      return n;
    }
    list += n == 0 ? "" : n + 1 < extensions.size() ? ", " : " or ";
    list += extension;
  }
  if (is_stream(path)) {
    return std::nullopt;
  }
  throw UsageError("the output " + path + " has no known extension; use " + list + ", or " + on_stdout);
}

}  // namespace trawl::io
