#include "io/write/duplicate_keys.hpp"

#include <cstring>

#include "io/write/bam_fields.hpp"

namespace trawl::io {
namespace {

using align::DuplicateKey;
using align::UnclippedEnds;

constexpr bool is_of_pair(DuplicateRole role) { return role == DuplicateRole::pair || role == DuplicateRole::mate; }

// Where a key record is sorted to, on its contig. Pairs with one left end and many right ones are spread. Others lie at
// their position, because neighbours then have few bytes that differ, and temporary files become smaller.
std::uint32_t place_of(const DuplicateKey& key, DuplicateRole role) {
  if (!is_of_pair(role)) {
    return key.at;
  }
  constexpr std::uint64_t factor = 0x9e3779b97f4a7c15;
  std::uint64_t hash = (std::uint64_t{key.at} << 32 | key.other_at) * factor;
  hash =
      (hash ^ hash >> 32 ^ (std::uint64_t{key.other_contig} << 3 | static_cast<std::uint64_t>(key.strands))) * factor;
  return static_cast<std::uint32_t>(hash >> 32);
}

// After the fixed fields come the number of the read and the name, as far as the role needs them.
void append(const DuplicateKeyRecord& record, BamRecords& to) {
  const bool has_read = record.role != DuplicateRole::sign;
  const std::uint32_t place = place_of(record.key, record.role);
  BamFields fields;
  // These make the SortKey.
  fields.contig = static_cast<std::int32_t>(record.key.contig);
  fields.start = static_cast<std::int32_t>(place >> 1);
  fields.flag = (place & 1) != 0 ? align::kFlagReverse : 0;
  // The others are free.
  fields.mate_contig = static_cast<std::int32_t>(record.key.other_contig);
  fields.mate_start = is_of_pair(record.role) ? static_cast<std::int32_t>(record.key.at) : 0;
  fields.template_length = static_cast<std::int32_t>(record.start);
  fields.mapq = static_cast<std::uint8_t>(record.key.strands);
  fields.bin = static_cast<std::uint16_t>(record.role);
  fields.bases = record.score;
  const std::size_t size = sizeof fields + (has_read ? sizeof record.read : 0) + record.name.size();
  fields.block_size = static_cast<std::uint32_t>(size - sizeof fields.block_size);
  to.infos.push_back({.at = to.bytes.size(),
                      .size = static_cast<std::uint32_t>(size),
                      .contig = fields.contig,
                      .start = fields.start,
                      .end = fields.start + 1,
                      .flag = fields.flag});
  char* const at = to.bytes.room(size);
  std::memcpy(at, &fields, sizeof fields);
  if (has_read) {
    std::memcpy(at + sizeof fields, &record.read, sizeof record.read);
    record.name.copy(at + sizeof fields + sizeof record.read, record.name.size());
  }
  to.bytes.end_at(at + size);
}

}  // namespace

void append_duplicate_keys(const sequence::ReadBatch& reads, const align::AlignmentBatch& alignments, BamRecords& to) {
  const auto score = [&](std::size_t i) { return align::duplicate_score(reads.qualities(i), reads.length(i)); };
  const auto add_read = [&](std::size_t i) {
    if (const align::Alignment* const own = align::primary_of(alignments, i)) {
      append({.key = align::key_of_read(align::unclipped_ends(alignments, *own)),
              .role = DuplicateRole::read,
              .score = score(i),
              .start = static_cast<std::uint32_t>(own->start),
              .read = reads.first_read + i,
              .name = {}},
             to);
    }
  };
  for (std::size_t i = 0; i < alignments.reads.size(); ++i) {
    const bool is_paired = !alignments.pairs.empty();
    const align::Alignment* const mates[] = {align::primary_of(alignments, i),
                                             is_paired ? align::primary_of(alignments, i ^ 1) : nullptr};
    if (mates[0] == nullptr || mates[1] == nullptr) {
      add_read(i);
      continue;
    }
    const UnclippedEnds own = align::unclipped_ends(alignments, *mates[0]);
    const UnclippedEnds other = align::unclipped_ends(alignments, *mates[1]);
    if (align::lies_left(own, other)) {
      const DuplicateKey key = align::key_of_pair(own, other, i % 2 == 0);
      append({.key = key,
              .role = align::lies_left(other, own) ? DuplicateRole::mate : DuplicateRole::pair,
              .score = score(i) + score(i ^ 1),
              .start = key.other_at,
              .read = reads.first_read + i,
              .name = reads.name(i)},
             to);
    }
    append({.key = align::key_of_read(own), .role = DuplicateRole::sign, .name = {}}, to);
  }
}

DuplicateKeyRecord parse_duplicate_key(std::string_view bytes) {
  BamFields fields;
  std::memcpy(&fields, bytes.data(), sizeof fields);
  DuplicateKeyRecord record;
  record.role = static_cast<DuplicateRole>(fields.bin);
  record.score = fields.bases;
  record.start = static_cast<std::uint32_t>(fields.template_length);
  record.key = {static_cast<std::uint32_t>(fields.contig), static_cast<std::uint32_t>(fields.mate_start),
                static_cast<std::uint32_t>(fields.mate_contig), is_of_pair(record.role) ? record.start : 0,
                static_cast<align::DuplicateStrands>(fields.mapq)};
  if (record.role != DuplicateRole::sign) {
    std::memcpy(&record.read, bytes.data() + sizeof fields, sizeof record.read);
    record.name = bytes.substr(sizeof fields + sizeof record.read);
  }
  return record;
}

}  // namespace trawl::io
