#include "scan/find/guide_set.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string>

#include "sequence/alphabet.hpp"
#include "sequence/plane_window.hpp"

namespace trawl::scan {

namespace {

// Entries of all tables together: 256 MiB. With more, guides are searched by rows.
constexpr double kMostEntries = 1 << 26;
// Bytes of an entry, and of the like words that become entries; of a word's start, and where its next entry comes.
constexpr std::uint64_t kEntryMemory = 4 + 16, kWordMemory = 4 + 4;
// Lengths of guides. Each has its own tables and look-ups; further ones are searched by rows.
constexpr std::size_t kMostGroups = 4;

// Calls use(word, edits) for each word of `gram` letters (GuideTable::gram) that is like `half` with at most `most`
// edits.
class LikeWords {
 public:
  LikeWords(std::string_view half, unsigned gram, std::uint32_t most, bool no_gaps)
      : half_(half), gram_(gram), most_(most), no_gaps_(no_gaps) {
    for (std::uint32_t i = 0; i <= half.size(); ++i) {
      columns_[0][i] = no_gaps && i > 0 ? kNone : i;
    }
  }
  template <class Use>
  void for_each(Use&& use) {
    extend(0, 0, kNone, use);
  }

 private:
  static constexpr std::uint32_t kNone = 100;

  // columns_[j][i]: distance of the first i letters of the half and the first j of the word. `whole`: the smallest one
  // of the whole half and any start of the word.
  template <class Use>
  void extend(unsigned j, std::uint32_t word, std::uint32_t whole, Use& use) {
    const auto& column = columns_[j];
    const std::size_t m = half_.size();
    whole = std::min(whole, column[m]);
    const std::uint32_t cost = std::min(whole, *std::min_element(column.begin(), column.begin() + m + 1));
    if (cost > most_) {
      return;
    }
    if (j == gram_) {
      use(word, cost);
      return;
    }
    auto& next = columns_[j + 1];
    for (std::uint32_t code = 0; code < 4; ++code) {
      next[0] = no_gaps_ ? kNone : j + 1;
      for (std::size_t i = 1; i <= m; ++i) {
        const std::uint32_t differs = sequence::base_code(half_[i - 1]) != code;
        next[i] = column[i - 1] + differs;
        if (!no_gaps_) {
          next[i] = std::min({next[i], column[i] + 1, next[i - 1] + 1});
        }
      }
      extend(j + 1, word | (code & 1) << j | (code >> 1) << (gram_ + j), whole, use);
    }
  }

  std::string_view half_;
  unsigned gram_;
  std::uint32_t most_;
  bool no_gaps_;
  std::array<std::array<std::uint32_t, GuideSet::kLongestGuide + 1>, GuideTable::kLongestGram + 1> columns_;
};

unsigned gram_of(std::size_t half) {
  return static_cast<unsigned>(std::min<std::size_t>(half, GuideTable::kLongestGram));
}

// How a group may be searched.
struct GuideCut {
  std::uint32_t near = 0;
  std::uint32_t near_edits = 0;
  std::vector<GuideGroup::Shift> shifts;
  double look_ups = 0;  // at a site
  double found = 0;     // guides to compare at a site, for each guide of the group
  double entries = 0;   // for each guide
};

// The shifts of the far half if the near half has more than `near_edits` edits.
std::vector<GuideGroup::Shift> shifts_of(std::uint32_t near, std::uint32_t near_edits, std::uint32_t k, bool no_gaps) {
  std::vector<GuideGroup::Shift> shifts;
  const int most = no_gaps ? 0 : static_cast<int>(k);
  for (int s = -most; s <= most; ++s) {
    const std::uint32_t of_near = std::max(near_edits + 1, static_cast<std::uint32_t>(std::abs(s)));
    if (of_near <= k) {
      shifts.push_back({static_cast<std::uint32_t>(static_cast<int>(near) + s), k - of_near});
    }
  }
  return shifts;
}

// The cheapest cut of guides like this one.
GuideCut choose_cut(std::string_view guide, std::uint32_t k, bool no_gaps, double guides, const SearchCosts& costs) {
  GuideCut best;
  double least = INFINITY;
  const auto length = static_cast<std::uint32_t>(guide.size());
  const std::uint32_t near_edits = k == 0 ? 0 : k / 2;
  for (std::uint32_t near = std::max(length / 2 - 1, k + 1); near <= length / 2 + 2 && near < length; ++near) {
    GuideCut cut{near, near_edits, {}, 1, 0, 0};
    const auto count = [&](std::string_view half, std::uint32_t edits, double* by_edits) {
      LikeWords(half, gram_of(half.size()), edits, no_gaps).for_each([&](std::uint32_t, std::uint32_t cost) {
        ++cut.entries;
        for (std::uint32_t c = cost; c <= edits; ++c) {
          ++by_edits[c];
        }
      });
      for (std::uint32_t c = 0; c <= edits; ++c) {
        by_edits[c] /= std::pow(4.0, gram_of(half.size()));
      }
    };
    double of_near[GuideTable::kCosts] = {}, of_far[GuideTable::kCosts] = {};
    count(guide.substr(0, near), near_edits, of_near);
    cut.found = of_near[near_edits];
    if (k > 0) {
      cut.shifts = shifts_of(near, near_edits, k, no_gaps);
      count(guide.substr(near), k - near_edits - 1, of_far);
      for (const GuideGroup::Shift& shift : cut.shifts) {
        cut.found += of_far[shift.edits];
      }
      cut.look_ups += static_cast<double>(cut.shifts.size());
    }
    const double cost = cut.look_ups * costs.word + cut.found * guides * costs.guide;
    if (cost < least) {
      least = cost;
      best = cut;
    }
  }
  return best;
}

// What the look-ups and comparisons beside the sites of a PAM take, in nanoseconds for a position of the text.
double cost_beside(const Pam& pam, const GuideCut& cut, double guides, bool no_gaps, const SearchCosts& costs) {
  // Genomes have more sites than random text.
  constexpr double kUnevenness = 2;
  return 2 * site_rate(pam) * kUnevenness *
         (cut.look_ups * costs.word + cut.found * guides * (no_gaps ? costs.guide_no_gaps : costs.guide));
}

GuideTable make_table(const std::vector<std::string_view>& halves, std::uint32_t edits, bool no_gaps) {
  GuideTable table;
  table.gram = gram_of(halves.front().size());
  const std::size_t words = std::size_t{1} << (2 * table.gram);
  const std::size_t bitmap = (words + 63) / 64;
  table.bitmaps.assign((edits + 1) * bitmap, 0);
  struct Like {
    std::uint32_t word;
    std::uint32_t entry;
  };
  std::vector<std::vector<Like>> of_guides(halves.size());
  tbb::parallel_for(std::size_t{0}, halves.size(), [&](std::size_t g) {
    LikeWords(halves[g], table.gram, edits, no_gaps).for_each([&](std::uint32_t word, std::uint32_t cost) {
      of_guides[g].push_back({word, static_cast<std::uint32_t>(g) * GuideTable::kCosts + cost});
    });
  });
  table.starts.assign(words + 1, 0);
  for (const auto& of_guide : of_guides) {
    for (const Like& like : of_guide) {
      ++table.starts[like.word + 1];
      for (std::uint32_t c = like.entry % GuideTable::kCosts; c <= edits; ++c) {
        table.bitmaps[c * bitmap + like.word / 64] |= std::uint64_t{1} << (like.word % 64);
      }
    }
  }
  std::partial_sum(table.starts.begin(), table.starts.end(), table.starts.begin());
  table.entries.resize(table.starts.back());
  std::vector<std::uint32_t> next(table.starts.begin(), table.starts.end() - 1);
  for (auto& of_guide : of_guides) {
    for (const Like& like : of_guide) {
      table.entries[next[like.word]++] = like.entry;
    }
    of_guide = {};
  }
  return table;
}

bool takes(const Query& query, const ScanOptions& options) {
  if (!query.has_pam() || options.ambiguous_matches || options.max_edits > GuideSet::kMostEdits ||
      query.guide_length() > GuideSet::kLongestGuide || query.guide_length() < 2 * options.max_edits + 4 ||
      query.pam_first + query.pam_last > GuideSet::kLongestPam) {
    return false;
  }
  const std::string_view guide = query.bases.substr(query.pam_first, query.guide_length());
  return std::none_of(guide.begin(), guide.end(),
                      [](char base) { return sequence::base_code(base) == sequence::kAmbiguous; });
}

}  // namespace

std::uint64_t GuideSet::most_memory(std::uint64_t guides, const ScanOptions& options) {
  if (options.pam.bases.empty() || options.search == ScanMethod::rows || options.max_edits > kMostEdits) {
    return 0;
  }
  // Words that are like a half with 0, 1, 2 and 3 edits; the half that may have the most has k / 2.
  constexpr std::uint64_t kLikeWords[] = {1, 150, 9000, 300000};
  const std::uint64_t entries = 2 * guides * kLikeWords[options.max_edits / 2];
  const std::uint64_t words = std::min<std::uint64_t>(guides, kMostGroups) << (2 * GuideTable::kLongestGram);
  return std::min(entries, static_cast<std::uint64_t>(kMostEntries)) * kEntryMemory + 2 * words * kWordMemory;
}

double GuideSet::estimated_cost(const std::vector<Query>& queries, const ScanOptions& options,
                                const SearchCosts& costs) {
  const auto first = std::find_if(queries.begin(), queries.end(), [&](const Query& q) { return takes(q, options); });
  if (first == queries.end() || options.search == ScanMethod::rows) {
    return INFINITY;
  }
  const double strands = options.strands == Strands::both ? 2 : 1;
  const double guides = static_cast<double>(queries.size()) / strands;
  const GuideCut cut = choose_cut(first->bases.substr(first->pam_first, first->guide_length()), options.max_edits,
                                  first->no_gaps, guides, costs);
  return cut.near == 0 || cut.entries * guides > kMostEntries
             ? INFINITY
             : costs.site + cost_beside(options.pam, cut, guides, first->no_gaps, costs);
}

std::unique_ptr<const GuideSet> GuideSet::choose(const std::vector<Query>& queries, const ScanOptions& options,
                                                 const SearchCosts& costs) {
  const std::string& pam = options.pam.bases;
  const bool is_literal = options.max_edits == 0 && pam.find_first_not_of("ACGT") == std::string::npos;
  if (options.search == ScanMethod::rows || pam.empty() || is_literal) {
    return nullptr;
  }
  // By length, then by the guide as it is on the right of its PAM: a guide on the left is the reverse complement of
  // that. So both strands of a pattern share their words.
  std::map<std::uint32_t, std::map<std::string, std::vector<std::uint32_t>>> by_length;
  for (std::uint32_t q = 0; q < queries.size(); ++q) {
    if (const Query& query = queries[q]; takes(query, options)) {
      const std::string guide(query.bases.substr(query.pam_first, query.guide_length()));
      by_length[query.guide_length()][query.pam_first > 0 ? guide : sequence::reverse_complement(guide)].push_back(q);
    }
  }
  std::unique_ptr<GuideSet> set(new GuideSet);
  set->has_.assign(queries.size(), false);
  set->max_edits_ = options.max_edits;
  if (options.pam.is_relaxed()) {
    set->relaxed_[options.pam.is_last].emplace(options.pam, false);
    set->relaxed_[!options.pam.is_last].emplace(options.pam, true);
  }
  double entries = 0;
  double gain = -costs.site;
  for (const auto& [length, guides] : by_length) {
    const Query& first = queries[guides.begin()->second.front()];
    set->no_gaps_ = first.no_gaps;
    const GuideCut cut =
        choose_cut(guides.begin()->first, options.max_edits, first.no_gaps, static_cast<double>(guides.size()), costs);
    double by_rows = 0;
    for (const auto& [guide, ids] : guides) {
      by_rows += static_cast<double>(ids.size()) * whole_cost(first, options, costs);
    }
    const double by_sites = cost_beside(options.pam, cut, static_cast<double>(guides.size()), first.no_gaps, costs);
    const double group_entries = cut.entries * static_cast<double>(guides.size());
    if ((options.search != ScanMethod::pieces && by_sites > by_rows) || cut.near == 0 ||
        entries + group_entries > kMostEntries || set->groups_.size() == kMostGroups) {
      continue;
    }
    gain += by_rows - by_sites;
    entries += group_entries;
    set->cost_by_rows_ += by_rows;
    GuideGroup& group = set->groups_.emplace_back();
    group.length = length;
    group.near_edits = cut.near_edits;
    group.shifts = cut.shifts;
    std::vector<std::string_view> near, far;
    for (const auto& [guide, ids] : guides) {
      near.push_back(std::string_view(guide).substr(0, cut.near));
      far.push_back(std::string_view(guide).substr(cut.near));
      group.guides.push_back({sequence::planes_of(guide), sequence::planes_of(sequence::reverse_complement(guide))});
      for (auto& [starts, of_side] : group.queries) {
        starts.push_back(static_cast<std::uint32_t>(of_side.size()));
      }
      for (const std::uint32_t id : ids) {
        const bool is_left = queries[id].pam_last > 0;
        group.queries[is_left].ids.push_back(id);
        if (auto& sets = set->pams_[is_left]; sets.empty()) {
          for (std::uint32_t i = 0; i < queries[id].pam_first + queries[id].pam_last; ++i) {
            sets.push_back(queries[id].set(is_left ? length + i : i));
          }
        }
        set->has_[id] = true;
      }
    }
    for (auto& [starts, of_side] : group.queries) {
      starts.push_back(static_cast<std::uint32_t>(of_side.size()));
    }
    group.near_table = make_table(near, cut.near_edits, first.no_gaps);
    if (!cut.shifts.empty()) {
      group.far_table = make_table(far, options.max_edits - cut.near_edits - 1, first.no_gaps);
    }
  }
  if (set->groups_.empty() || (options.search != ScanMethod::pieces && gain < 0)) {
    return nullptr;
  }
  return set;
}

}  // namespace trawl::scan
