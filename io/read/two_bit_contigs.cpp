#include "io/read/two_bit_contigs.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string_view>
#include <unordered_set>

#include "base/error.hpp"
#include "io/format/letters.hpp"
#include "sequence/packed_letters.hpp"

namespace trawl::io {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kMagic = "\x43\x27\x41\x1a"sv;
constexpr std::string_view kSwappedMagic = "\x1a\x41\x27\x43"sv;
constexpr std::uint64_t kLetters = std::uint64_t{1} << 20;  // at a time; a multiple of 4
constexpr char kTwoBitLetters[] = "TCAG";

}  // namespace

bool is_two_bit(const std::string& path) {
  std::error_code error;
  if (path == "-" || !std::filesystem::is_regular_file(path, error)) {
    return false;
  }
  InputFile file(path);
  return file.begins_with(kMagic) || file.begins_with(kSwappedMagic);
}

TwoBitContigs::TwoBitContigs(const std::string& path) : file_(path) {
  is_swapped_ = bytes_at(0, 4) == kSwappedMagic;
  std::uint64_t at = 4;
  const std::uint64_t version = number(at);
  const std::uint64_t count = number(at);
  number(at);  // reserved
  if (version > 1) {
    fail("has version " + std::to_string(version) + " of 2bit, and Trawl reads 0 and 1; give it the text: twoBitToFa " +
         file_.name() + " genome.fa");
  }
  if (count == 0) {
    fail("has no sequences");
  }
  std::unordered_set<std::string_view> names;
  sequences_.reserve(std::min<std::uint64_t>(count, file_.size() / 6));
  for (std::uint64_t s = 0; s < count; ++s) {
    const std::uint64_t size = number(at, 1);
    Sequence& sequence = sequences_.emplace_back();
    sequence.name = bytes_at(at, size);
    at += size;
    sequence.at = number(at, version == 0 ? 4 : 8);
    const bool is_reserved = size > 0 && (sequence.name[0] == '*' || sequence.name[0] == '=');
    if (size == 0 || is_reserved || find_not_in_sam_name(sequence.name) < size) {
      fail("the sequence name " + sequence.name + " is not one that SAM allows; rename it");
    }
  }
  for (const Sequence& sequence : sequences_) {
    if (!names.insert(sequence.name).second) {
      fail("a second sequence with the name " + sequence.name + "; names must differ");
    }
  }
}

void TwoBitContigs::fail(const std::string& what) const { throw InputError(file_.name(), 0, what); }

std::string TwoBitContigs::bytes_at(std::uint64_t at, std::uint64_t count) const {
  if (at > file_.size() || count > file_.size() - at) {
    fail("this 2bit file ends too early; copy it again");
  }
  std::string bytes(count, '\0');
  file_.read_at(at, bytes.data(), count);
  return bytes;
}

std::uint64_t TwoBitContigs::number(std::uint64_t& at, unsigned bytes) const {
  const std::string text = bytes_at(at, bytes);
  at += bytes;
  std::uint64_t value = 0;
  for (unsigned b = 0; b < bytes; ++b) {
    const unsigned place = is_swapped_ ? bytes - 1 - b : b;
    value |= std::uint64_t{static_cast<unsigned char>(text[b])} << (8 * place);
  }
  return value;
}

std::vector<std::uint64_t> TwoBitContigs::numbers(std::uint64_t& at, std::uint64_t count) const {
  const std::string text = bytes_at(at, 4 * count);
  at += 4 * count;
  std::vector<std::uint64_t> all(count);
  for (std::uint64_t n = 0; n < count; ++n) {
    for (unsigned b = 0; b < 4; ++b) {
      all[n] |= std::uint64_t{static_cast<unsigned char>(text[4 * n + b])} << (8 * (is_swapped_ ? 3 - b : b));
    }
  }
  return all;
}

std::optional<ContigPiece> TwoBitContigs::next() {
  ContigPiece piece;
  while (done_ == length_) {
    if (next_ == sequences_.size()) {
      if (empty_names_.size() == sequences_.size()) {
        fail("has no sequences with letters");
      }
      return std::nullopt;
    }
    begin(sequences_[next_++]);
    piece.start = {sequences_[next_ - 1].name, {}};
  }
  piece.count = std::min(kLetters, length_ - done_);
  piece.letters = letters(piece.count);
  return piece;
}

void TwoBitContigs::begin(const Sequence& sequence) {
  std::uint64_t at = sequence.at;
  length_ = number(at);
  done_ = 0;
  run_ = 0;
  const std::uint64_t runs = number(at);
  const std::vector<std::uint64_t> starts = numbers(at, runs);
  const std::vector<std::uint64_t> lengths = numbers(at, runs);
  unknown_.clear();
  for (std::uint64_t r = 0; r < runs; ++r) {
    unknown_.push_back({starts[r], lengths[r]});
  }
  std::sort(unknown_.begin(), unknown_.end(), [](const Run& a, const Run& b) { return a.begin < b.begin; });
  const std::uint64_t masks = number(at);
  at_ = at + 8 * masks + 4;
  if (length_ == 0) {
    empty_names_.push_back(sequence.name);
  }
}

// The next ones.
std::shared_ptr<const sequence::PackedLetters> TwoBitContigs::letters(std::uint64_t count) {
  const std::string packed = bytes_at(at_ + done_ / 4, (count + 3) / 4);
  std::string letters(count, 'N');
  for (std::uint64_t i = 0; i < count; ++i) {
    letters[i] = kTwoBitLetters[static_cast<unsigned char>(packed[i / 4]) >> (6 - 2 * (i % 4)) & 3];
  }
  const std::uint64_t end = done_ + count;
  while (run_ < unknown_.size() && unknown_[run_].begin + unknown_[run_].length <= done_) {
    ++run_;
  }
  for (std::size_t r = run_; r < unknown_.size() && unknown_[r].begin < end; ++r) {
    const std::uint64_t first = std::max(unknown_[r].begin, done_);
    const std::uint64_t last = std::min(unknown_[r].begin + unknown_[r].length, end);
    if (first < last) {
      std::fill(letters.begin() + static_cast<std::ptrdiff_t>(first - done_),
                letters.begin() + static_cast<std::ptrdiff_t>(last - done_), 'N');
    }
  }
  const auto given = std::make_shared<sequence::PackedLetters>();
  given->append(letters);
  done_ = end;
  return given;
}

std::uint64_t TwoBitContigs::consumed(std::uint64_t unused) const {
  const std::uint64_t read = at_ + done_ / 4;
  return read - std::min(read, unused / 4);
}

std::string TwoBitContigs::warning() const {
  if (empty_names_.empty()) {
    return "";
  }
  return file_.name() + ": " + std::to_string(empty_names_.size()) +
         " sequence(s) of length 0 left out: " + empty_names_.front() + (empty_names_.size() > 1 ? ", ..." : "");
}

}  // namespace trawl::io
