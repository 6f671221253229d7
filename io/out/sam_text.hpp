// SAM as text, character for character as htslib writes the same records (io/out/sam_record.hpp), several times as
// fast.
#pragma once

#include <string>
#include <string_view>

#include "align/alignment.hpp"
#include "sequence/read_batch.hpp"
#include "sequence/reference.hpp"

namespace trawl::io {

/// Appends the records of a batch, a line each: of every read the primary one first. `read_group`: the ID for RG:Z, or
/// nothing. A read without a locus has one unmapped record with `keep_unmapped`, else none.
void append_sam(std::string& text, const sequence::Reference& reference, std::string_view read_group,
                bool keep_unmapped, const sequence::ReadBatch& reads, const align::AlignmentBatch& alignments);

}  // namespace trawl::io
