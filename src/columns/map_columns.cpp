#include "columns/map_columns.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>

#include "align/cigar.hpp"

namespace trawl::columns {

namespace {

// Columns behind columns.
template <class T>
void append(std::vector<T>& all, const std::vector<T>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

void append_offsets(std::vector<std::uint64_t>& all, const std::vector<std::uint64_t>& more) {
  const std::uint64_t before = all.back();
  std::transform(more.begin() + 1, more.end(), std::back_inserter(all), [&](std::uint64_t at) { return before + at; });
}

void append(Texts& all, const Texts& more) {
  append_offsets(all.offset, more.offset);
  all.text += more.text;
}

void append(Cigars& all, const Cigars& more) {
  append_offsets(all.offset, more.offset);
  append(all.elements, more.elements);
}

template <class T>
void clear(std::vector<T>& column) {
  column.clear();
}

void clear(Texts& column) {
  column.offset.assign(1, 0);
  column.text.clear();
}

void clear(Cigars& column) {
  column.offset.assign(1, 0);
  column.elements.clear();
}

template <class T>
void add(const std::vector<T>& from, std::size_t row, std::vector<T>& to) {
  to.push_back(from[row]);
}

void add(const Texts& from, std::size_t row, Texts& to) { to.add(from[row]); }

void add(const Cigars& from, std::size_t row, Cigars& to) {
  to.elements.insert(to.elements.end(), from[row].begin(), from[row].end());
  to.offset.push_back(to.elements.size());
}

template <class Rows>
Rows chosen_rows(const Rows& all, std::span<const std::int64_t> rows) {
  Rows made;
  const auto column = [rows](const auto& from, auto& to) {
    for (const std::int64_t row : rows) {
      add(from, static_cast<std::size_t>(row), to);
    }
  };
  std::apply([&](auto&... to) { std::apply([&](auto&... from) { (column(from, to), ...); }, columns_of(all)); },
             columns_of(made));
  return made;
}

template <class Rows>
void append_columns(Rows& all, const Rows& more) {
  std::apply([&](auto&... to) { std::apply([&](auto&... from) { (append(to, from), ...); }, columns_of(more)); },
             columns_of(all));
}

}  // namespace

void add_rows(const align::AlignmentBatch& batch, const align::RecordRule& rule, Alignments& rows) {
  align::for_each_record(batch, rule, [&](const align::AlignmentRecord& record) {
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

void append(Alignments& all, const Alignments& more) {
  const auto reads = static_cast<std::uint32_t>(all.names.size());
  const std::size_t before = all.size();
  append_columns(all, more);
  std::for_each(all.read.begin() + static_cast<std::ptrdiff_t>(before), all.read.end(),
                [reads](std::uint32_t& read) { read += reads; });
  append(all.names, more.names);
  append(all.bases, more.bases);
  append(all.qualities, more.qualities);
}

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

void add_hit(const scan::SiteRecord& record, std::string_view bases, Hits& hits) {
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
  append_columns(all, more);
  all.contigs = more.contigs;
}

void clear(Hits& hits) {
  std::apply([](auto&... column) { (clear(column), ...); }, columns_of(hits));
  hits.contigs.clear();
}

Alignments chosen(const Alignments& all, std::span<const std::int64_t> rows) { return chosen_rows(all, rows); }

Hits chosen(const Hits& all, std::span<const std::int64_t> rows) {
  Hits made = chosen_rows(all, rows);
  made.contigs = all.contigs;
  return made;
}

}  // namespace trawl::columns

namespace trawl::inline v0 {

std::string cigar_text(std::span<const std::uint32_t> elements) {
  std::string text;
  if (!elements.empty()) {
    align::append_cigar(text, elements.data(), static_cast<std::uint32_t>(elements.size()));
  }
  return text;
}

}  // namespace trawl::inline v0
