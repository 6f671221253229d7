#include "io/read/read_input.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/counted.hpp"
#include "base/error.hpp"
#include "io/read/gzip/input_file.hpp"

namespace trawl::io {
namespace {

std::string joined(const std::vector<std::string>& paths) {
  std::string text;
  for (const auto& path : paths) {
    text += (text.empty() ? "" : ",") + display_name(path);
  }
  return text;
}

// The name of a read as it is in the file. If it is not checked yet, the batch has the whole header.
std::string name_of(const sequence::ReadBatch& batch, std::size_t read) {
  const std::string_view header = batch.name(read);
  return std::string(header.substr(0, header.find_first_of(" \t")));
}

// A mate with its place in the input.
struct MateRecord {
  const ReadSource& source;
  const sequence::ReadBatch& batch;
  std::size_t read;

  std::string file() const { return source.file_name(batch.origin(read).file); }
  std::uint64_t line() const { return batch.origin(read).line; }
  std::string name() const { return name_of(batch, read); }
};

// Which mate of its pair this is: 1 or 2, by its name or by the mark after it; 0 if they do not say it.
unsigned number_of(const MateRecord& mate) {
  const std::string name = mate.name();
  for (const unsigned number : {1u, 2u}) {
    if (name_without_mate(name, number).size() < name.size()) {
      return number;
    }
  }
  return mate.batch.marked_mate(mate.read);
}

std::string place_of(const MateRecord& mate) { return mate.file() + ":" + std::to_string(mate.line()); }

// Whether the names differ only at their ends, as in SRR1.7.1 and SRR1.7.2.
bool differ_in_number(const std::string& first, const std::string& second) {
  const std::size_t stem = first.size() - 1;
  return first.size() > 2 && first.size() == second.size() && first[stem] == '1' && second[stem] == '2' &&
         std::string_view("._-:").find(first[stem - 1]) != std::string_view::npos &&
         first.compare(0, stem, second, 0, stem) == 0;
}

// Whether one of the two is so long that it may be a sequence of a reference.
bool may_be_reference(const MateRecord& first, const MateRecord& second) {
  constexpr std::size_t kLong = 10'000;
  return first.batch.qualities(first.read).empty() && second.batch.qualities(second.read).empty() &&
         std::max(first.batch.length(first.read), second.batch.length(second.read)) >= kLong;
}

// Why two mates with different names are no pair, and what to do.
std::string why_no_pair(const MateRecord& first, const MateRecord& second, bool interleaved) {
  const unsigned numbers[] = {number_of(first), number_of(second)};
  const std::string both = numbers[0] != 0 && numbers[0] == numbers[1]
                               ? std::string("both are ") + (numbers[0] == 1 ? "first" : "second") + " mates; "
                               : "";
  if (may_be_reference(first, second)) {
    return "the reference comes first: trawl map REF R1 R2";
  }
  if (name_without_mate(first.name(), 2) == name_without_mate(second.name(), 1)) {
    return "the second mate (/2) comes first here, the first one (/1) must";
  }
  if (differ_in_number(first.name(), second.name())) {
    return "the names differ only at the end: if these are mates, make their names equal, with fasterq-dump "
           "--split-files (without -I), or with sed -E '1~4s/[._:-][12]( |$)/\\1/'";
  }
  if (interleaved) {
    return both +
           "the mates of a pair must follow each other, with equal names: a read is missing, or the file has no pairs";
  }
  if (!both.empty()) {
    return both + "one of the files must have the " + (numbers[0] == 1 ? "second" : "first") +
           " ones (reads without mates, of several files: put commas between the files)";
  }
  return "the files are not in the same order, or a read is missing (reads without mates, of several files: put commas "
         "between the files)";
}

// Throws if the marks of two mates with equal names contradict their places.
void check_marks(const MateRecord& first, const MateRecord& second, bool interleaved) {
  const unsigned marks[] = {first.batch.marked_mate(first.read), second.batch.marked_mate(second.read)};
  if (marks[0] != 2 && marks[1] != 1) {
    return;
  }
  if (marks[0] == marks[1]) {
    throw InputError(second.file(), second.line(),
                     "the read '" + second.name() + "' and its mate (" + place_of(first) + ") are both marked as " +
                         (marks[0] == 1 ? "first mate (1:)" : "second mate (2:)") + ": the same mates come twice");
  }
  const MateRecord& wrong = marks[0] == 2 ? first : second;
  throw InputError(wrong.file(), wrong.line(),
                   "the read '" + wrong.name() + "' is marked as " +
                       (marks[0] == 2 ? "second mate (2:), but comes first" : "first mate (1:), but comes second") +
                       (interleaved ? "; the first mate must come first"
                                    : "; the files are exchanged, give the one with the first mates first"));
}

// Throws unless the two are mates by their names; returns the common length of their names.
std::size_t common_name_length(const MateRecord& first, const MateRecord& second, bool interleaved) {
  const std::string_view name = name_without_mate(first.batch.name(first.read), 1);
  if (name == name_without_mate(second.batch.name(second.read), 2)) {
    check_marks(first, second, interleaved);
    return name.size();
  }
  throw InputError(second.file(), second.line(),
                   "the read '" + second.name() + "' is not the mate of '" + first.name() + "' (" + place_of(first) +
                       "); " + why_no_pair(first, second, interleaved));
}

}  // namespace

std::string_view name_without_mate(std::string_view name, unsigned mate) {
  const bool has_mate = name.size() > 2 && name.ends_with(mate == 1 ? "/1" : "/2");
  return has_mate ? name.substr(0, name.size() - 2) : name;
}

ReadInput::ReadInput(const Files& files, unsigned threads, std::size_t block_bytes)
    : taken_in_turn_(files.mates.empty() ? nullptr : std::make_shared<std::atomic<std::size_t>>(0)),
      reads_(files.reads, kReadsPerBatch, kBasesPerBatch, threads, block_bytes, taken_in_turn_),
      interleaved_(files.interleaved),
      reads_list_(joined(files.reads)),
      mates_list_(joined(files.mates)) {
  if (!files.mates.empty()) {
    mates_.emplace(files.mates, kReadsPerBatch, kBasesPerBatch, threads, block_bytes, taken_in_turn_);
  }
  if (files.comments) {
    reads_.keep_comments(*files.comments);
    if (mates_) {
      mates_->keep_comments(*files.comments);
    }
  }
  reads_.set_on_text(files.on_text);
  if (mates_) {
    mates_->set_on_text(files.on_text);
  }
}

void ReadInput::set_batch(std::size_t reads, std::size_t bases) {
  const std::size_t share = mates_ ? 2 : 1;
  reads_per_batch_ = paired() ? std::max<std::size_t>(reads / 2 * 2, 2) : std::max<std::size_t>(reads, 1);
  reads_.set_reads_per_batch(std::max<std::size_t>(reads / share, 1));
  reads_.set_bases_per_batch(std::max<std::size_t>(bases / share, 1));
}

bool ReadInput::next(InputBatch& batch) {
  if (!take_reads(batch)) {
    check_end();
    return false;
  }
  take_mates(batch);
  finish(batch);
  return true;
}

bool ReadInput::take_reads(InputBatch& batch) {
  if (!put_back_.empty()) {
    take_put_back(batch);
    batch.reads.number = batches_++;
    return true;
  }
  // One program may write to two FIFOs: it waits until both are open.
  if (mates_ && !std::exchange(is_open_, true)) {
    reads_.open();
    mates_->open();
  }
  batch.finished = false;
  batch.failure = nullptr;
  batch.reads.clear();
  sequence::ReadBatch& reads = mates_ ? batch.first : batch.reads;
  const bool taken = interleaved_ ? reads_.take_even(reads) : reads_.take(reads);
  if (reads.size() % 2 == 1 && interleaved_) {
    batch.failure = reads_.failure();
  }
  reads.number = batches_;
  batches_ += taken ? 1 : 0;
  return taken;
}

void ReadInput::take_put_back(InputBatch& batch) {
  InputBatch& all = put_back_.front();
  const std::size_t size = all.reads.size();
  const std::size_t end = std::min(size, taken_again_ + reads_per_batch_);
  if (end - taken_again_ == size) {
    batch = std::move(all);
  } else {
    batch.failure = nullptr;
    batch.finished = true;
    batch.reads.clear();
    const std::uint32_t texts = batch.reads.share_texts(all.reads);
    for (std::size_t r = taken_again_; r < end; ++r) {
      batch.reads.add_shared(all.reads, r, texts, all.reads.name(r).size());
    }
    batch.reads.first_read = all.reads.first_read + taken_again_;
    batch.reads.input_bytes = all.reads.input_bytes;
    batch.reads.paired = all.reads.paired;
  }
  taken_again_ = end == size ? 0 : end;
  if (taken_again_ == 0) {
    put_back_.pop_front();
  }
}

void ReadInput::take_mates(InputBatch& batch) {
  if (!mates_ || batch.finished) {
    return;
  }
  try {
    mates_->take_exactly(batch.second, batch.first.size());
    if (batch.second.size() < batch.first.size()) {
      batch.failure = mates_->failure();
    }
  } catch (...) {
    batch.failure = std::current_exception();
  }
  if (batch.second.size() < batch.first.size() && !batch.failure) {
    batch.first.expand();
    batch.failure = lone_mate(
        reads_, batch.first, batch.second.size(),
        mates_list_ + (mates_->reads() == 0 ? " has no reads" : " ends after " + counted(mates_->reads(), "read")));
  }
}

void ReadInput::finish(InputBatch& batch) const {
  if (batch.finished) {
    return;
  }
  if (mates_) {
    finish_two_lists(batch);
  } else if (interleaved_) {
    finish_interleaved(batch);
  } else {
    reads_.check(batch.reads);
  }
  batch.finished = true;
}

void ReadInput::finish_interleaved(InputBatch& batch) const {
  sequence::ReadBatch& reads = batch.reads;
  reads.expand();
  const std::size_t paired = reads.size() / 2 * 2;
  for (std::size_t r = 0; r < paired; r += 2) {
    reads_.check(reads, r);
    reads_.check(reads, r + 1);
    const std::size_t length = common_name_length({reads_, reads, r}, {reads_, reads, r + 1}, true);
    reads.shorten_name(r, length);
    reads.shorten_name(r + 1, length);
  }
  if (paired < reads.size()) {
    reads_.check(reads, paired);
    std::rethrow_exception(batch.failure ? batch.failure
                                         : lone_mate(reads_, reads, paired, "the number of reads is odd"));
  }
  reads.paired = true;
}

void ReadInput::finish_two_lists(InputBatch& batch) const {
  sequence::ReadBatch& reads = batch.reads;
  reads.clear();
  batch.first.expand();
  batch.second.expand();
  const std::uint32_t first_texts = reads.share_texts(batch.first);
  const std::uint32_t second_texts = reads.share_texts(batch.second);
  for (std::size_t p = 0; p < batch.second.size(); ++p) {
    reads_.check(batch.first, p);
    mates_->check(batch.second, p);
    const std::size_t length = common_name_length({reads_, batch.first, p}, {*mates_, batch.second, p}, false);
    reads.add_shared(batch.first, p, first_texts, length);
    reads.add_shared(batch.second, p, second_texts, length);
  }
  if (batch.failure) {
    reads_.check(batch.first, batch.second.size());
    std::rethrow_exception(batch.failure);
  }
  reads.number = batch.first.number;
  reads.first_read = 2 * batch.first.first_read;
  reads.input_bytes = batch.first.input_bytes + batch.second.input_bytes;
  reads.paired = true;
}

void ReadInput::check_end() {
  if (!mates_) {
    return;
  }
  sequence::ReadBatch rest;
  const std::uint64_t pairs = mates_->reads();
  if (mates_->take_exactly(rest, 1)) {
    rest.expand();
    std::rethrow_exception(lone_mate(
        *mates_, rest, 0, reads_list_ + (pairs == 0 ? " has no reads" : " ends after " + counted(pairs, "read"))));
  }
}

void ReadInput::put_back(std::vector<InputBatch> batches) {
  batches_ -= batches.size();
  put_back_.insert(put_back_.begin(), std::make_move_iterator(batches.begin()), std::make_move_iterator(batches.end()));
}

std::optional<std::uint64_t> ReadInput::total_bytes() const {
  const auto bytes = reads_.total_bytes();
  const auto mates_bytes = mates_ ? mates_->total_bytes() : std::optional<std::uint64_t>(0);
  return bytes && mates_bytes ? std::optional(*bytes + *mates_bytes) : std::nullopt;
}

std::exception_ptr ReadInput::lone_mate(const ReadSource& source, const sequence::ReadBatch& batch, std::size_t read,
                                        const std::string& why) const {
  const MateRecord mate{source, batch, read};
  return std::make_exception_ptr(InputError(
      mate.file(), mate.line(),
      "the read '" + mate.name() + "' has no mate: " + why + "; every read must have its mate, in the same order"));
}

}  // namespace trawl::io
