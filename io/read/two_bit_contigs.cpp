#include "io/read/two_bit_contigs.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <unordered_set>

#include "base/error.hpp"
#include "io/format/letters.hpp"
#include "io/read/gzip/input_file.hpp"
#include "sequence/packed_letters.hpp"

namespace trawl::io {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kMagic = "\x43\x27\x41\x1a"sv;
constexpr std::string_view kSwappedMagic = "\x1a\x41\x27\x43"sv;
constexpr std::uint64_t kLetters = std::uint64_t{1} << 20;  // at a time; a multiple of 4
constexpr char kTwoBitLetters[] = "TCAG";

class TwoBitContigs final : public ContigSource {
 public:
  explicit TwoBitContigs(const std::string& path) : file_(path) {
    is_swapped_ = bytes_at(0, 4) == kSwappedMagic;
    std::uint64_t at = 4;
    const std::uint64_t version = number(at);
    const std::uint64_t count = number(at);
    number(at);  // reserved
    if (version > 1) {
      fail("has version " + std::to_string(version) +
           " of 2bit, and Trawl reads 0 and 1; give it the text: twoBitToFa " + file_.name() + " genome.fa");
    }
    if (count == 0) {
      fail("has no sequences");
    }
    std::unordered_set<std::string_view> names;
    sequences_.reserve(std::min<std::uint64_t>(count, file_.size() / 6));
    for (std::uint64_t s = 0; s < count; ++s) {
      const std::uint64_t size = number(at, 1);
      SequenceEntry& sequence = sequences_.emplace_back();
      sequence.name = bytes_at(at, size);
      at += size;
      sequence.at = number(at, version == 0 ? 4 : 8);
      const bool is_reserved = size > 0 && (sequence.name[0] == '*' || sequence.name[0] == '=');
      if (size == 0 || is_reserved || find_not_in_sam_name(sequence.name) < size) {
        fail("the sequence name " + sequence.name + " is not one that SAM allows; rename it");
      }
    }
    for (const SequenceEntry& sequence : sequences_) {
      if (!names.insert(sequence.name).second) {
        fail("a second sequence with the name " + sequence.name + "; names must differ");
      }
    }
  }

  std::optional<ContigPiece> next() override {
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
  std::uint64_t consumed(std::uint64_t unused) const override {
    const std::uint64_t read = at_ + done_ / 4;
    return read - std::min(read, unused / 4);
  }
  std::uint64_t expected_letters() const override { return 4 * file_.size(); }
  std::string warning() const override { return empty_sequences_warning(file_.name(), empty_names_, 1); }

 private:
  struct SequenceEntry {
    std::string name;
    std::uint64_t at = 0;  // in the file
  };
  struct UnknownRun {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };

  [[noreturn]] void fail(const std::string& what) const { throw InputError(file_.name(), 0, what); }

  std::string bytes_at(std::uint64_t at, std::uint64_t count) const {
    if (at > file_.size() || count > file_.size() - at) {
      fail("this 2bit file ends too early; copy it again");
    }
    std::string bytes(count, '\0');
    file_.read_at(at, bytes.data(), count);
    return bytes;
  }

  // The number of `bytes` bytes at `at`, which moves on.
  std::uint64_t number(std::uint64_t& at, unsigned bytes = 4) const {
    std::string text = bytes_at(at, bytes);
    at += bytes;
    if (!is_swapped_) {
      std::reverse(text.begin(), text.end());
    }
    std::uint64_t value = 0;
    for (const char byte : text) {
      value = value << 8 | static_cast<unsigned char>(byte);
    }
    return value;
  }

  void begin(const SequenceEntry& sequence) {
    std::uint64_t at = sequence.at;
    length_ = number(at);
    done_ = 0;
    run_ = 0;
    const std::uint64_t runs = number(at);
    bytes_at(at, 8 * runs);  // before memory is taken for them
    unknown_.assign(runs, {});
    for (UnknownRun& run : unknown_) {
      run.begin = number(at);
    }
    for (UnknownRun& run : unknown_) {
      run.end = run.begin + number(at);
    }
    std::sort(unknown_.begin(), unknown_.end(),
              [](const UnknownRun& a, const UnknownRun& b) { return a.begin < b.begin; });
    const std::uint64_t masks = number(at);
    at_ = at + 8 * masks + 4;
    if (length_ == 0) {
      empty_names_.push_back(sequence.name);
    }
  }

  // The next ones.
  std::shared_ptr<const sequence::PackedLetters> letters(std::uint64_t count) {
    const std::string packed = bytes_at(at_ + done_ / 4, (count + 3) / 4);
    std::string letters(count, 'N');
    for (std::uint64_t i = 0; i < count; ++i) {
      letters[i] = kTwoBitLetters[static_cast<unsigned char>(packed[i / 4]) >> (6 - 2 * (i % 4)) & 3];
    }
    const std::uint64_t end = done_ + count;
    while (run_ < unknown_.size() && unknown_[run_].end <= done_) {
      ++run_;
    }
    for (std::size_t r = run_; r < unknown_.size() && unknown_[r].begin < end; ++r) {
      const std::uint64_t first = std::max(unknown_[r].begin, done_);
      const std::uint64_t last = std::min(unknown_[r].end, end);
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

  InputFile file_;
  bool is_swapped_ = false;  // the other byte order
  std::vector<SequenceEntry> sequences_;
  std::size_t next_ = 0;  // the one that comes next
  std::vector<std::string> empty_names_;
  // Of the sequence that is read:
  std::uint64_t length_ = 0;
  std::uint64_t done_ = 0;           // letters
  std::uint64_t at_ = 0;             // of the first letter, in the file
  std::vector<UnknownRun> unknown_;  // of N, by position
  std::size_t run_ = 0;              // the first that is not before done_
};

}  // namespace

bool is_two_bit(const std::string& path) {
  std::error_code error;
  if (path == "-" || !std::filesystem::is_regular_file(path, error)) {
    return false;
  }
  InputFile file(path);
  return file.begins_with(kMagic) || file.begins_with(kSwappedMagic);
}

std::unique_ptr<ContigSource> open_two_bit(const std::string& path) { return std::make_unique<TwoBitContigs>(path); }

}  // namespace trawl::io
