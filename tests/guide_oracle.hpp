// The oracle of guides: where they end beside a PAM, by plain dynamic programming; and the alignment of one by brute
// force: all of them are made, and compared by the rule as it is written.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "match/fewest_gaps.hpp"
#include "scan/find/query.hpp"
#include "scan/report/guide_scores.hpp"
#include "sequence/alphabet.hpp"
#include "sequence/reference.hpp"
#include "tests/pattern_oracle.hpp"

namespace trawl::tests {

/// {number of the query or pattern, position of its last letter}: distance.
using Ends = std::map<std::pair<std::uint32_t, std::uint64_t>, unsigned>;

inline bool matches_at(std::string_view pam, std::string_view text, std::size_t at, bool ambiguous_matches) {
  bool matches = at + pam.size() <= text.size();
  for (std::size_t i = 0; matches && i < pam.size(); ++i) {
    matches = pattern_matches(pam[i], text[at + i], ambiguous_matches);
  }
  return matches;
}

/// D of a guide next to a PAM that matches exactly, for all ends 0..text.size(); more than max_edits if there is none.
/// A finder either allows no bulges or any number. Letters before the contig are mismatches.
inline std::vector<int> guide_distances(const scan::Query& query, std::string_view text,
                                        const scan::ScanOptions& options) {
  const std::string_view bases = query.bases;
  const std::string_view guide = bases.substr(query.pam_first, query.guide_length());
  const std::string_view pam =
      query.pam_last > 0 ? bases.substr(bases.size() - query.pam_last) : bases.substr(0, query.pam_first);
  const int none = static_cast<int>(options.max_edits) + 1;
  std::vector<int> out(text.size() + 1, none);
  const bool gaps = options.metric == scan::Metric::levenshtein && options.max_bulges > 0;
  const auto mismatches = [&](std::size_t end) {
    int count = 0;
    for (std::size_t i = 0; i < guide.size(); ++i) {
      const std::size_t left = guide.size() - i;
      count += left > end || !pattern_matches(guide[i], text[end - left], options.ambiguous_matches);
    }
    return count;
  };
  if (query.pam_last > 0) {
    const auto of_guide = gaps ? pattern_distances(guide, text, options.ambiguous_matches) : std::vector<int>();
    for (std::size_t at = 0; at < text.size(); ++at) {
      if (matches_at(pam, text, at, options.ambiguous_matches)) {
        out[at + pam.size()] = gaps ? of_guide[at] : mismatches(at);
      }
    }
    return out;
  }
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!matches_at(pam, text, at, options.ambiguous_matches)) {
      continue;
    }
    const std::size_t begin = at + pam.size();
    if (gaps) {
      const auto of_guide = pattern_distances(guide, text.substr(begin, guide.size() + options.max_edits),
                                              options.ambiguous_matches, true);
      for (std::size_t i = 0; i < of_guide.size(); ++i) {
        out[begin + i] = std::min(out[begin + i], of_guide[i]);
      }
    } else if (begin + guide.size() <= text.size()) {
      out[begin + guide.size()] = mismatches(begin + guide.size());
    }
  }
  return out;
}

inline std::vector<std::pair<std::size_t, int>> guide_ends(const scan::Query& query, std::string_view text,
                                                           const scan::ScanOptions& options) {
  std::vector<std::pair<std::size_t, int>> ends;
  const auto distances = guide_distances(query, text, options);
  for (std::size_t end = 1; end <= text.size(); ++end) {
    const bool is_outside = options.metric == scan::Metric::hamming && end < query.length();
    const std::size_t begin = end - std::min<std::size_t>(end, query.length());
    if (distances[end] <= static_cast<int>(options.max_edits) && !is_outside &&
        !(options.ambiguous_matches && leans_on_ambiguous(text, begin, end, query.length(), 0, 100))) {
      ends.emplace_back(end, distances[end]);
    }
  }
  return ends;
}

/// All ends of the queries, guides or not, by plain dynamic programming in each contig.
inline Ends oracle_ends(const std::vector<std::string>& contigs, const sequence::Reference& reference,
                        const std::vector<scan::Query>& queries, const scan::ScanOptions& options) {
  Ends ends;
  for (std::uint32_t q = 0; q < queries.size(); ++q) {
    for (std::size_t c = 0; c < contigs.size(); ++c) {
      const auto of_contig = queries[q].has_pam()
                                 ? guide_ends(queries[q], contigs[c], options)
                                 : oracle_ends(queries[q].bases, contigs[c], static_cast<int>(options.max_edits),
                                               options.metric == scan::Metric::hamming, options.ambiguous_matches);
      for (const auto& [end, distance] : of_contig) {
        ends[{q, reference.contigs()[c].offset + end - 1}] = static_cast<unsigned>(distance);
      }
    }
  }
  return ends;
}

/// By all cells: at(i, j, b) is the fewest mismatches of the first i letters of a guide with the first j of a text,
/// with exactly b letters in bulges; kNever if there is no such alignment. `differ(i, j)`: letter i of the guide does
/// not match letter j of the text.
class FewestMismatches {
 public:
  static constexpr unsigned kNever = 1u << 20;

  template <class Differ>
  FewestMismatches(std::size_t guide, std::size_t text, std::uint32_t bulges, const Differ& differ)
      : text_(text), bulges_(bulges), cells_((guide + 1) * (text + 1) * (bulges + 1), kNever) {
    for (std::size_t i = 0; i <= guide; ++i) {
      for (std::size_t j = 0; j <= text; ++j) {
        for (std::uint32_t b = 0; b <= bulges; ++b) {
          unsigned& here = cells_[place(i, j, b)];
          if (i + j + b == 0) {
            here = 0;
          }
          if (i > 0 && j > 0) {
            here = std::min(here, at(i - 1, j - 1, b) + (differ(i - 1, j - 1) ? 1 : 0));
          }
          if (i > 0 && b > 0) {
            here = std::min(here, at(i - 1, j, b - 1));
          }
          if (j > 0 && b > 0) {
            here = std::min(here, at(i, j - 1, b - 1));
          }
        }
      }
    }
  }
  unsigned at(std::size_t i, std::size_t j, std::uint32_t b) const { return cells_[place(i, j, b)]; }

 private:
  std::size_t place(std::size_t i, std::size_t j, std::uint32_t b) const {
    return (i * (text_ + 1) + j) * (bulges_ + 1) + b;
  }

  std::size_t text_;
  std::uint32_t bulges_;
  std::vector<unsigned> cells_;
};

struct GuideLimits {
  std::uint32_t edits, mismatches, bulges;
  std::uint32_t dna = ~std::uint32_t{0}, rna = ~std::uint32_t{0};  // of one kind
};

/// What makes one alignment better than another: the smaller one is better.
struct GuideOrder {
  std::uint32_t edits = 0;
  std::uint32_t gaps = 0;
  std::uint32_t far_gaps = 0;                   // at the end of the guide that is far from the PAM
  std::uint64_t cfd_cost = 0;                   // if it counts
  std::vector<match::Step> steps_from_right{};  // a match or mismatch, then an insertion, then a deletion

  auto operator<=>(const GuideOrder&) const = default;
};

using CfdOfSteps = std::function<std::uint64_t(const std::vector<match::Step>&, std::size_t)>;

/// The sum of scan::cfd_cost() of a guide on a text with the PAM NGG, both from left to right. `pam_first`: they are on
/// the other strand. Of a guide of 20 bases, it is compared with its CFD.
inline CfdOfSteps cfd_of_steps(const std::string& guide, const std::string& text, bool pam_first) {
  return [guide, text, pam_first](const std::vector<match::Step>& steps, std::size_t begin) {
    std::string of_guide, of_text;
    std::size_t i = 0, j = begin;
    for (const match::Step step : steps) {
      of_guide += step == match::Step::deletion ? '-' : guide[i++];
      of_text += step == match::Step::insertion ? '-' : text[j++];
    }
    for (std::string* const letters : {&of_guide, &of_text}) {
      if (pam_first) {
        std::reverse(letters->begin(), letters->end());
        std::transform(letters->begin(), letters->end(), letters->begin(),
                       [](char c) { return c == '-' ? c : sequence::reverse_complement(std::string(1, c))[0]; });
      }
      // Bases that it lacks far from the PAM match.
      letters->insert(0, scan::kScoredLength - std::min(guide.size(), scan::kScoredLength), 'A');
    }
    std::uint64_t cost = 0;
    const auto code = [](char c) -> std::uint8_t {
      return c == '-' ? scan::kBulgeCode : sequence::base_code(c) > 3 ? scan::kNoBase : sequence::base_code(c);
    };
    for (std::size_t column = 0; column < of_guide.size(); ++column) {
      const std::size_t at = of_guide.size() - 1 - column;
      cost += scan::cfd_cost(code(of_guide[at]), code(of_text[at]), column);
    }
    const auto scores = scan::guide_scores(of_guide, of_text, "AGG");
    const double cfd = cost >= scan::kNoActivity ? 0 : std::exp2(-std::ldexp(cost, -28));
    if (scores && std::abs(cfd - scores->cfd) > 1e-7) {
      throw std::logic_error("the costs of " + of_guide + " and " + of_text + " are not those of their CFD");
    }
    return cost;
  };
}

/// The best alignment of a guide that begins (`pam_first`) or ends with the text, both from left to right, within the
/// limits. `differ(i, j)`: letter i of the guide does not match letter j of the text. `cfd(steps, begin)`: of steps
/// from left to right that begin with this letter of the text; null: it does not count. It takes much time: for short
/// guides and few edits.
inline std::optional<GuideOrder> best_guide_order(std::size_t guide, std::size_t text, const GuideLimits& limits,
                                                  bool pam_first,
                                                  const std::function<bool(std::size_t, std::size_t)>& differ,
                                                  const CfdOfSteps& cfd = nullptr) {
  std::optional<GuideOrder> best;
  std::vector<match::Step> steps;
  std::size_t begin = 0;
  const auto take = [&](std::uint32_t edits) {
    GuideOrder order{edits, 0, 0, cfd ? cfd(steps, begin) : 0, {steps.rbegin(), steps.rend()}};
    for (std::size_t s = 0; s < steps.size(); ++s) {
      order.gaps += steps[s] != match::Step::diagonal && (s == 0 || steps[s - 1] != steps[s]) ? 1 : 0;
    }
    order.far_gaps = !steps.empty() && (pam_first ? steps.back() : steps.front()) != match::Step::diagonal ? 1 : 0;
    best = best ? std::min(*best, order) : order;
  };
  const std::function<void(std::size_t, std::size_t, std::uint32_t, std::uint32_t)> walk =
      [&](std::size_t i, std::size_t j, std::uint32_t mismatches, std::uint32_t bulges) {
        const auto of_kind = [&](match::Step kind) {
          return static_cast<std::uint32_t>(std::count(steps.begin(), steps.end(), kind));
        };
        if (of_kind(match::Step::deletion) > limits.dna || of_kind(match::Step::insertion) > limits.rna) {
          return;
        }
        if (mismatches > limits.mismatches || bulges > limits.bulges || mismatches + bulges > limits.edits ||
            (best && mismatches + bulges > best->edits)) {
          return;
        }
        if (i == guide && (pam_first || j == text)) {
          take(mismatches + bulges);
        }
        const auto step = [&](match::Step kind, std::size_t to_i, std::size_t to_j, std::uint32_t differs) {
          steps.push_back(kind);
          walk(to_i, to_j, mismatches + differs, bulges + (kind == match::Step::diagonal ? 0 : 1));
          steps.pop_back();
        };
        if (i < guide && j < text) {
          step(match::Step::diagonal, i + 1, j + 1, differ(i, j) ? 1 : 0);
        }
        if (i < guide) {
          step(match::Step::insertion, i + 1, j, 0);
        }
        if (j < text) {
          step(match::Step::deletion, i, j + 1, 0);
        }
      };
  const std::size_t longest = guide + limits.bulges;
  for (begin = pam_first ? 0 : text - std::min(text, longest); begin <= (pam_first ? 0 : text); ++begin) {
    walk(0, begin, 0, 0);
  }
  return best;
}

}  // namespace trawl::tests
