#include "words/site_join.hpp"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "words/word_choices.hpp"
#include "words/word_runs.hpp"

namespace trawl::words {

namespace {

WordPlanes planes_of(std::uint64_t word, std::uint64_t ambiguous = 0) {
  return {GuideWord::high(word), GuideWord::low(word), ambiguous};
}

// The words that are asked for in list 0, the others in list 1.
class GuideWords {
 public:
  explicit GuideWords(const SiteWords& words) : words_(words) {}

  std::size_t blocks() const { return (words_.size() + kBlock - 1) / kBlock; }
  template <class Take>
  void give(std::size_t block, const Take& take) const {
    for (std::size_t i = block * kBlock; i < std::min(words_.size(), (block + 1) * kBlock); ++i) {
      take(words_.is_asked(i) ? 0 : 1, static_cast<std::uint32_t>(i), planes_of(words_.words()[i]));
    }
  }
  SortedWord at(const WordChoice& choice, unsigned list, std::uint32_t number) const {
    return sorted_word(choice, planes_of(words_.words()[number]), number, list == 0);
  }
  void prefetch(std::uint32_t number) const { __builtin_prefetch(&words_.words()[number]); }

 private:
  static constexpr std::size_t kBlock = 64;

  const SiteWords& words_;
};

// Counts and scores the pairs of a choice in the runs of a partition. T: as wide as a rest. No other thread counts
// for the same words.
template <class T>
class PairCounter {
 public:
  PairCounter(const SiteWords& words, const WordChoice& choice, const PairScores* scores,
              std::span<const AmbiguousWord> ambiguous, std::span<SiteSums> sums)
      : words_(words), choice_(choice), scores_(scores), ambiguous_(ambiguous), sums_(sums) {}

  void count(std::size_t partition, std::span<const SortedWord> run) {
    if (run.size() > 1 && std::ranges::any_of(run, &SortedWord::is_asked)) {
      count_many(run);
    }
    if (!ambiguous_.empty()) {
      count_ambiguous(partition, run);
    }
  }

  // Adds what is not added to the sums yet. They come from memory, so all are fetched before they are needed.
  void finish() {
    for (const auto& [place, more] : found_) {
      SiteSums& sums = sums_[place];
      for (std::size_t m = 0; m < std::size(sums.sites); ++m) {
        sums.sites[m] += more.sites[m];
      }
      sums.without_score += more.without_score;
      sums.scores.cfd += more.scores.cfd;
      sums.scores.mit += more.scores.mit;
    }
    found_.clear();
  }

 private:
  // In a large repeat, several threads compare.
  void count_many(std::span<const SortedWord> run) {
    constexpr std::size_t kAtOnce = 512;
    constexpr std::size_t kManyWords = 8192;
    others_.assign((run.size() + WordPairs::kTogether - 1) / WordPairs::kTogether * WordPairs::kTogether, 0);
    std::ranges::transform(run, others_.begin(), [](const SortedWord& word) { return static_cast<T>(word.rest); });
    if (run.size() < kManyWords) {
      count_some(run, 0, run.size(), others_);
      return;
    }
    // A thread that waits here does not begin another partition: it would keep what it has.
    tbb::this_task_arena::isolate([&] {
      tbb::parallel_for(std::size_t{0}, (run.size() + kAtOnce - 1) / kAtOnce, [&](std::size_t i) {
        PairCounter some(words_, choice_, scores_, {}, sums_);
        some.count_some(run, i * kAtOnce, std::min(run.size(), (i + 1) * kAtOnce), others_);
        some.finish();
      });
    });
  }

  // The words [begin, end) of a run; `others`: all its rests.
  void count_some(std::span<const SortedWord> run, std::size_t begin, std::size_t end, std::span<const T> others) {
    pairs_.resize(std::max(pairs_.size(), others.size()));
    for (std::size_t i = begin; i < end; ++i) {
      if (!run[i].is_asked) {
        continue;
      }
      const std::size_t count = choice_.pairs.find(static_cast<T>(run[i].rest), others, pairs_.data());
      SiteSums sums;
      for (std::size_t p = 0; p < count && pairs_[p] < run.size(); ++p) {
        if (pairs_[p] != i) {
          add_pair(run[i].number, run[pairs_[p]].number, sums);
        }
      }
      keep(run[i].number, sums);
    }
  }

  // Pairs of a word of the run and one with ambiguous bases.
  void count_ambiguous(std::size_t partition, std::span<const SortedWord> run) {
    for (const AmbiguousWord& other : words_at(ambiguous_, partition, run.front().key)) {
      for (const SortedWord& word : run) {
        const std::uint64_t differing = differing_bases(choice_, word.rest, other.rest) | other.differing;
        if (word.is_asked && choice_.pairs.allows(differing)) {
          SiteSums sums;
          sums.sites[popcount(differing)] = sums.without_score = 1;
          keep(word.number, sums);
        }
      }
    }
  }

  void add_pair(std::uint32_t guide, std::uint32_t site, SiteSums& sums) const {
    const std::uint64_t a = words_.words()[guide], b = words_.words()[site];
    const std::uint32_t sites = words_.sites()[site];
    sums.sites[popcount(GuideWord::differing(a, b))] += sites;
    if (scores_ != nullptr) {
      const ScoreSums scores = score_pair(*scores_, a, b);
      sums.scores.cfd += sites * scores.cfd;
      sums.scores.mit += sites * scores.mit;
    }
  }

  void keep(std::uint32_t number, const SiteSums& sums) {
    constexpr std::size_t kFetched = 64;
    if (std::ranges::all_of(sums.sites, [](std::uint32_t n) { return n == 0; })) {
      return;
    }
    const std::size_t place = words_.place(number);
    __builtin_prefetch(&sums_[place], 1);
    found_.emplace_back(place, sums);
    if (found_.size() == kFetched) {
      finish();
    }
  }

  const SiteWords& words_;
  const WordChoice& choice_;
  const PairScores* scores_;
  std::span<const AmbiguousWord> ambiguous_;  // by partition and key
  std::span<SiteSums> sums_;
  std::vector<T> others_;             // the rests of a run
  std::vector<std::uint32_t> pairs_;  // what a word is like
  std::vector<std::pair<std::size_t, SiteSums>> found_;
};

class CpuSiteJoin final : public SiteJoin {
 public:
  void add(const SiteWords& words, std::span<SiteSums> sums, const std::function<void(double)>& progress) override {
    const SiteRule& rule = words.rule();
    const std::vector<WordChoice> choices =
        best_word_choices(rule.length, rule.max_mismatches, words.asked(), std::numeric_limits<double>::infinity());
    const PairScores scores = make_pair_scores();
    const PairScores* const used = rule.has_scores() ? &scores : nullptr;
    const GuideWords source(words);
    for (std::size_t c = 0; c < choices.size(); ++c) {
      const WordRuns runs(source, choices[c], words.size());
      std::vector<AmbiguousWord> ambiguous;
      for (const GuideSite& site : words.ambiguous()) {
        runs.add_ambiguous(planes_of(site.word, site.ambiguous), 0, false, ambiguous);
      }
      sort_by_place(ambiguous);
      runs.for_each([&](auto rest) { return PairCounter<decltype(rest)>(words, choices[c], used, ambiguous, sums); },
                    share_of_choice(progress, c, choices.size()));
    }
  }
  std::string description() const override { return "cpu"; }
};

}  // namespace

PairScores make_pair_scores() {
  PairScores scores{};
  for (std::size_t i = 0; i < scan::kScoredLength; ++i) {
    for (unsigned pair = 0; pair < 16; ++pair) {
      scores.cfd[i][pair] = scan::cfd_weight(pair / 4, pair % 4, i);
    }
    scores.mit[i] = scan::mit_weight(i);
    for (std::size_t n = 2; n <= SiteRule::kMostMismatches; ++n) {
      scores.spread[n][i] = scan::mit_spread(n, i);
    }
  }
  for (unsigned pair = 0; pair < 16; ++pair) {
    scores.cfd_of_pam[pair] = scan::cfd_of_pam(pair);
  }
  return scores;
}

std::vector<SiteSums> own_sums(const SiteWords& words) {
  const PairScores scores = make_pair_scores();
  std::vector<SiteSums> sums(words.asked());
  tbb::parallel_for(std::size_t{0}, words.size(), [&](std::size_t i) {
    if (words.is_asked(i)) {
      SiteSums& own = sums[words.place(i)];
      own.sites[0] = words.sites()[i];
      if (words.rule().has_scores()) {
        const ScoreSums one = score_pair(scores, words.words()[i], words.words()[i]);
        own.scores = {own.sites[0] * one.cfd, own.sites[0] * one.mit};
      }
    }
  });
  return sums;
}

std::unique_ptr<SiteJoin> make_cpu_site_join() { return std::make_unique<CpuSiteJoin>(); }

}  // namespace trawl::words
