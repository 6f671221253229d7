#include "words/word_choices.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <optional>
#include <utility>

namespace trawl::words {

namespace {

constexpr std::uint32_t kLongest = 64;
constexpr std::uint32_t kMostBases = 32;  // of the parts that match, and of the others
constexpr std::size_t kMostChoices = 100;

std::uint32_t size_of(const std::vector<Bases>& all) {
  return std::accumulate(all.begin(), all.end(), std::uint32_t{0},
                         [](std::uint32_t sum, const Bases& some) { return sum + some.end - some.begin; });
}

void append(std::vector<Bases>& all, Bases part) {
  if (!all.empty() && all.back().end == part.begin) {
    all.back().end = part.end;
  } else {
    all.push_back(part);
  }
}

WordChoice choice_of(const std::vector<Bases>& parts, const std::vector<bool>& matches, std::uint32_t most) {
  WordChoice choice;
  choice.pairs.most = most;
  std::size_t last = parts.size() - 1;
  while (!matches[last]) {
    --last;
  }
  std::uint32_t at = 0;  // in the rest
  for (std::size_t p = 0; p < parts.size(); ++p) {
    append(matches[p] ? choice.key : choice.rest, parts[p]);
    if (matches[p]) {
      continue;
    }
    const std::uint32_t size = parts[p].end - parts[p].begin;
    // If this part matched, too, the pair would belong to an earlier choice.
    if (p < last) {
      choice.pairs.part[choice.pairs.parts++] = static_cast<std::uint32_t>(sequence::low_ones(size) << at);
    }
    at += size;
  }
  choice.key_size = size_of(choice.key);
  choice.half = size_of(choice.rest) <= 16 ? 16 : 32;
  return choice;
}

// All choices of all but `most` parts; those of the first parts come first.
std::vector<WordChoice> choices_of(std::uint32_t length, std::uint32_t most, std::uint32_t cuts) {
  std::vector<Bases> parts;
  for (std::uint32_t p = 0, begin = 0; p < cuts; ++p) {
    const std::uint32_t end = begin + length / cuts + (p < length % cuts ? 1 : 0);
    parts.push_back({begin, end});
    begin = end;
  }
  std::vector<bool> matches(cuts, false);
  std::fill(matches.begin(), matches.end() - most, true);
  std::vector<WordChoice> choices;
  do {
    choices.push_back(choice_of(parts, matches, most));
  } while (choices.size() <= kMostChoices && std::prev_permutation(matches.begin(), matches.end()));
  return choices;
}

// Nanoseconds for each word, about, on a text without repeats; nothing if it is not possible.
std::optional<double> cost_of(const std::vector<WordChoice>& choices, double asked) {
  constexpr double kSort = 70;  // docs/record/mappability.md
  constexpr double kCompare = 0.2;
  double cost = 0;
  for (const WordChoice& choice : choices) {
    if (choice.key_size > kMostBases || size_of(choice.rest) > kMostBases) {
      return std::nullopt;
    }
    cost += kSort + kCompare * asked * std::pow(0.25, choice.key_size);
  }
  return choices.size() > kMostChoices ? std::nullopt : std::optional(cost);
}

}  // namespace

std::vector<WordChoice> best_word_choices(std::uint32_t length, std::uint32_t mismatches, std::uint64_t asked,
                                          double most) {
  if (length > kLongest || mismatches > WordPairs::kMost) {
    return {};
  }
  std::vector<WordChoice> best;
  const std::uint32_t most_cuts = std::min(length, mismatches == 0 ? 1 : 12u);
  for (std::uint32_t cuts = mismatches + 1; cuts <= most_cuts; ++cuts) {
    std::vector<WordChoice> choices = choices_of(length, mismatches, cuts);
    if (const auto cost = cost_of(choices, static_cast<double>(asked)); cost && *cost < most) {
      most = *cost;
      best = std::move(choices);
    }
  }
  return best;
}

}  // namespace trawl::words
