#include "io/write/sam_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>

#include "align/cigar.hpp"
#include "align/sam_fields.hpp"
#include "io/format/letters.hpp"
#include "sequence/alphabet.hpp"

namespace trawl::io {

namespace {

// The letter that BAM stores: U becomes T.
constexpr std::array<char, 256> make_letters(bool complement) {
  std::array<char, 256> letters{};
  for (std::size_t c = 0; c < 256; ++c) {
    const char letter = sequence::complement_base(static_cast<char>(c));
    letters[c] = complement ? letter : sequence::complement_base(letter);
  }
  return letters;
}
constexpr auto kLetters = make_letters(false);
constexpr auto kComplements = make_letters(true);

constexpr std::uint64_t kOnes = 0x0101010101010101;

// Of eight letters A, C, G, T or N: T is A ^ 0x15, and G is C ^ 4. C, G and N have bit 1, only N has bit 3.
constexpr std::uint64_t complement_of_eight(std::uint64_t letters) {
  const std::uint64_t is_cgn = letters >> 1 & kOnes, is_n = letters >> 3 & kOnes;
  return letters ^ ((0x15 * kOnes ^ 0x11 * is_cgn) & ~(0x15 * is_n));
}

// Writes change(c) of the characters from the last to the first. change_eight: of eight characters.
template <class ChangeEight, class Change>
char* put_reversed(std::string_view text, const ChangeEight& change_eight, const Change& change, char* to) {
  std::size_t left = text.size();
  for (std::uint64_t eight; left >= sizeof eight; to += sizeof eight) {
    left -= sizeof eight;
    std::memcpy(&eight, text.data() + left, sizeof eight);
    eight = __builtin_bswap64(change_eight(eight));
    std::memcpy(to, &eight, sizeof eight);
  }
  while (left > 0) {
    *to++ = change(text[--left]);
  }
  return to;
}

// Writes into memory that is already large enough.
class LineWriter {
 public:
  explicit LineWriter(char* at) : at_(at) {}

  char* at() const { return at_; }
  void put(char c) { *at_++ = c; }
  void put(std::string_view text) { at_ += text.copy(at_, text.size()); }
  void number(std::uint64_t n) { at_ = std::to_chars(at_, at_ + 20, n).ptr; }
  void signed_number(std::int64_t n) { at_ = std::to_chars(at_, at_ + 20, n).ptr; }
  void cigar(const std::uint32_t* elements, std::uint32_t count, align::Clips clips) {
    at_ = align::write_cigar(at_, elements, count, clips);
  }

  void integer(const char* tag, std::int64_t value) {
    put_tag(tag, 'i');
    signed_number(value);
  }
  void text(const char* tag, std::string_view value) {
    put_tag(tag, 'Z');
    put(value);
  }
  void cigar(const char* tag, const std::uint32_t* elements, std::uint32_t count, align::Clips clips) {
    put_tag(tag, 'Z');
    cigar(elements, count, clips);
  }

  void sequence(std::string_view bases, std::string_view qualities, bool reverse) {
    if (bases.empty()) {
      put("*\t*");
      return;
    }
    const auto complement = [](char c) { return kComplements[static_cast<unsigned char>(c)]; };
    const bool is_plain = all_plain_bases(bases);
    if (is_plain && reverse) {
      at_ = put_reversed(bases, complement_of_eight, complement, at_);
    } else if (is_plain) {
      put(bases);
    } else if (reverse) {
      at_ = std::transform(bases.rbegin(), bases.rend(), at_, complement);
    } else {
      at_ = std::transform(bases.begin(), bases.end(), at_,
                           [](char c) { return kLetters[static_cast<unsigned char>(c)]; });
    }
    put('\t');
    if (qualities.empty()) {
      put('*');
    } else if (reverse) {
      const auto same = [](auto characters) { return characters; };
      at_ = put_reversed(qualities, same, same, at_);
    } else {
      put(qualities);
    }
  }

 private:
  void put_tag(const char* tag, char type) {
    const char field[] = {'\t', tag[0], tag[1], ':', type, ':'};
    put(std::string_view(field, sizeof field));
  }

  char* at_;
};

// Enough characters for a record without its name, contigs, sequence, qualities, CIGARs, MD, SA and read group: field
// separators, tag names and numbers.
constexpr std::size_t kFixed = 384;

// A text that is longer than what is used.
struct LongText {
  std::string& text;
  std::size_t used = text.size();

  // Makes room for a record of `more` characters besides the fixed ones. Grows in large steps.
  char* room(std::size_t more) {
    if (used + kFixed + more > text.size()) {
      text.resize(std::max(text.capacity(), 2 * text.size() + 65536 + kFixed + more));
    }
    return text.data() + used;
  }
};

// `room`: for SA and XA.
[[gnu::always_inline]] inline void append(const RecordSource& from, const align::AlignmentRecord& record,
                                          std::string& room, LongText& text) {
  const align::AlignmentBatch& alignments = from.alignments;
  const align::Alignment* const own = record.alignment;
  const align::Alignment* const mate = record.mate;
  const auto [name, bases, qualities, comment, pieces, places] = parts_of(from, record, room);
  const std::string_view contig =
      record.place ? from.reference.contigs()[record.place->contig].name : std::string_view{};
  std::string_view mate_contig;
  if (record.mate_place) {
    mate_contig = record.mate_place->contig == record.place->contig
                      ? "="
                      : std::string_view(from.reference.contigs()[record.mate_place->contig].name);
  }
  LineWriter line(text.room(
      name.size() + contig.size() + mate_contig.size() + 2 * bases.size() + from.read_group.size() +
      (own ? align::kCigarElementText * own->cigar_length + own->md_length : 0) +
      (mate ? align::kCigarElementText * mate->cigar_length : 0) + pieces.size() + places.size() + comment.size()));
  line.put(name);
  line.put('\t');
  line.number(record.flag);
  line.put('\t');
  if (record.place) {
    line.put(contig);
    line.put('\t');
    line.number(record.place->start + 1);
  } else {
    line.put("*\t0");
  }
  line.put('\t');
  line.number(record.mapq);
  line.put('\t');
  if (own) {
    line.cigar(alignments.cigar_of(*own), own->cigar_length, record.clips);
  } else {
    line.put('*');
  }
  line.put('\t');
  if (record.mate_place) {
    line.put(mate_contig);
    line.put('\t');
    line.number(record.mate_place->start + 1);
    line.put('\t');
    line.signed_number(align::template_length(record));
  } else {
    line.put("*\t0\t0");
  }
  line.put('\t');
  line.sequence(bases, qualities, own && own->reverse);
  align::put_tags(alignments, record, pieces, places, from.read_group, line);
  if (!comment.empty()) {
    line.put('\t');
    line.put(comment);
  }
  line.put('\n');
  text.used = static_cast<std::size_t>(line.at() - text.text.data());
}

}  // namespace

void append_sam(const RecordSource& from, const align::RecordRule& rule, std::string& text) {
  std::string room;
  LongText all{text};
  align::for_each_record(from.alignments, rule,
                         [&](const align::AlignmentRecord& record) { append(from, record, room, all); });
  text.resize(all.used);
}

}  // namespace trawl::io
