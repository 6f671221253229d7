#include "io/write/record_queue.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <string_view>
#include <utility>

#include "base/radix_sort.hpp"
#include "io/write/output_file.hpp"
#include "io/write/stored_record.hpp"

namespace trawl::io {

namespace {

// Bytes read at a time from each sorted part of the file.
constexpr std::size_t kReadSize = std::size_t{1} << 16;
// Records merged at a time.
constexpr std::size_t kBatch = 4096;
// So few are sorted at once without another array.
constexpr std::size_t kFew = 1000;
// Records that one thread handles at a time.
constexpr std::size_t kRecordsAPiece = 2048;

bool comes_before(const scan::Record& a, const scan::Record& b) { return a.key() < b.key(); }

std::uint64_t bytes_of(const scan::Record& record) {
  // Records are sorted into another array, by way of two arrays of their keys.
  constexpr std::uint64_t kKey = 16;
  std::uint64_t bytes = 2 * (sizeof record + kKey);
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

// The sum of bytes_of(); then calls done(record) for each. Uses all threads.
template <class Done>
std::uint64_t bytes_of(std::span<scan::Record> records, Done&& done) {
  return tbb::parallel_reduce(
      tbb::blocked_range<std::size_t>(0, records.size(), kRecordsAPiece), std::uint64_t{0},
      [&](const auto& range, std::uint64_t bytes) {
        for (scan::Record& record : records.subspan(range.begin(), range.size())) {
          bytes += bytes_of(record);
          done(record);
        }
        return bytes;
      },
      std::plus<>());
}

// What is known of the places of some records.
struct PlaceRange {
  std::uint64_t first_contig = UINT64_MAX, last_contig = 0, last_start = 0;

  void add(const scan::Record& record) { add(PlaceRange{record.contig, record.contig, record.start}); }
  void add(const PlaceRange& other) {
    first_contig = std::min(first_contig, other.first_contig);
    last_contig = std::max(last_contig, other.last_contig);
    last_start = std::max(last_start, other.last_start);
  }
};

bool is_before(const scan::Record& record, const std::pair<std::uint64_t, std::uint64_t>& limit) {
  return std::pair(record.contig, record.start) < limit;
}

}  // namespace

void RecordQueue::take(std::vector<scan::Record>& records) { take(std::span(&records, 1)); }

void RecordQueue::take(std::span<std::vector<scan::Record>> pieces) {
  bytes_ += tbb::parallel_reduce(
      tbb::blocked_range<std::size_t>(0, pieces.size()), std::uint64_t{0},
      [&](const auto& range, std::uint64_t bytes) {
        for (std::size_t p = range.begin(); p < range.end(); ++p) {
          bytes += bytes_of(pieces[p], [](const scan::Record&) {});
        }
        return bytes;
      },
      std::plus<>());
  for (auto& piece : pieces) {
    if (!piece.empty()) {
      pieces_.push_back(std::exchange(piece, {}));
    }
  }
  if (bytes_ > most_bytes_) {
    spill();
  }
}

// Puts what was taken into waiting_.
void RecordQueue::sort() {
  if (pieces_.empty()) {
    return;
  }
  pieces_.push_back(std::move(waiting_));
  std::vector<std::size_t> begins{0};
  for (const auto& piece : pieces_) {
    begins.push_back(begins.back() + piece.size());
  }
  const std::size_t count = begins.back();
  const auto range = tbb::parallel_reduce(
      tbb::blocked_range<std::size_t>(0, pieces_.size()), PlaceRange(),
      [&](const auto& some, PlaceRange sum) {
        for (std::size_t p = some.begin(); p < some.end(); ++p) {
          for (const scan::Record& record : pieces_[p]) {
            sum.add(record);
          }
        }
        return sum;
      },
      [](PlaceRange a, const PlaceRange& b) {
        a.add(b);
        return a;
      });
  const auto bits = static_cast<unsigned>(std::bit_width(range.last_start));
  const bool has_keys = bits + static_cast<unsigned>(std::bit_width(range.last_contig - range.first_contig)) <= 64;
  places_.resize(count);
  tbb::parallel_for(std::size_t{0}, pieces_.size(), [&](std::size_t p) {
    std::size_t place = begins[p];
    for (scan::Record& record : pieces_[p]) {
      places_[place++] = {(record.contig - range.first_contig) << bits | record.start, &record};
    }
  });
  const auto comes_first = [](const Place& a, const Place& b) { return comes_before(*a.record, *b.record); };
  if (count < kFew || !has_keys) {
    tbb::parallel_sort(places_.begin(), places_.end(), comes_first);
  } else {
    radix_sort(places_, room_, [](const Place& place) { return place.key; });
    // Few begin at the same place.
    for (std::size_t first = 0, last; first < count; first = last) {
      last = first + 1;
      while (last < count && places_[last].key == places_[first].key) {
        ++last;
      }
      if (last - first > 1) {
        std::sort(places_.begin() + static_cast<std::ptrdiff_t>(first),
                  places_.begin() + static_cast<std::ptrdiff_t>(last), comes_first);
      }
    }
  }
  ordered_.resize(count);
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count, kRecordsAPiece), [&](const auto& some) {
    for (std::size_t r = some.begin(); r < some.end(); ++r) {
      ordered_[r] = std::move(*places_[r].record);
    }
  });
  waiting_ = std::move(pieces_.back());
  waiting_.clear();
  waiting_.swap(ordered_);
  pieces_.pop_back();
  tbb::parallel_for(std::size_t{0}, pieces_.size(), [&](std::size_t p) { pieces_[p] = std::vector<scan::Record>(); });
  pieces_.clear();
  places_.clear();
}

void RecordQueue::spill() {
  sort();
  if (waiting_.empty()) {
    return;
  }
  if (!file_) {
    file_ = std::make_unique<NamelessFile>("records that wait");
  }
  Spill spill;
  spill.at = file_->size();
  std::string bytes;
  for (const scan::Record& record : waiting_) {
    append_record(bytes, record);
    if (bytes.size() >= kWriteSize) {
      file_->write(bytes);
      bytes.clear();
    }
  }
  file_->write(bytes);
  spill.end = file_->size();
  spilled_bytes_ += spill.end - spill.at;
  waiting_ = std::vector<scan::Record>();
  ordered_ = std::vector<scan::Record>();
  places_ = std::vector<Place>();
  room_ = std::vector<Place>();
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
                              const std::function<void(std::span<const scan::Record>)>& write) {
  sort();
  if (!spills_.empty()) {
    merge_until(limit, write);
    return;
  }
  const auto end = std::partition_point(waiting_.begin(), waiting_.end(),
                                        [&](const scan::Record& record) { return is_before(record, limit); });
  write({waiting_.begin(), end});
  // Other threads have allocated the texts. Freeing them takes a while.
  bytes_ -= bytes_of({waiting_.begin(), end}, [](scan::Record& record) { record.texts.reset(); });
  waiting_.erase(waiting_.begin(), end);
}

void RecordQueue::merge_until(const std::pair<std::uint64_t, std::uint64_t>& limit,
                              const std::function<void(std::span<const scan::Record>)>& write) {
  // A heap of the spills. The one whose record comes first is on top.
  const auto later = [](const Spill* a, const Spill* b) { return comes_before(b->first, a->first); };
  std::vector<Spill*> heap;
  for (Spill& spill : spills_) {
    heap.push_back(&spill);
  }
  std::make_heap(heap.begin(), heap.end(), later);
  std::size_t taken = 0;  // of waiting_
  std::vector<scan::Record> batch;
  while (true) {
    const bool from_memory =
        taken < waiting_.size() && (heap.empty() || comes_before(waiting_[taken], heap.front()->first));
    if (!from_memory && heap.empty()) {
      break;
    }
    scan::Record& record = from_memory ? waiting_[taken] : heap.front()->first;
    if (!is_before(record, limit)) {
      break;
    }
    if (from_memory) {
      bytes_ -= bytes_of(record);
      ++taken;
    }
    batch.push_back(std::move(record));
    if (!from_memory) {
      std::pop_heap(heap.begin(), heap.end(), later);
      advance(*heap.back());
      if (heap.back()->is_empty) {
        heap.pop_back();
      } else {
        std::push_heap(heap.begin(), heap.end(), later);
      }
    }
    if (batch.size() == kBatch) {
      write(batch);
      batch.clear();
    }
  }
  write(batch);
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(taken));
  std::erase_if(spills_, [](const Spill& spill) { return spill.is_empty; });
  if (spills_.empty()) {
    file_->clear();
  }
}

}  // namespace trawl::io
