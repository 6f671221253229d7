// SAM as text. It is the same, character for character, as what htslib writes for these records
// (io/write/bam_encoder.hpp), but several times faster.
//
//   with: const sequence::Reference reference = reference_of("GATTACA")
//   std::string text;
//   sequence::ReadBatch reads;
//   reads.add("r1", "ACGT", "IIII");
//   align::AlignmentBatch alignments;
//   alignments.reads.resize(1);
//   append_sam({reference, "", reads, alignments}, {}, text);
//   text == "r1\t4\t*\t0\t0\t*\t*\t0\t0\tACGT\tIIII\n"
#pragma once

#include <string>

#include "align/records.hpp"
#include "io/write/bam_encoder.hpp"

namespace trawl::io {

/// Appends all records of a batch, with the tags of the reads' comments.
void append_sam(const RecordSource& from, const align::RecordRule& rule, std::string& text);

}  // namespace trawl::io
