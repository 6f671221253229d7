#include "serve/limited_engine.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/stop.hpp"

namespace trawl::serve {

namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void too_many(const char* what, std::uint64_t most, const char* option) {
  throw Refusal(413, "the query has more than " + std::to_string(most) + " " + what + ", which " + option +
                         " of trawl serve allows; ask in several queries");
}

void add_reads(const sequence::ReadBatch& from, std::size_t first, std::size_t last, sequence::ReadBatch& to) {
  to.clear();
  to.paired = from.paired;
  const std::uint32_t texts = to.share_texts(from);
  for (std::size_t i = first; i < last; ++i) {
    to.add_shared(from, i, texts, from.name(i).size());
  }
}

// The reads of `from` are those of `out` from `first` on.
void put(const align::AlignmentBatch& from, std::size_t first, align::AlignmentBatch& out) {
  std::vector<std::uint32_t> reads(from.reads.size());
  std::iota(reads.begin(), reads.end(), static_cast<std::uint32_t>(first));
  align::put_results(from, reads, out);
}

}  // namespace

void Budget::add_text(std::size_t bytes) {
  check_time();
  if ((text_ += bytes) > limits_.text) {
    throw Refusal(413, "the files of the query have more than " + std::to_string(limits_.text) +
                           " bytes when they are decompressed, 4 times what --max-body of trawl serve allows; ask in "
                           "several queries");
  }
}

void Budget::add_reads(std::uint64_t reads) {
  if ((reads_ += reads) > limits_.reads) {
    too_many("reads", limits_.reads, "--max-reads");
  }
}

void Budget::add_records(std::uint64_t records) {
  if ((records_ += records) > limits_.records) {
    too_many("records", limits_.records, "--max-records");
  }
}

void Budget::check_lengths(const sequence::ReadBatch& batch) const {
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (batch.length(i) > limits_.read_bases) {
      throw Refusal(413, "the read '" + std::string(batch.name(i)) + "' has " + std::to_string(batch.length(i)) +
                             " bases; trawl serve takes reads of at most " + std::to_string(limits_.read_bases) +
                             ", map longer ones with trawl map without --server");
    }
  }
}

void Budget::check_time() const {
  if (seconds() > limits_.seconds) {
    throw Refusal(422,
                  "the query takes more than " + std::to_string(limits_.seconds) +
                      " seconds, which --max-seconds of trawl serve allows; ask for fewer reads, edits or patterns");
  }
}

void Budget::check(std::span<const Job* const> askers) const {
  check_time();
  if (std::all_of(askers.begin(), askers.end(), [](const Job* job) { return job->request->given_up != nullptr; })) {
    throw Refusal(503, askers.front()->request->given_up.load());
  }
}

double Budget::seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

void LimitedWorker::map(const sequence::ReadBatch& batch, align::AlignmentBatch& out) {
  budget_.check_lengths(batch);
  const std::size_t reads = most_ == 0 ? batch.size() : most_;
  if (batch.size() <= reads) {
    map_piece(batch, out);
    return;
  }
  out.clear();
  out.reads.resize(batch.size());
  out.pairs.resize(batch.paired ? batch.size() / 2 : 0);
  for (std::size_t first = 0; first < batch.size(); first += reads) {
    const std::size_t last = std::min(batch.size(), first + reads);
    add_reads(batch, first, last, piece_);
    map_piece(piece_, found_);
    put(found_, first, out);
  }
}

void LimitedWorker::count(const align::AlignmentBatch& found) {
  std::uint64_t records = 0;
  for (const align::ReadResult& read : found.reads) {
    records += read.count;
  }
  for (const align::PairResult& pair : found.pairs) {
    records += 2 * std::uint64_t{pair.count};
  }
  if (counts_) {
    budget_.add_records(records);
  }
}

void LimitedWorker::map_piece(const sequence::ReadBatch& piece, align::AlignmentBatch& out) {
  Stop::look();
  if (!workers_->few) {
    workers_->all->map(piece, out);
    count(out);
    return;
  }
  workers_->few->map(piece, out);
  std::vector<std::size_t> with_more;
  for (std::size_t i = 0; i < out.reads.size(); i += piece.paired ? 2 : 1) {
    const bool has_more = piece.paired ? out.pairs[i / 2].dropped + out.reads[i].dropped + out.reads[i + 1].dropped > 0
                                       : out.reads[i].dropped > 0;
    if (has_more) {
      with_more.push_back(i);
      for (std::size_t mate = i; mate < (piece.paired ? i + 2 : i + 1); ++mate) {
        out.reads[mate] = {};
      }
      if (piece.paired) {
        out.pairs[i / 2] = {};
      }
    }
  }
  count(out);
  for (const std::size_t i : with_more) {
    map_alone(piece, i, out);
  }
}

void LimitedWorker::map_alone(const sequence::ReadBatch& piece, std::size_t read, align::AlignmentBatch& out) {
  const std::lock_guard lock(budget_.for_many);
  budget_.add_records(0);
  add_reads(piece, read, read + (piece.paired ? 2 : 1), one_);
  workers_->all->map(one_, of_one_);
  count(of_one_);
  put(of_one_, read, out);
  of_one_ = {};
}

}  // namespace trawl::serve
