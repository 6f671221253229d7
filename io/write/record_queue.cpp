#include "io/write/record_queue.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <string_view>

#include "io/write/output_file.hpp"
#include "io/write/stored_record.hpp"

namespace trawl::io {

namespace {

// Bytes read at a time from each sorted part of the file.
constexpr std::size_t kReadSize = std::size_t{1} << 16;
// Records merged at a time.
constexpr std::size_t kMerged = 4096;
// Records collected and passed on at a time: 5 MB. Many threads make lines of some 2,000 each.
constexpr std::size_t kBatch = std::size_t{1} << 16;
// Records that one thread handles at a time.
constexpr std::size_t kRecordsAPiece = 2048;

bool comes_before(const scan::SiteRecord& a, const scan::SiteRecord& b) { return a.key() < b.key(); }

std::uint64_t bytes_of(const scan::SiteRecord& record) {
  constexpr std::uint64_t kPlaces = 32;  // in order_
  std::uint64_t bytes = sizeof record + kPlaces;
  if (record.texts) {
    bytes += sizeof(scan::RecordTexts) + 2 * sizeof(void*);
    for (const std::string* text : {&record.texts->cigar, &record.texts->md, &record.texts->text}) {
      // A short string is stored inside its object. The size is used, not the capacity, which a move may change.
      bytes += text->size() < sizeof(std::string) / 2 ? 0 : text->size() + 2 * sizeof(void*);
    }
    bytes += record.texts->ungapped ? bytes_of(*record.texts->ungapped) : 0;
  }
  return bytes;
}

// The sum of value(i) for all i < `count`. Uses all threads, `at_once` values each at a time.
template <class Value>
std::uint64_t sum_of(std::size_t count, std::size_t at_once, const Value& value) {
  return tbb::parallel_reduce(
      tbb::blocked_range<std::size_t>(0, count, at_once), std::uint64_t{0},
      [&](const auto& range, std::uint64_t sum) {
        for (std::size_t i = range.begin(); i < range.end(); ++i) {
          sum += value(i);
        }
        return sum;
      },
      std::plus<>());
}

bool is_before(const scan::SiteRecord& record, const std::pair<std::uint64_t, std::uint64_t>& limit) {
  return std::pair(record.contig, record.start) < limit;
}

}  // namespace

void RecordQueue::take(std::vector<scan::SiteRecord>& records) { take(std::span(&records, 1)); }

void RecordQueue::take(std::span<std::vector<scan::SiteRecord>> pieces) {
  bytes_ += sum_of(pieces.size(), 1, [&](std::size_t p) {
    std::uint64_t bytes = 0;
    for (const scan::SiteRecord& record : pieces[p]) {
      bytes += bytes_of(record);
    }
    return bytes;
  });
  for (auto& piece : pieces) {
    if (!piece.empty()) {
      pieces_.push_back(std::exchange(piece, {}));
    }
  }
  if (bytes_ > most_bytes_) {
    spill();
  }
}

// Fills order_.
void RecordQueue::sort() {
  const std::size_t before = order_.size();
  std::size_t count = 0;
  for (const auto& piece : pieces_) {
    count += piece.size();
  }
  if (count == before) {
    return;
  }
  order_.clear();
  order_.reserve(count);
  for (auto& piece : pieces_) {
    for (scan::SiteRecord& record : piece) {
      order_.push_back({record.contig, record.start, order_.size(), &record});
    }
  }
  tbb::parallel_sort(order_.begin(), order_.end(), [](const QueuedRecord& a, const QueuedRecord& b) {
    if (std::pair(a.contig, a.start) != std::pair(b.contig, b.start)) {
      return std::pair(a.contig, a.start) < std::pair(b.contig, b.start);
    }
    return comes_before(*a.record, *b.record) || (!comes_before(*b.record, *a.record) && a.number < b.number);
  });
}

// Forgets the records of order_ before this one.
void RecordQueue::keep_from(std::size_t place) {
  if (place == 0) {
    return;
  }
  std::vector<scan::SiteRecord> kept;
  kept.reserve(order_.size() - place);
  for (std::size_t p = place; p < order_.size(); ++p) {
    kept.push_back(std::move(*order_[p].record));
    order_[p].record = &kept.back();
  }
  order_.erase(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(place));
  // Other threads have allocated them. Freeing them takes a while.
  tbb::parallel_for(std::size_t{0}, pieces_.size(),
                    [&](std::size_t p) { pieces_[p] = std::vector<scan::SiteRecord>(); });
  pieces_.clear();
  if (!kept.empty()) {
    pieces_.push_back(std::move(kept));
  }
}

void RecordQueue::spill() {
  sort();
  if (order_.empty()) {
    return;
  }
  if (!file_) {
    file_ = std::make_unique<NamelessFile>("records that wait");
  }
  Spill spill;
  spill.at = file_->size();
  std::string bytes;
  for (const QueuedRecord& place : order_) {
    append_record(bytes, *place.record);
    if (bytes.size() >= kWriteSize) {
      file_->write(bytes);
      bytes.clear();
    }
  }
  file_->write(bytes);
  spill.end = file_->size();
  spilled_bytes_ += spill.end - spill.at;
  keep_from(order_.size());
  order_ = std::vector<QueuedRecord>();
  bytes_ = 0;
  advance(spill);
  spills_.push_back(std::move(spill));
}

// Reads the next record into `first`.
void RecordQueue::advance(Spill& spill) {
  while (true) {
    if (const std::size_t size = parse_record(std::string_view(spill.buffer).substr(spill.used), spill.first);
        size > 0) {
      spill.used += size;
      return;
    }
    if (spill.at == spill.end) {
      spill = {};
      spill.is_empty = true;
      return;
    }
    spill.buffer.erase(0, spill.used);
    spill.used = 0;
    const std::size_t before = spill.buffer.size();
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(kReadSize, spill.end - spill.at));
    spill.buffer.resize(before + wanted);
    spill.at += file_->read(spill.at, spill.buffer.data() + before, wanted);
  }
}

void RecordQueue::write_until(const std::pair<std::uint64_t, std::uint64_t>& limit,
                              const std::function<void(std::span<const scan::SiteRecord>)>& write) {
  sort();
  if (!spills_.empty()) {
    merge_until(limit, write);
    return;
  }
  const auto end = static_cast<std::size_t>(
      std::partition_point(order_.begin(), order_.end(),
                           [&](const QueuedRecord& place) { return is_before(*place.record, limit); }) -
      order_.begin());
  for (std::size_t first = 0; first < end; first += kBatch) {
    batch_.resize(std::min(kBatch, end - first));
    bytes_ -= sum_of(batch_.size(), kRecordsAPiece, [&](std::size_t r) {
      scan::SiteRecord& record = *order_[first + r].record;
      const std::uint64_t bytes = bytes_of(record);
      batch_[r] = std::move(record);
      return bytes;
    });
    write(batch_);
  }
  tbb::parallel_for(std::size_t{0}, batch_.size(), [&](std::size_t r) { batch_[r].texts.reset(); });
  keep_from(end);
}

void RecordQueue::merge_until(const std::pair<std::uint64_t, std::uint64_t>& limit,
                              const std::function<void(std::span<const scan::SiteRecord>)>& write) {
  // A heap of the spills. The one whose record comes first is on top.
  const auto later = [](const Spill* a, const Spill* b) { return comes_before(b->first, a->first); };
  std::vector<Spill*> heap;
  for (Spill& spill : spills_) {
    heap.push_back(&spill);
  }
  std::make_heap(heap.begin(), heap.end(), later);
  std::size_t taken = 0;  // of order_
  batch_.clear();
  while (true) {
    const bool from_memory =
        taken < order_.size() && (heap.empty() || comes_before(*order_[taken].record, heap.front()->first));
    if (!from_memory && heap.empty()) {
      break;
    }
    scan::SiteRecord& record = from_memory ? *order_[taken].record : heap.front()->first;
    if (!is_before(record, limit)) {
      break;
    }
    if (from_memory) {
      bytes_ -= bytes_of(record);
      ++taken;
    }
    batch_.push_back(std::move(record));
    if (!from_memory) {
      std::pop_heap(heap.begin(), heap.end(), later);
      advance(*heap.back());
      if (heap.back()->is_empty) {
        heap.pop_back();
      } else {
        std::push_heap(heap.begin(), heap.end(), later);
      }
    }
    if (batch_.size() == kMerged) {
      write(batch_);
      batch_.clear();
    }
  }
  write(batch_);
  keep_from(taken);
  std::erase_if(spills_, [](const Spill& spill) { return spill.is_empty; });
  if (spills_.empty()) {
    file_->clear();
  }
}

}  // namespace trawl::io
