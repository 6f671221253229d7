#include "map/word_finder.hpp"

#include <algorithm>

#include "base/stopwatch.hpp"
#include "sequence/packed_letters.hpp"
#include "sequence/plane_window.hpp"
#include "sequence/text_window.hpp"

namespace trawl::map {

namespace {

// A seed costs as much as this number of hits, even if it has none.
constexpr std::uint64_t kHitsOfSeed = 2;
// The text is prefetched this number of hits ahead.
constexpr std::size_t kAhead = 16;
constexpr std::uint32_t kNoSeed = ~std::uint32_t{0};

}  // namespace

void WordFinder::find(const sequence::EncodedRead& forward, const sequence::EncodedRead& reverse,
                      std::span<const Word> words, const bool (&searched)[2]) {
  Stopwatch watch;
  words_ = words.size();
  const auto length = static_cast<std::uint32_t>(forward.length());
  strands_[0].read = &forward;
  strands_[0].words.assign(words.begin(), words.end());
  strands_[1].read = &reverse;
  strands_[1].words.assign(words.rbegin(), words.rend());
  for (Word& word : strands_[1].words) {
    word.begin = length - word.begin - word.length;
  }
  const auto strands = std::span(strands_).subspan(searched[0] ? 0 : 1, searched[0] && searched[1] ? 2 : 1);
  for (WordStrand& strand : strands) {
    make_keys(strand);
  }
  for (WordStrand& strand : strands) {
    choose_seeds(strand);
    deal_words(strand);
  }
  watch.lap(seconds_.seed);
  for (const WordStrand& strand : strands) {
    for (const WordSeed& seed : strand.seeds) {
      for (const auto& shard : index_.shards()) {
        const auto hits = hits_of(strand, seed, shard);
        for (const std::uint32_t hit : hits.first(std::min(kAhead, hits.size()))) {
          prefetch_text(shard.begin + hit);
        }
      }
    }
  }
  for (WordStrand& strand : strands) {
    for (const WordSeed& seed : strand.seeds) {
      look_at_hits(strand, seed);
    }
  }
  watch.lap(seconds_.verify);
}

// And prefetches the numbers of hits.
void WordFinder::make_keys(WordStrand& strand) const {
  strand.ranges.resize(std::max(strand.ranges.size(), words_));
  for (auto& ranges : strand.ranges) {
    ranges.clear();
  }
  strand.keys.load(*strand.read, index_.q());
  for (const auto& shard : index_.shards()) {
    for (std::uint32_t p = strand.words.front().begin; p <= last_seed(strand.words.back()); ++p) {
      seed::SeedIndex::prefetch(shard, strand.keys.at(p));
    }
  }
}

// Of all seeds of which each word holds one: those with the smallest sum of frequencies, by dynamic programming.
void WordFinder::choose_seeds(WordStrand& strand) {
  const std::vector<Word>& words = strand.words;
  const std::uint32_t begins = last_seed(words.back()) + 1;
  frequencies_.assign(begins, 0);
  for (const auto& shard : index_.shards()) {
    for (std::uint32_t p = words.front().begin; p < begins; ++p) {
      frequencies_[p] += index_.count(shard, strand.keys.at(p), index_.q());
    }
  }
  best_.resize(begins);
  seed_before_.resize(begins);
  std::size_t passed = 0;  // words that end before a seed at p does: the last of them holds the seed before
  std::uint32_t before = kNoSeed;
  for (std::uint32_t p = words.front().begin; p < begins; ++p) {
    std::uint32_t other = p - 1;
    for (; last_seed(words[passed]) < p; ++passed) {
      before = other = words[passed].begin;
    }
    for (; passed > 0 && other < p; ++other) {
      before = best_[other] <= best_[before] ? other : before;
    }
    best_[p] = kHitsOfSeed + frequencies_[p] + (before == kNoSeed ? 0 : best_[before]);
    seed_before_[p] = before;
  }
  const auto last = std::min_element(best_.begin() + words.back().begin, best_.end()) - best_.begin();
  strand.seeds.clear();
  for (auto p = static_cast<std::uint32_t>(last); p != kNoSeed; p = seed_before_[p]) {
    strand.seeds.push_back({p, frequencies_[p], 0, 0});
  }
  std::reverse(strand.seeds.begin(), strand.seeds.end());
}

// Each word is found by the rarest of the chosen seeds that it holds.
void WordFinder::deal_words(WordStrand& strand) const {
  const std::vector<Word>& words = strand.words;
  std::size_t first = 0;
  for (std::size_t w = 0; w < words.size(); ++w) {
    while (strand.seeds[first].begin < words[w].begin) {
      ++first;
    }
    std::size_t rarest = first;
    for (std::size_t s = first; s < strand.seeds.size() && strand.seeds[s].begin <= last_seed(words[w]); ++s) {
      rarest = strand.seeds[s].frequency < strand.seeds[rarest].frequency ? s : rarest;
    }
    WordSeed& seed = strand.seeds[rarest];
    seed.first = seed.last == 0 ? w : seed.first;
    seed.last = w + 1;
  }
  for (const WordSeed& seed : strand.seeds) {
    for (const auto& shard : index_.shards()) {
      __builtin_prefetch(hits_of(strand, seed, shard).data());
    }
  }
}

void WordFinder::look_at_hits(WordStrand& strand, const WordSeed& seed) {
  const std::uint32_t from = strand.words[seed.first].begin;
  const sequence::PlaneBlock bases{sequence::bits_at(strand.read->high.data(), from),
                                   sequence::bits_at(strand.read->low.data(), from)};
  // A saved index that is damaged may have positions outside the contigs.
  const std::uint64_t positions_inside = reference_.size() - 2 * sequence::kContigGap;
  std::size_t open = seed.last - seed.first;
  for (const auto& shard : index_.shards()) {
    const auto hits = hits_of(strand, seed, shard);
    for (std::size_t h = 0; h < hits.size() && open > 0; ++h) {
      const std::uint64_t position = shard.begin + hits[h];
      if (position - sequence::kContigGap >= positions_inside) {
        seed::SeedIndex::fail_damaged();
      }
      if (h + kAhead < hits.size()) {
        prefetch_text(shard.begin + hits[h + kAhead]);
      }
      const std::uint64_t begin = position - (seed.begin - from);
      const auto text = sequence::planes_at(reference_.planes().data(), begin);
      const std::uint64_t different = (text.high ^ bases.high) | (text.low ^ bases.low);
      for (std::size_t w = seed.first; w < seed.last; ++w) {
        const Word& word = strand.words[w];
        if ((different >> (word.begin - from) & sequence::low_ones(word.length)) == 0) {
          open -= add_place(word, begin + (word.begin - from), strand.ranges[w]);
        }
      }
    }
  }
}

// Adds a place of a word. True if the word needs no more then.
bool WordFinder::add_place(const Word& word, std::uint64_t begin, std::vector<align::EndRange>& ranges) const {
  const std::uint64_t end = begin + word.length - 1;
  const bool clear = sequence::is_clear(reference_, static_cast<std::int64_t>(begin), word.length) ||
                     (sequence::bits_at(reference_.ambiguous().data(), begin) & sequence::low_ones(word.length)) == 0;
  if (!clear || ranges.size() > word.most_ranges) {
    return false;
  }
  if (!ranges.empty() && ranges.back().last + 1 == end) {
    ranges.back().last = end;
    return false;
  }
  if (!ranges.empty() && ranges.back().last >= end) {
    seed::SeedIndex::fail_damaged();
  }
  ranges.push_back({end, end});
  return ranges.size() > word.most_ranges;
}

}  // namespace trawl::map
