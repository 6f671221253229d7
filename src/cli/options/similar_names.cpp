#include "cli/options/similar_names.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>

namespace trawl::cli {

namespace {

// Letters put in, left out, exchanged, or two neighbours swapped ("--ouptut"), to make `b` of `a`.
std::size_t edits_between(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before;
  std::vector<std::size_t> last;
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before = std::exchange(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
  }
  return row.back();
}

}  // namespace

std::string did_you_mean(const std::string& word, const std::vector<std::string>& names) {
  constexpr std::size_t kMostNames = 3;
  std::size_t fewest = std::min<std::size_t>(word.size() / 3, 3);
  std::vector<std::string> nearest;
  for (const std::string& name : names) {
    const std::size_t edits = edits_between(word, name);
    if (edits > fewest || edits == 0) {
      continue;
    }
    if (edits < fewest) {
      nearest.clear();
      fewest = edits;
    }
    if (nearest.size() < kMostNames && std::count(nearest.begin(), nearest.end(), name) == 0) {
      nearest.push_back(name);
    }
  }
  std::string text;
  for (std::size_t n = 0; n < nearest.size(); ++n) {
    text += (n == 0 ? "; did you mean " : n + 1 < nearest.size() ? ", " : " or ") + nearest[n];
  }
  return text.empty() ? "" : text + "?";
}

}  // namespace trawl::cli
