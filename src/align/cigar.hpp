// CIGARs: their text, and the bases that they leave out at the ends.
//
//   const std::uint32_t cigar[] = {9 << 4 | 4, 80 << 4 | 0, 11 << 4 | 4};
//   std::string text;
//   append_cigar(text, cigar, 3);
//   text == "9S80M11S"
//   clipped_ends(cigar, 3).left == 9
//
//   9S80M11S     soft: SEQ has all 100 bases of the read
//   9H80M11H     hard: SEQ has the 80 bases of the piece
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "align/alignment.hpp"

namespace trawl::align {

/// The longest text of one element, in characters.
inline constexpr std::size_t kCigarElementText = 11;

/// How a record shows the ends that are left out. The CIGARs of an AlignmentBatch have soft ones.
enum class Clips : std::uint8_t {
  soft,  // S
  hard,  // H
};

inline constexpr bool is_operation(std::uint32_t element, CigarOp operation) {
  return (element & 15) == static_cast<std::uint32_t>(operation);
}

inline constexpr bool is_gap(std::uint32_t element) {
  return is_operation(element, CigarOp::insertion) || is_operation(element, CigarOp::deletion);
}

/// Appends the clip of an end, if bases are left out.
inline void append_clip(std::uint32_t bases, std::vector<std::uint32_t>& cigar) {
  if (bases > 0) {
    cigar.push_back(bases << 4 | static_cast<std::uint32_t>(CigarOp::soft_clip));
  }
}

/// An element of a batch's CIGAR as a record shows it.
inline constexpr std::uint32_t shown_element(std::uint32_t element, Clips clips) {
  constexpr std::uint32_t to_hard =
      static_cast<std::uint32_t>(CigarOp::hard_clip) - static_cast<std::uint32_t>(CigarOp::soft_clip);
  return element + (clips == Clips::hard && is_operation(element, CigarOp::soft_clip) ? to_hard : 0);
}

/// Bases left out at the left and the right end of an alignment, as it lies on the reference.
struct ClippedEnds {
  std::uint32_t left = 0;
  std::uint32_t right = 0;

  bool any() const { return left > 0 || right > 0; }
};

///   9S80M11S: {9, 11}
inline ClippedEnds clipped_ends(const std::uint32_t* cigar, std::uint32_t elements) {
  const auto clipped = [](std::uint32_t element) {
    return is_operation(element, CigarOp::soft_clip) ? element >> 4 : 0;
  };
  return elements < 2 ? ClippedEnds{} : ClippedEnds{clipped(cigar[0]), clipped(cigar[elements - 1])};
}

inline ClippedEnds clipped_ends(const AlignmentBatch& batch, const Alignment& alignment) {
  return clipped_ends(batch.cigar_of(alignment), alignment.cigar_length);
}

/// Bases of the read that stand beside a base of the reference.
///   9S80M2I9M: 89
inline std::uint32_t bases_beside_reference(const AlignmentBatch& batch, const Alignment& alignment) {
  std::uint32_t bases = 0;
  for (std::uint32_t i = 0; i < alignment.cigar_length; ++i) {
    const std::uint32_t element = batch.cigar_of(alignment)[i];
    const bool beside = is_operation(element, CigarOp::match) || is_operation(element, CigarOp::equal) ||
                        is_operation(element, CigarOp::mismatch);
    bases += beside ? element >> 4 : 0;
  }
  return bases;
}

/// The edits of an alignment, where a gap counts as one, whatever its length.
///   9S40M30D40M, and a mismatch: 2
inline std::uint32_t events_of(const AlignmentBatch& batch, const Alignment& alignment) {
  std::uint32_t events = alignment.edits;
  for (std::uint32_t i = 0; i < alignment.cigar_length; ++i) {
    const std::uint32_t element = batch.cigar_of(alignment)[i];
    events -= is_gap(element) ? (element >> 4) - 1 : 0;
  }
  return events;
}

inline bool has_gap(const AlignmentBatch& batch, const Alignment& alignment) {
  return std::any_of(batch.cigar_of(alignment), batch.cigar_of(alignment) + alignment.cigar_length, is_gap);
}

/// Writes the elements as text to `at`, or "*" if there are none. There must be room for kCigarElementText characters
/// per element. Returns the position after the last character.
inline char* write_cigar(char* at, const std::uint32_t* cigar, std::uint32_t elements, Clips clips = Clips::soft) {
  const char* const letters = clips == Clips::hard ? "MIDNHHP=XB??????" : "MIDNSHP=XB??????";
  if (elements == 0) {
    *at++ = '*';
  }
  for (std::uint32_t i = 0; i < elements; ++i) {
    at = std::to_chars(at, at + 10, cigar[i] >> 4).ptr;
    *at++ = letters[cigar[i] & 15];
  }
  return at;
}

inline void append_cigar(std::string& text, const std::uint32_t* cigar, std::uint32_t elements) {
  const std::size_t before = text.size();
  text.resize(before + 1 + kCigarElementText * elements);
  text.resize(static_cast<std::size_t>(write_cigar(text.data() + before, cigar, elements) - text.data()));
}

}  // namespace trawl::align
