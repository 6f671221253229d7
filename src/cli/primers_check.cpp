#include "cli/primers_check.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "base/error.hpp"
#include "io/format/letters.hpp"
#include "io/read/text_blocks.hpp"

namespace trawl::cli {

namespace {

// A shorter third column may be a word.
constexpr std::size_t kShortestPrimer = 10;

bool is_primer(std::string_view text) {
  return text.size() >= kShortestPrimer && io::find_not_iupac(text) == text.size();
}

bool is_pair(std::string_view line) {
  const std::size_t first = line.find('\t');
  const std::size_t second = first == line.npos ? first : line.find('\t', first + 1);
  if (second == line.npos) {
    return false;
  }
  const std::size_t end = std::min(line.find_first_of("\t\r", second + 1), line.size());
  return is_primer(line.substr(first + 1, second - first - 1)) && is_primer(line.substr(second + 1, end - second - 1));
}

}  // namespace

std::string primer_pairs_warning(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    return "";
  }
  std::size_t pairs = 0;
  try {
    io::TextBlocks blocks(path, {.block_bytes = std::size_t{1} << 16});
    const auto block = blocks.next();
    std::string_view text = block ? std::string_view(block->begin(), block->size()) : std::string_view{};
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      const std::string_view line = text.substr(0, end);
      const bool is_whole = end != text.npos || pairs == 0;  // the block may end within a line
      if (is_whole && !line.empty() && line[0] != '#' && !is_pair(line)) {
        return "";
      }
      pairs += is_whole && is_pair(line) ? 1 : 0;
      text.remove_prefix(end == text.npos ? text.size() : end + 1);
    }
  } catch (const Error&) {  // whoever reads the patterns says it
  }
  return pairs == 0 ? ""
                    : "warning: " + path +
                          " looks like a table of primer pairs, but only the first primer of each line is searched; "
                          "for the pairs' products give --amplicons, for example --amplicons 50-2000";
}

}  // namespace trawl::cli
