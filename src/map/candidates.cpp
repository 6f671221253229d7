#include "map/candidates.hpp"

#include <algorithm>

namespace trawl::map {

void CandidateFinder::collect(const sequence::Reference& reference, const seed::SeedIndex& index,
                              const seed::SeedSelection& selection, const sequence::EncodedRead& read,
                              std::uint32_t edits) {
  lists_.clear();
  hits_.clear();
  lists_ascend_ = selection.length() == index.q();
  const sequence::PlaneBlock* planes = reference.planes().data();
  // A saved index that is damaged may have positions outside the contigs.
  const std::uint64_t positions_inside = reference.size() - 2 * sequence::kContigGap;
  bool outside = false;
  for (const auto& seed : selection.seeds()) {
    for (const auto& shard : index.shards()) {
      const auto positions = index.find(shard, seed.key, selection.length());
      if (positions.empty()) {
        continue;
      }
      const std::size_t begin = hits_.size();
      hits_.resize(begin + positions.size());
      const std::int64_t shift = static_cast<std::int64_t>(shard.begin) - seed.begin;
      // The 64 bases of the stretch nearest to the seed's begin: they reach back as little as possible.
      const std::uint32_t from = seed.stretch_begin + 63 < seed.begin ? seed.begin - 63 : seed.stretch_begin;
      const auto screen = CandidateScreen::of(static_cast<std::uint32_t>(read.length()), from,
                                              std::min<std::uint32_t>(seed.stretch_end - from, 64), edits);
      std::int64_t* out = hits_.data() + begin;
      for (std::size_t i = 0; i < positions.size(); ++i) {
        outside |= shard.begin + positions[i] - sequence::kContigGap >= positions_inside;
        out[i] = shift + positions[i];
        const sequence::PlaneBlock* block = planes + (out[i] + screen.text_begin()) / 64;
        __builtin_prefetch(block);
        __builtin_prefetch(block + 1);
      }
      lists_.push_back({begin, hits_.size(), screen});
    }
  }
  if (outside) {
    seed::SeedIndex::fail_damaged();
  }
}

const std::vector<std::int64_t>& CandidateFinder::filter(const sequence::Reference& reference,
                                                         const sequence::EncodedRead& read) {
  kept_.resize(hits_.size() + CandidateScreen::kPadding);
  bounds_.assign(1, 0);
  std::size_t kept = 0;
  for (const List& list : lists_) {
    kept += list.screen.keep(reference, read, hits_.data() + list.begin, list.end - list.begin, kept_.data() + kept);
    if (kept > bounds_.back()) {
      bounds_.push_back(kept);
    }
  }
  kept_.resize(kept);
  if (lists_ascend_) {
    merge_lists();
    if (!std::is_sorted(kept_.begin(), kept_.end())) {
      seed::SeedIndex::fail_damaged();
    }
  } else {
    std::sort(kept_.begin(), kept_.end());
  }
  kept_.erase(std::unique(kept_.begin(), kept_.end()), kept_.end());
  return kept_;
}

// Merges the sorted lists kept_[bounds_[i], bounds_[i + 1]) pair by pair.
void CandidateFinder::merge_lists() {
  merged_.resize(kept_.size());
  while (bounds_.size() > 2) {
    next_bounds_.assign(1, 0);
    for (std::size_t b = 0; b + 1 < bounds_.size(); b += 2) {
      const std::int64_t* left = kept_.data() + bounds_[b];
      const std::int64_t* const left_end = kept_.data() + bounds_[b + 1];
      const std::int64_t* right = left_end;
      const std::int64_t* const right_end = b + 2 < bounds_.size() ? kept_.data() + bounds_[b + 2] : left_end;
      std::int64_t* out = merged_.data() + bounds_[b];
      while (left != left_end && right != right_end) {
        const bool take_right = *right < *left;
        *out++ = take_right ? *right : *left;
        right += take_right;
        left += !take_right;
      }
      out = std::copy(left, left_end, out);
      std::copy(right, right_end, out);
      next_bounds_.push_back(static_cast<std::size_t>(right_end - kept_.data()));
    }
    kept_.swap(merged_);
    bounds_.swap(next_bounds_);
  }
}

}  // namespace trawl::map
