// Settles the gaps of an alignment: with a gap and another edit, or if one gap of up to kBeside bases would be better,
// its bases are aligned anew along its diagonals and up to kBeside beside them (AffineBand).
//
//   by edits    ACGTTGCAGATT-C-GGCATGTTCGAACT      2 edits, 2 gaps               27 - 7 - 7 = 13
//   reference   ACGTTGCAGATTACAGGCATGTTCGAACT
//   settled     ACGTTGCAGATT--CGGCATGTTCGAACT      3 edits, 1 gap, 1 mismatch    26 - 8 - 4 = 14
//
// That is taken if its score is better than before, also after ends are left out (clip/end_trimming.hpp), it has no
// more edits than e or than before, and it does not leave the contig.
//
//   with: const sequence::Reference reference = reference_of("ACGTTGCAGATTACAGGCATGTTCGAACT")
//   with: const sequence::EncodedRead read = read_of("ACGTTGCAGATTCGGCATGTTCGAACT")
//   with: const align::AlignedRun deletion = {match::Step::deletion, 1}, base = {match::Step::diagonal, 1}
//   map::Options options; options.max_edits = {false, 0, 3};
//   TextAround text(reference, options);
//   text.enter(0);
//   Chain chain{{{base.step, 12}, deletion, base, deletion, {base.step, 14}}, sequence::kContigGap};  // 12M1D1M1D14M
//   GapSettling().settle({text, read}, chain)->gain == -5           // an edit more
//   chain.runs.size() == 3                                          // 12M2D15M
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "align/alignment.hpp"
#include "clip/affine_band.hpp"
#include "clip/chain.hpp"
#include "clip/end_trimming.hpp"

namespace trawl::clip {

class GapSettling {
 public:
  /// Diagonals beside those of an alignment on which its gaps may be settled.
  static constexpr std::int64_t kBeside = 8;

  struct Settled {
    std::int64_t gain = 0;  // of the score, with gaps base by base
    Parts parts;            // of the chain as it is now
  };
  /// Nothing: the gaps stay.
  std::optional<Settled> settle(const View& view, Chain& chain);

 private:
  std::vector<std::uint8_t> read_sets_, text_sets_;
  AffineBand band_;
};

/// Whether the gaps of an alignment may be settled: it has a gap and another edit, or two mismatches.
bool may_be_settled(const align::AlignmentBatch& results, const align::Alignment& alignment);

}  // namespace trawl::clip
