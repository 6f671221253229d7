#include "io/report/regions.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/error.hpp"
#include "base/whole_number.hpp"

namespace trawl::io {
namespace {

constexpr std::string_view kOption = "--report-regions ";

// "1,234" or "1234"
std::optional<std::uint64_t> position_of(std::string text) {
  if (text.starts_with(',') || text.ends_with(',')) {
    return std::nullopt;
  }
  std::erase(text, ',');
  return whole_number(text);
}

[[noreturn]] void fail(const std::string& text) {
  throw UsageError(std::string(kOption) + text +
                   ": give a BED file, or regions as chr1:1000-2000, counted from 1, with commas between them");
}

NamedRegion region_of(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  const std::size_t dash = text.find('-', std::min(colon, text.size()));
  if (colon == std::string::npos || colon == 0 || dash == std::string::npos) {
    fail(text);
  }
  const auto begin = position_of(text.substr(colon + 1, dash - colon - 1));
  const auto end = position_of(text.substr(dash + 1));
  if (!begin || !end || *begin == 0 || *end < *begin) {
    fail(text);
  }
  return {text.substr(0, colon), *begin - 1, *end};
}

// A comma lies between two regions if what follows it up to the next colon is not only digits.
std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t at = text.find(','); at != std::string::npos; at = text.find(',', at + 1)) {
    const std::size_t other = text.find_first_not_of("0123456789", at + 1);
    const bool in_number = other != at + 1 && (other == std::string::npos || text[other] == ',' || text[other] == '-');
    if (!in_number) {
      parts.push_back(text.substr(begin, at - begin));
      begin = at + 1;
    }
  }
  parts.push_back(text.substr(begin));
  return parts;
}

}  // namespace

std::vector<NamedRegion> parse_regions(const std::string& text) {
  std::vector<NamedRegion> regions;
  std::error_code error;  // many regions are longer than the name of a file may be
  if (std::filesystem::exists(text, error)) {
    regions = read_bed(text);
  } else {
    for (const std::string& part : parts_of(text)) {
      regions.push_back(region_of(part));
    }
  }
  std::uint64_t bases = 0;
  for (const NamedRegion& region : regions) {
    // Without an overflow: the ends may be as large as any number.
    bases += std::min(region.end - region.begin, kMostRegionBases + 1);
  }
  if (regions.empty() || regions.size() > kMostRegions || bases > kMostRegionBases) {
    throw UsageError(std::string(kOption) + text + ": " + std::to_string(regions.size()) + " regions with " +
                     std::to_string(bases) + " bases; the page can show 1 to " + std::to_string(kMostRegions) +
                     " with at most " + std::to_string(kMostRegionBases) + " bases together");
  }
  return regions;
}

}  // namespace trawl::io
