#include "scan/report/overhangs.hpp"

#include <algorithm>
#include <string>

#include "match/myers.hpp"
#include "scan/anchored_place.hpp"
#include "scan/find/query.hpp"
#include "sequence/alphabet.hpp"

namespace trawl::scan {

namespace {

// Of the first `letters` of a pattern, of which at most `most` may hang over.
std::uint32_t cost_before(std::size_t letters, std::uint32_t most) {
  const std::size_t over = std::min<std::size_t>(letters, most);
  return static_cast<std::uint32_t>((over + 1) / 2 + letters - over);
}

}  // namespace

Overhangs::Overhangs(const PatternList& patterns, const ScanOptions& options, std::uint32_t most, std::uint64_t first,
                     std::uint64_t last)
    : most_(most), max_edits_(options.max_edits), within_{first, last} {
  for (const Query& query : make_queries(patterns, options)) {
    for (const bool is_last : {false, true}) {
      Inwards& one = patterns_.emplace_back(Inwards{{}, query.pattern, query.length(), query.reverse, is_last});
      for (std::uint32_t i = 0; i < one.length; ++i) {
        for (unsigned base = 0; base < 4; ++base) {
          one.eq[base] |= std::uint64_t{query.set(is_last ? one.length - 1 - i : i) >> base & 1u} << i;
        }
      }
    }
  }
}

bool Overhangs::matches_every_end(std::size_t length, std::uint32_t most, std::uint32_t max_edits) {
  return cost_before(length, most) <= max_edits;
}

void Overhangs::search(std::string_view read, std::uint64_t contig,
                       const std::function<void(const SiteRecord&)>& take) const {
  const bool is_whole = within_[0] + within_[1] == 0 || within_[0] + within_[1] >= read.size();
  std::vector<std::uint8_t> texts[2];  // the letters from each end inwards
  for (const bool is_last : {false, true}) {
    const std::size_t length = std::min<std::size_t>(is_whole ? read.size() : within_[is_last], kLongest + max_edits_);
    for (std::size_t i = 0; i < length; ++i) {
      texts[is_last].push_back(sequence::base_code(read[is_last ? read.size() - 1 - i : i]));
    }
  }
  for (const Inwards& pattern : patterns_) {
    const std::span<const std::uint8_t> all = texts[pattern.is_last];
    const auto text = all.first(std::min<std::size_t>(all.size(), pattern.length - 1 + max_edits_));
    // The smallest distance in the last row. `above`: the difference of columns in the row before the first.
    const auto smallest = [&](match::MyersWord<std::uint64_t> column, std::uint32_t first, int above) {
      int distance = static_cast<int>(first), least = distance;
      for (const std::uint8_t base : text) {
        distance +=
            match::myers_step(column, base < 4 ? pattern.eq[base] : 0, above, std::uint64_t{1} << (pattern.length - 1));
        least = std::min(least, distance);
      }
      return static_cast<std::uint32_t>(least);
    };
    match::MyersWord<std::uint64_t> over;
    for (std::uint32_t i = 2; i <= std::min(most_, pattern.length); i += 2) {
      over.vp &= ~(std::uint64_t{1} << (i - 1));
    }
    const std::uint32_t distance = smallest(over, cost_before(pattern.length, most_), 1);
    if (!text.empty() && distance <= max_edits_ && distance < smallest({}, pattern.length, 0)) {
      SiteRecord found = record(pattern, read, text, distance);
      found.contig = contig;
      take(found);
    }
  }
}

// The alignment: letters side by side where possible.
SiteRecord Overhangs::record(const Inwards& pattern, std::string_view read, std::span<const std::uint8_t> text,
                             std::uint32_t distance) const {
  const std::size_t m = pattern.length, n = text.size();
  std::vector<std::uint32_t> cells((m + 1) * (n + 1));
  const auto cell = [&](std::size_t i, std::size_t j) -> std::uint32_t& { return cells[i * (n + 1) + j]; };
  const auto beside = [&](std::size_t i, std::size_t j) {
    return cell(i - 1, j - 1) + (text[j - 1] < 4 && (pattern.eq[text[j - 1]] >> (i - 1) & 1) != 0 ? 0 : 1);
  };
  for (std::size_t i = 0; i <= m; ++i) {
    cell(i, 0) = cost_before(i, most_);
    for (std::size_t j = 1; j <= n; ++j) {
      cell(i, j) =
          i == 0 ? static_cast<std::uint32_t>(j) : std::min({beside(i, j), cell(i - 1, j) + 1, cell(i, j - 1) + 1});
    }
  }
  std::size_t end = 0;  // in the text: the first one whose last letters lie side by side, or else the first one
  for (std::size_t j = n; j > 0; --j) {
    const bool is_better = end == 0 || beside(m, j) == distance || beside(m, end) != distance;
    end = cell(m, j) == distance && is_better ? j : end;
  }
  std::string steps;  // from the inner end outwards
  std::size_t i = m;
  for (std::size_t j = end; j > 0 && i > 0;) {
    steps += cell(i, j) == beside(i, j) ? 'M' : cell(i, j) == cell(i - 1, j) + 1 ? 'I' : 'D';
    i -= steps.back() == 'D' ? 0 : 1;
    j -= steps.back() == 'I' ? 0 : 1;
  }
  const std::size_t over = std::min<std::size_t>(i, most_);
  steps.append(i - over, 'I').append(over, 'S');
  if (!pattern.is_last) {
    std::reverse(steps.begin(), steps.end());
  }
  SiteRecord found;
  found.start = pattern.is_last ? read.size() - end : 0;
  found.end = found.start + end;
  found.pattern = pattern.pattern;
  found.reverse = pattern.reverse;
  found.distance = found.edits = static_cast<std::uint16_t>(distance);
  found.texts = std::make_unique<RecordTexts>();
  found.texts->cigar = run_lengths(steps);
  const std::string_view piece = read.substr(found.start, end);
  found.texts->text = pattern.reverse ? sequence::reverse_complement(piece) : std::string(piece);
  return found;
}

}  // namespace trawl::scan
