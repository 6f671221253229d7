// From candidates to ends: how many edits does a strand have on these diagonals? A strand goes one of three ways:
// mismatches are counted; a band of diagonals is computed, many in the lanes of a vector; or columns of any height.
//
//   with: const SearchRule& rule, const std::vector<Strand>& strands, const std::vector<std::int64_t>& diagonals
//   StrandLoci found(rule);
//   Verification verification(rule, found);
//   found.start(strands);
//   verification.start(strands);
//   verification.take(0, diagonals);          // of strand 0
//   verification.verify_waiting(0);
//   found.loci(0).empty()
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "map/column_scan.hpp"
#include "map/strand_loci.hpp"
#include "map/verify.hpp"
#include "sequence/encoded_read.hpp"
#include "sequence/text_window.hpp"

namespace trawl::map {

class Verification {
 public:
  /// Both must outlive it. The ends go to `found`.
  Verification(const SearchRule& rule, StrandLoci& found) : rule_(rule), found_(found) {}

  /// From now on numbers of strands are indices into `strands`.
  void start(const std::vector<Strand>& strands) { strands_ = strands; }

  /// Takes the candidates of strand `first`, which are those of all strands with its seeds: ascending diagonals on
  /// which the region of the seeds may begin.
  void take(std::uint32_t first, const std::vector<std::int64_t>& diagonals);

  /// Some candidates wait until there are many of a kind. Verifies the kinds of which there are `at_least`.
  void verify_waiting(std::size_t at_least);

 private:
  bool set_gate(std::uint32_t first);
  void measure_at_gate(const std::vector<std::int64_t>& diagonals);
  void verify(std::uint32_t strand, const std::vector<std::int64_t>& diagonals);
  void count_mismatches(std::uint32_t strand, const std::vector<std::int64_t>& diagonals);
  std::optional<std::uint32_t> mismatches_at(const Strand& strand, std::int64_t begin) const;
  void verify_columns(std::uint32_t strand, const std::vector<std::int64_t>& diagonals);
  void add_windows(const Strand& strand, std::uint32_t number, const std::vector<std::int64_t>& diagonals,
                   std::vector<BandWindow>& windows) const;
  void verify(WindowQueue& queue);

  const SearchRule& rule_;
  StrandLoci& found_;
  std::span<const Strand> strands_;
  WindowQueues queues_;
  std::vector<BandDistances> verified_;
  sequence::TextWindow text_;
  ColumnScan columns_;
  Strand gate_;  // the bases that all strands with the same seeds hold
  sequence::EncodedRead gate_bases_;
  std::vector<BandWindow> gate_windows_;
  std::vector<std::uint32_t> gate_distances_;  // per diagonal: the fewest edits of these bases there
  std::vector<std::int64_t> passed_;           // diagonals
};

}  // namespace trawl::map
