// Records as BAM (SAM specification, section 4.2), made straight from alignments. They are the same, byte for byte, as
// what htslib makes of the lines of append_sam().
//
//   with: const sequence::Reference& reference
//   with: const sequence::ReadBatch& reads, const align::AlignmentBatch& alignments
//   BamRecords records;
//   append_bam({reference, "", reads, alignments}, {.keep_unmapped = true}, records);
//   for (const BamRecordInfo& record : records.infos) {
//     const std::string_view bytes = records.bytes_of(record);
//   }
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "align/alignment.hpp"
#include "align/records.hpp"
#include "align/sam_fields.hpp"
#include "base/packer.hpp"
#include "io/write/byte_buffer.hpp"
#include "sequence/read_batch.hpp"
#include "sequence/reference.hpp"

namespace trawl::io {

/// The largest position that BAM can hold, and so the longest contig.
inline constexpr std::uint64_t kLongestBamContig = 0x7fffffff;

/// What sorting and indexing need of a record.
struct BamRecordInfo {
  std::uint64_t at = 0;      // of its first byte in BamRecords::bytes
  std::uint32_t size = 0;    // in bytes, with the 4 bytes of block_size
  std::int32_t contig = -1;  // -1: the read has no place
  std::int32_t start = -1;   // 0-based; -1: no place
  std::int32_t end = 0;      // after the last base of the reference covered; start + 1 if none is
  std::uint16_t flag = 0;    // SAM flag
  std::uint32_t read = 0;    // number of its read in the batch, where the record is made of one
};

/// Encoded records, one directly after the other.
struct BamRecords {
  ByteBuffer bytes;
  std::vector<BamRecordInfo> infos;  // in the order of the bytes

  std::string_view bytes_of(const BamRecordInfo& record) const {
    return bytes.view(record.at, record.at + record.size);
  }
  void clear() {
    bytes.clear();
    infos.clear();
  }
  /// For the rank that writes them.
  void pack(Packer& to) const { to.numbers(infos).text(bytes.view()); }
  void unpack(Unpacker& from) {
    infos = from.numbers<BamRecordInfo>();
    bytes.clear();
    bytes.append(from.text());
  }
};

/// What the records of a batch are made of. `read_group`: the ID for RG:Z, or empty.
struct RecordSource {
  const sequence::Reference& reference;
  std::string_view read_group;
  const sequence::ReadBatch& reads;
  const align::AlignmentBatch& alignments;
};

/// The texts of a record. `pieces`: SA, `places`: XA; `room` holds both.
struct RecordParts {
  std::string_view name, bases, qualities, comment, pieces, places;
};
inline RecordParts parts_of(const RecordSource& from, const align::AlignmentRecord& record, std::string& room) {
  const auto shown = [&](std::string_view text) { return align::shown_part(from.alignments, record, text); };
  RecordParts parts{from.reads.name(record.read),
                    shown(from.reads.bases(record.read)),
                    shown(from.reads.qualities(record.read)),
                    from.reads.comment(record.read),
                    {},
                    {}};
  if (!parts.comment.empty() && (parts.comment[0] == ' ' || parts.comment[0] == '\t')) {
    parts.comment = {};  // a whole comment, for files of reads: it begins with its blank, and is no tag
  }
  if (record.first_piece || record.most_in_xa > 0) [[unlikely]] {
    room = align::other_pieces(from.alignments, record, from.reference.contigs());
    const std::size_t pieces = room.size();
    room += align::other_places(from.alignments, record, from.reference.contigs());
    parts.pieces = std::string_view(room).substr(0, pieces);
    parts.places = std::string_view(room).substr(pieces);
  }
  return parts;
}

/// Appends all records of a batch, with the tags of the reads' comments. No contig may be longer than
/// kLongestBamContig. Throws Error if BAM cannot hold one: more than 65535 CIGAR operations over 2^28 bases or more.
void append_bam(const RecordSource& from, const align::RecordRule& rule, BamRecords& to);

}  // namespace trawl::io
