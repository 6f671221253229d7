#include "scan/anchored_place.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "sequence/alphabet.hpp"

namespace trawl::scan {

namespace {

bool matches(char pattern, char letter) {
  const std::uint8_t set = sequence::base_code(letter) < sequence::kAmbiguous ? sequence::iupac_set(letter) : 0;
  return (sequence::iupac_set(pattern) & set) != 0;
}

std::uint32_t off(std::uint32_t a, std::uint32_t b) { return a > b ? a - b : b - a; }

}  // namespace

AnchoredPlace align_anchored(std::string_view pattern, std::string_view text, match::Metric metric, bool whole) {
  const auto letters = static_cast<std::uint32_t>(pattern.size());
  const auto is_base = [](char letter) { return sequence::base_code(letter) < sequence::kAmbiguous; };
  if (text.starts_with(pattern) && (!whole || text.size() == letters) &&
      std::all_of(pattern.begin(), pattern.end(), is_base)) {
    return {0, letters};
  }
  constexpr std::uint32_t never = std::numeric_limits<std::uint32_t>::max();
  if (metric == match::Metric::hamming) {
    AnchoredPlace place{0, letters};
    if (text.size() < letters || (whole && text.size() > letters)) {
      return {never, letters};
    }
    for (std::uint32_t i = 0; i < letters; ++i) {
      place.distance += matches(pattern[i], text[i]) ? 0 : 1;
    }
    return place;
  }
  // D of all prefixes of the pattern for the letters of the text so far.
  std::vector<std::uint32_t> column(letters + std::size_t{1});
  for (std::uint32_t i = 0; i <= letters; ++i) {
    column[i] = i;
  }
  AnchoredPlace best{whole && !text.empty() ? never : letters, 0};
  for (std::uint32_t end = 1; end <= text.size(); ++end) {
    std::uint32_t diagonal = std::exchange(column[0], end);
    for (std::uint32_t i = 1; i <= letters; ++i) {
      const std::uint32_t match = diagonal + (matches(pattern[i - 1], text[end - 1]) ? 0 : 1);
      diagonal = column[i];
      column[i] = std::min({match, column[i] + 1, column[i - 1] + 1});
    }
    const std::uint32_t distance = column[letters];
    const bool is_better =
        distance < best.distance || (distance == best.distance && off(end, letters) < off(best.letters, letters));
    if ((!whole || end == text.size()) && is_better) {
      best = {distance, end};
    }
  }
  return best;
}

std::string cigar_of(std::string_view pattern, std::string_view text, match::Metric metric) {
  if (metric == match::Metric::hamming) {
    return std::to_string(pattern.size()) + 'M';
  }
  const std::size_t rows = pattern.size(), columns = text.size();
  std::vector<std::uint32_t> cells((rows + 1) * (columns + 1));
  const auto cell = [&](std::size_t i, std::size_t j) -> std::uint32_t& { return cells[i * (columns + 1) + j]; };
  const auto beside = [&](std::size_t i, std::size_t j) {
    return cell(i - 1, j - 1) + (matches(pattern[i - 1], text[j - 1]) ? 0 : 1);
  };
  for (std::size_t i = 0; i <= rows; ++i) {
    for (std::size_t j = 0; j <= columns; ++j) {
      cell(i, j) = static_cast<std::uint32_t>(i + j);
      if (i > 0 && j > 0) {
        cell(i, j) = std::min({beside(i, j), cell(i - 1, j) + 1, cell(i, j - 1) + 1});
      }
    }
  }
  std::string steps;
  for (std::size_t i = rows, j = columns; i + j > 0;) {
    const bool is_beside = i > 0 && j > 0 && cell(i, j) == beside(i, j);
    steps += is_beside ? 'M' : i > 0 && cell(i, j) == cell(i - 1, j) + 1 ? 'I' : 'D';
    i -= steps.back() == 'D' ? 0 : 1;
    j -= steps.back() == 'I' ? 0 : 1;
  }
  std::reverse(steps.begin(), steps.end());
  return run_lengths(steps);
}

std::string run_lengths(std::string_view steps) {
  std::string cigar;
  for (std::size_t s = 0, last = 0; s < steps.size(); s = last) {
    last = std::min(steps.find_first_not_of(steps[s], s), steps.size());
    cigar += std::to_string(last - s) + steps[s];
  }
  return cigar;
}

}  // namespace trawl::scan
