// Where the tail of a read begins that is no part of its fragment, as the read alone shows: a known adapter, or bases
// whose qualities say that they are full of errors.
//
//   adapter_begin("ACGTACGTACAGATCGGAAGAGCACACG") == 10                                // the last 18 bases
//   bases_before_bad_tail("IIII", 0) == 4
//   bases_before_bad_tail(std::string(60, 'I') + std::string(20, '#'), 50) == 60
//   bases_before_bad_tail(std::string(60, 'I') + std::string(20, '#'), 61) == 80       // too few would be left
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace trawl::rescue {

/// The first bases of the adapters of usual libraries: Illumina's TruSeq, Nextera and small RNA, and MGI's of both
/// mates.
inline constexpr std::string_view kAdapters[] = {"AGATCGGAAGAGCACACGTC", "AGATCGGAAGAGCGTCGTGT", "CTGTCTCTTATACACATCTG",
                                                 "CTGTCTCTTATACACATCTC", "TGGAATTCTCGGGTGCCAAG", "AAGTCGGAGGCCAAGCGGTC",
                                                 "AAGTCGGATCGTAGCCATGT"};
/// At the end of a read this number of bases of an adapter is enough. In a longer part, one base in kBasesOfDifference
/// may differ. By chance a read of 150 bases has one in 1 of 20,000 cases.
inline constexpr std::size_t kShortestAdapter = 12;
inline constexpr std::size_t kBasesOfDifference = 10;

/// Whether one of the adapters begins with these bases, or they with it, where one in `bases_of_difference` may differ.
inline bool is_like_adapter(std::string_view bases, std::size_t bases_of_difference) {
  return std::any_of(std::begin(kAdapters), std::end(kAdapters), [&](std::string_view adapter) {
    const std::size_t length = std::min(adapter.size(), bases.size());
    std::size_t left = length / bases_of_difference;  // differences
    std::size_t k = 0;
    while (k < length && (bases[k] == adapter[k] || left-- > 0)) {
      ++k;
    }
    return k == length;
  });
}

/// Where an adapter begins in a read, or the number of its bases.
inline std::size_t adapter_begin(std::string_view bases) {
  for (std::size_t begin = 0; begin + kShortestAdapter <= bases.size(); ++begin) {
    if (is_like_adapter(bases.substr(begin), kBasesOfDifference)) {
      return begin;
    }
  }
  return bases.size();
}

/// Whether the bases behind a fragment are surely an adapter.
inline bool is_adapter(std::string_view behind) {
  constexpr std::size_t kFewest = 8;
  return behind.size() >= kFewest && is_like_adapter(behind, kFewest);
}

/// Errors, in units of 1 / 10,000.
inline constexpr std::int32_t kErrorUnit = 10000;
/// The tail begins where the sum of (probability of an error - kUsualErrors) over its bases is largest: at quality 13.
inline constexpr std::int32_t kUsualErrors = kErrorUnit / 20;
/// A tail with fewer errors mostly fits within e.
inline constexpr std::int32_t kErrorsOfBadTail = 3 * kErrorUnit;

/// The number of bases before the bad tail, or of all bases if there is none, or if fewer than `least` would be left.
/// `qualities`: Phred+33.
inline std::size_t bases_before_bad_tail(std::string_view qualities, std::size_t least) {
  static const std::array<std::int32_t, 94> errors = [] {
    std::array<std::int32_t, 94> of{};
    for (std::size_t q = 0; q < of.size(); ++q) {
      of[q] = static_cast<std::int32_t>(std::lround(kErrorUnit * std::pow(10.0, -static_cast<double>(q) / 10)));
    }
    return of;
  }();
  std::int64_t sum = 0, expected = 0, most = 0, expected_there = 0;
  std::size_t before = qualities.size();
  for (std::size_t i = qualities.size(); i-- > 0 && sum > -kErrorUnit;) {
    const auto quality = static_cast<std::size_t>(qualities[i] - '!');
    const std::int32_t error = errors[quality < errors.size() ? quality : errors.size() - 1];
    expected += error;
    sum += error - kUsualErrors;
    if (sum > most) {
      most = sum;
      expected_there = expected;
      before = i;
    }
  }
  return expected_there >= kErrorsOfBadTail && before >= least ? before : qualities.size();
}

}  // namespace trawl::rescue
