#include "io/out/sam_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>

#include "align/cigar.hpp"
#include "align/sam_fields.hpp"
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

// Writes into memory that is already large enough.
class LineWriter {
 public:
  explicit LineWriter(char* at) : at_(at) {}

  char* at() const { return at_; }
  void put(char c) { *at_++ = c; }
  void put(std::string_view text) {
    std::memcpy(at_, text.data(), text.size());
    at_ += text.size();
  }
  void number(std::uint64_t n) { at_ = std::to_chars(at_, at_ + 20, n).ptr; }
  void cigar(const std::uint32_t* elements, std::uint32_t count) { at_ = align::write_cigar(at_, elements, count); }

  void integer(const char* tag, std::int64_t value) {
    put_tag(tag, 'i');
    at_ = std::to_chars(at_, at_ + 20, value).ptr;
  }
  void text(const char* tag, std::string_view value) {
    put_tag(tag, 'Z');
    put(value);
  }

  void sequence(std::string_view bases, std::string_view qualities, bool reverse) {
    if (bases.empty()) {
      put("*\t*");
      return;
    }
    if (reverse) {
      std::transform(bases.rbegin(), bases.rend(), at_,
                     [](char c) { return kComplements[static_cast<unsigned char>(c)]; });
    } else {
      std::transform(bases.begin(), bases.end(), at_, [](char c) { return kLetters[static_cast<unsigned char>(c)]; });
    }
    at_ += bases.size();
    put('\t');
    if (qualities.empty()) {
      put('*');
    } else if (reverse) {
      at_ = std::copy(qualities.rbegin(), qualities.rend(), at_);
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

// Enough characters for a record without its name, contig, sequence, qualities, CIGAR, MD and read group: field
// separators, tag names and numbers.
constexpr std::size_t kFixed = 256;

}  // namespace

void append_sam(std::string& text, const sequence::Reference& reference, std::string_view read_group,
                bool keep_unmapped, const sequence::ReadBatch& reads, const align::AlignmentBatch& alignments) {
  std::size_t used = text.size();
  // Makes room for a record of `more` characters besides the fixed ones. Grows in large steps; cut to size at the end.
  const auto room = [&](std::size_t more) {
    if (used + kFixed + more > text.size()) {
      text.resize(std::max(text.capacity(), 2 * text.size() + 65536 + kFixed + more));
    }
    return LineWriter(text.data() + used);
  };
  const auto end_line = [&](LineWriter& line) {
    line.put('\n');
    used = static_cast<std::size_t>(line.at() - text.data());
  };
  for (std::size_t i = 0; i < alignments.reads.size(); ++i) {
    const align::ReadResult& result = alignments.reads[i];
    const std::string_view name = reads.name(i);
    const std::string_view bases = reads.bases(i);
    const std::string_view qualities = reads.qualities(i);
    if (result.count == 0 && keep_unmapped) {
      LineWriter line = room(name.size() + 2 * bases.size() + read_group.size());
      line.put(name);
      line.put('\t');
      line.number(align::kFlagUnmapped);
      line.put("\t*\t0\t0\t*\t*\t0\t0\t");
      line.sequence(bases, qualities, false);
      align::put_unmapped_tags(read_group, line);
      end_line(line);
    }
    for (std::uint32_t k = 0; k < result.count; ++k) {
      const align::Alignment& alignment = alignments.alignments[result.first + k];
      const std::string& contig = reference.contigs()[alignment.contig].name;
      LineWriter line =
          room(name.size() + contig.size() + 2 * bases.size() + align::kCigarElementText * alignment.cigar_length +
               alignment.md_length + read_group.size());
      line.put(name);
      line.put('\t');
      line.number(align::sam_flag(alignment, k));
      line.put('\t');
      line.put(contig);
      line.put('\t');
      line.number(alignment.start + 1);
      line.put('\t');
      line.number(alignment.mapq);
      line.put('\t');
      line.cigar(alignments.cigar_of(alignment), alignment.cigar_length);
      line.put("\t*\t0\t0\t");
      if (k == 0) {
        line.sequence(bases, qualities, alignment.reverse);
      } else {
        line.put("*\t*");
      }
      align::put_sam_tags(alignments, result, k, read_group, line);
      end_line(line);
    }
  }
  text.resize(used);
}

}  // namespace trawl::io
