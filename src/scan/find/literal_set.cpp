#include "scan/find/literal_set.hpp"

#include <algorithm>
#include <span>

namespace trawl::scan {

LiteralSet::LiteralSet(const std::vector<Literal>& literals, unsigned most_unknown) {
  std::vector<std::uint64_t> first;
  const auto sorted = sort_by_group(literals, first);
  for (std::size_t g = 0; g + 1 < first.size(); ++g) {
    if (first[g] < first[g + 1]) {
      tables_.emplace_back(std::span(sorted.data() + first[g], sorted.data() + first[g + 1]), most_unknown);
    }
  }
}

std::uint64_t literal_scan(const sequence::Reference& reference, const LiteralSet& set,
                           const LiteralScanOptions& options, std::uint64_t begin, std::uint64_t end,
                           std::vector<Hit>& hits) {
  static thread_local PackedText text;
  static thread_local LiteralTable::Room room;
  const std::size_t first_hit = hits.size();
  const std::size_t most = options.room > SIZE_MAX - first_hit ? SIZE_MAX : first_hit + options.room;
  for (std::uint64_t at = begin; at < end;) {
    const std::uint64_t next = std::min(end, at / PackedText::kMost * PackedText::kMost + PackedText::kMost);
    const std::size_t before = hits.size();
    // A literal that ends in [at, next) has its last letters in [at - kBefore, next).
    const std::uint64_t origin = (at - std::min(at, PackedText::kBefore)) / 64 * 64;
    text.load(reference, origin, next);
    for (const LiteralTable& table : set.tables()) {
      if (!table.search(reference, text, at - origin, next - origin, most, room, hits)) {
        hits.resize(before);
        return at;
      }
    }
    at = next;
    if (hits.size() - first_hit >= options.most_hits) {
      return at;
    }
  }
  return end;
}

}  // namespace trawl::scan
