#include "lab/matchers/matcher.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <new>
#include <stdexcept>

#include "base/error.hpp"

namespace trawl::matchers {

namespace {

constexpr std::size_t kLarge = std::size_t{1} << 17;  // asking the system takes some microseconds

}  // namespace

void check_unique(const std::vector<const MatcherFacts*>& facts) {
  std::map<std::string, const MatcherFacts*> with_code, with_name;
  for (const MatcherFacts* one : facts) {
    if (const auto added = with_name.try_emplace(one->name, one); !added.second) {
      throw std::logic_error(std::string("two matchers of list.txt have the name '") + one->name + "': '" +
                             added.first->second->title + "' and '" + one->title + "'");
    }
    if (one->code[0] == '\0') {
      continue;
    }
    if (const auto added = with_code.try_emplace(one->code, one); !added.second) {
      throw std::logic_error(std::string("two matchers of list.txt have the code '") + one->code +
                             "': " + added.first->second->name + " and " + one->name);
    }
  }
}

namespace internal {

void* new_table(std::size_t bytes) {
  void* table = nullptr;
  if (bytes < kLarge) {
    table = std::calloc(1, bytes);
  } else if (table = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
             table == MAP_FAILED) {
    table = nullptr;
  }
  return table != nullptr ? table : throw std::bad_alloc();
}

void free_table(void* table, std::size_t bytes) {
  if (bytes < kLarge) {
    std::free(table);
  } else {
    munmap(table, bytes);
  }
}

}  // namespace internal

MatcherSettings resolve(const MatcherFacts& facts, MatcherSettings s) {
  const std::string name = facts.name;
  if (s.pattern.empty() || s.pattern.size() > facts.longest) {
    throw UsageError("the pattern has " + std::to_string(s.pattern.size()) + " characters; " + name + " takes 1 to " +
                     std::to_string(facts.longest));
  }
  if (s.max_edits > facts.most_edits) {
    throw UsageError("k = " + std::to_string(s.max_edits) + "; " + name +
                     (facts.most_edits == 0 ? " finds exact matches only"
                                            : " takes 0 to " + std::to_string(facts.most_edits) + " edits"));
  }
  if (s.alpha == 0) {
    s.alpha = facts.alphas[0];
  } else if (std::count(std::begin(facts.alphas), std::end(facts.alphas), s.alpha) == 0) {
    std::string choices;
    for (const unsigned alpha : facts.alphas) {
      choices += alpha == 0 ? "" : (choices.empty() ? " takes " : ", ") + std::to_string(alpha);
    }
    throw UsageError("alpha = " + std::to_string(s.alpha) + "; " + name + (choices.empty() ? " has none" : choices));
  }
  return s;
}

}  // namespace trawl::matchers
