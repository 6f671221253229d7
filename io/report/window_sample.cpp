#include "io/report/window_sample.hpp"

#include <algorithm>
#include <utility>

#include "align/cigar.hpp"
#include "base/made_text.hpp"
#include "sequence/alphabet.hpp"

namespace trawl::io {
namespace {

bool comes_before(const WindowAlignment& a, const WindowAlignment& b) { return a.order() < b.order(); }

bool is_primary(const align::AlignmentRecord& record) { return !record.secondary(); }

}  // namespace

void cut_alignment(const std::uint32_t* cigar, std::uint32_t elements, const ContigRegion& window,
                   std::string_view bases, bool reverse, WindowAlignment& alignment) {
  std::uint64_t at = alignment.start;
  std::size_t base = 0;
  std::vector<std::uint32_t> part;
  bool has_begun = false;
  const auto copy = [&](std::size_t from, std::uint32_t count) {
    for (std::size_t i = from; i < from + count; ++i) {
      alignment.letters += reverse ? sequence::complement_base(bases[bases.size() - 1 - i]) : bases[i];
    }
  };
  for (std::uint32_t e = 0; e < elements; ++e) {
    const std::uint32_t length = cigar[e] >> 4;
    const auto op = static_cast<align::CigarOp>(cigar[e] & 15);
    if (op == align::CigarOp::soft_clip) {
      // What would lie in the window, if it were aligned.
      const std::uint64_t room = !(at >= window.begin && at <= window.end) ? 0
                                 : e == 0                                  ? at - window.begin
                                                                           : window.end - at;
      if (const auto kept = static_cast<std::uint32_t>(std::min<std::uint64_t>(length, room)); kept > 0) {
        part.push_back(kept << 4 | (cigar[e] & 15));
        copy(e == 0 ? length - kept : base, kept);
      }
      base += length;
    } else if (op == align::CigarOp::insertion) {
      if (at > window.begin && at < window.end) {
        part.push_back(cigar[e]);
        copy(base, length);
      }
      base += length;
    } else {
      const bool has_bases = op != align::CigarOp::deletion;
      const std::uint64_t from = std::max(at, window.begin);
      const std::uint64_t to = std::min(at + length, window.end);
      if (from < to) {
        if (!has_begun) {
          alignment.start = from;
          has_begun = true;
        }
        part.push_back(static_cast<std::uint32_t>((to - from) << 4 | (cigar[e] & 15)));
        if (has_bases) {
          copy(base + (from - at), static_cast<std::uint32_t>(to - from));
        }
      }
      at += length;
      base += has_bases ? length : 0;
    }
  }
  align::append_cigar(alignment.cigar, part.data(), static_cast<std::uint32_t>(part.size()));
}

SampledWindow::SampledWindow(const ContigRegion& region)
    : place(region), changes(region.end - region.begin + 1), primary_changes(changes.size()) {}

std::size_t SampledWindow::most_alignments() const {
  return WindowSample::kAlignments * ((changes.size() + WindowSample::kWindow - 2) / WindowSample::kWindow);
}

void SampledWindow::add(WindowAlignment alignment) {
  if (alignments.size() == most_alignments()) {
    if (!comes_before(alignment, alignments.front())) {
      return;
    }
    std::pop_heap(alignments.begin(), alignments.end(), comes_before);
    alignments.pop_back();
  }
  alignments.push_back(std::move(alignment));
  std::push_heap(alignments.begin(), alignments.end(), comes_before);
}

void SampledWindow::add(const align::AlignmentBatch& batch, const align::AlignmentRecord& record,
                        const sequence::ReadBatch& reads, std::uint64_t times) {
  const align::Alignment& own = *record.alignment;
  const std::uint64_t from = std::max(own.start, place.begin) - place.begin;
  const std::uint64_t to = std::min(own.start + own.span, place.end) - place.begin;
  const auto depth = static_cast<std::int64_t>(times);
  records += times;
  changes[from] += depth;
  changes[to] -= depth;
  if (is_primary(record)) {
    primary_changes[from] += depth;
    primary_changes[to] -= depth;
  }
  WindowAlignment alignment;
  alignment.read = reads.first_read + record.read;
  alignment.record = record.k;
  alignment.flag = record.flag;
  if (alignments.size() == most_alignments() && !comes_before(alignment, alignments.front())) {
    return;
  }
  alignment.start = own.start;
  alignment.name = reads.name(record.read);
  alignment.mapq = record.mapq;
  alignment.edits = own.edits;
  cut_alignment(batch.cigar_of(own), own.cigar_length, place, reads.bases(record.read), own.reverse, alignment);
  add(std::move(alignment));
}

void SampledWindow::join(SampledWindow other) {
  records += other.records;
  add_counts(changes, other.changes);
  add_counts(primary_changes, other.primary_changes);
  for (WindowAlignment& alignment : other.alignments) {
    add(std::move(alignment));
  }
}

// Calls add(window) unless the window is not kept.
template <class Add>
void WindowSample::add_by_chance(std::uint64_t contig, std::uint64_t index, const Add& add) {
  const std::uint64_t number = mixed((contig << 40 ^ index) + 0x9e3779b97f4a7c15);
  WindowShard& shard = shards_[number % kShards];
  if (number > shard.largest.load(std::memory_order_relaxed)) {
    return;
  }
  const std::lock_guard lock(shard.mutex);
  if (number > shard.largest) {
    return;
  }
  auto found = shard.windows.find(number);
  if (found == shard.windows.end()) {
    const ContigRegion place{contig, index * kWindow, std::min((index + 1) * kWindow, lengths_[contig])};
    found = shard.windows.emplace(number, place).first;
    if (shard.windows.size() > kOfShard) {
      shard.windows.erase(std::prev(shard.windows.end()));
    }
    if (shard.windows.size() == kOfShard) {
      shard.largest = std::prev(shard.windows.end())->first;
    }
    if (number > shard.largest) {
      return;
    }
  }
  add(found->second);
}

void WindowSample::add(const align::AlignmentBatch& batch, const align::AlignmentRecord& record,
                       const sequence::ReadBatch& reads, std::uint64_t times) {
  const align::Alignment& own = *record.alignment;
  if (own.span == 0) {
    return;
  }
  for (std::uint64_t index = own.start / kWindow; index <= (own.start + own.span - 1) / kWindow; ++index) {
    add_by_chance(own.contig, index, [&](SampledWindow& window) { window.add(batch, record, reads, times); });
  }
}

std::vector<SampledWindow> WindowSample::chosen() {
  std::vector<std::pair<std::uint64_t, const SampledWindow*>> all;
  for (const WindowShard& shard : shards_) {
    for (const auto& [number, window] : shard.windows) {
      all.emplace_back(number, &window);
    }
  }
  const std::size_t deepest = std::min(all.size(), kDeepest);
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return std::pair(b.second->records, a.second->place) < std::pair(a.second->records, b.second->place);
  });
  std::sort(all.begin() + static_cast<std::ptrdiff_t>(deepest), all.end());
  all.resize(std::min(all.size(), kShown));
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.second->place < b.second->place; });
  std::vector<SampledWindow> chosen;
  for (const auto& [number, window] : all) {
    chosen.push_back(*window);
  }
  for (SampledWindow& window : chosen) {
    std::sort(window.alignments.begin(), window.alignments.end(), comes_before);
  }
  return chosen;
}

void WindowSample::pack(Packer& to) const {
  for (const WindowShard& shard : shards_) {
    to.add(shard.windows);
  }
}

void WindowSample::add_packed(Unpacker& from) {
  for (std::size_t shard = 0; shard < kShards; ++shard) {
    std::map<std::uint64_t, SampledWindow> windows;
    from.get(windows);
    for (auto& [number, other] : windows) {
      add_by_chance(other.place.contig, other.place.begin / kWindow,
                    [&](SampledWindow& window) { window.join(std::move(other)); });
    }
  }
}

}  // namespace trawl::io
