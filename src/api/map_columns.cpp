#include "api/map_columns.hpp"

#include <algorithm>
#include <utility>

#include "align/cigar.hpp"

namespace trawl::api {

namespace {

// Calls visit(column of a, column of b) for each column with one entry a row.
template <class Visit>
void for_each_column(Alignments& a, Alignments& b, Visit&& visit) {
  visit(a.read, b.read);
  visit(a.contig, b.contig);
  visit(a.start, b.start);
  visit(a.end, b.end);
  visit(a.flag, b.flag);
  visit(a.distance, b.distance);
  visit(a.edits, b.edits);
  visit(a.score, b.score);
  visit(a.mapq, b.mapq);
  visit(a.count, b.count);
  visit(a.dropped, b.dropped);
  visit(a.mate_contig, b.mate_contig);
  visit(a.mate_start, b.mate_start);
  visit(a.template_length, b.template_length);
}

void add_offsets(std::vector<std::uint64_t>& to, const std::vector<std::uint64_t>& from) {
  const std::uint64_t before = to.back();
  std::transform(from.begin() + 1, from.end(), std::back_inserter(to), [&](std::uint64_t at) { return before + at; });
}

}  // namespace

void add_rows(const align::AlignmentBatch& batch, const align::RecordRule& rule, Alignments& rows) {
  align::for_each_record(batch, rule, [&](const align::Record& record) {
    const align::Alignment* const own = record.alignment;
    rows.read.push_back(static_cast<std::uint32_t>(record.read));
    rows.contig.push_back(own ? static_cast<std::int32_t>(own->contig) : -1);
    rows.start.push_back(own ? static_cast<std::int64_t>(own->start) : -1);
    rows.end.push_back(own ? static_cast<std::int64_t>(own->start + own->span) : -1);
    rows.flag.push_back(record.flag);
    rows.distance.push_back(own ? own->distance : 0);
    rows.edits.push_back(own ? static_cast<std::uint16_t>(own->edits) : 0);
    rows.score.push_back(own ? own->score : 0);
    rows.mapq.push_back(record.mapq);
    rows.count.push_back(record.count);
    rows.dropped.push_back(record.dropped);
    const align::Alignment* const mate = record.mate_place;
    rows.mate_contig.push_back(mate ? static_cast<std::int32_t>(mate->contig) : -1);
    rows.mate_start.push_back(mate ? static_cast<std::int64_t>(mate->start) : -1);
    rows.template_length.push_back(align::template_length(record));
    if (own) {
      const std::uint32_t* const cigar = batch.cigar_of(*own);
      for (std::uint32_t i = 0; i < own->cigar_length; ++i) {
        rows.cigar.elements.push_back(align::shown_element(cigar[i], record.clips));
      }
      rows.md.text += batch.md_of(*own);
    }
    rows.cigar.offset.push_back(rows.cigar.elements.size());
    rows.md.offset.push_back(rows.md.text.size());
  });
}

void add_reads(const sequence::ReadBatch& reads, Alignments& rows) {
  for (std::size_t i = 0; i < reads.size(); ++i) {
    rows.names.add(reads.name(i));
    rows.bases.add(reads.bases(i));
    rows.qualities.add(reads.qualities(i));
  }
}

Alignments joined(std::span<Alignments> parts, std::span<const std::size_t> reads) {
  if (parts.empty()) {
    return {};
  }
  Alignments all = std::move(parts[0]);
  std::size_t before = reads[0];
  for (std::size_t p = 1; p < parts.size(); ++p) {
    Alignments& part = parts[p];
    for (std::uint32_t& read : part.read) {
      read += static_cast<std::uint32_t>(before);
    }
    before += reads[p];
    for_each_column(all, part, [](auto& to, auto& from) { to.insert(to.end(), from.begin(), from.end()); });
    add_offsets(all.cigar.offset, part.cigar.offset);
    all.cigar.elements.insert(all.cigar.elements.end(), part.cigar.elements.begin(), part.cigar.elements.end());
    add_offsets(all.md.offset, part.md.offset);
    all.md.text += part.md.text;
    add_offsets(all.names.offset, part.names.offset);
    all.names.text += part.names.text;
    part = {};
  }
  return all;
}

}  // namespace trawl::api

namespace trawl::inline v0 {

std::string cigar_text(std::span<const std::uint32_t> elements) {
  std::string text;
  if (!elements.empty()) {
    align::append_cigar(text, elements.data(), static_cast<std::uint32_t>(elements.size()));
  }
  return text;
}

}  // namespace trawl::inline v0
