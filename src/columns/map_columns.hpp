// What an engine or a search returns, as columns.
//
//   align::AlignmentBatch batch;
//   batch.reads.resize(1);                       // a read without a locus
//   Alignments rows;
//   add_rows(batch, {.keep_unmapped = true}, rows);
//   rows.size() == 1
//   rows.contig[0] == -1
#pragma once

#include <string_view>

#include "align/alignment.hpp"
#include "align/records.hpp"
#include "scan/report/record.hpp"
#include "sequence/read_batch.hpp"
#include "trawl/mapper.hpp"
#include "trawl/scanner.hpp"

namespace trawl::columns {

/// Appends a row for each record. Reads count from 0 in `batch`.
void add_rows(const align::AlignmentBatch& batch, const align::RecordRule& rule, Alignments& rows);

/// Appends the names, bases and qualities of the reads.
void add_reads(const sequence::ReadBatch& reads, Alignments& rows);

/// Puts the rows of `more` behind those of `all`; its reads are numbered on. Both have the names of their reads.
void append(Alignments& all, const Alignments& more);

/// Appends a row. `bases`: the pattern, with its PAM.
void add_hit(const scan::Record& record, std::string_view bases, Hits& hits);

/// Puts the rows of `more` behind those of `all`, with the names of the contigs of `more`.
void append(Hits& all, const Hits& more);

/// Empties the columns; their memory is kept.
void clear(Hits& hits);

}  // namespace trawl::columns
