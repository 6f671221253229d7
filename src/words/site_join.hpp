// Compares the words of sites with each other: how many sites each has by mismatches, and the sums of their scores.
//
//   with: SiteWords& words
//   words.forget_asked();
//   words.ask(7);
//   words.end_asking();
//   std::vector<SiteSums> sums = own_sums(words);                     // of word 7
//   make_cpu_site_join()->add(words, sums, [](double share) { std::printf("%.0f%%\n", 100 * share); });
//   if (sums[0].sites[0] == 1) { ... }                                // no other site has the same bases
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "words/pair_scores.hpp"
#include "words/site_words.hpp"

namespace trawl::words {

/// The sites of a guide, with its own one. Sites with ambiguous bases have no scores.
struct SiteSums {
  std::uint32_t sites[SiteRule::kMostMismatches + 1] = {};  // by mismatches
  std::uint32_t without_score = 0;
  ScoreSums scores;
};

/// By SiteWords::place(), of the words that are asked for: the sites with these bases and this PAM.
std::vector<SiteSums> own_sums(const SiteWords& words);

/// Of an engine. The sums do not depend on it.
class SiteJoin {
 public:
  virtual ~SiteJoin() = default;
  /// Adds all other sites to own_sums(). Says from time to time which share is done. Throws Error.
  virtual void add(const SiteWords& words, std::span<SiteSums> sums, const std::function<void(double)>& progress) = 0;
  virtual std::string description() const = 0;
  /// How many words it can count for at a time.
  virtual std::uint64_t most_asked() const { return ~std::uint64_t{0}; }
};

/// Works with all threads of the caller's arena.
std::unique_ptr<SiteJoin> make_cpu_site_join();

}  // namespace trawl::words
