#include "scan/report/read_call.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "sequence/alphabet.hpp"

namespace trawl::scan {

namespace {

bool is_better(const SiteRecord& a, const SiteRecord& b) {
  const auto key = [](const SiteRecord& record) {
    return std::tie(record.distance, record.pattern, record.start, record.reverse, record.end);
  };
  return key(a) < key(b);
}

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

std::string letters_of_parts(PartKind kind, const sequence::ReadBatch& reads, std::size_t read, const ReadCall& call,
                             const ReadStructure& structure, bool qualities) {
  std::string letters;
  bool is_first = true;
  std::size_t place = 0;
  for (std::size_t m = 0; m < structure.mates() && !call.parts.empty(); ++m) {
    const std::string_view whole = qualities ? reads.qualities(read + m) : reads.bases(read + m);
    for (const StructurePart& part : structure.parts(m)) {
      const auto [begin, end] = std::pair(call.parts[place].begin, call.parts[place].end);
      ++place;
      if (part.kind != kind || (qualities && whole.empty())) {
        continue;
      }
      letters.append(std::exchange(is_first, false) ? "" : qualities ? " " : "-");
      if (!call.best.reverse) {
        letters += whole.substr(begin, end - begin);
      } else if (const auto piece = whole.substr(whole.size() - end, end - begin); qualities) {
        letters.append(piece.rbegin(), piece.rend());
      } else {
        letters += sequence::reverse_complement(piece);
      }
    }
  }
  return letters;
}

void ReadCaller::add(const SiteRecord& record) {
  if (best_.empty() || is_better(record, best_.front())) {
    if (rule_.ties == Ties::ambiguous || (!best_.empty() && record.distance < best_.front().distance)) {
      best_.clear();
    }
    best_.insert(best_.begin(), copy_of(record));
  } else if (rule_.ties != Ties::ambiguous && record.distance == best_.front().distance) {
    best_.push_back(copy_of(record));
  }
  found_.emplace_back(record.distance, record.pattern);
}

// Between patterns of the same distance.
void ReadCaller::decide(const ReadLetters& read, ReadCall& call) const {
  const auto pattern =
      rule_.ties == Ties::longest ? longest_pattern(best_, *ties_) : likeliest_pattern(best_, *ties_, read);
  if (!pattern) {
    return;
  }
  call.kind = CallKind::assigned;
  call.next = std::exchange(call.patterns, {*pattern});
  std::erase(call.next, *pattern);
  call.next_distance = best_.front().distance;
  call.places = 0;
  const SiteRecord* best = nullptr;
  for (const SiteRecord& record : best_) {
    if (record.pattern == *pattern) {
      best = best == nullptr || is_better(record, *best) ? &record : best;
      ++call.places;
    }
  }
  call.best = copy_of(*best);
}

ReadCall ReadCaller::finish(const ReadLetters& read) {
  ReadCall call;
  std::sort(found_.begin(), found_.end());
  if (!found_.empty() && found_.front().first <= rule_.max_edits) {
    // Distance by distance; a pattern counts with its smallest one.
    const auto is_best = [&](std::uint32_t pattern) {
      return std::binary_search(call.patterns.begin(), call.patterns.end(), pattern);
    };
    for (const auto& [distance, pattern] : found_) {
      if (distance == best_.front().distance) {
        ++call.places;
        if (!is_best(pattern)) {
          call.patterns.push_back(pattern);
        }
      } else if (!is_best(pattern)) {
        if (call.next.empty()) {
          call.next_distance = distance;
        }
        if (distance == call.next_distance && (call.next.empty() || call.next.back() != pattern)) {
          call.next.push_back(pattern);
        }
      }
    }
    const bool is_near = !call.next.empty() && call.next_distance < best_.front().distance + rule_.margin;
    call.kind = call.patterns.size() > 1 || is_near ? CallKind::ambiguous : CallKind::assigned;
    if (call.patterns.size() > 1 && !is_near && rule_.ties != Ties::ambiguous) {
      decide(read, call);
    }
    if (call.kind != CallKind::assigned || call.patterns.front() == best_.front().pattern) {
      call.best = std::move(best_.front());
    }
  }
  found_.clear();
  best_.clear();
  return call;
}

}  // namespace trawl::scan
