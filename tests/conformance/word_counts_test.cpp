// Short reads without gaps, sorted and compared: the same numbers as by hand, and as a search gives.
#include "mappability/word_counts.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "tests/catch.hpp"
#include "tests/conformance/map_reads.hpp"
#include "tests/conformance/position_counts.hpp"
#include "tests/on_all_targets.hpp"
#include "tests/random_cases.hpp"
#include "words/word_choices.hpp"
#include "words/word_runs.hpp"

using namespace trawl;
using namespace trawl::tests;

namespace {

// Of each contig, in order, those reads whose number `asked` allows.
template <class Asked>
std::vector<mappability::ReadStarts> some_starts(const sequence::Reference& reference,
                                                 const mappability::ReferenceReads& reads, const Asked& asked) {
  std::vector<mappability::ReadStarts> starts;
  for (const sequence::Contig& contig : reference.contigs()) {
    for (std::uint64_t i = 0; i < reads.of(contig); ++i) {
      if (asked()) {
        starts.push_back({contig.offset + i, 1});
      }
    }
  }
  return starts;
}

template <class T>
void compare_pairs(RandomCases& random, std::uint32_t bases) {
  constexpr unsigned kHalf = 4 * sizeof(T);
  words::WordPairs pairs;
  pairs.most = static_cast<std::uint32_t>(random.number(0, words::WordPairs::kMost));
  pairs.parts = static_cast<std::uint32_t>(random.number(0, pairs.most));
  for (std::uint32_t p = 0; p < pairs.parts; ++p) {
    pairs.part[p] = 7u << (3 * p);
  }
  const auto word = [&](std::uint64_t near) {
    std::uint64_t made = near;
    for (std::size_t n = random.number(0, 5); n > 0; --n) {
      const std::size_t base = random.number(0, bases - 1);
      made ^= std::uint64_t{random.number(1, 3)} % 2 << base | std::uint64_t{random.number(1, 3)} / 2 << (base + kHalf);
    }
    return static_cast<T>(made);
  };
  std::vector<T> words(random.number(0, 9));
  std::vector<T> others(words::WordPairs::kTogether * random.number(0, random.chance(0.1) ? 200 : 3));
  std::vector<T> weights(others.size());
  for (T& one : words) {
    one = word(0);
  }
  for (std::size_t i = 0; i < others.size(); ++i) {
    others[i] = word(0);
    weights[i] = static_cast<T>(random.number(0, 5));
  }
  std::vector<T> sums(words.size(), 3);
  pairs.count(words::WordSpans<T>{words, others, weights, sums});
  std::vector<std::uint32_t> numbers(others.size()), found;
  for (std::size_t w = 0; w < words.size(); ++w) {
    T expected = 3;
    found.clear();
    for (std::size_t i = 0; i < others.size(); ++i) {
      const T differing = words[w] ^ others[i];
      const std::uint64_t at = (differing | differing >> kHalf) & ((T{1} << kHalf) - 1);
      bool allowed = std::popcount(at) <= static_cast<int>(pairs.most);
      for (std::uint32_t p = 0; p < pairs.parts; ++p) {
        allowed &= (at & pairs.part[p]) != 0;
      }
      REQUIRE(pairs.allows(at) == allowed);
      expected += allowed ? weights[i] : 0;
      found.insert(found.end(), allowed ? 1 : 0, static_cast<std::uint32_t>(i));
    }
    INFO("most " << pairs.most << ", parts " << pairs.parts << ", others " << others.size());
    REQUIRE(sums[w] == expected);
    numbers.resize(pairs.find(words[w], std::span<const T>(others), numbers.data()));
    REQUIRE(numbers == found);
    numbers.resize(others.size());
  }
}

struct SomeWords {
  std::vector<words::WordPlanes> all;
  std::size_t blocks() const { return all.size(); }
  template <class Take>
  void give(std::size_t i, const Take& take) const {
    take(i % 2, static_cast<std::uint32_t>(i), all[i]);
  }
  void prefetch(std::uint32_t) const {}
  words::SortedWord at(const words::WordChoice& choice, unsigned list, std::uint32_t number) const {
    return sorted_word(choice, all[number], number, list == 0);
  }
};
struct Runs {
  std::vector<std::vector<std::uint32_t>>& all;
  std::mutex& mutex;
  void count(std::size_t, std::span<const words::SortedWord> run) const {
    const std::lock_guard lock(mutex);
    all.emplace_back();
    for (const words::SortedWord& word : run) {
      CHECK((word.key == run.front().key && word.is_asked == (word.number % 2 == 0)));
      all.back().push_back(word.number);
    }
  }
  void finish() const {}
};

}  // namespace

TEST_CASE("pairs of words that differ in few bases") {
  RandomCases random(1801);
  on_all_targets([&] {
    for (int n = 0; n < 700; ++n) {
      compare_pairs<std::uint32_t>(random, 16);
      compare_pairs<std::uint64_t>(random, 32);
    }
  });
}

// A prefix as of very many words: the first bases of several stretches of the key.
TEST_CASE("words are sorted into runs of one key") {
  RandomCases random(1805);
  SomeWords some;
  for (int n = 0; n < 5000; ++n) {
    some.all.push_back({random.number(0, 0xfffff), random.number(0, 0xfffff), 0});
  }
  std::size_t several = 0;
  for (const words::WordChoice& choice : words::best_word_choices(20, 3, 300'000'000)) {
    several += choice.key.front().end - choice.key.front().begin < 7 ? 1 : 0;
    std::map<std::uint64_t, std::size_t> expected;
    for (const words::WordPlanes& word : some.all) {
      ++expected[sorted_word(choice, word, 0, false).key];
    }
    std::vector<std::vector<std::uint32_t>> runs;
    std::mutex mutex;
    words::WordRuns(some, choice, std::uint64_t{1} << 40)
        .for_each(
            [&](auto) {
              return Runs{runs, mutex};
            },
            [](double) {});
    REQUIRE(runs.size() == expected.size());
    for (const auto& run : runs) {
      REQUIRE(run.size() == expected[sorted_word(choice, some.all[run[0]], 0, false).key]);
    }
  }
  CHECK(several > 10);
}

TEST_CASE("a pair of reads counts for one choice of parts, or for none if it has too many mismatches") {
  RandomCases random(1804);
  std::size_t within = 0, beyond = 0;
  for (int n = 0; n < 20'000; ++n) {
    const mappability::ReferenceReads reads{static_cast<std::uint32_t>(random.number(8, 62)),
                                            static_cast<std::uint32_t>(random.number(1, 4)), false};
    const auto choices = words::best_word_choices(reads.length, reads.max_edits, 1'000'000);
    std::uint64_t differ = 0;
    for (std::size_t mismatches = random.number(0, reads.max_edits + 2); mismatches > 0; --mismatches) {
      differ |= std::uint64_t{1} << random.number(0, reads.length - 1);
    }
    const auto counts = std::count_if(choices.begin(), choices.end(), [&](const words::WordChoice& choice) {
      return words::gathered(differ, choice.key) == 0 && choice.pairs.allows(words::gathered(differ, choice.rest));
    });
    const bool is_within = std::popcount(differ) <= static_cast<int>(reads.max_edits);
    CAPTURE(reads.length, reads.max_edits, differ);
    REQUIRE(counts == (is_within && !choices.empty() ? 1 : 0));
    within += is_within && !choices.empty() ? 1 : 0;
    beyond += is_within ? 0 : 1;
  }
  CHECK(within > 5000);
  CHECK(beyond > 2000);
}

TEST_CASE("counts of sorted reads are those of an exhaustive search") {
  RandomCases random(1802);
  std::size_t cases = 0;
  std::uint64_t several = 0;
  for (std::size_t n = 0; n < 120 / kFewer; ++n) {
    std::vector<std::string> contigs = repetitive_contigs(random, random.chance(0.5) ? 0 : 0.02);
    contigs.resize(std::min<std::size_t>(contigs.size(), 3));
    for (std::string& contig : contigs) {
      contig.resize(std::min<std::size_t>(contig.size(), 300));
    }
    const auto reference = make_reference(contigs);
    const mappability::ReferenceReads reads{static_cast<std::uint32_t>(random.number(5, 64)),
                                            static_cast<std::uint32_t>(random.number(0, 4)), false};
    const double share = random.chance(0.7) ? 1 : 0.2;
    const auto starts = some_starts(reference, reads, [&] { return random.chance(share); });
    if (!mappability::suits_word_counts(reference, reads, starts.size())) {
      continue;
    }
    ++cases;
    const auto words = mappability::count_words(reference, reads, starts, [](double) {});
    for (const auto& start : starts) {
      const std::size_t contig = reference.contig_at(start.first);
      const std::string read = contigs[contig].substr(start.first - reference.contigs()[contig].offset, reads.length);
      const std::size_t expected = oracle_count(contigs, read, reads.max_edits, false);
      INFO("case " << n << ", -l " << reads.length << " -e " << reads.max_edits << ", read " << read);
      REQUIRE(words[start.first] == expected);
      several += expected > 1 ? 1 : 0;
    }
  }
  CHECK(cases > 60 / kFewer);
  CHECK(several > 5000 / kFewer);
}

TEST_CASE("counts of sorted reads of a longer text", "[long]") {
  RandomCases random(1803);
  // So many words that they are sorted in two passes, and a repeat that several threads compare.
  std::string text = random.bases(1'200'000);
  const std::string unit = random.bases(60);
  for (int n = 0; n < 300; ++n) {
    const std::string copy = random.mutate(unit, random.number(0, 5));
    text.replace(random.number(0, 100'000), copy.size(),
                 random.chance(0.5) ? copy : sequence::reverse_complement(copy));
  }
  // Reads with one or two N have other places: a copy without N, and one on the other strand.
  const std::string clean = text.substr(49'900, 200);
  text.replace(600'000, clean.size(), clean);
  text.replace(700'000, clean.size(), sequence::reverse_complement(clean));
  text.replace(50'000, 3, "NNN");
  std::string runs_of_a;
  while (runs_of_a.size() < 60'000) {
    runs_of_a += std::string(random.number(5, 30), 'A') + random.bases(1);
  }
  const std::vector<std::string> contigs{text, "ACGT", runs_of_a};
  const auto reference = make_reference(contigs);
  for (const mappability::ReferenceReads reads : {mappability::ReferenceReads{24, 2, false}, {40, 1, false}}) {
    std::vector<mappability::ReadStarts> starts;
    for (const sequence::Contig& contig : reference.contigs()) {
      starts.push_back({contig.offset, reads.of(contig)});
    }
    REQUIRE(mappability::suits_word_counts(reference, reads, text.size()));
    double done = 0;
    const auto words = mappability::count_words(reference, reads, starts, [&](double share) {
      REQUIRE(share >= done);
      done = share;
    });
    CHECK(done == 1);
    std::size_t most = 0;
    for (std::size_t n = 0; n < 60 / kFewer; ++n) {
      const std::size_t contig = n % 3 == 0 ? 2 : 0;
      const std::size_t some_n[] = {50'001 - reads.length, 50'002 - reads.length, 50'001, 50'002};
      const std::size_t begin = n < 4                ? some_n[n]
                                : contig == 2        ? random.number(0, runs_of_a.size() - reads.length)
                                : random.chance(0.8) ? random.number(0, 100'000)
                                                     : random.number(0, text.size() - reads.length);
      const std::size_t at = n < 4 ? 0 : contig;
      const std::size_t expected =
          oracle_count(contigs, contigs[at].substr(begin, reads.length), reads.max_edits, false);
      INFO("-l " << reads.length << ", contig " << at << ", position " << begin);
      REQUIRE(words[reference.contigs()[at].offset + begin] == expected);
      most = std::max(most, expected);
      CHECK((n % 3 != 0 || n > 3 || expected == 3));  // one N
    }
    CHECK(most > 1000);
  }
}
