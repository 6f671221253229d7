// What an engine returns, as columns.
//
//   align::AlignmentBatch batch;
//   batch.reads.resize(1);                       // a read without a locus
//   Alignments rows;
//   add_rows(batch, {.keep_unmapped = true}, rows);
//   rows.size() == 1
//   rows.contig[0] == -1
#pragma once

#include "align/alignment.hpp"
#include "align/records.hpp"
#include "sequence/read_batch.hpp"
#include "trawl/mapper.hpp"

namespace trawl::columns {

/// Appends a row for each record. Reads count from 0 in `batch`.
void add_rows(const align::AlignmentBatch& batch, const align::RecordRule& rule, Alignments& rows);

/// Appends the names, bases and qualities of the reads.
void add_reads(const sequence::ReadBatch& reads, Alignments& rows);

/// Puts the rows of `more` behind those of `all`; its reads are numbered on. Both have the names of their reads.
void append(Alignments& all, const Alignments& more);

}  // namespace trawl::columns
