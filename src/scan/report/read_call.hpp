// Which pattern a read has: the best one, and how far the next one is.
//
//   SiteRecord first, second;                     // of one read: pattern 0 with 2 edits, pattern 1 with none
//   first.distance = 2;
//   second.pattern = 1;
//   ReadCaller caller({.max_edits = 2});
//   caller.add(first), caller.add(second);
//   const ReadCall call = caller.finish();
//   call.patterns == {1}                      // it is CallKind::assigned
//   call.next_distance == 2                   // of call.next, {0}
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "scan/options.hpp"
#include "scan/read_structure.hpp"
#include "scan/report/record.hpp"
#include "sequence/read_batch.hpp"
#include "sequence/text_chunk.hpp"

namespace trawl::scan {

enum class CallKind {
  assigned,    // one pattern is better than all others
  ambiguous,   // another one is as good, or nearly
  unassigned,  // there is none
};

/// What is known of a read.
struct ReadCall {
  CallKind kind = CallKind::unassigned;
  std::vector<std::uint32_t> patterns;  // those with the smallest distance, in the order given; empty if unassigned
  SiteRecord best;                      // the leftmost place of the first of them
  std::uint32_t places = 0;             // of all of them, with that distance
  std::vector<std::uint32_t> next;      // the patterns with the next larger distance; empty: none was found
  std::uint32_t next_distance = 0;
  /// Of reads with a structure: of each barcode; and all parts, first those of the first mate, in the direction that
  /// best.reverse says. None: a linker was not found. `patterns` then has the row of all barcodes together.
  std::vector<ReadCall> barcodes = {};
  std::vector<sequence::ReadPart> parts = {};
};

/// The letters of all barcodes or UMIs of a read with a structure, or their qualities, in the direction of the
/// structure. Between several parts there is '-', between qualities ' ', as in the SAM tags. `read`: the first mate.
std::string letters_of_parts(PartKind kind, const sequence::ReadBatch& reads, std::size_t read, const ReadCall& call,
                             const ReadStructure& structure, bool qualities = false);

class ReadCaller {
 public:
  explicit ReadCaller(const CallRule& rule) : rule_(rule) {}

  /// The records of a read, in any order.
  void add(const SiteRecord& record);
  bool has_records() const { return !found_.empty(); }
  /// The call that they give; the next record is of another read.
  ReadCall finish();

 private:
  CallRule rule_;
  std::vector<std::pair<std::uint16_t, std::uint32_t>> found_;  // distance and pattern of each record
  SiteRecord best_;
};

}  // namespace trawl::scan
