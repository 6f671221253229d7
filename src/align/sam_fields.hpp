// The tags in the records of `trawl map`. The writers of SAM, BAM and CRAM all use this list.
#pragma once

#include <cstdint>
#include <string_view>

#include "align/alignment.hpp"
#include "align/records.hpp"

namespace trawl::align {

/// Gives sink.integer(tag, value) and sink.text(tag, value) the tags of any alignment: NM, MD, and AS.
template <class Sink>
void put_edit_tags(std::uint32_t edits, std::string_view md, std::int32_t score, Sink& sink) {
  sink.integer("NM", edits);
  sink.text("MD", md);
  sink.integer("AS", score);
}

/// Calls sink.integer(tag, value), sink.text(tag, value) or sink.cigar(tag, elements, count) for each tag of a record,
/// in its order. `read_group`: the ID for RG; empty if there is none.
template <class Sink>
void put_tags(const AlignmentBatch& batch, const Record& record, std::string_view read_group, Sink& sink) {
  if (record.alignment) {
    const ReadResult& result = batch.reads[record.read];
    put_edit_tags(record.alignment->edits, batch.md_of(*record.alignment), record.alignment->score, sink);
    sink.integer("NH", record.count);
    sink.integer("HI", std::int64_t{record.k} + 1);
    sink.integer("X0", result.best_count);
    if (result.next_known) {
      sink.integer("X1", result.next_count);
    }
    if (record.dropped > 0) {
      sink.integer("ZD", record.dropped);
    }
  }
  if (record.mate) {
    sink.cigar("MC", batch.cigar_of(*record.mate), record.mate->cigar_length);
    sink.integer("MQ", record.mate_mapq);
    sink.integer("YS", record.mate->score);
  }
  if (!read_group.empty()) {
    sink.text("RG", read_group);
  }
}

}  // namespace trawl::align
