#include "scan/find/search_plan.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <utility>

#include "scan/find/guide_set.hpp"
#include "scan/find/near_set.hpp"
#include "scan/find/place_check.hpp"

namespace trawl::scan {

namespace {

// Costs count operations on vectors of 256 positions, per position of the text.
constexpr double kPerPosition = 1.0 / 256;
constexpr double kNanosecond = 1 / kCpuCosts.row;

// Nanoseconds to make a word, to put it into tables and to have it there, as a share of a text of 30 Mbp.
constexpr double kWordCost = 100 / 3e7;

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
    log_rate += std::log(std::popcount(query.set(i)) / 4.0);
  }
  // Each edit multiplies the number of matching words: by the places of the edit and by a few letters.
  for (std::uint32_t e = 1; e <= edits; ++e) {
    log_rate += std::log((hamming ? 3.0 : 8.0) * (length - e + 1) / e);
  }
  return std::min(1.0, std::exp(log_rate));
}

// `count` parts with the sum of e_i + 1 equal to k + 1. A part with one edit more is about as rare as a part that is
// three rows shorter.
std::vector<QueryPart> cut(const Query& query, std::uint32_t count, std::uint32_t max_edits) {
  constexpr double rows_an_edit = 3.2;
  const double all = query.length() - rows_an_edit * (max_edits + 1.0 - count);
  std::vector<QueryPart> parts(count);
  double at = 0;
  std::uint32_t first = 0;
  for (std::uint32_t p = 0; p < count; ++p) {
    QueryPart& part = parts[p];
    part.first = first;
    part.edits = (max_edits + 1) / count - 1 + (p < (max_edits + 1) % count ? 1 : 0);
    at += all / count + rows_an_edit * part.edits;
    const auto end = p + 1 == count ? query.length() : static_cast<std::uint32_t>(std::max(at, 0.0));
    if (end < first + part.edits + 1) {
      return {};
    }
    part.length = end - first;
    part.after = query.length() - end;
    first = end;
  }
  return parts;
}

// The words that a part stands for if it is looked up; 0: it is searched by rows.
std::size_t words_of(const Query& query, const QueryPart& part, bool hamming, std::size_t most_words) {
  const std::size_t words = part.edits == 0 ? 1 : part.edits == 1 ? most_near_words(part.length, hamming) : SIZE_MAX;
  return words <= most_words && is_literal(query, part.first, part.length) ? words : 0;
}

// Nanoseconds to find a place where a part of the query occurs, and to check it (place_check.hpp). Few places of a
// primer have its exact 3' end, which is looked at first.
double place_cost(const Query& query, bool hamming, const SearchCosts& costs) {
  return costs.place + (hamming || query.has_pam() ? 0 : costs.place_row * query.length());
}

// The cost of searching a part.
double part_cost(const Query& query, const QueryPart& part, bool hamming, std::size_t most_words) {
  const std::size_t words = words_of(query, part, hamming, most_words);
  return words == 0   ? search_cost(part.length, part.edits, hamming)
         : words == 1 ? 0
                      : static_cast<double>(words) * kWordCost * kNanosecond * kPerPosition;
}

// How many words each query may have.
std::size_t most_words_of(std::size_t queries) {
  return std::max<std::size_t>(1, kMostWords / std::max<std::size_t>(1, queries));
}

// Looking up `literals` exact sequences, per position of the text.
double look_up_cost(double literals) {
  constexpr double kFew = 0.5, kEachDoubling = 0.1;  // nanoseconds
  return (kFew + kEachDoubling * std::log2(1 + literals / 1000)) * kNanosecond * kPerPosition;
}

}  // namespace

bool is_literal(const Query& query, std::uint32_t first, std::uint32_t length) {
  const std::string_view part = query.bases.substr(first, length);
  return query.is_literal || std::all_of(part.begin(), part.end(),
                                         [](char base) { return std::has_single_bit(sequence::iupac_set(base)); });
}

PartCosts part_costs(const Query& query, const std::vector<QueryPart>& parts, const ScanOptions& options,
                     std::size_t most_words) {
  const bool hamming = options.metric == Metric::hamming;
  double searches = 0;
  for (const QueryPart& part : parts) {
    searches += part_cost(query, part, hamming, most_words);
  }
  const double saving = search_cost(query.length(), options.max_edits, hamming) - searches;
  if (most_words > 0 && PlaceCheck::takes(query, options)) {
    return {place_cost(query, hamming, kCpuCosts) * kNanosecond * kPerPosition, 0, saving};
  }
  const auto words = static_cast<double>((query.length() + 63) / 64);
  const double column = (3 + 3 * words) * kNanosecond * kPerPosition;
  return {100 * kNanosecond * kPerPosition + (query.length() + options.max_edits) * column, column, saving};
}

double whole_cost(const Query& query, const ScanOptions& options, const SearchCosts& costs) {
  return search_cost(query.length(), options.max_edits, query.no_gaps) / kPerPosition * costs.row;
}

double estimated_cost(const std::vector<Query>& queries, const ScanOptions& options, bool with_near) {
  if (queries.empty()) {
    return 0;
  }
  constexpr std::size_t kSome = 500;
  const std::size_t step = (queries.size() + kSome - 1) / kSome;
  std::vector<Query> some;
  for (std::size_t q = 0; q < queries.size(); q += step) {
    some.push_back(queries[q]);
  }
  const double each = static_cast<double>(queries.size()) / static_cast<double>(some.size());
  const double by_rows = each * PartList(some, options, 0).cost();
  const PartList looked_up(some, options, most_words_of(queries.size()));
  const double by_pieces =
      each * (looked_up.cost() - look_up_cost(looked_up.words())) + look_up_cost(each * looked_up.words());
  const bool may_look_up = options.search != ScanMethod::rows && !options.ambiguous_matches;
  const double cost = may_look_up ? std::min(by_rows, by_pieces) : by_rows;
  const double in_other_ways =
      std::min(cost / (kNanosecond * kPerPosition), GuideSet::estimated_cost(queries, options));
  return with_near ? std::min(in_other_ways, NearSet::estimated_cost(queries, options)) : in_other_ways;
}

PartList exact_parts(const std::vector<Query>& queries, const ScanOptions& options, const std::vector<bool>& left_out,
                     const SearchCosts& costs, double& saving) {
  PartList list;
  saving = 0;
  const bool hamming = options.metric == Metric::hamming;
  for (std::uint32_t q = 0; q < queries.size(); ++q) {
    const Query& query = queries[q];
    const bool may_have = options.max_edits > 0 && (left_out.empty() || !left_out[q]) && !query.has_pam() &&
                          PlaceCheck::takes(query, options);
    auto parts = may_have ? cut(query, options.max_edits + 1, options.max_edits) : std::vector<QueryPart>();
    double rate = 0;
    for (QueryPart& part : parts) {
      part.query = q;
      rate += hit_rate(query, part.first, part.length, 0, hamming);
    }
    const double of_query = whole_cost(query, options, costs) - kUnevenness * rate * place_cost(query, hamming, costs);
    if (!parts.empty() && (of_query > 0 || options.search == ScanMethod::pieces)) {
      saving += of_query;
      list.add(parts);
    } else {
      list.add({});
    }
  }
  return list;
}

PartsChoice choose_parts(const Query& query, const ScanOptions& options, std::size_t most_words) {
  const bool hamming = options.metric == Metric::hamming;
  // A query with edits is not looked up whole: its distance would not be known. But it may be its only part.
  PartsChoice best{
      {},
      part_cost(query, {0, 0, query.length(), options.max_edits, 0}, hamming, options.max_edits == 0 ? most_words : 0)};
  // Ends of primers are only right after the check of places.
  const bool may_have_parts = !query.has_pam() || (most_words > 0 && PlaceCheck::takes(query, options));
  for (std::uint32_t count = options.max_edits == 1 ? 1 : 2; count <= options.max_edits + 1 && may_have_parts;
       ++count) {
    PartsChoice choice{cut(query, count, options.max_edits)};
    if (choice.parts.empty()) {
      continue;
    }
    const PartCosts costs = part_costs(query, choice.parts, options, most_words);
    const double of_hit = costs.of_check + (2.0 * options.max_edits + 1) * costs.of_end;
    for (const QueryPart& part : choice.parts) {
      choice.cost += part_cost(query, part, hamming, most_words) +
                     of_hit * kUnevenness * hit_rate(query, part.first, part.length, part.edits, hamming);
    }
    if (choice.cost < best.cost) {
      best = std::move(choice);
    }
  }
  return best;
}

PartList::PartList(const std::vector<Query>& queries, const ScanOptions& options, std::size_t most_words)
    : most_words_(most_words) {
  // There are no parts without edits.
  const bool has_parts = options.max_edits > 0;
  for (std::uint32_t q = 0; q < queries.size(); ++q) {
    PartsChoice choice = choose_parts(queries[q], options, most_words);
    cost_ += choice.cost;
    for (QueryPart& part : choice.parts) {
      part.query = q;
    }
    if (has_parts) {
      add(choice.parts);
    }
  }
  if (most_words > 0) {
    const bool hamming = options.metric == Metric::hamming;
    words_ = parts_.empty() ? static_cast<double>(queries.size()) : 0;
    for (const QueryPart& part : parts_) {
      words_ += static_cast<double>(words_of(queries[part.query], part, hamming, most_words));
    }
    cost_ += look_up_cost(words_);
  }
}

PartList choose_part_list(const std::vector<Query>& queries, const ScanOptions& options) {
  // A literal does not match an ambiguous letter of the reference.
  if (options.search == ScanMethod::rows || options.ambiguous_matches) {
    return {queries, options, 0};
  }
  PartList looked_up(queries, options, most_words_of(queries.size()));
  if (options.search == ScanMethod::pieces) {
    return looked_up;
  }
  PartList by_rows(queries, options, 0);
  return looked_up.cost() < by_rows.cost() ? looked_up : by_rows;
}

SearchPlan make_plan(const std::vector<Query>& queries, std::shared_ptr<const PartList> parts,
                     std::vector<bool> given_up, const ScanOptions& options, std::size_t most_words,
                     const std::vector<bool>& left_out, bool with_literals) {
  SearchPlan plan;
  const bool hamming = options.metric == Metric::hamming;
  plan.has_guides = !left_out.empty();
  if (most_words > 0 && with_literals) {
    plan.literals.reserve(options.max_edits == 0 ? queries.size() : parts->all().size());
  }
  std::map<std::uint32_t, std::vector<ProgramSearch>> searches;  // by edits
  const auto add = [&](std::uint32_t id, const Query& query, std::uint32_t first, std::uint32_t length,
                       std::uint32_t edits) {
    const bool is_part = id >= queries.size();
    const std::size_t words =
        is_part || edits == 0 ? words_of(query, {0, first, length, edits, 0}, hamming, most_words) : 0;
    if (words == 0) {
      searches[edits].push_back({id, query.rows(first, length)});
      return;
    }
    plan.has_near_words |= words > 1;
    const std::string_view bases = query.bases.substr(first, length);
    if (!with_literals) {
    } else if (words == 1) {
      plan.literals.push_back({id, bases});
    } else {
      for_near_words(bases, hamming, [&](std::string_view word) {
        plan.literals.push_back({id, plan.words.keep(word)});
      });
    }
  };
  for (std::uint32_t q = 0; q < queries.size(); ++q) {
    const Query& query = queries[q];
    plan.reach = std::max<std::uint64_t>(plan.reach, query.length() + options.max_edits);
    if (!left_out.empty() && left_out[q]) {
      continue;
    }
    if (parts->of(q).empty() || (!given_up.empty() && given_up[q])) {
      add(q, query, 0, query.length(), options.max_edits);
      continue;
    }
    for (const QueryPart& part : parts->of(q)) {
      const auto id = static_cast<std::uint32_t>(queries.size() + (&part - parts->all().data()));
      add(id, query, part.first, part.length, part.edits);
      plan.lead = std::max<std::uint64_t>(plan.lead, part.after + options.max_edits);
    }
  }
  for (auto& [edits, of_edits] : searches) {
    plan.programs.emplace_back(edits, std::move(of_edits));
  }
  plan.parts = std::move(parts);
  plan.given_up = std::move(given_up);
  return plan;
}

}  // namespace trawl::scan
