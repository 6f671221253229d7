#include "io/read/read_input.hpp"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <iterator>

#include "base/counted.hpp"
#include "base/error.hpp"
#include "io/read/bam_text.hpp"
#include "io/read/gzip/input_file.hpp"
#include "io/read/mate_record.hpp"

namespace trawl::io {
namespace {

std::string joined(const std::vector<std::string>& paths) {
  std::string text;
  for (const auto& path : paths) {
    text += (text.empty() ? "" : ",") + display_name(path);
  }
  return text;
}

// Adds the reads from `begin` to `end`.
void add_all(const sequence::ReadBatch& from, std::size_t begin, std::size_t end, sequence::ReadBatch& to) {
  const std::uint32_t texts = to.share_texts(from);
  for (std::size_t r = begin; r < end; ++r) {
    to.add_shared(from, r, texts, from.name(r).size());
  }
}

}  // namespace

ReadInput::ReadInput(const Files& files, unsigned threads, std::size_t block_bytes)
    : taken_in_turn_(files.mates.empty() ? nullptr : std::make_shared<std::atomic<std::size_t>>(0)),
      reads_(files.reads, kReadsPerBatch, kBasesPerBatch, threads, block_bytes, taken_in_turn_),
      order_(!files.mates.empty() ? Order::lists
             : !files.interleaved ? Order::single
             : files.singles      ? Order::mixed
                                  : Order::interleaved),
      has_mixed_(files.alignments_have_pairs),
      reads_list_(joined(files.reads)),
      mates_list_(joined(files.mates)) {
  if (!files.mates.empty()) {
    mates_.emplace(files.mates, kReadsPerBatch, kBasesPerBatch, threads, block_bytes, taken_in_turn_);
  }
  for (ReadSource* const source : {&reads_, mates_ ? &*mates_ : nullptr}) {
    if (source == nullptr) {
      continue;
    }
    if (files.comments) {
      source->keep_comments(*files.comments);
    }
    if (files.alignments_have_pairs) {
      source->set_for_mapping(files.phred64);
    }
    source->set_on_text(files.on_text);
  }
}

void ReadInput::open() {
  if (std::exchange(is_open_, true)) {
    return;
  }
  reads_.open();
  // One program may write to two FIFOs: it waits until both are open.
  if (mates_) {
    mates_->open();
  } else if (reads_.has_alignments() && has_mixed_) {
    order_ = Order::mixed;
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
  open();
  batch.finished = false;
  batch.failure = nullptr;
  batch.reads.clear();
  if (order_ == Order::mixed) {
    return take_mixed(batch);
  }
  sequence::ReadBatch& reads = mates_ ? batch.first : batch.reads;
  const bool taken = order_ == Order::interleaved ? reads_.take_even(reads) : reads_.take(reads);
  if (reads.size() % 2 == 1 && order_ == Order::interleaved) {
    batch.failure = reads_.failure();
  }
  reads.number = batches_;
  batches_ += taken ? 1 : 0;
  return taken;
}

// The last reads are held back while their mate, or a third read of their name, may come next.
bool ReadInput::take_mixed(InputBatch& batch) {
  sequence::ReadBatch& reads = batch.reads;
  bool may_have_more = true;
  for (batch.used = 0; batch.used == 0 && may_have_more;) {
    try {
      may_have_more = reads_.take(batch.second);
    } catch (...) {
      if (held_.empty()) {
        throw;
      }
      batch.failure = std::current_exception();  // what is wrong with the reads before it comes first
      may_have_more = false;
    }
    batch.second.expand();
    batch.first = std::exchange(held_, {});
    reads.clear();
    for (const sequence::ReadBatch* const some : {&batch.first, &batch.second}) {
      add_all(*some, 0, some->size(), reads);
    }
    reads.first_read = 2 * (reads_.reads() - reads.size());  // each may need two places
    const std::size_t held = may_have_more ? count_held(reads) : 0;
    batch.used = reads.size() - held;
    add_all(reads, batch.used, reads.size(), held_);
  }
  reads.number = batches_;
  reads.input_bytes = batch.second.input_bytes;
  reads.is_fastq = batch.second.is_fastq;
  batch.first.clear();
  batch.second.clear();
  batches_ += batch.used > 0 ? 1 : 0;
  return batch.used > 0;
}

// How many of the last reads, which are not checked yet, may belong together with the next one.
std::size_t ReadInput::count_held(const sequence::ReadBatch& reads) const {
  const std::size_t size = reads.size();
  if (reads_.has_alignments()) {
    const std::string_view header = reads.name(size - 1);
    return bam_word(header.substr(std::min(header.find(' '), header.size() - 1) + 1)).mate == 1 ? 1 : 0;
  }
  std::size_t held = 1;
  while (held < size && held < 3 && have_one_name(reads, size - held - 1)) {
    ++held;
  }
  return held == 3 ? 0 : held;  // three are too many
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
    batch.reads.mixed = all.reads.mixed;
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

// A read with an error stays unchecked, so that finish() meets the first of them.
void ReadInput::check_ahead(InputBatch& batch) const {
  const auto check = [](const ReadSource& source, sequence::ReadBatch& reads, std::size_t size) {
    reads.expand();
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, size, 512), [&](const auto& some) {
      try {
        for (std::size_t r = some.begin(); r < some.end(); ++r) {
          source.check(reads, r);
        }
      } catch (const InputError&) {
      }
    });
  };
  sequence::ReadBatch& reads = mates_ ? batch.first : batch.reads;
  check(reads_, reads, batch.used > 0 ? batch.used : reads.size());
  if (mates_) {
    check(*mates_, batch.second, batch.second.size());
  }
}

void ReadInput::finish(InputBatch& batch) const {
  if (batch.finished) {
    return;
  }
  if (mates_) {
    finish_two_lists(batch);
  } else if (order_ == Order::interleaved) {
    finish_interleaved(batch);
  } else if (order_ == Order::mixed) {
    finish_mixed(batch);
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

void ReadInput::finish_mixed(InputBatch& batch) const {
  sequence::ReadBatch& taken = batch.reads;
  sequence::ReadBatch& reads = batch.first;
  const std::uint32_t texts = reads.share_texts(taken);
  for (std::size_t r = 0; r < batch.used; ++r) {
    reads_.check(taken, r);
    const bool has_next = r + 1 < batch.used;
    if (reads_.has_alignments() ? taken.marked_mate(r) != 1 : !has_next || !have_one_name(taken, r)) {
      reads.add_shared(taken, r, texts, taken.name(r).size());
      reads.add_absent();
      reads.mixed = true;
      continue;
    }
    reads_.check(taken, r + 1);
    const std::size_t length = reads_.has_alignments()
                                   ? taken.name(r).size()
                                   : common_name_length({reads_, taken, r}, {reads_, taken, r + 1}, true);
    if (!reads_.has_alignments() && r + 2 < batch.used && have_one_name(taken, r + 1)) {
      const MateRecord third{reads_, taken, r + 2};
      throw InputError(third.file(), third.line(),
                       "this is the third read with the name '" + third.name() +
                           "', and a pair has two; leave out the others, or make their names different");
    }
    for (const std::size_t mate : {r, r + 1}) {
      reads.add_shared(taken, mate, texts, length);
    }
    reads.paired = true;
    ++r;
  }
  if (batch.failure) {
    std::rethrow_exception(batch.failure);
  }
  if (!reads.paired) {
    reads.clear();
    add_all(taken, 0, batch.used, reads);
  }
  reads.number = taken.number;
  reads.first_read = taken.first_read;
  reads.input_bytes = taken.input_bytes;
  reads.is_fastq = taken.is_fastq;
  std::swap(taken, reads);
  reads.clear();
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
  reads.is_fastq = batch.first.is_fastq && batch.second.is_fastq;
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
