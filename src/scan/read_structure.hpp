// Where the parts of a read lie: --read-structure of `trawl scan`, as fgbio's read structures, and with linkers.
//
//   const ReadStructure structure = read_structure("+S[GATTACAGATTACA]4B2M+T");
//   structure.barcodes() == 1
//   std::vector<sequence::PlacedPart> places;
//   structure.place(0, "CCGATTACAGATTACAACGTTTGGGGG", 1, places) == 0     // edits of its linkers
//   places[2].begin == 16 && places[2].end == 20                         // the barcode ACGT
//   structure.settle(0, {}, 27, places);                                 // the call of no barcode moves them
//   places[4].begin == 22                                                // the template GGGGG
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sequence/text_chunk.hpp"

namespace trawl::scan {

enum class PartKind : std::uint8_t {
  barcode,  // B or C: one of the patterns
  umi,      // M or U
  insert,   // T: the template, which is written
  skipped,  // S
  linker,   // [ACGT]: letters that are known
};

struct StructurePart {
  PartKind kind = PartKind::skipped;
  std::uint32_t length = 0;  // of a part without a linker; 0: as long as there is room (+)
  std::string letters = {};  // of a linker
  std::uint32_t max_edits = 0;
  std::size_t barcode = 0;  // of a barcode: its number in the structure of all mates

  bool is_open() const { return kind != PartKind::linker && length == 0; }
};

/// Where a barcode was found.
struct FoundBarcode {
  std::uint32_t begin = 0, end = 0;
};

class ReadStructure {
 public:
  using Parts = std::vector<StructurePart>;

  explicit ReadStructure(std::vector<Parts> of_mates) : of_mates_(std::move(of_mates)) {}

  std::size_t mates() const { return of_mates_.size(); }
  const Parts& parts(std::size_t mate) const { return of_mates_[mate]; }
  std::size_t barcodes() const;
  /// How many letters letters_of_parts() gives of UMIs that are not cut off.
  std::size_t umi_letters() const;
  /// How many mates have a template.
  std::size_t inserts() const;
  /// Where that of a mate is among the parts of all mates; nothing: it has none.
  std::optional<std::size_t> insert_of(std::size_t mate) const;

  /// The places of all parts of a mate, of which a barcode may have `max_edits` edits with gaps. Returns the edits of
  /// its linkers; nothing if one of them is not there.
  std::optional<std::uint32_t> place(std::size_t mate, std::string_view bases, std::uint32_t max_edits,
                                     std::vector<sequence::PlacedPart>& places) const;
  /// Moves the parts beside barcodes that were found. `found`: by part, in part or empty; `length`: of the read.
  void settle(std::size_t mate, std::span<const std::optional<FoundBarcode>> found, std::uint32_t length,
              std::span<sequence::PlacedPart> places) const;

 private:
  std::vector<Parts> of_mates_;
};

/// The structure of a read, or with a comma or a blank between them those of both mates of pairs. A second mate without
/// one is a template. Throws UsageError.
ReadStructure read_structure(const std::string& text, bool paired = false);

}  // namespace trawl::scan
