#include "mappability/word_runs.hpp"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>

namespace trawl::mappability {

template <class T>
void RunCounter<T>::count(std::span<SortedWord> run) {
  constexpr std::size_t kFew = 4;
  if (run.size() <= kFew) {
    return count_few(run);
  }
  // Equal rests are one word.
  std::sort(run.begin(), run.end(), [](const SortedWord& a, const SortedWord& b) { return a.rest < b.rest; });
  words_.clear();
  others_.clear();
  weights_.clear();
  entries_.clear();
  for (std::size_t from = 0; from < run.size();) {
    std::size_t to = from;
    bool is_asked = false;
    for (; to < run.size() && run[to].rest == run[from].rest; ++to) {
      is_asked |= run[to].position != SortedWord::kNotAsked;
    }
    others_.push_back(static_cast<T>(run[from].rest));
    weights_.push_back(static_cast<T>(to - from));
    if (is_asked) {
      words_.push_back(static_cast<T>(run[from].rest));
      entries_.emplace_back(from, to);
    }
    from = to;
  }
  if (words_.empty() || (others_.size() == 1 && choice_.pairs.parts > 0)) {
    return;  // equal words do not differ in any part
  }
  if (others_.size() == 1) {
    sums_.assign(1, weights_[0]);
  } else {
    const std::size_t padded =
        (others_.size() + WordPairs::kTogether - 1) / WordPairs::kTogether * WordPairs::kTogether;
    others_.resize(padded, 0);
    weights_.resize(padded, 0);
    sums_.assign(words_.size(), 0);
    compare();
  }
  for (std::size_t w = 0; w < words_.size(); ++w) {
    for (std::size_t i = entries_[w].first; i < entries_[w].second; ++i) {
      add(run[i].position, static_cast<std::uint32_t>(sums_[w]));
    }
  }
}

template <class T>
void RunCounter<T>::count_few(std::span<const SortedWord> run) {
  if (run.size() == 1) {
    return;  // only the pair with itself
  }
  for (const SortedWord& one : run) {
    if (one.position == SortedWord::kNotAsked) {
      continue;
    }
    std::uint32_t pairs = 0;
    for (const SortedWord& other : run) {
      pairs += choice_.pairs.allows(differing_bases(choice_, one.rest, other.rest)) ? 1 : 0;
    }
    add(one.position, pairs);
  }
}

// `pairs`: with that of a read and itself, which is counted from the start. Most reads have no other. The counts of the
// others come from memory, so all are fetched before they are needed.
template <class T>
void RunCounter<T>::add(std::uint32_t position, std::uint32_t pairs) {
  constexpr std::size_t kFetched = 64;
  const std::uint32_t others = pairs - (choice_.pairs.parts == 0 ? 1 : 0);
  if (position == SortedWord::kNotAsked || others == 0) {
    return;
  }
  __builtin_prefetch(&counts_[position], 1);
  found_.emplace_back(position, others);
  if (found_.size() == kFetched) {
    finish();
  }
}

template <class T>
void RunCounter<T>::finish() {
  for (const auto& [position, pairs] : found_) {
    counts_[position] += pairs;
  }
  found_.clear();
}

// In a large repeat, several threads compare.
template <class T>
void RunCounter<T>::compare() {
  constexpr std::size_t kWordsAtOnce = 512;
  constexpr std::uint64_t kManyPairs = 1 << 26;
  const WordSpans<T> all{words_, others_, weights_, sums_};
  const std::size_t words = all.words.size();
  if (std::uint64_t{words} * all.others.size() < kManyPairs) {
    choice_.pairs.count(all);
    return;
  }
  const auto count_some = [&](std::size_t i) {
    const std::size_t from = i * kWordsAtOnce;
    const std::size_t some = std::min(kWordsAtOnce, words - from);
    choice_.pairs.count(
        WordSpans<T>{all.words.subspan(from, some), all.others, all.weights, all.sums.subspan(from, some)});
  };
  // A thread that waits here does not begin another partition: it would keep what it has.
  tbb::this_task_arena::isolate(
      [&] { tbb::parallel_for(std::size_t{0}, (words + kWordsAtOnce - 1) / kWordsAtOnce, count_some); });
}

template class RunCounter<std::uint32_t>;
template class RunCounter<std::uint64_t>;

}  // namespace trawl::mappability
