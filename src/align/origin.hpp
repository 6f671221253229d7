// Records of places over the origin of circular contigs, once for all engines. An engine searches a reference in which
// the letters around the origin are repeated (sequence::Topology); here its alignments get their places on the circle.
//
//   with: const sequence::Reference& searched, AlignmentBatch& batch
//   lay_on_circles(searched, batch);      // all starts are less than the contig's length
//   split_at_origins(batch);              // and no alignment goes further than its contig
//
// SAM has no place that goes on after the end of its contig (programs do not take what the specification allows for
// TP:circular), so a place over the origin is cut there. Its record has the longer part (of equal ones the first), and
// shows the bases of the other as clipped; of a primary record the other part is a supplementary record. Both parts
// have the AS and the MAPQ of the whole, each its own NM and MD. A gap at the origin is in neither part.
#pragma once

#include "align/alignment.hpp"
#include "sequence/reference.hpp"

namespace trawl::align {

/// `searched`: sequence::Reference::searched().
void lay_on_circles(const sequence::Reference& searched, AlignmentBatch& batch);

void split_at_origins(AlignmentBatch& batch);

}  // namespace trawl::align
