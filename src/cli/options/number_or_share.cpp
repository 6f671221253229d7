#include "cli/options/number_or_share.hpp"

#include <charconv>
#include <cmath>
#include <string_view>

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

std::optional<sequence::AmbiguousLimit> parse_ambiguous(const std::string& text) {
  constexpr std::string_view kMatch = "match";
  if (text == "mismatch") {
    return std::nullopt;
  }
  const bool has_limit = text.starts_with("match:");
  if (!has_limit && text != kMatch) {
    throw UsageError("--ambiguous " + text + ": give mismatch or match, or match with a limit, for example match:25%");
  }
  sequence::AmbiguousLimit limit;
  if (has_limit) {
    const map::NumberOrShare most = parse_number_or_share(
        "--ambiguous match:", text.substr(kMatch.size() + 1),
        "give a number of letters, for example match:10, or a share of the read's or pattern's length, for example "
        "match:25%",
        100);
    limit.is_share = most.is_share;
    limit.most = most.is_share ? static_cast<std::uint32_t>(std::lround(100 * most.percent)) : most.number;
  }
  return limit;
}

}  // namespace trawl::cli
