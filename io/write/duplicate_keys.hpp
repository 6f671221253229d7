// The keys by which duplicates are found (src/align/duplicate_rule.hpp): small records of each pair or read. They look
// like BAM records, so that they can be sorted in the same way. Then those with equal keys are neighbours.
//
//   with: const sequence::ReadBatch& reads, const align::AlignmentBatch& alignments
//   BamRecords keys;
//   append_duplicate_keys(reads, alignments, keys);
//   parse_duplicate_key(keys.bytes_of(keys.infos[0])).read == reads.first_read
#pragma once

#include <cstdint>
#include <string_view>

#include "align/alignment.hpp"
#include "align/duplicate_rule.hpp"
#include "io/write/bam_encoder.hpp"
#include "sequence/read_batch.hpp"

namespace trawl::io {

enum class DuplicateRole : std::uint16_t {
  pair,  // the left mate; what is true for it is true for the right one
  mate,  // one mate of a pair whose mates begin at one position: they are judged one by one
  read,  // a read without a mapped mate
  sign,  // a mate of a pair: reads without a mapped mate that have this key are duplicates
};

struct DuplicateKeyRecord {
  align::DuplicateKey key;
  DuplicateRole role = DuplicateRole::read;
  std::uint32_t score = 0;
  std::uint32_t start = 0;  // of a read, which decides between equal scores; of a pair, where the right mate begins
  std::uint64_t read = 0;   // number in the input; a sign has none
  std::string_view name;    // of a pair
};

/// The key records of a batch. Several threads may call it at the same time.
void append_duplicate_keys(const sequence::ReadBatch& reads, const align::AlignmentBatch& alignments, BamRecords& to);

/// The key record in these bytes; its name is a view of them.
DuplicateKeyRecord parse_duplicate_key(std::string_view bytes);

}  // namespace trawl::io
