#include "seed/seed_selection.hpp"

#include <algorithm>
#include <limits>

#include "sequence/alphabet.hpp"

namespace trawl::seed {

namespace {

// Costs saturate well below overflow: a sum of two still fits.
constexpr std::uint32_t kImpossible = std::numeric_limits<std::uint32_t>::max() / 2;
constexpr std::uint32_t kMaxFrequency = 1u << 24;

}  // namespace

unsigned longest_seed_length(const sequence::EncodedRead& read, std::size_t seeds, unsigned max_length) {
  if (read.ambiguous == 0) {
    return static_cast<unsigned>(std::min<std::size_t>(max_length, read.length() / seeds));
  }
  std::vector<std::size_t> clear;  // lengths of the pieces between ambiguous bases
  std::size_t run = 0;
  for (const auto code : read.codes) {
    if (code == sequence::kAmbiguous) {
      clear.push_back(run);
      run = 0;
    } else {
      ++run;
    }
  }
  clear.push_back(run);
  for (unsigned length = max_length; length > 0; --length) {
    std::size_t room = 0;
    for (const std::size_t piece : clear) {
      room += piece / length;
    }
    if (room >= seeds) {
      return length;
    }
  }
  return 0;
}

void SeedSelection::begin(const SeedIndex& index, const sequence::EncodedRead& read, std::size_t seeds,
                          unsigned length) {
  wanted_ = seeds;
  length_ = length;
  const std::size_t m = read.length();
  const unsigned top = 2 * (index.q() - 1);
  keys_.resize(m);
  clear_end_.resize(m + 1);
  clear_end_[m] = static_cast<std::uint32_t>(m);
  std::uint32_t key = 0;
  std::uint32_t clear_end = static_cast<std::uint32_t>(m);
  for (std::size_t i = m; i-- > 0;) {
    if (read.codes[i] == sequence::kAmbiguous) {
      clear_end = static_cast<std::uint32_t>(i);
      key = 0;
    } else {
      key = (static_cast<std::uint32_t>(read.codes[i]) << top) | (key >> 2);
    }
    keys_[i] = key;
    clear_end_[i] = clear_end;
  }
  const unsigned shift = 2 * (index.q() - length_);
  for (const auto& shard : index.shards()) {
    for (std::size_t i = 0; i + length_ <= m; ++i) {
      SeedIndex::prefetch(shard, keys_[i] >> shift << shift);
    }
  }
}

void SeedSelection::choose(const SeedIndex& index) {
  const std::size_t m = keys_.size();
  const std::size_t begins = m - length_ + 1;
  frequencies_.assign(begins, 0);
  for (const auto& shard : index.shards()) {
    for (std::size_t i = 0; i < begins; ++i) {
      const auto count =
          static_cast<std::uint32_t>(std::min<std::size_t>(index.find(shard, keys_[i], length_).size(), kMaxFrequency));
      frequencies_[i] = std::min(frequencies_[i] + count, kMaxFrequency);
    }
  }
  for (std::size_t i = 0; i < begins; ++i) {
    if (clear_end_[i] < i + length_) {
      frequencies_[i] = kImpossible;
    }
  }

  // best[s][end]: the smallest sum of s + 1 disjoint seeds in the read's first `end` bases.
  const std::size_t row = m + 1;
  best_.resize(wanted_ * row);
  for (std::size_t s = 0; s < wanted_; ++s) {
    std::uint32_t* best = best_.data() + s * row;
    std::fill(best, best + length_, kImpossible);
    if (s == 0) {
      std::copy(frequencies_.begin(), frequencies_.end(), best + length_);
    } else {
      const std::uint32_t* before = best - row;
      for (std::size_t i = 0; i < begins; ++i) {
        best[i + length_] = before[i] + frequencies_[i];
      }
    }
    std::uint32_t smallest = kImpossible;
    for (std::size_t end = length_; end <= m; ++end) {
      smallest = std::min(smallest, best[end]);
      best[end] = smallest;
    }
  }

  seeds_.resize(wanted_);
  hits_ = 0;
  std::size_t end = m;
  for (std::size_t s = wanted_; s-- > 0;) {
    const std::uint32_t* best = best_.data() + s * row;
    while (end > length_ && best[end - 1] == best[end]) {
      --end;
    }
    const std::size_t begin = end - length_;
    seeds_[s] = {keys_[begin], static_cast<std::uint32_t>(begin), 0, 0, frequencies_[begin]};
    hits_ += frequencies_[begin];
    end = begin;
  }

  // The bases between two seeds go to the more frequent one, as far as they are not ambiguous.
  std::uint32_t free_begin = 0;
  for (std::size_t s = 0; s < wanted_; ++s) {
    Seed& seed = seeds_[s];
    const bool last = s + 1 == wanted_;
    std::uint32_t free_end = static_cast<std::uint32_t>(m);
    if (!last) {
      free_end = seeds_[s + 1].frequency > seed.frequency ? seed.begin + length_ : seeds_[s + 1].begin;
    }
    seed.stretch_end = std::min(free_end, clear_end_[seed.begin]);
    seed.stretch_begin = seed.begin;
    while (seed.stretch_begin > free_begin && clear_end_[seed.stretch_begin - 1] > seed.stretch_begin - 1) {
      --seed.stretch_begin;
    }
    free_begin = seed.stretch_end;
  }
}

}  // namespace trawl::seed
