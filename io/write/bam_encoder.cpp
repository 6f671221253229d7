#include "io/write/bam_encoder.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <limits>

#include "align/cigar.hpp"
#include "base/error.hpp"
#include "io/write/bam_fields.hpp"
#include "sequence/alphabet.hpp"

namespace trawl::io {
namespace {

constexpr std::uint32_t kMostCigarOperations = 0xffff;

// BAM's 4-bit code of a letter: the set of bases that it may stand for, as in sequence::iupac_set().
constexpr std::uint8_t base_nibble(unsigned letter) {
  const std::uint8_t set = sequence::iupac_set(static_cast<char>(letter));
  return set == 0 ? 15 : set;
}

constexpr std::uint8_t complement_nibble(unsigned letter) {
  return base_nibble(static_cast<unsigned char>(sequence::complement_base(static_cast<char>(letter))));
}

// The byte for two letters. The index is made of the lowest five bits of each, which tell all letters apart: those of
// the first letter, then those of the second one.
using PairBytes = std::array<std::uint8_t, 1024>;
constexpr PairBytes make_pair_bytes(std::uint8_t (&nibble)(unsigned)) {
  PairBytes bytes{};
  for (unsigned first = 0; first < 32; ++first) {
    for (unsigned second = 0; second < 32; ++second) {
      bytes[second << 5 | first] = static_cast<std::uint8_t>(nibble(first | 0x40) << 4 | nibble(second | 0x40));
    }
  }
  return bytes;
}
constexpr PairBytes kPairs = make_pair_bytes(base_nibble);
constexpr PairBytes kComplementPairs = make_pair_bytes(complement_nibble);

std::uint64_t load8(const char* at) {
  std::uint64_t word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

std::uint32_t pack_eight(std::uint64_t letters, const PairBytes& pairs) {
  const std::uint64_t indices = (letters & 0x001f001f001f001f) | (letters >> 3 & 0x03e003e003e003e0);
  const auto pair = [&](unsigned i) { return std::uint32_t{pairs[indices >> (16 * i) & 0xffff]}; };
  return pair(0) | pair(1) << 8 | pair(2) << 16 | pair(3) << 24;
}

// The place of a record in an index, R-trees of 6 levels; positions are 0-based, `end` is after the last one.
std::uint16_t bin_of(std::int64_t start, std::int64_t end) {
  --end;
  for (unsigned level = 5; level > 0; --level) {
    const unsigned shift = 14 + 3 * (5 - level);
    if (start >> shift == end >> shift) {
      return static_cast<std::uint16_t>(((1 << 3 * level) - 1) / 7 + (start >> shift));
    }
  }
  return 0;
}

// Writes into memory that is already large enough.
class BamWriter {
 public:
  explicit BamWriter(char* at) : at_(at) {}

  char* at() const { return at_; }
  template <class Value>
  void put(Value value) {
    std::memcpy(at_, &value, sizeof value);
    at_ += sizeof value;
  }
  void put(const void* bytes, std::size_t size) {
    std::memcpy(at_, bytes, size);
    at_ += size;
  }
  void put(std::string_view bytes) { put(bytes.data(), bytes.size()); }
  void operations(const std::uint32_t* cigar, std::uint32_t count, align::Clips clips) {
    if (clips == align::Clips::soft) {
      put(cigar, std::size_t{4} * count);
      return;
    }
    for (std::uint32_t i = 0; i < count; ++i) {
      put(align::shown_element(cigar[i], clips));
    }
  }

  // The bases as 4-bit codes. Writes up to 3 bytes too many.
  void bases(std::string_view bases, bool reverse) {
    const std::size_t size = bases.size();
    std::size_t done = 0;
    const PairBytes& pairs = reverse ? kComplementPairs : kPairs;
    for (; done + 8 <= size; done += 8) {
      const std::uint64_t letters =
          reverse ? __builtin_bswap64(load8(bases.data() + size - done - 8)) : load8(bases.data() + done);
      put(pack_eight(letters, pairs));
    }
    if (done < size) {
      char rest[8] = {};
      for (std::size_t i = done; i < size; ++i) {
        rest[i - done] = reverse ? bases[size - 1 - i] : bases[i];
      }
      const std::uint32_t packed = pack_eight(load8(rest), pairs);
      std::memcpy(at_, &packed, sizeof packed);
      const std::size_t left = size - done;
      at_ += (left + 1) / 2;
      if (left % 2 == 1) {
        at_[-1] = static_cast<char>(at_[-1] & 0xf0);
      }
    }
  }

  // Phred values without the 33.
  void qualities(std::string_view qualities, bool reverse) {
    constexpr std::uint64_t offsets = 0x2121212121212121;
    const std::size_t size = qualities.size();
    std::size_t done = 0;
    for (; done + 8 <= size; done += 8) {
      put((reverse ? __builtin_bswap64(load8(qualities.data() + size - done - 8)) : load8(qualities.data() + done)) -
          offsets);
    }
    for (; done < size; ++done) {
      *at_++ = static_cast<char>((reverse ? qualities[size - 1 - done] : qualities[done]) - 33);
    }
  }
  void no_qualities(std::size_t size) {
    std::memset(at_, 0xff, size);
    at_ += size;
  }

  // Adds a tag; align::put_tags() calls it. Uses the smallest type that can hold the value, like htslib when it reads
  // SAM.
  void integer(const char* tag, std::int64_t value) {
    if (value >= 0) {
      if (value <= std::numeric_limits<std::uint8_t>::max()) {
        put_tag(tag, 'C');
        put(static_cast<std::uint8_t>(value));
      } else if (value <= std::numeric_limits<std::uint16_t>::max()) {
        put_tag(tag, 'S');
        put(static_cast<std::uint16_t>(value));
      } else {
        put_tag(tag, 'I');
        put(static_cast<std::uint32_t>(value));
      }
    } else if (value >= std::numeric_limits<std::int8_t>::min()) {
      put_tag(tag, 'c');
      put(static_cast<std::int8_t>(value));
    } else if (value >= std::numeric_limits<std::int16_t>::min()) {
      put_tag(tag, 's');
      put(static_cast<std::int16_t>(value));
    } else {
      put_tag(tag, 'i');
      put(static_cast<std::int32_t>(value));
    }
  }
  void text(const char* tag, std::string_view value) {
    put_tag(tag, 'Z');
    put(value);
    *at_++ = '\0';
  }
  void cigar(const char* tag, const std::uint32_t* elements, std::uint32_t count, align::Clips clips) {
    put_tag(tag, 'Z');
    at_ = align::write_cigar(at_, elements, count, clips);
    *at_++ = '\0';
  }
  // Adds a tag in SAM's form, which must be a good one: "BC:Z:ACGT".
  void sam_tag(std::string_view field) {
    const char* const tag = field.data();
    const std::string_view value = field.substr(5);
    switch (field[3]) {
      case 'i':
        integer(tag, number<std::int64_t>(value));
        break;
      case 'f':
        put_tag(tag, 'f');
        put(number<float>(value));
        break;
      case 'A':
        put_tag(tag, 'A');
        *at_++ = value[0];
        break;
      case 'B':
        put_tag(tag, 'B');
        array(value);
        break;
      default:  // Z, H
        put_tag(tag, field[3]);
        put(value);
        *at_++ = '\0';
    }
  }

 private:
  template <class Number>
  static Number number(std::string_view text) {
    Number value{};
    text.remove_prefix(text.starts_with('+') ? 1 : 0);
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
  }
  // "C,1,2,3"
  void array(std::string_view text) {
    const char type = text[0];
    *at_++ = type;
    char* const count_at = at_;
    at_ += sizeof(std::uint32_t);
    std::uint32_t count = 0;
    for (std::size_t at = 1; at < text.size(); ++count) {
      const std::size_t end = std::min(text.find(',', at + 1), text.size());
      const std::string_view one = text.substr(at + 1, end - at - 1);
      if (type == 'f') {
        put(number<float>(one));
      } else {
        const auto value = static_cast<std::uint32_t>(number<std::int64_t>(one));
        const std::size_t bytes = type == 'c' || type == 'C' ? 1 : type == 's' || type == 'S' ? 2 : 4;
        put(&value, bytes);  // the lowest ones come first
      }
      at = end;
    }
    std::memcpy(count_at, &count, sizeof count);
  }
  void put_tag(const char* tag, char type) {
    const char field[] = {tag[0], tag[1], type};
    put(field, sizeof field);
  }

  char* at_;
};

// Enough bytes for a record without its name, sequence, qualities, CIGARs, MD, SA and read group: the fixed fields,
// what a long CIGAR needs besides its operations, and all tags that are numbers.
constexpr std::size_t kFixed = 256;

// A tag of a comment may take more bytes than letters: "XX:B:I,1" has 8, and takes 12.
constexpr std::size_t kMostBytesOfTag = 2;

// `room`: for SA and XA.
[[gnu::always_inline]] inline void append_record(const RecordSource& from, const align::AlignmentRecord& record,
                                                 std::string& room, BamRecords& all) {
  const align::AlignmentBatch& alignments = from.alignments;
  const align::Alignment* const own = record.alignment;
  const align::Alignment* const mate = record.mate;
  const align::Alignment* const place = record.place;
  const align::Alignment* const mate_place = record.mate_place;
  const auto [name, bases, qualities, comment, pieces, places] = parts_of(from, record, room);
  const std::uint32_t operations = own ? own->cigar_length : 0;
  const bool has_long_cigar = operations > kMostCigarOperations;
  if (has_long_cigar && own->span >= 1u << 28) {
    throw Error("the record of read " + std::string(name) + " cannot be made; please report this");
  }

  char* const begin =
      all.bytes.room(kFixed + name.size() + bases.size() / 2 + bases.size() + 4ul * operations +
                     (own ? own->md_length : 0) + (mate ? align::kCigarElementText * mate->cigar_length : 0) +
                     pieces.size() + places.size() + from.read_group.size() + kMostBytesOfTag * comment.size());
  BamRecordInfo info;
  info.at = all.bytes.size();
  info.flag = record.flag;
  info.read = static_cast<std::uint32_t>(record.read);
  info.contig = place ? static_cast<std::int32_t>(place->contig) : -1;
  info.start = place ? static_cast<std::int32_t>(place->start) : -1;
  info.end = info.start + (own && own->span > 0 ? static_cast<std::int32_t>(own->span) : 1);

  BamFields fields;
  fields.contig = info.contig;
  fields.start = info.start;
  fields.name_size = static_cast<std::uint8_t>(name.size() + 1);
  fields.mapq = record.mapq;
  fields.bin = bin_of(info.start, info.end);
  fields.cigar_operations = static_cast<std::uint16_t>(has_long_cigar ? 2 : operations);
  fields.flag = record.flag;
  fields.bases = static_cast<std::uint32_t>(bases.size());
  fields.mate_contig = mate_place ? static_cast<std::int32_t>(mate_place->contig) : -1;
  fields.mate_start = mate_place ? static_cast<std::int32_t>(mate_place->start) : -1;
  fields.template_length = static_cast<std::int32_t>(align::template_length(record));

  BamWriter to(begin + sizeof fields);
  to.put(name);
  to.put('\0');
  if (has_long_cigar) {
    to.put(fields.bases << 4 | kBamSoftClip);
    to.put(own->span << 4 | kBamRefSkip);
  } else if (operations > 0) {
    to.operations(alignments.cigar_of(*own), operations, record.clips);
  }
  const bool reverse = own && own->reverse;
  to.bases(bases, reverse);
  if (qualities.empty()) {
    to.no_qualities(bases.size());
  } else {
    to.qualities(qualities, reverse);
  }
  align::put_tags(alignments, record, pieces, places, from.read_group, to);
  for (std::size_t at = 0; at < comment.size();) {
    const std::size_t end = std::min(comment.find('\t', at), comment.size());
    to.sam_tag(comment.substr(at, end - at));
    at = end + 1;
  }
  if (has_long_cigar) {
    to.put(kBamLongCigarTag);
    to.put(operations);
    to.operations(alignments.cigar_of(*own), operations, record.clips);
  }
  info.size = static_cast<std::uint32_t>(to.at() - begin);
  fields.block_size = info.size - 4;
  std::memcpy(begin, &fields, sizeof fields);
  all.bytes.end_at(to.at());
  all.infos.push_back(info);
}

}  // namespace

void append_bam(const RecordSource& from, const align::RecordRule& rule, BamRecords& to) {
  std::string room;
  align::for_each_record(from.alignments, rule,
                         [&](const align::AlignmentRecord& record) { append_record(from, record, room, to); });
}

}  // namespace trawl::io
