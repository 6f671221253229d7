// Sets of many exact patterns: every finder gives what a table of all words of the text gives.
#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "base/parallel_sort.hpp"
#include "base/radix_sort.hpp"
#include "scan/find/finder.hpp"
#include "scan/find/literal_table.hpp"
#include "scan/find/search_plan.hpp"
#include "sequence/alphabet.hpp"
#include "sequence/partition.hpp"
#include "tests/catch.hpp"
#include "tests/find_all.hpp"
#include "tests/on_all_targets.hpp"
#include "tests/random_cases.hpp"

using namespace trawl;

namespace {

using Found = std::vector<std::pair<std::uint32_t, std::uint64_t>>;  // id and end, sorted

// All words of the text with the lengths of the literals, and where they end.
Found oracle(const std::vector<std::string>& contigs, const sequence::Reference& reference,
             const std::vector<std::string>& literals) {
  std::unordered_map<std::string, std::vector<std::uint32_t>> ids;
  std::set<std::size_t> lengths;
  for (std::uint32_t i = 0; i < literals.size(); ++i) {
    ids[literals[i]].push_back(i);
    lengths.insert(literals[i].size());
  }
  Found found;
  for (std::size_t c = 0; c < contigs.size(); ++c) {
    for (const std::size_t length : lengths) {
      for (std::size_t at = 0; at + length <= contigs[c].size(); ++at) {
        if (const auto word = ids.find(contigs[c].substr(at, length)); word != ids.end()) {
          for (const std::uint32_t id : word->second) {
            found.emplace_back(id, reference.contigs()[c].offset + at + length - 1);
          }
        }
      }
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<std::string> make_literals(tests::RandomCases& random, const std::vector<std::string>& contigs) {
  std::vector<std::string> literals;
  const std::size_t count = random.number(1, random.chance(0.1) ? 20000 : 300);
  const std::size_t shortest = random.number(1, 40);
  const std::size_t longest = random.chance(0.3) ? shortest : random.number(shortest, random.chance(0.2) ? 200 : 70);
  const auto some = [&] {
    std::string word = random.bases(random.number(shortest, longest));
    const std::string& contig = contigs[random.number(0, contigs.size() - 1)];
    if (random.chance(0.6) && contig.size() > word.size()) {
      word = contig.substr(random.number(0, contig.size() - word.size()), word.size());
    }
    return word.find_first_not_of("ACGT") == word.npos ? word : random.bases(word.size());
  };
  switch (random.number(0, 5)) {
    case 0: {  // prefixes and suffixes of one word
      const std::string word = some() + random.bases(20);
      for (std::size_t n = 1; n <= word.size(); ++n) {
        literals.push_back(word.substr(0, n));
        literals.push_back(word.substr(word.size() - n));
      }
      break;
    }
    case 1: {  // all rotations of a word
      const std::string word = some();
      for (std::size_t n = 0; n < word.size(); ++n) {
        literals.push_back(word.substr(n) + word.substr(0, n));
      }
      break;
    }
    case 2:  // one letter
      for (std::size_t n = 1; n <= longest; ++n) {
        literals.push_back(std::string(n, random.chance(0.8) ? 'A' : 'T'));
      }
      break;
    default:
      while (literals.size() < count) {
        literals.push_back(random.chance(0.1) && !literals.empty() ? literals[random.number(0, literals.size() - 1)]
                                                                   : some());
      }
  }
  return literals;
}

std::vector<std::string> make_contigs(tests::RandomCases& random) {
  std::vector<std::string> contigs;
  for (std::size_t c = random.number(1, 4); c > 0; --c) {
    std::string contig =
        random.contig(random.number(1, random.chance(0.2) ? 9000 : 600), random.chance(0.5) ? 0.01 : 0);
    if (random.chance(0.3)) {
      contig.insert(random.number(0, contig.size()), std::string(random.number(1, 300), 'A'));
    }
    contigs.push_back(contig);
  }
  return contigs;
}

}  // namespace

TEST_CASE("a set of literals finds every word of the text that it has, and no other") {
  tests::RandomCases random(911);
  std::size_t hits = 0;
  for (int n = 0; n < 400; ++n) {
    const auto contigs = make_contigs(random);
    const auto literals = make_literals(random, contigs);
    const auto reference = tests::make_reference(contigs);
    std::vector<scan::Literal> views;
    for (std::uint32_t i = 0; i < literals.size(); ++i) {
      views.push_back({i, literals[i]});
    }
    const auto tables = scan::make_literal_tables(views);
    const Found expected = oracle(contigs, reference, literals);
    CAPTURE(n, literals.size(), literals.front());
    // In stretches of any length; if there is no room, the stretch is asked for in smaller parts.
    const std::uint64_t most = random.chance(0.5) ? reference.size() : random.number(1, 5000);
    scan::HitRoom options;
    if (random.chance(0.3)) {
      options.most_hits = random.number(1, 100);
    }
    Found found;
    for (std::uint64_t at = 0; at < reference.size();) {
      std::vector<scan::Hit> some;
      std::uint64_t length = std::min(most, reference.size() - at);
      std::uint64_t stop = at;
      for (options.room = random.number(1, 100000); stop == at; length = (length + 1) / 2) {
        some.clear();
        options.room = length > 1 ? options.room : SIZE_MAX;
        stop = scan::literal_scan(reference, tables, options, at, at + length, some);
      }
      for (const scan::Hit& hit : some) {
        REQUIRE(hit.end >= at);
        REQUIRE(hit.end < stop);
        found.emplace_back(hit.id, hit.end);
      }
      at = stop;
    }
    std::sort(found.begin(), found.end());
    REQUIRE(found == expected);
    hits += found.size();
  }
  REQUIRE(hits > 100000);
}

TEST_CASE("every choice of grams finds every literal") {
  tests::RandomCases random(915);
  std::size_t hits = 0, by_rank = 0;
  for (int n = 0; n < 400; ++n) {
    const auto contigs = make_contigs(random);
    const auto literals = make_literals(random, contigs);
    const auto reference = tests::make_reference(contigs);
    std::vector<scan::Literal> views;
    std::size_t shortest = SIZE_MAX;
    for (std::uint32_t i = 0; i < literals.size(); ++i) {
      views.push_back({i, literals[i]});
      shortest = std::min(shortest, literals[i].size());
    }
    scan::GramPlan plan;
    plan.window = static_cast<unsigned>(random.number(1, std::min<std::size_t>(shortest, 16)));
    plan.gram = static_cast<unsigned>(random.number(1, std::min<std::size_t>(shortest - plan.window + 1, 16)));
    plan.by_rank = random.chance(0.5);
    by_rank += plan.by_rank && plan.window > 1;
    const scan::LiteralTable table(views, 0, plan);
    const Found expected = oracle(contigs, reference, literals);
    CAPTURE(n, literals.size(), literals.front(), plan.window, plan.gram, plan.by_rank);
    const auto one = [&] {
      scan::PackedText text;
      scan::LiteralTable::Room room;
      std::vector<scan::Hit> some;
      for (std::uint64_t at = 0, next = 0; at < reference.size(); at = next) {
        next = std::min(reference.size(), at + random.number(1, scan::PackedText::kMost));
        const std::uint64_t origin = (at - std::min(at, scan::PackedText::kBefore)) / 64 * 64;
        text.load(reference, origin, next);
        REQUIRE(table.search(reference, text, at - origin, next - origin, SIZE_MAX, room, some));
      }
      Found found;
      for (const scan::Hit& hit : some) {
        found.emplace_back(hit.id, hit.end);
      }
      std::sort(found.begin(), found.end());
      REQUIRE(found == expected);
    };
    n % 10 == 0 ? tests::on_all_targets(one) : one();
    hits += expected.size();
  }
  REQUIRE(hits > 100000);
  REQUIRE(by_rank > 100);
}

TEST_CASE("a plan is chosen by the number of literals and their length") {
  using scan::LiteralTable;
  for (const std::uint64_t literals : {1, 100, 10000, 1000000, 20000000}) {
    for (std::uint32_t shortest = 1; shortest <= 100; ++shortest) {
      const auto plan = LiteralTable::choose_plan(literals, shortest);
      CAPTURE(literals, shortest, plan.gram, plan.window);
      REQUIRE(plan.letters() <= shortest);
      REQUIRE(plan.gram >= 1);
      REQUIRE(plan.gram <= scan::LiteralGroup::kLongestGram);
      REQUIRE(plan.window <= scan::TextGrams::kLongestWindow);
    }
  }
  REQUIRE(!LiteralTable::choose_plan(1000, 32).by_rank);
  REQUIRE(LiteralTable::choose_plan(2000000, 32).by_rank);
}

TEST_CASE("wherever a part has at most one edit, one of its words ends") {
  tests::RandomCases random(916);
  std::size_t matches = 0;
  for (int n = 0; n < 400; ++n) {
    const bool hamming = random.chance(0.3);
    const std::string letters = random.chance(0.3) ? "AC" : "ACGT";
    std::string part;
    for (std::size_t i = random.number(2, 14); i > 0; --i) {
      part += letters[random.number(0, letters.size() - 1)];
    }
    std::string text = "GATTACA";
    while (text.size() < 300) {
      text += random.chance(0.5) ? random.mutate(part, random.number(0, 1)) : std::string(1, random.base());
    }
    std::set<std::string> words;
    std::size_t count = 0;
    scan::for_near_words(part, hamming, [&](std::string_view word) {
      words.insert(std::string(word));
      ++count;
    });
    REQUIRE(count <= scan::most_near_words(part.size(), hamming));
    const auto ends_at = [&](std::size_t end) {
      return std::any_of(words.begin(), words.end(),
                         [&](const std::string& word) { return text.substr(0, end).ends_with(word); });
    };
    for (std::size_t end = part.size() + 1; end <= text.size(); ++end) {
      // Of one length: with mismatches. One letter shorter or longer: with this letter left out of the longer one.
      const auto like = [&](std::size_t length) {
        const std::string there = text.substr(end - length, length);
        const std::string& longer = there.size() > part.size() ? there : part;
        const std::string& shorter = there.size() > part.size() ? part : there;
        if (longer.size() == shorter.size()) {
          std::size_t differ = 0;
          for (std::size_t i = 0; i < part.size(); ++i) {
            differ += there[i] != part[i];
          }
          return differ <= 1;
        }
        for (std::size_t i = 0; i < longer.size(); ++i) {
          if (longer.substr(0, i) + longer.substr(i + 1) == shorter) {
            return true;
          }
        }
        return false;
      };
      if (like(part.size()) || (!hamming && (like(part.size() - 1) || like(part.size() + 1)))) {
        ++matches;
        CAPTURE(part, text.substr(0, end), hamming);
        REQUIRE((ends_at(end) || (!hamming && ends_at(end - 1))));
      }
    }
  }
  REQUIRE(matches > 5000);
}

TEST_CASE("the CPU finder looks sets up on both strands") {
  tests::RandomCases random(912);
  for (int n = 0; n < 200; ++n) {
    const auto contigs = make_contigs(random);
    const auto literals = make_literals(random, contigs);
    scan::ScanOptions options;
    options.search = scan::ScanMethod::pieces;
    options.metric = random.chance(0.5) ? scan::Metric::hamming : scan::Metric::levenshtein;
    scan::PatternList patterns;
    std::vector<std::string> strands;
    for (const std::string& literal : literals) {
      patterns.add("p", literal);
      strands.push_back(literal);
      strands.push_back(sequence::reverse_complement(literal));
    }
    const auto queries = scan::make_queries(patterns, options);
    const auto reference = tests::make_reference(contigs);
    std::vector<scan::Hit> hits;
    tests::find_all(*scan::make_cpu_finder(queries, options), reference, hits);
    Found found;
    for (const scan::Hit& hit : hits) {
      REQUIRE(hit.distance == 0);
      found.emplace_back(hit.id, hit.end);
    }
    CAPTURE(n, literals.size(), literals.front());
    REQUIRE(found == oracle(contigs, reference, strands));
  }
}

TEST_CASE("radix_sort() is a stable sort") {
  tests::RandomCases random(913);
  for (int n = 0; n < 100; ++n) {
    std::vector<std::pair<std::uint64_t, std::size_t>> all(random.number(0, 3000));
    const std::uint64_t mask = random.chance(0.2) ? ~std::uint64_t{0} : (std::uint64_t{1} << random.number(0, 60)) - 1;
    const std::uint64_t base = random.number(0, SIZE_MAX) & ~mask;
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i] = {base | (random.number(0, SIZE_MAX) & mask), i};
    }
    auto expected = all;
    std::sort(expected.begin(), expected.end());
    std::vector<std::pair<std::uint64_t, std::size_t>> room;
    radix_sort(all, room, [](const auto& element) { return element.first; });
    REQUIRE(all == expected);
  }
}

TEST_CASE("parallel_sort() is a stable sort") {
  tests::RandomCases random(915);
  struct Element {
    std::uint64_t key;
    std::uint32_t second, number;
    bool operator==(const Element&) const = default;
  };
  for (int n = 0; n < 60; ++n) {
    // Some fill one bin, and the next bins in it, or have few keys.
    const unsigned bits = static_cast<unsigned>(random.number(0, 64)),
                   common = static_cast<unsigned>(random.number(0, bits));
    const std::uint64_t top =
        bits == 64 ? random.number(0, UINT64_MAX) : random.number(0, (std::uint64_t{1} << bits) - 1);
    const std::uint64_t differ = common == 64 ? UINT64_MAX : (std::uint64_t{1} << common) - 1;
    std::vector<Element> all(random.number(0, n % 10 == 0 ? 300000 : 30000));
    for (std::size_t i = 0; i < all.size(); ++i) {
      const bool is_far = random.chance(0.1);
      const std::uint64_t key =
          is_far ? random.number(0, UINT64_MAX) & (bits == 64 ? UINT64_MAX : (std::uint64_t{1} << bits) - 1)
                 : (top & ~differ) | (random.number(0, UINT64_MAX) & differ);
      all[i] = {key, static_cast<std::uint32_t>(random.number(0, 3)), static_cast<std::uint32_t>(i)};
    }
    auto expected = all;
    std::sort(expected.begin(), expected.end(), [](const Element& a, const Element& b) {
      return std::tie(a.key, a.second, a.number) < std::tie(b.key, b.second, b.number);
    });
    std::vector<Element> room(all.size());
    CAPTURE(bits, common, all.size());
    parallel_sort<Element>(
        all, room, bits, [](const Element& element) { return element.key; },
        [](const Element& a, const Element& b) { return a.second < b.second; });
    REQUIRE(std::equal(all.begin(), all.end(), expected.begin()));
  }
}

TEST_CASE("partition() keeps every element, in order, in its part") {
  tests::RandomCases random(914);
  for (int n = 0; n < 50; ++n) {
    const std::size_t count = random.number(0, 20000), parts = random.number(1, 300);
    std::vector<std::size_t> part_of(count);
    for (std::size_t& part : part_of) {
      part = random.number(0, parts - 1);
    }
    std::vector<std::uint64_t> first;
    const auto sorted = sequence::partition<std::size_t>(count, parts, first, [&](std::size_t i, auto&& put) {
      for (std::size_t twice = 0; twice < i % 3; ++twice) {
        put(part_of[i], i);
      }
    });
    REQUIRE(first.size() == parts + 1);
    std::vector<std::vector<std::size_t>> expected(parts);
    for (std::size_t i = 0; i < count; ++i) {
      expected[part_of[i]].insert(expected[part_of[i]].end(), i % 3, i);
    }
    for (std::size_t p = 0; p < parts; ++p) {
      REQUIRE(std::vector<std::size_t>(sorted.begin() + first[p], sorted.begin() + first[p + 1]) == expected[p]);
    }
  }
}
