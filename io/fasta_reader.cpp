#include "io/fasta_reader.hpp"

#include <htslib/hts.h>
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <memory>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "error.hpp"
#include "io/letters.hpp"
#include "io/text_buffer.hpp"
#include "sequence/alphabet.hpp"

namespace trawl::io {
namespace {

class FastaReader {
 public:
  explicit FastaReader(const std::string& path) : text_(path) {}

  sequence::Reference read(std::vector<std::string>* warnings) {
    while (text_.begin() != text_.end() || text_.refill()) {
      if (in_sequence_line_ || *text_.begin() != '>') {
        read_sequence();
      } else {
        read_header();
      }
    }
    close_contig();
    if (contigs_ == 0) {
      throw InputError(text_.name(), 0, "holds no sequence; a reference must be FASTA");
    }
    if (warnings != nullptr && !empty_names_.empty()) {
      std::string names;
      for (std::size_t i = 0; i < std::min<std::size_t>(empty_names_.size(), 5); ++i) {
        names += (i > 0 ? ", " : "") + empty_names_[i];
      }
      warnings->push_back(text_.name() + ": " + std::to_string(empty_names_.size()) +
                          " sequence(s) of length 0 left out, because SAM has no such contigs: " + names +
                          (empty_names_.size() > 5 ? ", ..." : ""));
    }
    return std::move(builder_).finish();
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw InputError(text_.name(), line_, what); }

  void read_header() {
    const char* newline = nullptr;
    while ((newline = find_newline()) == nullptr && text_.refill()) {
    }
    const char* end = newline != nullptr ? newline : text_.end();
    close_contig();
    const char* begin = text_.begin() + 1;
    if (has_lone_cr({begin, static_cast<std::size_t>(end - begin)})) {
      fail(kLoneCr);
    }
    name_.assign(begin, std::find_if(begin, end, [](char c) { return is_space(c); }));
    if (name_.empty()) {
      fail("a sequence without a name; put one directly behind the '>'");
    }
    if (name_[0] == '*' || name_[0] == '=') {
      fail("the sequence name " + name_ + " begins with '" + name_[0] + "', which SAM does not allow; rename it");
    }
    if (const std::size_t at = find_not_in_sam_name(name_); at < name_.size()) {
      fail("the sequence name " + name_ + " holds " + describe_character(name_[at]) +
           ", which SAM does not allow; rename it");
    }
    if (!names_.insert(name_).second) {
      fail("a second sequence with the name " + name_ + "; names must differ");
    }
    has_name_ = true;
    if (newline != nullptr) {
      ++line_;
    }
    text_.consume(static_cast<std::size_t>((newline != nullptr ? newline + 1 : end) - text_.begin()));
  }

  // A line, or as much of it as the window holds.
  void read_sequence() {
    const char* newline = find_newline();
    const char* end = newline != nullptr ? newline : text_.end();
    const char* last = end;
    while (last != text_.begin() && is_space(last[-1])) {
      --last;
    }
    const std::string_view letters(text_.begin(), static_cast<std::size_t>(last - text_.begin()));
    if (!letters.empty()) {
      add(letters);
    }
    if (newline != nullptr) {
      ++line_;
      in_sequence_line_ = false;
      text_.consume(static_cast<std::size_t>(newline + 1 - text_.begin()));
      return;
    }
    in_sequence_line_ = in_sequence_line_ || !letters.empty();
    // Blanks at the end of the window may end the line or be followed by letters.
    text_.consume(letters.size());
    if (!text_.refill()) {
      text_.consume(static_cast<std::size_t>(text_.end() - text_.begin()));
    }
  }

  void add(std::string_view letters) {
    if (!has_name_) {
      if (letters[0] == '@') {
        fail("this is a FASTQ file; a reference must be FASTA");
      }
      fail("text before the first '>'; a reference must be FASTA");
    }
    if (const std::size_t at = find_not_iupac(letters); at < letters.size()) {
      fail(describe_character(letters[at]) + " in the sequence " + name_ + " is no IUPAC letter");
    }
    if (contig_is_empty_) {
      builder_.begin_contig(name_);
      contig_is_empty_ = false;
      ++contigs_;
    }
    builder_.append(letters);
  }

  void close_contig() {
    if (has_name_ && contig_is_empty_) {
      empty_names_.push_back(name_);
    }
    contig_is_empty_ = true;
  }

  const char* find_newline() const {
    return static_cast<const char*>(
        std::memchr(text_.begin(), '\n', static_cast<std::size_t>(text_.end() - text_.begin())));
  }

  TextBuffer text_;
  sequence::ReferenceBuilder builder_;
  std::uint64_t line_ = 1;
  std::size_t contigs_ = 0;
  std::string name_;
  bool has_name_ = false;
  bool contig_is_empty_ = true;
  bool in_sequence_line_ = false;
  std::unordered_set<std::string> names_;
  std::vector<std::string> empty_names_;
};

// Byte i of the result is bit i of `bits`, 0 or 1.
std::uint64_t spread_bits(std::uint64_t bits) {
  const std::uint64_t picked = ((bits & 0xff) * 0x0101010101010101) & 0x8040201008040201;
  return ((picked + 0x7f7f7f7f7f7f7f7f) >> 7) & 0x0101010101010101;
}

// The letters of 64 positions; those of ambiguous positions are meaningless.
void write_block(const sequence::PlaneBlock& block, char* to) {
  for (int i = 0; i < 8; ++i) {
    const std::uint64_t high = spread_bits(block.high >> (8 * i));
    const std::uint64_t low = spread_bits(block.low >> (8 * i));
    // 'A' = 0x41, 'C' = 'A' + 2, 'G' = 'A' + 6, 'T' = 'A' + 2 + 6 + 11
    std::uint64_t letters = 0x4141414141414141 + 2 * low + 6 * high + 11 * (high & low);
    if constexpr (std::endian::native == std::endian::big) {
      letters = __builtin_bswap64(letters);
    }
    std::memcpy(to + 8 * i, &letters, 8);
  }
}

struct Md5Deleter {
  void operator()(hts_md5_context* context) const { hts_md5_destroy(context); }
};

std::string contig_md5(const sequence::Reference& reference, const sequence::Contig& contig) {
  const std::unique_ptr<hts_md5_context, Md5Deleter> context(hts_md5_init());
  if (!context) {
    throw std::bad_alloc();
  }
  std::array<char, 16384> letters;
  for (std::uint64_t done = 0; done < contig.length; done += letters.size()) {
    const std::size_t n = std::min<std::uint64_t>(letters.size(), contig.length - done);
    copy_letters(reference, contig.offset + done, n, letters.data());
    hts_md5_update(context.get(), letters.data(), n);
  }
  std::array<unsigned char, 16> digest{};
  hts_md5_final(digest.data(), context.get());
  std::array<char, 33> text{};
  hts_md5_hex(text.data(), digest.data());
  return text.data();
}

}  // namespace

sequence::Reference read_reference(const std::string& path, std::vector<std::string>* warnings) {
  return FastaReader(path).read(warnings);
}

void copy_letters(const sequence::Reference& reference, std::uint64_t begin, std::size_t length, char* to) {
  const std::uint64_t end = begin + length;
  std::array<char, 64> edge;
  for (std::uint64_t at = begin; at < end;) {
    const std::size_t skip = at % 64;
    const std::size_t n = std::min<std::uint64_t>(64 - skip, end - at);
    char* out = to + (at - begin);
    if (n == 64) {
      write_block(reference.planes()[at / 64], out);
    } else {
      write_block(reference.planes()[at / 64], edge.data());
      std::memcpy(out, edge.data() + skip, n);
    }
    at += n;
  }
  const auto& runs = reference.ambiguous_runs();
  auto run = std::partition_point(runs.begin(), runs.end(),
                                  [begin](const sequence::AmbiguousRun& r) { return r.begin + r.length <= begin; });
  for (; run != runs.end() && run->begin < end; ++run) {
    const std::uint64_t from = std::max(run->begin, begin);
    const std::uint64_t until = std::min(run->begin + run->length, end);
    std::memset(to + (from - begin), run->letter, until - from);
  }
}

std::vector<std::string> contig_md5s(const sequence::Reference& reference) {
  const auto& contigs = reference.contigs();
  std::vector<std::string> md5s(contigs.size());
  tbb::parallel_for(std::size_t{0}, contigs.size(),
                    [&](std::size_t i) { md5s[i] = contig_md5(reference, contigs[i]); });
  return md5s;
}

}  // namespace trawl::io
