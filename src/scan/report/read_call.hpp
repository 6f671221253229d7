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
#include "scan/report/ties.hpp"
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
  std::vector<std::uint32_t> next;      // the best of the others: those with the next larger distance, or, after a
                                        // decision between ties, with the same; empty: none was found
  std::uint32_t next_distance = 0;
  /// Of reads with a structure: of each barcode; and all parts, first those of the first mate, in the direction that
  /// best.reverse says. None: a linker was not found. `patterns` then has the row of all barcodes together.
  std::vector<ReadCall> barcodes = {};
  std::vector<sequence::PlacedPart> parts = {};
};

/// The letters of all barcodes or UMIs of a read with a structure, or their qualities, in the direction of the
/// structure. Between several parts there is '-', between qualities ' ', as in the SAM tags. `read`: the first mate.
std::string letters_of_parts(PartKind kind, const sequence::ReadBatch& reads, std::size_t read, const ReadCall& call,
                             const ReadStructure& structure, bool qualities = false);

class ReadCaller {
 public:
  /// `ties`: needed if the rule decides between ties; it must outlive this object.
  explicit ReadCaller(const CallRule& rule, const TieInputs* ties = nullptr) : rule_(rule), ties_(ties) {}

  /// The records of a read, in any order.
  void add(const SiteRecord& record);
  /// The call that they give; the next record is of another read. `read`: needed for the posterior.
  ReadCall finish(const ReadLetters& read = {});

 private:
  void decide(const ReadLetters& read, ReadCall& call) const;

  CallRule rule_;
  const TieInputs* ties_;
  std::vector<std::pair<std::uint16_t, std::uint32_t>> found_;  // distance and pattern of each record
  std::vector<SiteRecord> best_;  // with the smallest distance, the best one first; if ties are decided all
};

}  // namespace trawl::scan
