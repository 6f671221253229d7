// The order of the records of a read or pair. Engines choose loci by where they end; where a record begins is known
// when it is aligned.
//
//   AlignmentBatch batch;
//   batch.reads = {{.first = 0, .count = 3}};
//   batch.alignments = {{.start = 900}, {.start = 500}, {.start = 200}};
//   sort_records(batch);
//   batch.alignments[0].start == 900        // the primary record stays
//   batch.alignments[1].start == 200
#pragma once

#include "align/alignment.hpp"

namespace trawl::align {

/// Sorts the records of each read after the primary one: by distance (with clipping: by penalty), contig, start and
/// strand, the forward one first. Concordant pairs after the primary one: by the sum of both mates, then by the place
/// of the first mate, then by that of the second one.
///   after this, for k > 1 of a read: (distance, contig, start, reverse) of record k >= those of record k - 1
void sort_records(AlignmentBatch& batch);

}  // namespace trawl::align
