#include "columns/hit_columns.hpp"

#include <charconv>

#include "columns/append.hpp"

namespace trawl::columns {

namespace {

constexpr std::string_view kOperations = "MIDNSHP=X";

// Appends the elements of a CIGAR that is a text.
void add_elements(std::string_view cigar, std::vector<std::uint32_t>& elements) {
  for (const char *at = cigar.data(), *end = at + cigar.size(); at < end;) {
    std::uint32_t length = 0;
    at = std::from_chars(at, end, length).ptr;
    elements.push_back(length << 4 | static_cast<std::uint32_t>(kOperations.find(*at++)));
  }
}

}  // namespace

void add_hit(const scan::Record& record, std::string_view bases, Hits& hits) {
  hits.pattern.push_back(record.pattern);
  hits.contig.push_back(static_cast<std::int32_t>(record.contig));
  hits.start.push_back(static_cast<std::int64_t>(record.start));
  hits.end.push_back(static_cast<std::int64_t>(record.end));
  hits.reverse.push_back(record.reverse ? 1 : 0);
  hits.distance.push_back(record.distance);
  hits.edits.push_back(record.edits);
  hits.mismatches.push_back(record.mismatches);
  hits.dna_bulges.push_back(record.dna_bulges);
  hits.rna_bulges.push_back(record.rna_bulges);
  if (record.texts || record.is_packed) {
    scan::RecordTexts room;
    const scan::RecordTexts& texts = record.texts_or({}, room, false);
    add_elements(texts.cigar, hits.cigar.elements);
    hits.sequence.text += texts.text;
  } else {
    hits.cigar.elements.push_back(static_cast<std::uint32_t>(bases.size()) << 4);
    hits.sequence.text += bases;
  }
  hits.cigar.offset.push_back(hits.cigar.elements.size());
  hits.sequence.offset.push_back(hits.sequence.text.size());
}

void append(Hits& all, const Hits& more) {
  append(all.pattern, more.pattern);
  append(all.contig, more.contig);
  append(all.start, more.start);
  append(all.end, more.end);
  append(all.reverse, more.reverse);
  append(all.distance, more.distance);
  append(all.edits, more.edits);
  append(all.mismatches, more.mismatches);
  append(all.dna_bulges, more.dna_bulges);
  append(all.rna_bulges, more.rna_bulges);
  append(all.cigar, more.cigar);
  append(all.sequence, more.sequence);
  all.contigs = more.contigs;
}

void clear(Hits& hits) {
  hits.pattern.clear();
  hits.contig.clear();
  hits.start.clear();
  hits.end.clear();
  hits.reverse.clear();
  hits.distance.clear();
  hits.edits.clear();
  hits.mismatches.clear();
  hits.dna_bulges.clear();
  hits.rna_bulges.clear();
  hits.cigar.offset.assign(1, 0);
  hits.cigar.elements.clear();
  hits.sequence.offset.assign(1, 0);
  hits.sequence.text.clear();
  hits.contigs.clear();
}

}  // namespace trawl::columns
