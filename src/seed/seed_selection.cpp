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
constexpr SeedStep kStepWithSpare = {8, 0.65};
// A hit that is looked at in the reference costs as much as this number of hits that are only marked.
constexpr std::uint64_t kHitsForALook = 6;

bool leaves_room(const sequence::EncodedRead& read, const SeedPlan& plan, const SeedStep& step) {
  const std::size_t taken = plan.seeds * ((plan.length + step.bases - 1) / step.bases * step.bases);
  return read.ambiguous == 0 && static_cast<double>(taken) <= step.share * static_cast<double>(read.length());
}

}  // namespace

unsigned longest_seed_length(const sequence::EncodedRead& read, std::size_t seeds, unsigned max_length) {
  if (read.ambiguous == 0) {
    return static_cast<unsigned>(std::min<std::size_t>(max_length, read.length() / seeds));
  }
  for (unsigned length = max_length; length > 0; --length) {
    std::size_t room = 0;
    std::size_t run = 0;  // bases since an ambiguous one
    for (const auto code : read.codes) {
      run = code == sequence::kAmbiguous ? 0 : run + 1;
      room += run > 0 && run % length == 0 ? 1 : 0;
    }
    if (room >= seeds) {
      return length;
    }
  }
  return 0;
}

SeedPlan SeedPlan::of(const sequence::EncodedRead& read, std::size_t needed, unsigned q, bool may_spare) {
  SeedPlan plan{needed + 1, q, kStepWithSpare.bases, true};
  if (may_spare && needed < kMostWithSpare && leaves_room(read, plan, kStepWithSpare)) {
    return plan;
  }
  plan = {needed, longest_seed_length(read, needed, q)};
  for (const SeedStep& step : kSteps) {
    if (plan.step == 1 && leaves_room(read, plan, step)) {
      plan.step = step.bases;
    }
  }
  return plan;
}

void ReadKeys::load(const sequence::EncodedRead& read, unsigned q) {
  unused_ = 64 - 2 * q;
  codes_.resize(2 * read.high.size());
  for (std::size_t w = 0; w < read.high.size(); ++w) {
    const PackedCodes codes = codes_of({read.high[w], read.low[w]});
    codes_[2 * w] = codes.first;
    codes_[2 * w + 1] = codes.second;
  }
}

void SeedSelection::begin(const SeedIndex& index, const sequence::EncodedRead& read, const SeedPlan& plan) {
  plan_ = plan;
  const std::size_t m = read_length_ = read.length();
  keys_.load(read, index.q());
  clear_end_.clear();
  if (read.ambiguous > 0) {
    clear_end_.resize(m);
    std::uint32_t clear_end = static_cast<std::uint32_t>(m);
    for (std::size_t i = m; i-- > 0;) {
      clear_end = read.codes[i] == sequence::kAmbiguous ? static_cast<std::uint32_t>(i) : clear_end;
      clear_end_[i] = clear_end;
    }
  }
  const unsigned shift = 2 * (index.q() - plan_.length);
  for (const auto& shard : index.shards()) {
    for (std::size_t i = 0; i + plan_.length <= m; i += plan_.step) {
      SeedIndex::prefetch(shard, keys_.at(i) >> shift << shift);
    }
  }
}

void SeedSelection::look_up(const SeedIndex& index) {
  const std::size_t begins = (read_length_ - plan_.length) / plan_.step + 1;
  frequencies_.assign(begins, 0);
  for (const auto& shard : index.shards()) {
    for (std::size_t g = 0; g < begins; ++g) {
      const std::uint32_t count = std::min(index.count(shard, keys_.at(g * plan_.step), plan_.length), kMaxFrequency);
      frequencies_[g] = std::min(frequencies_[g] + count, kMaxFrequency);
    }
  }
  if (!clear_end_.empty()) {
    for (std::size_t g = 0; g < begins; ++g) {
      if (clear_end_[g * plan_.step] < g * plan_.step + plan_.length) {
        frequencies_[g] = kImpossible;
      }
    }
  }
}

void SeedSelection::choose(const SeedIndex& index) {
  look_up(index);
  const std::size_t begins = frequencies_.size();
  const std::size_t jump = (plan_.length + plan_.step - 1) / plan_.step;
  // best[s][k]: the smallest sum of frequencies of s + 1 disjoint seeds, if the last of them begins at one of
  // s jump .. s jump + k. The other seeds need room too, so no seed has more begins to choose from.
  const std::size_t row = begins - (plan_.seeds - 1) * jump;
  // Of a read of a million bases, it has a gigabyte.
  static thread_local std::vector<std::uint32_t> few;
  std::unique_ptr<std::uint32_t[]> many;
  if (plan_.seeds * row > kKeptSums) {
    many = std::make_unique_for_overwrite<std::uint32_t[]>(plan_.seeds * row);
  } else if (few.size() < plan_.seeds * row) {
    few.resize(plan_.seeds * row);
  }
  std::uint32_t* const sums = many ? many.get() : few.data();
  for (std::size_t s = 0; s < plan_.seeds; ++s) {
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

  seeds_.resize(plan_.seeds);
  hits_ = 0;
  std::size_t k = row - 1;
  for (std::size_t s = plan_.seeds; s-- > 0;) {
    const std::uint32_t* best = sums + s * row;
    while (k > 0 && best[k - 1] == best[k]) {
      --k;
    }
    const std::size_t g = s * jump + k;
    const std::size_t begin = g * plan_.step;
    seeds_[s] = {keys_.at(begin), static_cast<std::uint32_t>(begin), 0, 0, frequencies_[g]};
    hits_ += frequencies_[g];
  }

  if (plan_.has_spare) {
    drop_spare();
  }
  give_stretches();
}

void SeedSelection::drop_spare() {
  const auto most = std::max_element(seeds_.begin(), seeds_.end(),
                                     [](const Seed& a, const Seed& b) { return a.frequency < b.frequency; });
  hits_ -= most->frequency;
  confirming_ = static_cast<std::size_t>(most - seeds_.begin());
  if (most->frequency > kHitsForALook * hits_) {
    seeds_.erase(most);
    plan_.has_spare = false;
  }
}

// The bases between two seeds go to the more frequent seed, up to an ambiguous base.
void SeedSelection::give_stretches() {
  std::uint32_t free_begin = 0;
  for (std::size_t s = 0; s < seeds_.size(); ++s) {
    Seed& seed = seeds_[s];
    const bool last = s + 1 == seeds_.size();
    std::uint32_t free_end = static_cast<std::uint32_t>(read_length_);
    if (!last) {
      free_end = seeds_[s + 1].frequency > seed.frequency ? seed.begin + plan_.length : seeds_[s + 1].begin;
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
