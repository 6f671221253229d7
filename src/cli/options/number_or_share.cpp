#include "cli/options/number_or_share.hpp"

#include <charconv>
#include <cmath>

#include "base/error.hpp"

namespace trawl::cli {

map::NumberOrShare parse_number_or_share(const std::string& option, const std::string& text, const char* advice,
                                         double most_percent) {
  map::NumberOrShare value{};
  value.is_share = !text.empty() && text.back() == '%';
  const char* const end = text.data() + text.size() - (value.is_share ? 1 : 0);
  const auto read = value.is_share ? std::from_chars(text.data(), end, value.percent)
                                   : std::from_chars(text.data(), end, value.number);
  if (read.ec != std::errc() || read.ptr != end || !(value.percent >= 0 && value.percent <= most_percent)) {
    throw UsageError(option + ' ' + text + ": " + advice);
  }
  return value;
}

sequence::AmbiguousLimit parse_max_ambiguous(const std::string& text, const std::string& ambiguous) {
  sequence::AmbiguousLimit limit;
  if (text.empty()) {
    return limit;
  }
  if (ambiguous != "match") {
    throw UsageError("--max-ambiguous needs --ambiguous match; otherwise ambiguous letters match nothing");
  }
  const map::NumberOrShare most = parse_number_or_share(
      "--max-ambiguous", text,
      "give a number of letters, for example 10, or a share of the read's or pattern's length, for example 25%", 100);
  limit.is_share = most.is_share;
  limit.most = most.is_share ? static_cast<std::uint32_t>(std::lround(100 * most.percent)) : most.number;
  return limit;
}

}  // namespace trawl::cli
