#include "io/read/fasta_block.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "io/format/letters.hpp"

namespace trawl::io {
namespace {

using sequence::LetterMasks;
using sequence::low_ones;

// Goes through the text in windows of 64 characters.
class LetterScanner {
 public:
  // `sequences`: where headers go; none: all of the text is one line.
  LetterScanner(sequence::PackedLetters& letters, std::vector<FastaBlock::BlockSequence>* sequences)
      : letters_(letters), sequences_(sequences), line_start_(sequences != nullptr) {}

  void run(const char* begin, const char* end) {
    constexpr std::size_t kWindows = 64;
    std::array<LetterMasks, kWindows> masks;
    while (end - begin >= 64) {
      const std::size_t windows = std::min<std::size_t>(kWindows, static_cast<std::size_t>(end - begin) / 64);
      sequence::find_letters(begin, windows, masks.data());
      for (std::size_t w = 0; w < windows; ++w, begin += 64) {
        if (!window(begin, masks[w], 64)) {
          return;
        }
      }
    }
    if (begin != end) {
      const auto size = static_cast<unsigned>(end - begin);
      std::array<char, 64> last{};
      std::memcpy(last.data(), begin, size);
      sequence::find_letters(last.data(), 1, masks.data());
      window(begin, masks[0], size);
    }
  }

  std::uint64_t lines() const { return lines_; }
  const char* bad() const { return bad_; }
  const char* blanks() const { return blanks_; }
  const char* header() const { return header_; }

 private:
  // False if what follows is not needed: this text has an error.
  bool window(const char* text, const LetterMasks& masks, unsigned size) {
    for (unsigned at = 0; at < size;) {
      const std::uint64_t rest = low_ones(size) & ~low_ones(at);
      if (header_ != nullptr) {
        const std::uint64_t ends = masks.line_ends & rest;
        if (ends == 0) {
          return true;
        }
        at = static_cast<unsigned>(std::countr_zero(ends));
        if (!end_header(text + at)) {
          return false;
        }
        ++at;
        continue;
      }
      const std::uint64_t line_starts = masks.line_ends << 1 | std::uint64_t{line_start_} << at;
      const std::uint64_t headers = masks.headers & line_starts & rest;
      const unsigned end = headers != 0 ? static_cast<unsigned>(std::countr_zero(headers)) : size;
      if (end > at) {
        if (!add(text, masks, rest & low_ones(end))) {
          return false;
        }
        line_start_ = (masks.line_ends >> (end - 1) & 1) != 0;
      }
      at = end;
      if (headers != 0) {
        header_ = text + end;
      }
    }
    return true;
  }

  bool end_header(const char* end) {
    close_sequence();
    letters_.align();
    FastaHeader header = parse_fasta_header({header_ + 1, static_cast<std::size_t>(end - header_ - 1)});
    const bool good = header.error.empty() || header.renames;
    sequences_->push_back({std::move(header), lines_, letters_.size(), 0});
    header_ = nullptr;
    line_start_ = true;
    ++lines_;
    return good;
  }

  // The characters `which` of sequence lines; they are neighbours.
  bool add(const char* text, const LetterMasks& masks, std::uint64_t which) {
    std::uint64_t others = which & ~(masks.bases | masks.n | masks.line_ends);
    std::uint64_t kept = which & ~masks.line_ends;
    if (others != 0 || blanks_ != nullptr) {
      const std::uint64_t blank = blanks_in(text, others);
      others &= ~blank;
      kept &= ~blank;
      if (const char* bad = find_bad(text, masks, which, blank, others)) {
        bad_ = bad;
        const std::uint64_t before = bad < text ? 0 : low_ones(static_cast<unsigned>(bad - text));
        lines_ += static_cast<unsigned>(std::popcount(masks.line_ends & which & before));
        return false;
      }
      note_blanks(text, which, blank);
    }
    if (kept != 0) {
      letters_.append(text, masks, kept, others);
    }
    lines_ += static_cast<unsigned>(std::popcount(masks.line_ends & which));
    return true;
  }

  static std::uint64_t blanks_in(const char* text, std::uint64_t among) {
    std::uint64_t blank = 0;
    for (std::uint64_t left = among; left != 0; left &= left - 1) {
      const int i = std::countr_zero(left);
      blank |= std::uint64_t{is_space(text[i])} << i;
    }
    return blank;
  }

  // The first character that is not allowed: neither an IUPAC letter nor a blank at the end of a line.
  const char* find_bad(const char* text, const LetterMasks& masks, std::uint64_t which, std::uint64_t blank,
                       std::uint64_t others) const {
    const int first = std::countr_zero(which);
    const std::uint64_t ending = masks.line_ends | blank;
    if (blanks_ != nullptr && (ending >> first & 1) == 0) {
      return blanks_;
    }
    std::uint64_t bad = 0;
    for (; others != 0; others &= others - 1) {
      if (sequence::iupac_set(text[std::countr_zero(others)]) == 0) {
        bad = others & -others;
        break;
      }
    }
    // What follows the last of these characters is not known yet.
    const std::uint64_t before_letter = blank & ~(ending >> 1) & (which >> 1);
    if (before_letter != 0) {
      const int start = first_of_run(blank, std::countr_zero(before_letter));
      if (start == first && blanks_ != nullptr) {
        return blanks_;
      }
      bad |= std::uint64_t{1} << start;
    }
    return bad != 0 ? text + std::countr_zero(bad) : nullptr;
  }

  // Remembers the blanks at the end.
  void note_blanks(const char* text, std::uint64_t which, std::uint64_t blank) {
    const int last = 63 - std::countl_zero(which);
    if ((blank >> last & 1) == 0) {
      blanks_ = nullptr;
      return;
    }
    const int start = first_of_run(blank, last);
    if (start != std::countr_zero(which) || blanks_ == nullptr) {
      blanks_ = text + start;
    }
  }

  // The first bit of the run of ones that bit `at` belongs to.
  static int first_of_run(std::uint64_t bits, int at) { return at + 1 - std::countl_one(bits << (63 - at)); }

  void close_sequence() { sequences_->back().end = letters_.size(); }

  sequence::PackedLetters& letters_;
  std::vector<FastaBlock::BlockSequence>* sequences_;
  bool line_start_;               // the next character begins a line
  const char* header_ = nullptr;  // of the header that the next character belongs to
  const char* blanks_ = nullptr;  // the first of the blanks that end here, in a sequence line
  const char* bad_ = nullptr;
  std::uint64_t lines_ = 0;
};

// Whether `word` stands alone somewhere in a text.
bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || is_space(text[at - 1])) && (end == text.size() || is_space(text[end]))) {
      return true;
    }
  }
  return false;
}

}  // namespace

FastaHeader parse_fasta_header(std::string_view text) {
  if (has_lone_cr(text)) {
    return {{}, kLoneCr};
  }
  const auto name_end = std::find_if(text.begin(), text.end(), [](char c) { return is_space(c); });
  const std::string_view name = text.substr(0, static_cast<std::size_t>(name_end - text.begin()));
  if (name.empty()) {
    return {{}, "a sequence without a name; write one directly after the '>'"};
  }
  FastaHeader header{name, {}, false, has_word(text.substr(name.size()), "TP:circular")};
  const std::size_t at = find_not_in_sam_name(name);
  header.renames = name[0] == '*' || name[0] == '=' || at < name.size();
  if (header.renames) {
    header.error = "the sequence name " + std::string(name) +
                   (at < name.size() ? " contains " + describe_character(name[at])
                                     : " begins with '" + std::string(1, name[0]) + "'") +
                   ", which SAM does not allow; rename it (trawl map, scan and index do: --rename-contigs)";
  }
  return header;
}

void FastaBlock::prepare() {
  letters.clear();
  sequences.clear();
  const auto* newline = static_cast<const char*>(std::memchr(begin(), '\n', size()));
  const char* const head_end = newline != nullptr ? newline : end();
  head_size = static_cast<std::uint64_t>(head_end - begin());
  head_ends = newline != nullptr;
  LetterScanner head(letters, nullptr);
  head.run(begin(), head_end);
  head_letters = letters.size();
  head_bad = head.bad();
  head_blanks = head_ends ? nullptr : head.blanks();

  letters.align();
  sequences.push_back({{}, 0, letters.size(), 0});
  LetterScanner rest(letters, &sequences);
  if (newline != nullptr) {
    rest.run(newline + 1, end());
  }
  sequences.back().end = letters.size();
  lines = rest.lines();
  bad = rest.bad();
  open_header = rest.header();
  blanks = rest.blanks();
}

}  // namespace trawl::io
