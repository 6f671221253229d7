#include "scan/primer_pool.hpp"

#include <algorithm>
#include <utility>

namespace trawl::scan {
namespace {

constexpr std::string_view kSeparators = "_-. |/:";

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return out;
}

constexpr std::string_view kLefts[] = {"left", "forward", "fwd", "fw", "for", "f", "l", "u", "upper"};
constexpr std::string_view kRights[] = {"right", "reverse", "rev", "rv", "rvs", "r", "lower"};
constexpr std::string_view kUnclear[] = {"l", "u", "upper", "lower"};
constexpr std::string_view kDigits = "0123456789";

PrimerSide side_of(std::string_view word) {
  return std::ranges::count(kLefts, word) > 0    ? PrimerSide::left
         : std::ranges::count(kRights, word) > 0 ? PrimerSide::right
                                                 : PrimerSide::unknown;
}

struct SideWord {
  PrimerSide side = PrimerSide::unknown;
  std::size_t of_amplicon = 0;  // so many of its letters: 3 of "m13f"
};

// `clearly`: without numbers.
SideWord side_word(std::string_view word, bool clearly) {
  if (clearly) {
    return {std::ranges::count(kUnclear, word) > 0 ? PrimerSide::unknown : side_of(word)};
  }
  const std::size_t number = word.find_last_not_of(kDigits) + 1;  // at the end
  if (const PrimerSide side = side_of(word.substr(0, number)); side != PrimerSide::unknown) {
    return {side};
  }
  const std::size_t last = word.empty() ? 0 : word.size() - 1;
  return last > 0 && kDigits.find(word[last - 1]) != kDigits.npos && word[last] != 'u'
             ? SideWord{side_of(word.substr(last)), last}
             : SideWord{};
}

// "alt", "alt2", "2": one of several primers for the same place.
bool is_count(std::string_view word) {
  std::string text = lower(word);
  if (text.starts_with("alt")) {
    text.erase(0, 3);
  }
  return text.find_first_not_of("0123456789") == text.npos;
}

PrimerName split_name(std::string_view name, bool clearly) {
  PrimerName found;
  // The last word that is a side.
  for (std::size_t end = name.size(); end > 0;) {
    const std::size_t before = name.substr(0, end).find_last_of(kSeparators);
    const std::size_t begin = before == name.npos ? 0 : before + 1;
    const std::string word = lower(name.substr(begin, end - begin));
    const auto [side, of_amplicon] = side_word(word, clearly);
    found.is_probe = found.is_probe || word == "probe";
    if (side != PrimerSide::unknown) {
      found.side = side;
      found.amplicon =
          of_amplicon > 0 ? name.substr(0, begin + of_amplicon) : name.substr(0, begin > 0 ? begin - 1 : 0);
      const std::string_view rest = end < name.size() ? name.substr(end) : "";  // with its separator
      for (std::size_t at = 0; at < rest.size();) {
        const std::size_t next = std::min(rest.find_first_of(kSeparators, at + 1), rest.size());
        if (!is_count(rest.substr(at + 1, next - at - 1))) {
          found.amplicon += rest.substr(found.amplicon.empty() ? at + 1 : at, next - at);
        }
        at = next;
      }
      if (found.amplicon.empty()) {
        found.side = PrimerSide::unknown;
      }
      return found;
    }
    end = before == name.npos ? 0 : before;
  }
  return found;
}

}  // namespace

PrimerName split_primer_name(std::string_view name) {
  PrimerName found = split_name(name, true);
  return found.side != PrimerSide::unknown || found.is_probe ? found : split_name(name, false);
}

std::vector<std::uint32_t> PrimerPool::groups(Combine how) const {
  std::vector<std::uint32_t> groups(primers_.size(), 0);
  if (how == Combine::all || (how == Combine::pool && pools_.empty())) {
    return groups;
  }
  // A primer without an amplicon or a pool is alone.
  auto next = static_cast<std::uint32_t>(how == Combine::pair ? amplicons_.size() : pools_.size());
  for (std::size_t i = 0; i < primers_.size(); ++i) {
    const auto& number = how == Combine::pair ? primers_[i].amplicon : primers_[i].pool;
    groups[i] = number ? *number : next++;
  }
  return groups;
}

}  // namespace trawl::scan
