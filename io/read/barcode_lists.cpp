#include "io/read/barcode_lists.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "base/counted.hpp"
#include "base/error.hpp"
#include "io/read/line_reader.hpp"
#include "scan/options.hpp"
#include "sequence/alphabet.hpp"

namespace trawl::io {

namespace {

using Barcodes = std::vector<scan::StructurePart>;

// The barcodes of all mates.
Barcodes barcodes_of(const scan::ReadStructure& structure) {
  Barcodes barcodes;
  for (std::size_t m = 0; m < structure.mates(); ++m) {
    std::copy_if(structure.parts(m).begin(), structure.parts(m).end(), std::back_inserter(barcodes),
                 [](const scan::StructurePart& part) { return part.kind == scan::PartKind::barcode; });
  }
  return barcodes;
}

// Where a line has a sequence for each barcode: in the first cells after the name that have as many letters.
std::vector<std::size_t> sequence_cells(const Cells& cells, const Barcodes& barcodes) {
  constexpr std::size_t shortest = 5;  // of several lengths; a shorter cell may be the name of a gene
  std::vector<std::size_t> columns;
  for (std::size_t c = 1; c < cells.size() && columns.size() < barcodes.size(); ++c) {
    const scan::StructurePart& barcode = barcodes[columns.size()];
    const bool has_length = barcode.is_open() ? cells[c].size() >= shortest : cells[c].size() == barcode.length;
    if (has_length && is_iupac(cells[c])) {
      columns.push_back(c);
    }
  }
  return columns.size() == barcodes.size() ? columns : std::vector<std::size_t>();
}

bool has(const std::vector<std::size_t>& columns, std::size_t column) {
  return std::find(columns.begin(), columns.end(), column) != columns.end();
}

// Reads a table of combinations; false: the file is none.
bool read_table(const std::string& path, const Barcodes& barcodes, BarcodeLists& lists) {
  const std::size_t count = barcodes.size();
  std::vector<std::unordered_map<std::string, std::uint32_t>> known(count);
  std::vector<sequence::PatternList> of_barcode(count);
  std::vector<std::pair<std::string, std::vector<std::uint32_t>>> rows;
  LineReader lines(path);
  Cells cells;
  std::vector<std::size_t> columns;
  std::vector<std::string> header;
  std::string_view line;
  while (lines.next(line)) {
    if (line.empty() || line[0] == '#') {
      continue;
    }
    cells.split(line, separator_of(line, ';'));
    if (columns.empty()) {
      columns = sequence_cells(cells, barcodes);
      if (columns.empty() && !header.empty()) {
        return false;
      }
      if (columns.empty()) {
        header.assign(cells.begin(), cells.end());
        continue;
      }
      for (std::size_t c = 1; c < cells.size(); ++c) {
        if (!has(columns, c)) {
          lists.columns.names.push_back(c < header.size() ? header[c] : "column" + std::to_string(c + 1));
        }
      }
    }
    const auto fail = [&](const std::string& what) { throw InputError(lines.name(), lines.number(), what); };
    if (cells.size() <= columns.back()) {
      fail("has " + std::to_string(cells.size()) + " columns, and the lines before have a sequence in column " +
           std::to_string(columns.back() + 1));
    }
    if (const std::string what = wrong_pattern_name(cells[0], false); !what.empty()) {
      fail(what);
    }
    std::vector<std::uint32_t> combination;
    for (std::size_t b = 0; b < count; ++b) {
      const std::string_view letters = cells[columns[b]];
      if (const std::string what = wrong_pattern_letters(letters, cells[0]); !what.empty() || letters.empty()) {
        fail(letters.empty() ? "a combination has a sequence for each barcode of the structure" : what);
      }
      const std::string bases = sequence::upper_bases(letters);
      const auto [at, is_new] = known[b].emplace(bases, static_cast<std::uint32_t>(of_barcode[b].size()));
      if (is_new) {
        of_barcode[b].add(bases, bases);
      }
      combination.push_back(at->second);
    }
    rows.emplace_back(cells[0], std::move(combination));
    std::string& others = lists.columns.cells.emplace_back();
    for (std::size_t c = 1; c < cells.size(); ++c) {
      others.append(has(columns, c) ? "" : std::string(cells[c]) + '\n');
    }
  }
  for (const sequence::PatternList& list : of_barcode) {
    const auto first = static_cast<std::uint32_t>(lists.patterns.size());
    for (const auto pattern : list) {
      lists.patterns.add(pattern.name, pattern.bases);
    }
    lists.of_barcode.push_back({first, static_cast<std::uint32_t>(lists.patterns.size())});
  }
  for (auto& [name, combination] : rows) {
    std::string letters;
    for (std::size_t b = 0; b < count; ++b) {
      combination[b] += lists.of_barcode[b].first;
      letters += lists.patterns[combination[b]].bases;
    }
    const auto [at, is_new] = lists.row_of.emplace(combination, static_cast<std::uint32_t>(lists.rows.size()));
    if (!is_new) {
      throw InputError(lines.name(), 0,
                       "'" + name + "' and '" + std::string(lists.rows[at->second].name) +
                           "' have the same sequences; leave one of them out");
    }
    lists.rows.add(name, letters);
  }
  return !rows.empty();
}

void read_list(const std::string& file, BarcodeLists& lists) {
  const auto first = static_cast<std::uint32_t>(lists.patterns.size());
  if (read_patterns(file, scan::kMaxPatternLength, lists.patterns, {}, &lists.columns)) {
    throw UsageError(file +
                     " is an input of Cas-OFFinder; barcodes are a list of sequences, or of names and sequences");
  }
  lists.of_barcode.push_back({first, static_cast<std::uint32_t>(lists.patterns.size())});
}

}  // namespace

BarcodeLists read_barcode_lists(const std::string& files, const scan::ReadStructure& structure) {
  BarcodeLists lists;
  lists.structure = structure;
  const Barcodes barcodes = barcodes_of(structure);
  if (barcodes.empty()) {
    return lists;
  }
  std::error_code error;
  std::vector<std::string_view> names = parts_of(files, ',');
  if (names.size() < 2 || std::filesystem::exists(files, error)) {
    names = {files};
  }
  if (names.size() > 1 && names.size() != barcodes.size()) {
    throw UsageError("--read-structure has " + counted(barcodes.size(), "barcode") + " (B), and there are " +
                     std::to_string(names.size()) + " lists of them; give one for each, with commas, or one for all");
  }
  if (barcodes.size() > 1 && names.size() == 1 && !std::filesystem::is_regular_file(files, error)) {
    throw UsageError(files + ": barcodes of several parts are in files, which pipes are not");
  }
  if (names.size() > 1) {
    for (const std::string_view name : names) {
      read_list(std::string(name), lists);
    }
  } else if (barcodes.size() < 2 || !read_table(files, barcodes, lists)) {
    read_list(files, lists);
    lists.of_barcode.resize(barcodes.size(), lists.of_barcode[0]);
  }
  if (barcodes.size() == 1) {
    lists.rows = lists.patterns;
  }
  for (std::size_t b = 0; b < barcodes.size(); ++b) {
    for (std::uint32_t p = lists.of_barcode[b].first; p < lists.of_barcode[b].last && !barcodes[b].is_open(); ++p) {
      if (lists.patterns[p].bases.size() != barcodes[b].length) {
        throw UsageError("--read-structure: barcode " + std::to_string(b + 1) + " has " +
                         std::to_string(barcodes[b].length) + " letters, and " + std::string(lists.patterns[p].name) +
                         " has " + std::to_string(lists.patterns[p].bases.size()) +
                         "; correct the number, or write +B for barcodes of several lengths");
      }
    }
  }
  return lists;
}

}  // namespace trawl::io
