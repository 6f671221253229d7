// SAM as text. It is the same, character for character, as what htslib writes for these records
// (io/out/sam_record.hpp), but several times faster.
#pragma once

#include <string>
#include <string_view>

#include "align/alignment.hpp"
#include "align/records.hpp"
#include "sequence/read_batch.hpp"
#include "sequence/reference.hpp"

namespace trawl::io {

/// Appends the records of a batch, one line each, in the order of align::for_each_record(). `read_group`: the ID for
/// RG:Z, or empty.
void append_sam(std::string& text, const sequence::Reference& reference, std::string_view read_group,
                const align::RecordRule& rule, const sequence::ReadBatch& reads,
                const align::AlignmentBatch& alignments);

}  // namespace trawl::io
