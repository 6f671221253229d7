#include "scan/find/search_plan.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

namespace trawl::scan {

namespace {

// Costs count operations on vectors of 256 positions, per position of the text. An operation takes about 0.45
// picoseconds per position on a core of 4 GHz.
constexpr double kPerPosition = 1.0 / 256;
constexpr double kNanosecond = 1 / 0.00045;

// Genomes have repeats: hits are more frequent than in random text.
constexpr double kUnevenness = 4;

// Rows after which a block of random text has no match left, times the operations of a row.
double search_cost(std::uint32_t length, std::uint32_t edits, bool hamming) {
  const double rows = std::min<double>(length, hamming ? 7 + 3.0 * edits : 7 + 4.0 * edits);
  const double row = hamming ? 2.0 + 3.0 * edits : 2.0 + 5.2 * edits;
  return rows * row * kPerPosition;
}

// Expected hits of rows [first, first + length) per position of random text, at most 1.
double hit_rate(const Query& query, std::uint32_t first, std::uint32_t length, std::uint32_t edits, bool hamming) {
  double log_rate = 0;
  for (std::uint32_t i = first; i < first + length; ++i) {
    log_rate += std::log(std::popcount(query.rows[i].set) / 4.0);
  }
  // Each edit multiplies the number of matching words: by the places of the edit and by a few letters.
  for (std::uint32_t e = 1; e <= edits; ++e) {
    log_rate += std::log((hamming ? 3.0 : 8.0) * (length - e + 1) / e);
  }
  return std::min(1.0, std::exp(log_rate));
}

// `count` parts with the sum of e_i + 1 equal to k + 1. A part with one edit more is about as rare as a part that is
// three rows shorter.
std::vector<Part> cut(const Query& query, std::uint32_t count, std::uint32_t max_edits) {
  constexpr double rows_an_edit = 3.2;
  const double all = query.length() - rows_an_edit * (max_edits + 1.0 - count);
  std::vector<Part> parts(count);
  double at = 0;
  std::uint32_t first = 0;
  for (std::uint32_t p = 0; p < count; ++p) {
    Part& part = parts[p];
    part.first = first;
    part.edits = (max_edits + 1) / count - 1 + (p < (max_edits + 1) % count ? 1 : 0);
    at += all / count + rows_an_edit * part.edits;
    const auto end = p + 1 == count ? query.length() : static_cast<std::uint32_t>(std::max(at, 0.0));
    if (end < first + part.edits + 1) {
      return {};
    }
    part.length = end - first;
    first = end;
  }
  return parts;
}

}  // namespace

PartCosts part_costs(const Query& query, const std::vector<Part>& parts, const Options& options) {
  const bool hamming = options.metric == Metric::hamming;
  double searches = 0;
  for (const Part& part : parts) {
    searches += search_cost(part.length, part.edits, hamming);
  }
  const auto words = static_cast<double>((query.length() + 63) / 64);
  const double column = (3 + 3 * words) * kNanosecond * kPerPosition;
  return {100 * kNanosecond * kPerPosition + (query.length() + options.max_edits) * column, column,
          search_cost(query.length(), options.max_edits, hamming) - searches};
}

std::vector<Part> choose_parts(const Query& query, const Options& options) {
  const bool hamming = options.metric == Metric::hamming;
  std::vector<Part> best;
  double best_gain = 0;
  for (std::uint32_t count = 2; count <= options.max_edits + 1 && !query.has_pam() && !options.whole; ++count) {
    const auto parts = cut(query, count, options.max_edits);
    if (parts.empty()) {
      continue;
    }
    const PartCosts costs = part_costs(query, parts, options);
    const double of_hit = costs.of_check + (2.0 * options.max_edits + 1) * costs.of_end;
    double gain = costs.saving;
    for (const Part& part : parts) {
      gain -= of_hit * kUnevenness * hit_rate(query, part.first, part.length, part.edits, hamming);
    }
    if (gain > best_gain) {
      best_gain = gain;
      best = parts;
    }
  }
  return best;
}

SearchPlan make_plan(const std::vector<Query>& queries, const std::vector<std::vector<Part>>& by_parts,
                     const Options& options) {
  SearchPlan plan;
  std::map<std::uint32_t, std::vector<ProgramSearch>> searches;  // by edits
  for (std::uint32_t q = 0; q < queries.size(); ++q) {
    plan.reach = std::max<std::uint64_t>(plan.reach, queries[q].length() + options.max_edits);
    if (by_parts[q].empty()) {
      searches[options.max_edits].push_back({q, queries[q].rows});
    }
    for (const Part& part : by_parts[q]) {
      const auto id = static_cast<std::uint32_t>(queries.size() + plan.parts.size());
      const auto first = queries[q].rows.begin() + part.first;
      searches[part.edits].push_back({id, {first, first + part.length}});
      plan.lead =
          std::max<std::uint64_t>(plan.lead, queries[q].length() - part.first - part.length + options.max_edits);
      plan.parts.push_back(part);
      plan.parts.back().query = q;
    }
  }
  for (auto& [edits, of_edits] : searches) {
    plan.programs.emplace_back(edits, std::move(of_edits));
  }
  return plan;
}

SearchPlan make_whole_plan(const std::vector<Query>& queries, const Options& options) {
  return make_plan(queries, std::vector<std::vector<Part>>(queries.size()), options);
}

}  // namespace trawl::scan
