// The tags in the records of `trawl map`. The writers of SAM, BAM and CRAM all use this list.
//
//   with: const AlignmentBatch& batch, const AlignmentRecord& record, auto& sink
//   with: const std::vector<sequence::Contig>& contigs
//   put_tags(batch, record, other_pieces(batch, record, contigs), "", "lane1", sink);     // NM, MD .. RG
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "align/alignment.hpp"
#include "align/cigar.hpp"
#include "align/records.hpp"
#include "base/append_number.hpp"
#include "sequence/reference.hpp"

namespace trawl::align {

/// Gives sink.integer(tag, value) and sink.text(tag, value) the tags of any alignment: NM, MD, and AS.
template <class Sink>
void put_edit_tags(std::uint32_t edits, std::string_view md, std::int32_t score, Sink& sink) {
  sink.integer("NM", edits);
  sink.text("MD", md);
  sink.integer("AS", score);
}

/// The value of SA: the other records of a split read, the primary one first. Empty if the read is not split, or the
/// record is secondary. The CIGARs have soft clips also where the records have hard ones. For example:
/// "chr1,101,+,60M40S,37,1;chr5,9001,-,35M65S,20,0;".
inline std::string other_pieces(const AlignmentBatch& batch, const AlignmentRecord& record,
                                const std::vector<sequence::Contig>& contigs) {
  std::string text;
  const auto put = [&](const Alignment& piece) {
    if (&piece == record.alignment) {
      return;
    }
    text += contigs[piece.contig].name;
    text += ',';
    append_number(text, piece.start + 1);
    text += piece.reverse ? ",-," : ",+,";
    append_cigar(text, batch.cigar_of(piece), piece.cigar_length);
    text += ',';
    append_number(text, piece.mapq);
    text += ',';
    append_number(text, piece.edits);
    text += ';';
  };
  if (record.first_piece) {
    put(*record.first_piece);
    const ReadResult& result = batch.reads[record.read];
    for (std::uint32_t j = 0; j < result.supplementary_count; ++j) {
      put(batch.alignments[result.supplementary + j]);
    }
  }
  return text;
}

/// The value of XA, as bwa writes it: the places of a read in its secondary records, each once. Empty if they are more
/// than RecordRule::most_in_xa. For example: "chr1,+101,60M40S,2;chr5,-9001,100M,3;".
inline std::string other_places(const AlignmentBatch& batch, const AlignmentRecord& record,
                                const std::vector<sequence::Contig>& contigs) {
  const std::uint32_t most = record.most_in_xa;
  std::vector<const Alignment*> places;
  const auto add = [&](std::uint64_t index) {
    const Alignment* const place = &batch.alignments[index];
    if (place != record.alignment && std::find(places.begin(), places.end(), place) == places.end()) {
      places.push_back(place);
    }
  };
  const PairResult pair = batch.pairs.empty() ? PairResult{} : batch.pairs[record.read / 2];
  for (std::uint64_t p = pair.first; p < pair.first + pair.count && places.size() <= most; ++p) {
    add(batch.concordant_pairs[p].mates[record.read % 2]);
  }
  const ReadResult& result = batch.reads[record.read];
  for (std::uint64_t a = result.first; a < result.first + result.count && places.size() <= most; ++a) {
    add(a);
  }
  std::string text;
  for (std::size_t p = 0; p < places.size() && places.size() <= most; ++p) {
    text += contigs[places[p]->contig].name;
    append_number(text += places[p]->reverse ? ",-" : ",+", places[p]->start + 1);
    append_cigar(text += ',', batch.cigar_of(*places[p]), places[p]->cigar_length);
    append_number(text += ',', places[p]->edits);
    text += ';';
  }
  return text;
}

/// The tags that put_tags() can give, except RG, and those that have a meaning of their own in BAM.
inline constexpr std::string_view kWrittenTags[] = {"NM", "MD", "AS", "NH", "HI", "X0", "X1", "XT",
                                                    "ZD", "SA", "XA", "XM", "MC", "MQ", "YS", "CG"};

/// What other mappers say about their alignments, and nothing about a read.
inline constexpr std::string_view kOtherMappersTags[] = {"XS", "XN", "XO", "XG", "YT", "YF", "ZS",
                                                         "ms", "nn", "tp", "cm", "s1", "s2"};

/// Calls sink.integer(tag, value), sink.text(tag, value) or sink.cigar(tag, elements, count, clips) for each tag of a
/// record, in its order. `pieces`: other_pieces(); `places`: other_places(). `read_group`: the ID for RG; empty if
/// there is none.
template <class Sink>
void put_tags(const AlignmentBatch& batch, const AlignmentRecord& record, std::string_view pieces,
              std::string_view places, std::string_view read_group, Sink& sink) {
  if (record.alignment) {
    const ReadResult& result = batch.reads[record.read];
    put_edit_tags(record.alignment->edits, batch.md_of(*record.alignment), record.alignment->score, sink);
    if (!record.supplementary()) {
      sink.integer("NH", record.count);
      sink.integer("HI", std::int64_t{record.k} + 1);
      if (result.found_by == FoundBy::search) {
        sink.integer("X0", result.best_count);
      } else {
        sink.text("XT", result.found_by == FoundBy::mate ? "M" : "A");
      }
      if (result.next_known) {
        sink.integer("X1", result.next_count);
      }
      if (record.dropped > 0) {
        sink.integer("ZD", record.dropped);
      }
    }
    if (!pieces.empty()) {
      sink.text("SA", pieces);
    }
    if (!places.empty()) {
      sink.text("XA", places);
    }
  }
  if (const std::uint32_t max_loci = batch.reads[record.read].max_loci; max_loci > 0) {
    sink.integer("XM", std::int64_t{max_loci} + 1);
  }
  if (record.mate) {
    sink.cigar("MC", batch.cigar_of(*record.mate), record.mate->cigar_length, record.mate_clips);
    sink.integer("MQ", record.mate_mapq);
    sink.integer("YS", record.mate->score);
  }
  if (!read_group.empty()) {
    sink.text("RG", read_group);
  }
}

}  // namespace trawl::align
