// The text around the sites of guides, in a chunk.
//
//   with: const sequence::TextChunk& chunk, const ScanOptions& options, const Query& query, const Site& site
//   GuideText text(chunk, options);
//   const std::uint64_t pam = text.pam_position(query, site);
//   if (const auto letters = text.plain_letters(query, pam)) { ... }    // as bits, if all of them are bases
//   text.beside(query, site, true);                                     // as sets, from the PAM outwards
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "scan/find/query.hpp"
#include "scan/options.hpp"
#include "scan/report/site.hpp"
#include "sequence/text_chunk.hpp"
#include "sequence/text_window.hpp"

namespace trawl::scan {

/// The positions of a contig that a slice has.
struct SliceRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  bool is_last = true;
  std::uint64_t fresh = 0;
  std::uint64_t offset = 0;  // coordinate of contig position 0; may wrap around, differences are still right

  SliceRange() = default;
  SliceRange(const sequence::TextChunk& chunk, std::size_t slice);

  /// Whether a key belongs to the region, and to no earlier chunk.
  bool has(const Region& region, std::uint64_t key) const {
    const std::uint64_t position = key + offset;
    return key >= fresh && (is_last || key < end) && position >= region.begin && position < region.end;
  }
};

/// The letters of a guide without its PAM, as sets of bases. `outwards`: from the PAM on, otherwise from left to right.
std::vector<std::uint8_t> guide_sets(const Query& query, bool outwards);

/// The position of the first PAM base in the contig, of a site with this key.
inline std::uint64_t pam_of_key(const Query& query, const ScanOptions& options, std::uint64_t key) {
  return key + 1 - (query.pam_last > 0 ? query.pam_last : query.length() + options.max_edits);
}

class GuideText {
 public:
  GuideText(const sequence::TextChunk& chunk, const ScanOptions& options) : chunk_(chunk), options_(options) {}

  /// The same in the coordinate space of the chunk.
  std::uint64_t pam_position(const Query& query, const Site& site) const {
    return pam_of_key(query, options_, site.key) + SliceRange(chunk_, site.slice).offset;
  }
  /// All letters that the alignment of a site with this PAM may have, with the PAM, from left to right. Nothing if some
  /// are ambiguous or beyond the contig, or if they are more than 64.
  std::optional<sequence::PlaneBlock> plain_letters(const Query& query, std::uint64_t pam) const;
  /// Those of them that are not the PAM's.
  sequence::PlaneBlock without_pam(const sequence::PlaneBlock& letters, const Query& query) const;
  /// The letters beside a site's PAM as sets of bases, in the order of guide_sets(). They are valid until the next
  /// call.
  std::span<const std::uint8_t> beside(const Query& query, const Site& site, bool outwards);

 private:
  const sequence::TextChunk& chunk_;
  const ScanOptions& options_;
  sequence::TextWindow window_;
  std::vector<std::uint8_t> sets_;
};

}  // namespace trawl::scan
