// BNDM and its relatives. They read a window of the text from right to left. One bit for each place in the pattern
// tells whether the characters read so far occur there. If no bit is left, these characters occur nowhere in the
// pattern, and the next window begins after the character that was read last.
#pragma once

#include "lab/matchers/exact/word_masks.hpp"

namespace trawl::matchers {

/// Fills what most tables have: `masks` of the prefix, and its `period` (two of its occurrences are never nearer; SBNDM
/// and its variants need it).
template <class Table>
void prepare_backward(std::string_view pattern, Table& table) {
  const std::string_view prefix = word_prefix(pattern);
  Borders borders;
  fill_borders(prefix, borders);
  fill_backward_masks(prefix, 0, table.masks);
  table.period = static_cast<std::uint32_t>(prefix.size()) - static_cast<std::uint32_t>(borders[prefix.size()]);
}

/// A matcher that needs nothing else derives from it.
struct BackwardSearch {
  std::uint64_t masks[256];
  std::uint32_t period;
  Pattern pattern;
  static void prepare(std::string_view pattern, BackwardSearch& table) { prepare_backward(pattern, table); }
};

/// Reads on in the window that ends at `j`, from the state after `read` characters. Returns how far the next window is:
/// `shift` if no prefix of the pattern is met.
TRAWL_HOST_DEVICE std::uint32_t read_bndm_window(const auto& table, const BackwardWindows& windows, const auto& text,
                                                 Index j, std::uint64_t state, std::uint32_t read, std::uint32_t shift,
                                                 auto&& emit) {
  const std::uint64_t whole = std::uint64_t{1} << (windows.length - 1);
  while (state != 0) {
    if ((state & whole) != 0) {
      if (read == windows.length) {
        windows.verify(table.pattern, text, j, emit);
        break;
      }
      shift = windows.length - read;
    }
    state = (state << 1) & table.masks[text[j - read]];
    ++read;
  }
  return shift;
}

/// Reads on in the window that ends at `j`, from the state after `read` characters, as SBNDM does. Returns how far the
/// next window is. `table` is filled by prepare_backward().
TRAWL_HOST_DEVICE std::uint32_t read_sbndm_window(const auto& table, const BackwardWindows& windows, const auto& text,
                                                  Index j, std::uint64_t state, std::uint32_t read, auto&& emit) {
  for (; state != 0 && read < windows.length; ++read) {
    state = (state << 1) & table.masks[text[j - read]];
  }
  if (state == 0) {
    return windows.length - read + 1;
  }
  windows.verify(table.pattern, text, j, emit);
  return table.period;
}

/// BNDM, or (kSimplified) SBNDM, that reads kQ characters of a window before its first test; one if the pattern is
/// shorter.
template <unsigned kQ, bool kSimplified>
struct GramSearch : BackwardSearch {
  TRAWL_HOST_DEVICE static void scan(const BackwardSearch& table, const auto& text, Index begin, Index end,
                                     auto&& emit) {
    if (kQ > 1 && table.pattern.m < kQ) {
      return GramSearch<1, kSimplified>::scan(table, text, begin, end, emit);
    }
    const BackwardWindows windows(table.pattern.m, begin, end);
    const std::uint32_t shift = windows.length - (kQ - 1);  // a match may begin with the last kQ - 1
    for (Index j = windows.first; j < windows.stop;) {
      const std::uint64_t state = read_gram<kQ>(table.masks, text, j);
      j += kSimplified ? read_sbndm_window(table, windows, text, j, state, kQ, emit)
                       : read_bndm_window(table, windows, text, j, state, kQ, shift, emit);
    }
  }
};

/// BNDM, backward nondeterministic DAWG matching (Navarro and Raffinot 1998, "A bit-parallel approach to suffix
/// automata: fast extended string matching"). Each time the characters read are also a prefix of the pattern, a match
/// could begin there; the longest such prefix shorter than the window says how far the window may move.
struct Bndm : GramSearch<1, false> {
  static constexpr MatcherFacts kFacts = {
      "bndm", "bndm", "Reads windows backward with a bit for each place in the pattern", 1998, kPrefixLimit};
};

/// BNDMq with q = 2 (Durian, Holub, Peltola and Tarhio 2009, "Tuning BNDM with q-grams"): reads the last two characters
/// of a window before its first test. They seldom occur together in the pattern, so most windows cost one test only.
struct BndmQ2 : GramSearch<2, false> {
  static constexpr MatcherFacts kFacts = {
      "bndm-q2", "bndmq2", "BNDM that reads two characters at once", 2009,
      "m = 1: as bndm; m > 64: searches the first 64 characters, then compares the rest"};
};

/// BNDMq with q = 4 (Durian, Holub, Peltola and Tarhio 2009, "Tuning BNDM with q-grams").
struct BndmQ4 : GramSearch<4, false> {
  static constexpr MatcherFacts kFacts = {
      "bndm-q4", "bndmq4", "BNDM that reads four characters at once", 2009,
      "m < 4: as bndm; m > 64: searches the first 64 characters, then compares the rest"};
};

/// TNDM, two-way nondeterministic DAWG matching (Peltola and Tarhio 2003, "Alternative algorithms for bit-parallel
/// string matching"): if the last character of a window is not the pattern's, TNDM reads forward from it, until the
/// characters read are a suffix of the pattern, where the next window must end, or occur nowhere in the pattern. Then
/// it reads backward like BNDM, from where it began.
struct Tndm {
  static constexpr MatcherFacts kFacts = {
      "tndm", "tndm", "BNDM that reads forward to the next suffix of the pattern first", 2003, kPrefixLimit};
  std::uint64_t masks[256];
  std::uint8_t shifts[kWordBits + 1];  // fill_border_shifts()
  Pattern pattern;

  static void prepare(std::string_view pattern, Tndm& table) {
    const std::string_view prefix = word_prefix(pattern);
    fill_backward_masks(prefix, 0, table.masks);
    PositionValues lengths;
    fill_suffix_lengths(prefix, lengths);
    fill_border_shifts(lengths, prefix.size(), table.shifts);
  }

  TRAWL_HOST_DEVICE static void scan(const Tndm& table, const auto& text, Index begin, Index end, auto&& emit) {
    const BackwardWindows windows(table.pattern.m, begin, end);
    for (Index j = windows.first; j < windows.stop;) {
      std::uint64_t state = table.masks[text[j]];
      std::uint32_t read = 1;
      while (state > 1 && (state & 1) == 0 && j + read < windows.stop) {  // bit 0: a suffix of the pattern
        state = (state >> 1) & table.masks[text[j + read]];
        ++read;
      }
      if ((state & 1) == 0) {
        j += windows.length;
        continue;
      }
      state <<= read - 1;
      j += read - 1;
      j += read_bndm_window(table, windows, text, j, state, read, table.shifts[read], emit);
    }
  }
};

/// BNDM on factors (KBNDM; Cantone, Faro and Giaquinta 2010, "A compact representation of nondeterministic (suffix)
/// automata for the bit-parallel approach"): BNDM with one bit for each factor of the reversed pattern that has no
/// character twice, so that the windows of longer patterns fit in a word, and the shifts are as long.
struct FactorizedBndm : FactorizedMasks {
  static constexpr MatcherFacts kFacts = {"factorized-bndm", "kbndm",
                                          "BNDM with a bit for each factor of distinct characters", 2010, kFactorLimit};

  static void prepare(std::string_view pattern, FactorizedMasks& table) { table.prepare(pattern, true); }

  TRAWL_HOST_DEVICE static void scan(const FactorizedMasks& table, const auto& text, Index begin, Index end,
                                     auto&& emit) {
    const BackwardWindows windows(table.pattern.m, begin, end, table.length);
    const std::uint64_t whole = table.whole();
    for (Index j = windows.first; j < windows.stop;) {
      std::uint32_t c = table.class_of[text[j]], read = 1, shift = windows.length;
      std::uint64_t state = table.members[c];
      while (state != 0) {
        if ((state & table.lasts[c] & whole) != 0) {
          if (read == windows.length) {
            windows.verify(table.pattern, text, j, emit);
            break;
          }
          shift = windows.length - read;
        }
        const std::uint32_t before = table.class_of[text[j - read]];
        state = table.step(state, c, before);
        c = before;
        ++read;
      }
      j += shift;
    }
  }
};

/// BXS, BNDM with extended shift (Durian, Peltola, Salmela and Tarhio 2010, "Bit-parallel search algorithms for long
/// patterns"): the pattern is cut into pieces of 64 characters that share the bits of a word, and the state is rotated
/// instead of shifted, from piece to piece. So BNDM reads windows longer than a word, and shifts by their whole length;
/// a window that it lets pass is compared. SMART calls it bxs, but cuts the pattern to a word.
struct BndmExtendedShift {
  static constexpr MatcherFacts kFacts = {"bndm-extended-shift", "bx",
                                          "BNDM that rotates its state, for windows longer than a word", 2010,
                                          kSuperimposedLimit};
  std::uint64_t masks[256];
  std::uint32_t length;  // of the windows
  Pattern pattern;

  static void prepare(std::string_view pattern, BndmExtendedShift& table) {
    fill_shared(pattern.size(), [&](std::uint32_t pieces) {
      const std::string_view prefix = word_prefix(pattern, pieces * kWordBits);
      table.length = static_cast<std::uint32_t>(prefix.size());
      return fill_superimposed(prefix, table.masks, [&](std::size_t i) { return (prefix.size() - 1 - i) % kWordBits; });
    });
  }

  TRAWL_HOST_DEVICE static void scan(const BndmExtendedShift& table, const auto& text, Index begin, Index end,
                                     auto&& emit) {
    const BackwardWindows windows(table.pattern.m, begin, end, table.length);
    const std::uint64_t whole = std::uint64_t{1} << ((windows.length - 1) % kWordBits);
    for (Index j = windows.first; j < windows.stop;) {
      std::uint64_t state = table.masks[text[j]];
      std::uint32_t read = 1, shift = windows.length;
      for (; state != 0 && read < windows.length; ++read) {
        shift = (state & whole) != 0 ? windows.length - read : shift;
        state = (state << 1 | state >> (kWordBits - 1)) & table.masks[text[j - read]];
      }
      if ((state & whole) != 0 && table.pattern.occurs(text, j + 1 - windows.length)) {
        emit(j + windows.rest);
      }
      j += shift;
    }
  }
};

/// LBNDM, long BNDM (Peltola and Tarhio 2003, "Alternative algorithms for bit-parallel string matching"): reads every
/// k-th character of the text only. The pattern is cut into parts of k characters, and a bit of BNDM's state is a part:
/// it takes each character of the part. For a match of this filter, the k windows that these characters can belong to
/// are compared.
struct Lbndm {
  static constexpr MatcherFacts kFacts = {
      "lbndm", "lbndm", "BNDM on every k-th character of the text, for long patterns", 2003, kSuperimposedLimit};
  std::uint64_t masks[256];
  std::uint32_t k;      // characters of a part
  std::uint32_t parts;  // 1 to 64
  Pattern pattern;

  static void prepare(std::string_view pattern, Lbndm& table) {
    table.k = fill_shared(pattern.size(), [&](std::uint32_t k) {
      table.parts = std::min(kWordBits, static_cast<std::uint32_t>(pattern.size()) / k);
      return fill_superimposed(pattern.substr(0, table.parts * k), table.masks,
                               [&](std::size_t i) { return table.parts - 1 - i / k; });
    });
  }

  TRAWL_HOST_DEVICE static void scan(const Lbndm& table, const auto& text, Index begin, Index end, auto&& emit) {
    const std::uint32_t m = table.pattern.m, k = table.k, parts = table.parts;
    const std::uint64_t whole = std::uint64_t{1} << (parts - 1);
    const Index first = first_window(begin, m), stop = end < m ? 0 : end - m + 1;  // one after the last window
    for (Index j = first; first < stop && j < stop + k - 1;) {  // the first character read of a window
      std::uint64_t at = j + std::uint64_t{parts - 1} * k, state = table.masks[text[at]];
      std::uint32_t left = parts - 1, shift = parts;
      while (state != 0) {
        if ((state & whole) != 0) {
          if (left == 0) {
            for (std::uint32_t i = 0; i < k && i <= j - first; ++i) {
              if (j - i < stop && table.pattern.occurs(text, j - i)) {
                emit(j - i + m - 1);
              }
            }
            break;
          }
          shift = left;
        }
        --left;
        at -= k;
        state = (state << 1) & table.masks[text[at]];
      }
      j += std::uint64_t{shift} * k;
    }
  }
};

/// For SBNDM that reads two characters.
inline constexpr const char* kSbndm2Limit =
    "m = 1: as sbndm; m > 64: searches the first 64 characters, then compares the rest";

/// SBNDM, simplified BNDM (Peltola and Tarhio 2003, "Alternative algorithms for bit-parallel string matching"): does
/// not look for prefixes while it reads a window. The next window begins after the character at which the characters
/// read stopped occurring in the pattern; after a match it moves by the pattern's period. The shifts are shorter than
/// BNDM's, but each step costs less.
struct Sbndm : GramSearch<1, true> {
  static constexpr MatcherFacts kFacts = {"sbndm", "sbndm", "BNDM without the search for prefixes", 2003, kPrefixLimit};
};

/// SBNDMq with q = 2 (Durian, Holub, Peltola and Tarhio 2009, "Tuning BNDM with q-grams"): SBNDM2 of 2005 without the
/// loop of its own for windows that fail at once; its form is that of any q.
struct SbndmQ2 : GramSearch<2, true> {
  static constexpr MatcherFacts kFacts = {"sbndm-q2", "sbndmq2", "SBNDM that reads two characters at once", 2009,
                                          kSbndm2Limit};
};

/// SBNDM2 (Holub and Durian 2005, talk "Fast variants of bit parallel approach to suffix automata"): the last two
/// characters of a window are read without a test in between. Windows whose last two characters do not occur in the
/// pattern are passed over in a short loop of their own.
struct Sbndm2 : BackwardSearch {
  static constexpr MatcherFacts kFacts = {
      "sbndm-2", "sbndm2", "SBNDM with a short loop over windows whose last two characters fail", 2005, kSbndm2Limit};

  TRAWL_HOST_DEVICE static void scan(const BackwardSearch& table, const auto& text, Index begin, Index end,
                                     auto&& emit) {
    if (table.pattern.m < 2) {
      return Sbndm::scan(table, text, begin, end, emit);
    }
    const BackwardWindows windows(table.pattern.m, begin, end);
    const std::uint64_t step = windows.length - 1;
    for (Index j = windows.first; j < windows.stop;) {
      std::uint64_t state = 0;
      while (j < windows.stop && (state = read_gram<2>(table.masks, text, j)) == 0) {
        j += step;
      }
      if (state != 0) {
        j += read_sbndm_window(table, windows, text, j, state, 2, emit);
      }
    }
  }
};

/// The table of SBNDM with one of Horspool's kind.
struct SbndmShiftTable {
  std::uint8_t shifts[256];  // Quick Search's, for the prefix
  std::uint64_t masks[256];
  std::uint32_t period;
  Pattern pattern;
};

/// SBNDM-BMH (Holub and Durian 2005, talk "Fast variants of bit parallel approach to suffix automata"): uses Horspool's
/// rule where the last character of a window does not occur in the pattern. Then the window may move by its length, and
/// further, so that the character one window later meets its last occurrence in the pattern.
struct SbndmBmh : SbndmShiftTable {
  static constexpr MatcherFacts kFacts = {
      "sbndm-bmh", "sbndm_bmh", "SBNDM with Horspool's shift after characters not in the pattern", 2005, kPrefixLimit};

  static void prepare(std::string_view pattern, SbndmShiftTable& table) {
    fill_next_shifts(word_prefix(pattern), table.shifts);
    prepare_backward(pattern, table);
  }

  TRAWL_HOST_DEVICE static void scan(const SbndmShiftTable& table, const auto& text, Index begin, Index end,
                                     auto&& emit) {
    const BackwardWindows windows(table.pattern.m, begin, end);
    const std::uint32_t length = windows.length;
    for (Index j = windows.first; j < windows.stop;) {
      const std::uint64_t state = table.masks[text[j]];
      if (state != 0) {
        j += read_sbndm_window(table, windows, text, j, state, 1, emit);
      } else if (windows.stop - j > length) {
        j += length - 1 + table.shifts[text[j + length]];
      } else {
        return;
      }
    }
  }
};

/// BMH-SBNDM (Holub and Durian 2005, the same talk): Horspool's loop over the last characters of windows, until one is
/// the pattern's last character; then SBNDM tests the window.
struct BmhSbndm : SbndmShiftTable {  // with shifts that are 0 for the last character
  static constexpr MatcherFacts kFacts = {"bmh-sbndm", "bmh_sbndm", "Horspool's skip loop with SBNDM as the test", 2005,
                                          kPrefixLimit};

  static void prepare(std::string_view pattern, SbndmShiftTable& table) {
    SbndmBmh::prepare(pattern, table);
    for (std::uint8_t& shift : table.shifts) {
      --shift;
    }
  }

  TRAWL_HOST_DEVICE static void scan(const SbndmShiftTable& table, const auto& text, Index begin, Index end,
                                     auto&& emit) {
    const BackwardWindows windows(table.pattern.m, begin, end);
    for (Index j = windows.first; j < windows.stop;) {
      std::uint32_t shift = table.shifts[text[j]];
      if (shift == 0) {
        shift = read_sbndm_window(table, windows, text, j, table.masks[text[j]], 1, emit);
      }
      j += shift;
    }
  }
};

/// FSBNDM that reads two characters before its first test, kAhead of them after the window (Fsbndm: 1, FsbndmQ20: 0).
/// The prefix must have at least 2 - kAhead characters. Masks: fill_backward_masks() above kAhead bits that are 1.
template <unsigned kAhead>
TRAWL_HOST_DEVICE void scan_fsbndm(const auto& table, const auto& text, Index begin, Index end, auto&& emit) {
  const BackwardWindows windows(table.pattern.m, begin, end, kWordBits - kAhead);
  const std::uint64_t length = windows.length;
  if (windows.first >= windows.stop) {
    return;
  }
  // After the first window there is a character before the window, so the loops need not count.
  compare_windows(table.pattern, text, windows.first + 1 - length, windows.first + 1 + windows.rest, emit);
  Index j = windows.first + 1;
  while (j + kAhead < windows.stop) {
    std::uint64_t state = read_gram<2>(table.masks, text, j + kAhead);
    if (state == 0) {
      j += length - 1 + kAhead;
      continue;
    }
    Index from = j + kAhead - 1;  // the characters from here on occur in the pattern
    while ((state = (state << 1) & table.masks[text[from - 1]]) != 0) {
      --from;
    }
    const Index next = from + length - 1;
    if (next == j) {
      windows.verify(table.pattern, text, j++, emit);
    } else {
      j = next;
    }
  }
  if (j < windows.stop) {  // there may be no character after the last window
    compare_windows(table.pattern, text, j + 1 - length, end, emit);
  }
}

/// FSBNDM, forward simplified BNDM (Faro and Lecroq 2009, "Efficient variants of the backward-oracle-matching
/// algorithm"): SBNDM that first reads the character after the window, then the window's last one. For the masks any
/// character may follow the pattern. If the two do not occur together, the window moves by its whole length.
struct Fsbndm {
  static constexpr MatcherFacts kFacts = {"fsbndm", "fsbndm", "SBNDM that also reads the character after the window",
                                          2009, "m > 63: searches the first 63 characters, then compares the rest"};
  std::uint64_t masks[256];
  Pattern pattern;

  static void prepare(std::string_view pattern, Fsbndm& table) {
    for (std::uint64_t& mask : table.masks) {
      mask = 1;
    }
    fill_backward_masks(word_prefix(pattern, kWordBits - 1), 1, table.masks);
  }

  TRAWL_HOST_DEVICE static void scan(const Fsbndm& table, const auto& text, Index begin, Index end, auto&& emit) {
    scan_fsbndm<1>(table, text, begin, end, emit);
  }
};

/// FSBNDM-qf with q = 2 and f = 0 (Peltola and Tarhio 2011, "Variations of forward-SBNDM"): FSBNDM that reads q
/// characters before its first test, of which f lie after the window. With f = 0 the windows are those of SBNDM-q2, but
/// the loop is that of FSBNDM, which does not count the characters.
struct FsbndmQ20 : BackwardSearch {
  static constexpr MatcherFacts kFacts = {
      "fsbndm-q20", "fsbndmq20", "FSBNDM that reads two characters at once, none after the window", 2011, kSbndm2Limit};

  TRAWL_HOST_DEVICE static void scan(const BackwardSearch& table, const auto& text, Index begin, Index end,
                                     auto&& emit) {
    if (table.pattern.m < 2) {
      Sbndm::scan(table, text, begin, end, emit);
    } else {
      scan_fsbndm<0>(table, text, begin, end, emit);
    }
  }
};

}  // namespace trawl::matchers
