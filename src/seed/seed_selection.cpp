#include "seed/seed_selection.hpp"

#include <algorithm>
#include <limits>
#include <memory>

#include "base/stop.hpp"
#include "sequence/alphabet.hpp"

namespace trawl::seed {

namespace {

// The sum of two of these still fits. And it is larger than the sum of as many seeds of kMaxFrequency as a read can
// have (sequence::kContigGap).
constexpr std::uint32_t kImpossible = std::numeric_limits<std::uint32_t>::max() / 2;
// Sums that each thread keeps room for.
constexpr std::size_t kKeptSums = std::size_t{1} << 20;
constexpr std::uint32_t kMaxFrequency = (1u << 23) - 1;

// Looking up fewer q-grams saves more time than the slightly more frequent seeds cost, if the seeds have enough room in
// the read (docs/record/map.md). Each entry is a step, and the share of the read that the seeds may then take up.
struct SeedStep {
  unsigned bases;
  double share;
};
constexpr SeedStep kSteps[] = {{4, 0.5}, {2, 0.75}};

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

unsigned widest_step(const sequence::EncodedRead& read, std::size_t seeds, unsigned length) {
  if (read.ambiguous > 0) {
    return 1;
  }
  for (const SeedStep& step : kSteps) {
    const std::size_t taken = seeds * ((length + step.bases - 1) / step.bases * step.bases);
    if (static_cast<double>(taken) <= step.share * static_cast<double>(read.length())) {
      return step.bases;
    }
  }
  return 1;
}

void read_keys(const sequence::EncodedRead& read, unsigned q, std::vector<std::uint32_t>& keys) {
  const unsigned top = 2 * (q - 1);
  keys.resize(read.length());
  std::uint32_t key = 0;
  for (std::size_t i = read.length(); i-- > 0;) {
    key = (read.codes[i] & 3u) << top | key >> 2;
    keys[i] = key;
  }
}

void SeedSelection::begin(const SeedIndex& index, const sequence::EncodedRead& read, std::size_t seeds, unsigned length,
                          unsigned step) {
  wanted_ = seeds;
  length_ = length;
  step_ = step;
  const std::size_t m = read.length();
  read_keys(read, index.q(), keys_);
  clear_end_.clear();
  if (read.ambiguous > 0) {
    clear_end_.resize(m);
    std::uint32_t clear_end = static_cast<std::uint32_t>(m);
    for (std::size_t i = m; i-- > 0;) {
      clear_end = read.codes[i] == sequence::kAmbiguous ? static_cast<std::uint32_t>(i) : clear_end;
      clear_end_[i] = clear_end;
    }
  }
  const unsigned shift = 2 * (index.q() - length_);
  for (const auto& shard : index.shards()) {
    for (std::size_t i = 0; i + length_ <= m; i += step_) {
      SeedIndex::prefetch(shard, keys_[i] >> shift << shift);
    }
  }
}

void SeedSelection::look_up(const SeedIndex& index) {
  const std::size_t begins = (keys_.size() - length_) / step_ + 1;
  frequencies_.assign(begins, 0);
  for (const auto& shard : index.shards()) {
    const std::uint32_t* key = keys_.data();
    for (std::size_t g = 0; g < begins; ++g, key += step_) {
      const std::uint32_t count = std::min(index.count(shard, *key, length_), kMaxFrequency);
      frequencies_[g] = std::min(frequencies_[g] + count, kMaxFrequency);
    }
  }
  if (!clear_end_.empty()) {
    for (std::size_t g = 0; g < begins; ++g) {
      if (clear_end_[g * step_] < g * step_ + length_) {
        frequencies_[g] = kImpossible;
      }
    }
  }
}

void SeedSelection::choose(const SeedIndex& index) {
  look_up(index);
  const std::size_t begins = frequencies_.size();
  const std::size_t jump = (length_ + step_ - 1) / step_;
  // best[s][k]: the smallest sum of frequencies of s + 1 disjoint seeds, if the last of them begins at one of
  // s jump .. s jump + k. The other seeds need room too, so no seed has more begins to choose from.
  const std::size_t row = begins - (wanted_ - 1) * jump;
  // Of a read of a million bases, it has a gigabyte.
  static thread_local std::vector<std::uint32_t> few;
  std::unique_ptr<std::uint32_t[]> many;
  if (wanted_ * row > kKeptSums) {
    many = std::make_unique_for_overwrite<std::uint32_t[]>(wanted_ * row);
  } else if (few.size() < wanted_ * row) {
    few.resize(wanted_ * row);
  }
  std::uint32_t* const sums = many ? many.get() : few.data();
  for (std::size_t s = 0; s < wanted_; ++s) {
    if (many) {
      Stop::look();
    }
    std::uint32_t* best = sums + s * row;
    const std::uint32_t* before = best - row;
    const std::uint32_t* frequencies = frequencies_.data() + s * jump;
    std::uint32_t smallest = 2 * kImpossible;
    for (std::size_t k = 0; k < row; ++k) {
      const std::uint32_t sum = s == 0 ? frequencies[k] : std::min(before[k], kImpossible) + frequencies[k];
      smallest = std::min(smallest, sum);
      best[k] = smallest;
    }
  }

  const std::size_t m = keys_.size();
  seeds_.resize(wanted_);
  hits_ = 0;
  std::size_t k = row - 1;
  for (std::size_t s = wanted_; s-- > 0;) {
    const std::uint32_t* best = sums + s * row;
    while (k > 0 && best[k - 1] == best[k]) {
      --k;
    }
    const std::size_t g = s * jump + k;
    const std::size_t begin = g * step_;
    seeds_[s] = {keys_[begin], static_cast<std::uint32_t>(begin), 0, 0, frequencies_[g]};
    hits_ += frequencies_[g];
  }

  // The bases between two seeds go to the more frequent seed, up to an ambiguous base.
  std::uint32_t free_begin = 0;
  for (std::size_t s = 0; s < wanted_; ++s) {
    Seed& seed = seeds_[s];
    const bool last = s + 1 == wanted_;
    std::uint32_t free_end = static_cast<std::uint32_t>(m);
    if (!last) {
      free_end = seeds_[s + 1].frequency > seed.frequency ? seed.begin + length_ : seeds_[s + 1].begin;
    }
    seed.stretch_begin = free_begin;
    seed.stretch_end = free_end;
    if (!clear_end_.empty()) {
      seed.stretch_end = std::min(free_end, clear_end_[seed.begin]);
      seed.stretch_begin = seed.begin;
      while (seed.stretch_begin > free_begin && clear_end_[seed.stretch_begin - 1] > seed.stretch_begin - 1) {
        --seed.stretch_begin;
      }
    }
    free_begin = seed.stretch_end;
  }
}

}  // namespace trawl::seed
