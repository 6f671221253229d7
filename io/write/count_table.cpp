#include "io/write/count_table.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>

#include "base/counted.hpp"
#include "io/read/line_reader.hpp"
#include "io/write/scan_lines.hpp"
#include "io/write/table_file.hpp"

namespace trawl::io {

namespace {

constexpr std::string_view kGeneColumns =
    "gene gene_symbol gene_name symbol hgnc_symbol target_gene target_gene_symbol target gene_id";

// The column of the genes: by its name, or because it is the only one.
std::optional<std::size_t> gene_column(const std::vector<std::string>& names) {
  const auto place = [](const std::string& name) { return place_in(kGeneColumns, name); };
  const auto best = std::ranges::min_element(names, {}, place);
  const bool is_known = names.size() == 1 || (!names.empty() && place(*best) < std::string::npos);
  return is_known ? std::optional<std::size_t>(best - names.begin()) : std::nullopt;
}

}  // namespace

std::string SampleCounts::text() const {
  return name + ' ' + std::to_string(assigned) + " of " + counted(reads, "read") + " (" +
         std::to_string(reads > 0 ? assigned * 100 / reads : 0) + "%)";
}

void write_count_table(const std::string& path, int compression_level, const sequence::PatternList& patterns,
                       const PatternColumns& columns, const std::vector<SampleCounts>& samples) {
  const ScanFormat format = scan_format(path);
  TableFile table(path, level_of(format, compression_level), separator(format));
  const std::optional<std::size_t> gene = gene_column(columns.names);
  std::vector<std::size_t> order(columns.names.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (gene) {
    std::rotate(order.data(), order.data() + *gene, order.data() + *gene + 1);
  }
  table.cell(gene ? "sgRNA" : "pattern");
  for (const std::size_t c : order) {
    table.cell(c == gene ? "Gene" : columns.names[c]);
  }
  for (const SampleCounts& sample : samples) {
    table.cell(sample.name);
  }
  table.end_line();
  for (std::size_t p = 0; p < patterns.size(); ++p) {
    const auto cells = parts_of(p < columns.cells.size() ? std::string_view(columns.cells[p]) : "", '\n');
    table.cell(patterns[p].name);
    for (const std::size_t c : order) {
      table.cell(c < cells.size() ? cells[c] : "");
    }
    for (const SampleCounts& sample : samples) {
      table.number(sample.by_row[p]);
    }
    table.end_line();
  }
  table.close();
}

}  // namespace trawl::io
