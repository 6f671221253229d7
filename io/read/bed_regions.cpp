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
  const std::size_t first = line.find('\t');
  const std::size_t second = first == line.npos ? first : line.find('\t', first + 1);
  if (first == 0 || second == line.npos) {
    return std::nullopt;
  }
  const auto begin = whole_number(line.substr(first + 1, second - first - 1));
  const auto end = whole_number(line.substr(second + 1, line.find('\t', second + 1) - second - 1));
  if (!begin || !end || *begin >= *end) {
    return std::nullopt;
  }
  return NamedRegion{std::string(line.substr(0, first)), *begin, *end};
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

std::vector<NamedRegion> read_bed(const std::string& path) {
  std::vector<NamedRegion> regions;
  LineReader lines(path);
  for (std::string_view line; lines.next(line);) {
    if (line.empty() || line[0] == '#' || is_browser_line(line) || line == "track" || line == "browser" ||
        (regions.empty() && names_bed_columns(line))) {
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

std::vector<Region> find_regions(const std::vector<NamedRegion>& regions, const std::vector<sequence::Contig>& contigs,
                                 const std::string& name) {
  std::unordered_map<std::string_view, std::uint64_t> numbers;
  for (std::size_t c = 0; c < contigs.size(); ++c) {
    numbers.emplace(contigs[c].name, c);
  }
  std::vector<Region> found;
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

std::vector<Region> joined(std::vector<Region> regions) {
  std::sort(regions.begin(), regions.end());
  std::vector<Region> all;
  for (const Region& region : regions) {
    if (!all.empty() && all.back().contig == region.contig && region.begin <= all.back().end) {
      all.back().end = std::max(all.back().end, region.end);
    } else {
      all.push_back(region);
    }
  }
  return all;
}

}  // namespace trawl::io
