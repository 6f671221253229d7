// A numbered batch of reads: a ReadSource gives it, an engine takes it.
//
//   ReadBatch batch;
//   batch.add("r1", "ACGT", "IIII");         // copies; add_records() refers to records in a text that others keep
//   batch.expand();
//   batch.bases(0) == "ACGT"
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/packer.hpp"

namespace trawl::sequence {

/// Where a record begins in the input: a line, from 1, of file number `file`.
struct RecordOrigin {
  std::uint32_t file = 0;
  std::uint64_t line = 0;
};

/// Reads in input order. A read is a view of a text: of a block of the input, which the batch keeps alive, or of the
/// batch's own text. So a batch needs few allocations and can be reused.
class ReadBatch {
 public:
  /// Index of the batch in the input, from 0.
  std::uint64_t number = 0;
  /// Index of its first read in the input, from 0.
  std::uint64_t first_read = 0;
  /// Bytes of the (compressed) input that were read when this batch was complete; used to show progress.
  std::uint64_t input_bytes = 0;
  /// Reads 2 i and 2 i + 1 are the first and the second mate of pair i, and have the same name.
  bool paired = false;
  /// Single reads that are parts of mates: marked_mate() says of which.
  bool are_parts_of_mates = false;
  /// In place of some pairs there is a single read, and after it a mate that is absent.
  bool mixed = false;
  /// The reads are from FASTQ, not from FASTA.
  bool is_fastq = false;

  std::size_t size() const { return reads_.size() + pending_; }
  bool empty() const { return size() == 0; }

  std::string_view name(std::size_t i) const { return {text(reads_[i]) + reads_[i].name, reads_[i].name_length}; }
  /// The bases as in the file, but in upper case: A, C, G, T, IUPAC codes.
  std::string_view bases(std::size_t i) const { return {text(reads_[i]) + reads_[i].bases, reads_[i].length}; }
  /// The Phred+33 qualities as in the file; empty if the input has none.
  std::string_view qualities(std::size_t i) const {
    return reads_[i].has_qualities ? std::string_view(text(reads_[i]) + reads_[i].qualities, reads_[i].length)
                                   : std::string_view{};
  }
  std::size_t length(std::size_t i) const { return reads_[i].length; }
  /// Whether read i is a second mate, or a part of one.
  bool is_second(std::size_t i) const { return are_parts_of_mates ? marked_mate(i) == 2 : paired && i % 2 == 1; }
  /// SAM tags that the read brings, with tabs between them; see set_comment().
  std::string_view comment(std::size_t i) const {
    const Read& read = reads_[i];
    return {text(read) + read.name + read.comment_gap, read.comment_length};
  }

  /// Adds a copy. `qualities` must be empty or as long as `bases`; `marks`: see set_marks().
  void add(std::string_view name, std::string_view bases, std::string_view qualities, const RecordOrigin& origin = {},
           unsigned marks = 0, std::string_view comment = {}) {
    Read read{};
    read.line = origin.line;
    read.file = origin.file;
    read.text = kOwn;
    read.name = append(name);
    read.name_length = static_cast<std::uint32_t>(name.size());
    read.comment_gap = static_cast<std::uint8_t>(name.size());
    read.comment_length = static_cast<std::uint32_t>(append_comment(comment));
    read.bases = append(bases);
    read.length = static_cast<std::uint32_t>(bases.size());
    read.qualities = append(qualities);
    read.has_qualities = !qualities.empty();
    read.checked = true;
    read.marks = static_cast<std::uint8_t>(marks);
    push(read);
  }

  /// The offsets of a record's lines in a text.
  struct Record {
    std::uint32_t at = 0;         // of its first character, '@' or '>'
    std::uint32_t bases = 0;      // of its sequence
    std::uint32_t qualities = 0;  // 0: none
    std::uint32_t name_length = 0;
    std::uint32_t length = 0;
    std::uint32_t line = 0;       // number of the record's first line
    std::uint32_t bases_end = 0;  // letters of the text's records up to the end of this one
  };

  /// Adds a copy of a record, which is checked later. Only `record.line` is not needed, because `origin` has it.
  void add_unchecked(std::string_view text, const Record& record, const RecordOrigin& origin) {
    push(unchecked(append(text), record, origin, kOwn));
  }

  /// Consecutive records of a text, which are checked later.
  struct Records {
    std::shared_ptr<const void> owner;  // keeps the text and the records as they are
    char* text = nullptr;               // a check corrects the bases here
    std::span<const Record> records;
    std::uint32_t file = 0;
    std::uint64_t line = 0;  // is added to the records' lines
  };
  /// Adds views of records. This takes the same short time for any number of them. expand() does the rest.
  void add_records(Records records) {
    pending_ += records.records.size();
    ranges_.push_back(std::move(records));
  }
  /// After add_records(), this must be called before anything else but clear() and size().
  void expand() {
    if (ranges_.empty()) {
      return;
    }
    reads_.reserve(size());
    auto late = late_.begin();
    for (const Records& range : ranges_) {
      if (range.text == nullptr) {
        reads_.push_back(*late++);
        continue;
      }
      const auto text = static_cast<std::uint32_t>(texts_.size());
      texts_.push_back({range.owner, range.text});
      for (const Record& record : range.records) {
        reads_.push_back(unchecked(0, record, {range.file, range.line + record.line}, text));
      }
    }
    forget_pending();
  }

  /// Replaces the content by these reads of another batch; with `lengths`, one for each read of `other`: only their
  /// first bases.
  void take_some(const ReadBatch& other, std::span<const std::uint32_t> reads,
                 std::span<const std::uint32_t> lengths = {}) {
    clear();
    paired = other.paired;
    are_parts_of_mates = other.are_parts_of_mates;
    is_fastq = other.is_fastq;
    const std::uint32_t texts = share_texts(other);
    for (const std::uint32_t r : reads) {
      add_shared(other, r, texts, other.name(r).size(), lengths.empty() ? ~std::uint32_t{0} : lengths[r]);
    }
  }

  /// Adds the mate of a single read among pairs, which has none.
  void add_absent() { add({}, {}, {}, {}, kAbsent); }
  bool is_absent(std::size_t i) const { return (reads_[i].marks & kAbsent) != 0; }

  /// Prepares add_shared(): this batch keeps the texts of `other` alive from now on.
  std::uint32_t share_texts(const ReadBatch& other) {
    const auto first = static_cast<std::uint32_t>(texts_.size());
    texts_.insert(texts_.end(), other.texts_.begin(), other.texts_.end());
    return first;
  }
  /// Adds a read of another batch with the first characters of its name, and its first `bases` bases. `texts`: what
  /// share_texts(other) returned. Copies only what lies in the own text of `other`.
  void add_shared(const ReadBatch& other, std::size_t i, std::uint32_t texts, std::size_t name_length,
                  std::uint32_t bases = ~std::uint32_t{0}) {
    Read read = other.reads_[i];
    if (read.text == kOwn) {
      append("@");  // see mark()
      read.name = append(other.name(i).substr(0, name_length));
      read.comment_gap = static_cast<std::uint8_t>(name_length);
      append_comment(other.comment(i));
      read.bases = append(other.bases(i));
      read.qualities = append(other.qualities(i));
    } else {
      read.text += texts;
    }
    read.name_length = static_cast<std::uint32_t>(name_length);
    read.length = read.length < bases ? read.length : bases;
    push(read);
  }

  /// The texts in which the reads lie are numbered from 0 to texts() - 1. The distances of addresses in one text have a
  /// meaning.
  std::size_t texts() const { return texts_.size() + 1; }
  std::size_t text_of(std::size_t i) const { return reads_[i].text == kOwn ? texts_.size() : reads_[i].text; }

  bool is_checked(std::size_t i) const { return reads_[i].checked; }
  /// Known for the reads that a ReadSource gives.
  RecordOrigin origin(std::size_t i) const { return {reads_[i].file, reads_[i].line}; }
  /// '@' or '>': the character before the name of a read that is not checked yet.
  char mark(std::size_t i) const { return text(reads_[i])[reads_[i].name - 1]; }
  /// 1 or 2 if the header says after the name which mate of a pair this is, as in "@r7 2:N:0:ACGT"; otherwise 0.
  unsigned marked_mate(std::size_t i) const { return reads_[i].marks & 3u; }
  /// The input says that the read failed the checks of its sequencer (SAM: flag 0x200).
  bool has_failed(std::size_t i) const { return (reads_[i].marks & kFailed) != 0; }
  /// `marks`: the marked mate, and kFailed.
  static constexpr unsigned kFailed = 4;
  void set_marks(std::size_t i, unsigned marks) { reads_[i].marks = static_cast<std::uint8_t>(marks); }
  /// Lets a check correct the bases, or the qualities. Their number stays the same.
  char* mutable_bases(std::size_t i) { return mutable_text(reads_[i]) + reads_[i].bases; }
  char* mutable_qualities(std::size_t i) { return mutable_text(reads_[i]) + reads_[i].qualities; }
  void drop_qualities(std::size_t i) { reads_[i].has_qualities = false; }
  /// What follows the name of a read that is not checked yet, up to the end of its line: its blank and its comment.
  char* mutable_after_name(std::size_t i, std::size_t name_length) {
    return mutable_text(reads_[i]) + reads_[i].name + name_length;
  }
  /// A part of that, of `length` characters, is the comment; it begins `gap` characters after the name's beginning,
  /// at most 255.
  void set_comment(std::size_t i, std::size_t gap, std::size_t length) {
    reads_[i].comment_gap = static_cast<std::uint8_t>(gap);
    reads_[i].comment_length = static_cast<std::uint32_t>(length);
  }
  void set_checked(std::size_t i) { reads_[i].checked = true; }
  /// Keeps only the first characters of a read's name.
  void shorten_name(std::size_t i, std::size_t length) { reads_[i].name_length = static_cast<std::uint32_t>(length); }

  /// Adds everything to a message for another process. All reads must be checked.
  void pack(Packer& to) const;
  /// Replaces the content by that of a packed batch. The reads are views of the message, which `owner` keeps alive.
  void unpack(Unpacker& from, const std::shared_ptr<const void>& owner);

  void clear() {
    paired = mixed = are_parts_of_mates = false;
    text_.clear();
    texts_.clear();
    reads_.clear();
    forget_pending();
  }

 private:
  static constexpr std::uint32_t kOwn = ~std::uint32_t{0};
  static constexpr unsigned kAbsent = 8;

  struct Read {
    std::uint64_t name;  // offsets in the text
    std::uint64_t bases;
    std::uint64_t qualities;
    std::uint64_t line;
    std::uint32_t name_length;
    std::uint32_t length;
    std::uint32_t file;
    std::uint32_t text;  // number of the text
    std::uint32_t comment_length;
    std::uint8_t comment_gap;  // from the beginning of the name
    bool has_qualities;
    bool checked;
    std::uint8_t marks;
  };

  struct KeptText {
    std::shared_ptr<const void> owner;
    char* begin;
  };

  static Read unchecked(std::size_t at, const Record& record, const RecordOrigin& origin, std::uint32_t text) {
    Read read;
    read.name = at + record.at + 1;
    read.bases = at + record.bases;
    read.qualities = at + record.qualities;
    read.line = origin.line;
    read.name_length = record.name_length;
    read.length = record.length;
    read.file = origin.file;
    read.text = text;
    read.comment_length = 0;
    read.comment_gap = 0;
    read.has_qualities = record.qualities != 0 && record.length > 0;
    read.checked = false;
    read.marks = 0;
    return read;
  }

  // Its place is after the records that wait for expand().
  void push(const Read& read) {
    if (ranges_.empty()) {
      reads_.push_back(read);
    } else {
      late_.push_back(read);
      ranges_.emplace_back();
      ++pending_;
    }
  }

  void forget_pending() {
    ranges_.clear();
    late_.clear();
    pending_ = 0;
  }

  std::size_t append(std::string_view piece) {
    const std::size_t at = text_.size();
    text_.append(piece);
    return at;
  }
  // After the name, so the name must have at most 255 characters if there is a comment.
  std::size_t append_comment(std::string_view comment) {
    append(comment);
    return comment.size();
  }
  char* mutable_text(const Read& read) { return read.text == kOwn ? text_.data() : texts_[read.text].begin; }
  const char* text(const Read& read) const { return read.text == kOwn ? text_.data() : texts_[read.text].begin; }

  std::string text_;             // of the reads that were copied
  std::vector<KeptText> texts_;  // of the others
  std::vector<Read> reads_;
  std::vector<Records> ranges_;  // that wait for expand(); without a text: the next of late_
  std::vector<Read> late_;       // reads between them and after them
  std::size_t pending_ = 0;      // the reads of both
};

}  // namespace trawl::sequence
