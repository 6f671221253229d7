#include "io/stats/guide_table.hpp"

#include <charconv>
#include <optional>

#include "base/append_number.hpp"
#include "io/format/table_cell.hpp"
#include "io/write/output_file.hpp"
#include "io/write/scan_lines.hpp"
#include "io/write/text_output.hpp"
#include "scan/find/query.hpp"

namespace trawl::io {

namespace {

void append_fixed(std::string& text, std::optional<double> value) {
  if (!value) {
    text += '.';
    return;
  }
  char digits[32];
  text.append(digits, std::to_chars(digits, digits + sizeof digits, *value, std::chars_format::fixed, 2).ptr);
}

// For each number of bulges, each number of mismatches that is possible with it.
template <class Use>
void for_each_kind(const scan::GuideSummary& summary, Use&& use) {
  for (std::uint32_t bulges = 0; bulges <= summary.max_bulges(); ++bulges) {
    for (std::uint32_t mismatches = 0; mismatches <= summary.max_mismatches(); ++mismatches) {
      if (mismatches + bulges <= summary.max_edits()) {
        use(mismatches, bulges);
      }
    }
  }
}

}  // namespace

void write_guide_table(const scan::GuideSummary& summary, const sequence::PatternList& patterns,
                       const std::string& path, int compression_level) {
  check_table_name("--summary", path);
  const ScanFormat format = scan_format(path);
  const char comma = separator(format);
  TextOutput output(path, is_packed(format) ? std::optional(compression_level) : std::nullopt);
  std::string text = "pattern";
  for (const char* column : {"sequence", "sites", "cfd_specificity", "mit_specificity", "without_score"}) {
    text.append(1, comma).append(column);
  }
  for_each_kind(summary, [&](std::uint32_t mismatches, std::uint32_t bulges) {
    append_number(text.append(1, comma) += "mismatches_", mismatches);
    if (bulges > 0) {
      append_number(text += "_bulges_", bulges);
    }
  });
  text += '\n';
  std::string room;
  for (std::size_t g = 0; g < patterns.size(); ++g) {
    const auto [name, bases] = patterns[g];
    const bool is_searched = !scan::matches_everywhere({name, bases}, summary.max_edits());
    text.append(cell_text(name, comma, room)).append(1, comma).append(bases);
    const auto number = [&](std::uint64_t value) {
      text += comma;
      if (is_searched) {
        append_number(text, value);
      } else {
        text += '.';
      }
    };
    number(summary.sites(g));
    append_fixed(text += comma, is_searched ? summary.cfd_specificity(g) : std::nullopt);
    append_fixed(text += comma, is_searched ? summary.mit_specificity(g) : std::nullopt);
    number(summary.without_score(g));
    for_each_kind(
        summary, [&](std::uint32_t mismatches, std::uint32_t bulges) { number(summary.sites(g, mismatches, bulges)); });
    text += '\n';
    if (text.size() >= kWriteSize) {
      output.write(text);
      text.clear();
    }
  }
  output.write(text);
  output.close();
}

}  // namespace trawl::io
