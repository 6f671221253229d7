#include "sequence/reference_assembler.hpp"

#include <algorithm>

namespace trawl::sequence {

namespace {

// Writes letters to planes from left to right.
class PlaneWriter {
 public:
  // `start`: the letters before `begin` in its word.
  PlaneWriter(PlaneBlock* planes, std::uint64_t* ambiguous, std::uint64_t begin, const PackedWord& start)
      : planes_(planes), ambiguous_(ambiguous), position_(begin), word_(start) {}

  // Makes a gap up to `position`; nothing if the writer is there. A gap ends at a multiple of 64.
  void go_to(std::uint64_t position) {
    if (position_ < position) {
      for (std::uint64_t w = position_ / 64; w < position / 64; ++w) {
        put(w, word_);
        word_ = {};
      }
      position_ = position;
    }
  }

  void append(const PackedLetters& letters, std::uint64_t from, std::uint64_t count) {
    if (const unsigned bit = position_ % 64; bit != 0 && count > 0) {
      const auto n = static_cast<unsigned>(std::min<std::uint64_t>(64 - bit, count));
      word_ |= letters.at(from, n) << bit;
      position_ += n;
      from += n;
      count -= n;
      if (position_ % 64 != 0) {
        return;
      }
      put(position_ / 64 - 1, word_);
      word_ = {};
    }
    std::uint64_t w = position_ / 64;
    position_ += count;
    for (; count >= 64; count -= 64, from += 64) {
      put(w++, letters.at(from, 64));
    }
    if (count > 0) {
      word_ = letters.at(from, static_cast<unsigned>(count));
    }
  }

 private:
  void put(std::uint64_t w, const PackedWord& word) {
    planes_[w] = {word.high, word.low};
    ambiguous_[w] = ~word.bases;
  }

  PlaneBlock* planes_;
  std::uint64_t* ambiguous_;
  std::uint64_t position_;
  PackedWord word_;  // the letters before position_ in its word
};

}  // namespace

ReferenceAssembler::ReferenceAssembler(unsigned threads)
    : parallel_(threads > 1), most_jobs_(static_cast<int>(2 * threads)) {}

// oneTBB takes memory when it is used for the first time, and that can fail.
ReferenceAssembler::~ReferenceAssembler() noexcept {
  if (has_tasks_) {
    tasks_.wait();
  }
}

void ReferenceAssembler::begin_contig(std::string name, const Topology& topology) {
  position_ = (position_ + kContigGap + 63) / 64 * 64;
  contigs_.push_back({std::move(name), position_, 0, topology});
}

void ReferenceAssembler::append(const std::shared_ptr<const PackedLetters>& from, std::uint64_t begin,
                                std::uint64_t count) {
  if (count == 0) {
    return;
  }
  if (job_.letters != from) {
    flush();
    job_.letters = from;
  }
  job_.segments.push_back({begin, position_, count});
  const auto runs = from->runs();
  auto run = std::partition_point(runs.begin(), runs.end(), [&](const auto& r) { return r.begin + r.length <= begin; });
  for (; run != runs.end() && run->begin < begin + count; ++run) {
    const std::uint64_t first = std::max(run->begin, begin);
    const std::uint64_t last = std::min(run->begin + run->length, begin + count);
    add_run(runs_, {position_ + (first - begin), last - first, run->letter});
  }
  position_ += count;
  contigs_.back().length += count;
}

// Starts to write what was appended.
void ReferenceAssembler::flush() {
  if (!job_.letters) {
    return;
  }
  const Segment& last = job_.segments.back();
  job_.end = last.to + last.count;
  reserve(job_.end / 64 + 1);
  // The letters in the word of the end, which the next job writes.
  const std::uint64_t word_begin = job_.end / 64 * 64;
  PackedWord start = word_begin <= job_.begin ? job_.start : PackedWord{};
  for (std::size_t s = job_.segments.size(); s-- > 0 && job_.segments[s].to + job_.segments[s].count > word_begin;) {
    const Segment& segment = job_.segments[s];
    const std::uint64_t skip = std::max(segment.to, word_begin) - segment.to;
    start |= job_.letters->at(segment.from + skip, static_cast<unsigned>(segment.count - skip))
             << (segment.to + skip - word_begin);
  }
  PlaneJob next;
  next.begin = job_.end;
  next.start = start;
  const auto job = std::make_shared<PlaneJob>(std::exchange(job_, std::move(next)));
  if (!parallel_ || running_.load(std::memory_order_relaxed) >= most_jobs_) {
    write(*job);
    return;
  }
  running_.fetch_add(1, std::memory_order_relaxed);
  has_tasks_ = true;
  tasks_.run([this, job] {
    write(*job);
    job->letters.reset();
    running_.fetch_sub(1, std::memory_order_relaxed);
  });
}

// Makes room for `words` words, and keeps those that were written.
void ReferenceAssembler::reserve(std::uint64_t words) {
  if (words <= ambiguous_->size()) {
    return;
  }
  tasks_.wait();
  const std::uint64_t more = words + words / 2 + 64;
  const std::uint64_t size = std::max(more, (expected_ + 2 * kContigGap) / 64 + 2);
  auto planes = std::make_shared<HugeArray<PlaneBlock>>(size);
  auto ambiguous = std::make_shared<HugeArray<std::uint64_t>>(size);
  const std::uint64_t written = job_.begin / 64;
  std::copy_n(planes_->data(), written, planes->data());
  std::copy_n(ambiguous_->data(), written, ambiguous->data());
  planes_ = std::move(planes);
  ambiguous_ = std::move(ambiguous);
}

void ReferenceAssembler::write(const PlaneJob& job) const {
  PlaneWriter writer(planes_->data(), ambiguous_->data(), job.begin, job.start);
  for (const Segment& segment : job.segments) {
    writer.go_to(segment.to);
    writer.append(*job.letters, segment.from, segment.count);
  }
  writer.go_to(job.end);
}

Reference ReferenceAssembler::finish() && {
  flush();
  // The gap after the last contig.
  job_.end = (position_ + kContigGap + 63) / 64 * 64;
  const std::uint64_t words = job_.end / 64;
  reserve(words);
  write(job_);
  tasks_.wait();
  auto summary = summarise({ambiguous_->data(), words});
  return Reference({std::move(contigs_), HugeArray<PlaneBlock>::view(planes_, planes_->data(), words),
                    HugeArray<std::uint64_t>::view(ambiguous_, ambiguous_->data(), words), std::move(runs_),
                    std::move(summary)});
}

}  // namespace trawl::sequence
