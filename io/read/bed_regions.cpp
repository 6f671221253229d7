#include "io/read/bed_regions.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "base/error.hpp"
#include "base/whole_number.hpp"
#include "io/read/line_reader.hpp"

namespace trawl::io {
namespace {

std::optional<NamedRegion> region_of_line(std::string_view line) {
  const auto cells = parts_of(line, '\t');
  if (cells.size() < 3 || cells[0].empty()) {
    return std::nullopt;
  }
  const auto begin = whole_number(cells[1]), end = whole_number(cells[2]);
  if (!begin || !end || *begin >= *end) {
    return std::nullopt;
  }
  return NamedRegion{std::string(cells[0]), *begin, *end};
}

}  // namespace

bool names_bed_columns(std::string_view line) {
  Cells cells;
  cells.split(line, '\t');
  const auto is_one_of = [&](std::size_t c, std::string_view names) {
    return c < cells.size() && place_in(names, cells[c]) < names.npos;
  };
  return is_one_of(0, "chrom chromosome chr contig") && is_one_of(1, "start chromstart") &&
         is_one_of(2, "end stop chromend") && !is_one_of(3, "length width");
}

bool is_beside_table(std::string_view line, bool is_first) {
  return line.empty() || line[0] == '#' || is_browser_line(line) || (is_first && names_bed_columns(line));
}

std::vector<NamedRegion> read_bed(const std::string& path) {
  std::vector<NamedRegion> regions;
  LineReader lines(path);
  for (std::string_view line; lines.next(line);) {
    if (is_beside_table(line, regions.empty()) || line == "track" || line == "browser") {
      continue;
    }
    auto region = region_of_line(line);
    if (!region) {
      throw InputError(lines.name(), lines.number(),
                       "not a line of BED: a contig, a start and an end after it, with tabs between them");
    }
    region->line = lines.number();
    regions.push_back(std::move(*region));
  }
  return regions;
}

std::vector<NamedRegion> read_some_regions(const std::string& path) {
  std::vector<NamedRegion> regions = read_bed(path);
  if (regions.empty()) {
    throw InputError(path, 0, "has no regions; leave --regions out for the whole reference");
  }
  return regions;
}

std::vector<ContigRegion> whole_contigs(const std::vector<sequence::Contig>& contigs) {
  std::vector<ContigRegion> regions;
  for (const sequence::Contig& contig : contigs) {
    regions.push_back({regions.size(), 0, contig.length});
  }
  return regions;
}

std::vector<ContigRegion> find_regions(const std::vector<NamedRegion>& regions,
                                       const std::vector<sequence::Contig>& contigs, const std::string& name) {
  std::unordered_map<std::string_view, std::uint64_t> numbers;
  for (std::size_t c = 0; c < contigs.size(); ++c) {
    numbers.emplace(contigs[c].name, c);
  }
  std::vector<ContigRegion> found;
  for (const NamedRegion& region : regions) {
    const auto number = numbers.find(region.contig);
    if (number == numbers.end() || region.begin >= contigs[number->second].length) {
      const std::string what = number == numbers.end()
                                   ? "the reference has no such contig"
                                   : "the contig has only " + std::to_string(contigs[number->second].length) + " bases";
      const std::string place =
          region.contig + ":" + std::to_string(region.begin + 1) + "-" + std::to_string(region.end) + ": ";
      if (region.line > 0) {
        throw InputError(name, region.line, place + what);
      }
      throw UsageError(name + " " + place + what);
    }
    found.push_back({number->second, region.begin, std::min(region.end, contigs[number->second].length)});
  }
  return found;
}

std::vector<ContigRegion> joined(std::vector<ContigRegion> regions) {
  std::sort(regions.begin(), regions.end());
  std::vector<ContigRegion> all;
  for (const ContigRegion& region : regions) {
    if (!all.empty() && all.back().contig == region.contig && region.begin <= all.back().end) {
      all.back().end = std::max(all.back().end, region.end);
    } else {
      all.push_back(region);
    }
  }
  return all;
}

}  // namespace trawl::io
