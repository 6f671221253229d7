#include "io/write/count_table.hpp"

#include <algorithm>
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
  const auto write_row = [&](std::string_view name, const std::vector<std::string_view>& cells) {
    const auto cell = [&](std::size_t c) { table.cell(c < cells.size() ? cells[c] : ""); };
    table.cell(name);
    if (gene) {
      cell(*gene);
    }
    for (std::size_t c = 0; c < columns.names.size(); ++c) {
      if (c != gene) {
        cell(c);
      }
    }
  };
  std::vector<std::string_view> header(columns.names.begin(), columns.names.end());
  if (gene) {
    header[*gene] = "Gene";
  }
  write_row(gene ? "sgRNA" : "pattern", header);
  for (const SampleCounts& sample : samples) {
    table.cell(sample.name);
  }
  table.end_line();
  const std::vector<std::string_view> none;
  for (std::size_t p = 0; p < patterns.size(); ++p) {
    write_row(patterns[p].name, p < columns.cells.size() ? parts_of(columns.cells[p], '\n') : none);
    for (const SampleCounts& sample : samples) {
      table.number(sample.by_row[p]);
    }
    table.end_line();
  }
  table.close();
}

}  // namespace trawl::io
