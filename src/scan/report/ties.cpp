#include "scan/report/ties.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "sequence/alphabet.hpp"

namespace trawl::scan {

namespace {

constexpr double kLeastPosterior = 0.975;
constexpr int kMostQuality = 33;

double error_at(const ReadLetters& read, std::uint64_t at) {
  return at < read.qualities.size() ? std::pow(10, -std::min(kMostQuality, read.qualities[at] - 33) / 10.0)
                                    : std::pow(10, -kMostQuality / 10.0);
}

// The probability of the edits of a record.
double likelihood(const SiteRecord& record, std::string_view pattern, const ReadLetters& read) {
  RecordTexts room;
  const std::string& cigar = record.texts_or(pattern, room, false).cigar;
  const std::string bases = record.reverse ? sequence::reverse_complement(pattern) : std::string(pattern);
  double product = 1;
  std::uint64_t at = record.start;
  std::size_t i = 0, count = 0;
  for (const char c : cigar) {
    if (c >= '0' && c <= '9') {
      count = 10 * count + static_cast<std::size_t>(c - '0');
      continue;
    }
    for (; count > 0; --count) {
      if (c == 'I') {
        product *= std::max(at > 0 ? error_at(read, at - 1) : 0, at < read.bases.size() ? error_at(read, at) : 0);
      } else if (c == 'D' || (c == 'M' && (sequence::base_code(read.bases[at]) == sequence::kAmbiguous ||
                                           !sequence::is_part_of(read.bases[at], bases[i])))) {
        product *= error_at(read, at);
      }
      at += c == 'M' || c == 'D' ? 1 : 0;
      i += c != 'D' ? 1 : 0;
    }
  }
  return product;
}

}  // namespace

std::optional<std::uint32_t> longest_pattern(std::span<const SiteRecord> tied, const TieInputs& inputs) {
  const auto is_covered = [&](const SiteRecord& a) {
    return std::any_of(tied.begin(), tied.end(), [&](const SiteRecord& b) {
      return inputs.patterns[a.pattern].bases.size() < inputs.patterns[b.pattern].bases.size() && a.start < b.end &&
             b.start < a.end;
    });
  };
  std::optional<std::uint32_t> left;
  for (const SiteRecord& record : tied) {
    if (!is_covered(record)) {
      if (left && *left != record.pattern) {
        return std::nullopt;
      }
      left = record.pattern;
    }
  }
  return left;
}

std::optional<std::uint32_t> likeliest_pattern(std::span<const SiteRecord> tied, const TieInputs& inputs,
                                               const ReadLetters& read) {
  std::map<std::uint32_t, double> weights;  // by pattern
  for (const SiteRecord& record : tied) {
    double& weight = weights[record.pattern];
    weight = std::max(
        weight, inputs.exact_reads[record.pattern] * likelihood(record, inputs.patterns[record.pattern].bases, read));
  }
  double sum = 0;
  for (const auto& [pattern, weight] : weights) {
    sum += weight;
  }
  const auto best = std::max_element(weights.begin(), weights.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  return sum > 0 && best->second >= kLeastPosterior * sum ? std::optional(best->first) : std::nullopt;
}

}  // namespace trawl::scan
