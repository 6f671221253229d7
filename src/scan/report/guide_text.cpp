#include "scan/report/guide_text.hpp"

#include <algorithm>

#include "sequence/plane_window.hpp"

namespace trawl::scan {

SliceRange::SliceRange(const sequence::TextChunk& chunk, std::size_t slice) {
  const auto& of = chunk.slices[slice];
  const auto& contig = chunk.reference.contigs()[slice];
  begin = of.begin;
  end = of.begin + contig.length;
  is_last = of.is_last;
  fresh = of.fresh;
  offset = contig.offset - of.begin;
}

std::vector<std::uint8_t> guide_sets(const Query& query, bool outwards) {
  std::vector<std::uint8_t> sets;
  for (std::uint32_t i = query.pam_first; i < query.length() - query.pam_last; ++i) {
    sets.push_back(query.set(i));
  }
  if (outwards && query.pam_last > 0) {
    std::reverse(sets.begin(), sets.end());
  }
  return sets;
}

std::optional<sequence::PlaneBlock> GuideText::plain_letters(const Query& query, std::uint64_t pam) const {
  const sequence::Reference& reference = chunk_.reference;
  const std::uint64_t count = query.length() + std::uint64_t{options_.max_bulges};
  const std::uint64_t before = query.pam_last > 0 ? query.guide_length() + std::uint64_t{options_.max_bulges} : 0;
  const std::uint64_t begin = pam - before;
  if (options_.ambiguous_matches || count > 64 || pam < before || begin + 128 > reference.size()) {
    return std::nullopt;
  }
  const std::uint64_t mask = ~std::uint64_t{0} >> (64 - count);
  if ((sequence::bits_at(reference.ambiguous().data(), begin) & mask) != 0) {
    return std::nullopt;
  }
  const auto letters = sequence::planes_at(reference.planes().data(), begin);
  return sequence::PlaneBlock{letters.high & mask, letters.low & mask};
}

sequence::PlaneBlock GuideText::without_pam(const sequence::PlaneBlock& letters, const Query& query) const {
  if (query.pam_first > 0) {
    return {letters.high >> query.pam_first, letters.low >> query.pam_first};
  }
  const std::uint64_t guide = (std::uint64_t{1} << (query.guide_length() + options_.max_bulges)) - 1;
  return {letters.high & guide, letters.low & guide};
}

std::span<const std::uint8_t> GuideText::beside(const Query& query, const Site& site, bool outwards) {
  const SliceRange slice(chunk_, site.slice);
  const std::uint64_t first = pam_of_key(query, options_, site.key) + query.pam_first;
  const std::uint64_t longest = query.guide_length() + std::uint64_t{options_.max_bulges};
  const bool is_before = query.pam_last > 0;
  sets_.resize(std::min(longest, is_before ? first - slice.begin : slice.end - first));
  const std::uint64_t begin = (is_before ? first - sets_.size() : first) + slice.offset;
  window_.load(chunk_.reference, static_cast<std::int64_t>(begin), sets_.size(), options_.ambiguous_matches);
  window_.put_sets(0, sets_);
  if (outwards && is_before) {
    std::reverse(sets_.begin(), sets_.end());
  }
  return sets_;
}

}  // namespace trawl::scan
