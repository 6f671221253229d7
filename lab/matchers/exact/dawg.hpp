// Matchers with suffix automata (DAWGs): they read windows with the automaton of the reversed pattern from right to
// left, as long as what was read is a factor of the pattern, or the text with that of the pattern from left to right.
#pragma once

#include "lab/matchers/exact/automata.hpp"
#include "lab/matchers/exact/shift_rules.hpp"

namespace trawl::matchers {

/// Reverse factor, also called backward DAWG matching (Lecroq 1992, "A variation on the Boyer-Moore algorithm";
/// Crochemore et al. 1994): the longest prefix of the pattern that was met in a window is where the next one begins.
struct ReverseFactor {
  static constexpr MatcherFacts kFacts = {"reverse-factor", "rf", "Reads windows backward with a suffix automaton",
                                          1992};
  std::uint32_t m;
  TransitionTable<kSuffixStates> automaton;

  static void prepare(std::string_view pattern, ReverseFactor& table) {
    add_marked_suffix_automaton(reversed(pattern), table.automaton);
  }

  TRAWL_HOST_DEVICE static void scan(const ReverseFactor& table, const auto& text, Index begin, Index end,
                                     auto&& emit) {
    const std::uint32_t m = table.m;
    for (Index window = first_window(begin, m); window + m <= end;) {
      std::uint32_t state = 0;
      std::uint32_t shift = m;  // to the longest prefix so far
      for (std::uint32_t left = m; (state = table.automaton.at(state & kStateBits, text[window + left - 1])) != 0;) {
        if (--left == 0) {
          emit(window + m - 1);
          break;
        }
        shift = (state & kSuffixMark) != 0 ? left : shift;
      }
      window += shift;
    }
  }
};

/// Turbo reverse factor (Crochemore, Czumaj, Gasieniec, Jarominek, Lecroq, Plandowski and Rytter 1994, "Speeding up two
/// string-matching algorithms"): remembers the prefix u of the pattern with which the window begins. It reads from
/// right to left only as far as u. If what it has read is in the pattern, but not at its end, it also reads a part of
/// u: its last period if u is periodic, otherwise all but its first period. So no character is read more than twice.
/// The displacement of what was read is the distance of its last occurrence from the pattern's end.
struct TurboReverseFactor {
  static constexpr MatcherFacts kFacts = {"turbo-reverse-factor", "trf",
                                          "Reverse factor that remembers the prefix found before", 1994};
  std::uint32_t m;
  std::uint32_t ends;     // the cell of SuffixStates::end of state 0
  std::uint32_t periods;  // the cell of the period of the prefix of length 0
  TransitionTable<kSuffixStates + (kSuffixStates + kLongestPattern) / 256 + 1> automaton;

  static void prepare(std::string_view pattern, TurboReverseFactor& table) {
    table.ends = table.automaton.append(add_marked_suffix_automaton(reversed(pattern), table.automaton).end);
    Borders borders;
    fill_borders(pattern, borders);
    std::vector<std::uint16_t> periods(table.m + 1);
    for (std::uint32_t i = 1; i <= table.m; ++i) {
      periods[i] = static_cast<std::uint16_t>(static_cast<int>(i) - borders[i]);
    }
    table.periods = table.automaton.append(periods);
  }

  TRAWL_HOST_DEVICE static void scan(const TurboReverseFactor& table, const auto& text, Index begin, Index end,
                                     auto&& emit) {
    const std::uint32_t m = table.m;
    std::uint32_t known = 0;  // length of u
    for (Index window = first_window(begin, m); window + m <= end;) {
      std::uint32_t state = 0, left = m, shift = m;
      const auto reads_down_to = [&](std::uint32_t stop) {
        for (std::uint32_t next; left > stop; state = next & kStateBits) {
          if ((next = table.automaton.at(state, text[window + left - 1])) == 0) {
            return false;
          }
          --left;
          shift = (next & kSuffixMark) != 0 ? left : shift;
        }
        return true;
      };
      const auto displacement = [&] { return table.automaton.cells[table.ends + state] - (m - left); };
      if (reads_down_to(known)) {
        if (displacement() == 0) {
          emit(window + m - 1);
          shift = table.automaton.cells[table.periods + m];
        } else {
          const std::uint32_t period = table.automaton.cells[table.periods + known];
          const bool periodic = 2 * period <= known;
          if (reads_down_to(periodic ? known - period : period) && periodic) {
            shift = displacement();
          }
        }
      }
      known = m - shift;
      window += shift;
    }
  }
};

/// Forward DAWG matching (Crochemore and Rytter 1994, the book "Text algorithms"): reads the text once, and keeps the
/// longest factor of the pattern that ends at the current character, with its state. If this factor cannot be extended,
/// the suffix link leads to the longest shorter one in another state.
struct ForwardDawg {
  static constexpr MatcherFacts kFacts = {"forward-dawg", "fdm",
                                          "Reads the text once with the pattern's suffix automaton", 1994};
  std::uint32_t m;
  std::uint32_t links, lengths;  // the cells of these of state 0
  TransitionTable<kSuffixStates + 2 * kSuffixStates / 256> automaton;

  static void prepare(std::string_view pattern, ForwardDawg& table) {
    const SuffixStates states = add_suffix_automaton(pattern, table.automaton);
    table.links = table.automaton.append(states.link);
    table.lengths = table.automaton.append(states.length);
  }

  TRAWL_HOST_DEVICE static void scan(const ForwardDawg& table, const auto& text, Index begin, Index end, auto&& emit) {
    const std::uint32_t m = table.m;
    const std::uint16_t* const links = table.automaton.cells + table.links;
    const std::uint16_t* const lengths = table.automaton.cells + table.lengths;
    std::uint32_t state = 0, length = 0, next;
    for (Index j = first_window(begin, m); j < end; ++j) {
      const unsigned char c = text[j];
      while ((next = table.automaton.at(state, c)) == 0 && state != 0) {
        state = links[state];
        length = lengths[state];
      }
      state = next;
      length += next != 0 ? 1 : 0;
      if (length == m) {
        emit(j);
      }
    }
  }
};

/// A table with the suffix automaton of the pattern, or (kReversed) of the reversed pattern, and the string automaton
/// of the other one.
template <bool kReversed>
struct BothWays {
  std::uint32_t m;
  std::uint32_t back;  // the row of state 0 of the string automaton
  TransitionTable<kSuffixStates + kLongestPattern + 1> automaton;

  /// Reads letter(0), letter(1), ... as far as they are a factor, at most `most`. Returns the length of the longest
  /// suffix of the word that they begin with.
  TRAWL_HOST_DEVICE std::uint32_t longest_suffix(std::uint64_t most, auto&& letter) const {
    std::uint32_t longest = 0, state = 0;
    for (std::uint32_t read = 0; read < most;) {
      state = automaton.at(state & kStateBits, letter(read++));
      if (state == 0) {
        break;
      }
      longest = (state & kSuffixMark) != 0 ? read : longest;
    }
    return longest;
  }

  static void prepare(std::string_view pattern, BothWays& table) {
    const std::string reverse = reversed(pattern);
    add_marked_suffix_automaton(kReversed ? reverse : pattern, table.automaton);
    table.back = add_string_automaton(kReversed ? pattern : reverse, table.automaton);
  }
};

/// Wide window (He, Fang and Sui 2005, "The wide window string matching algorithm"): looks at one character in m, the
/// centre of a window of 2 m - 1 characters. From the centre it reads to the right with the pattern's suffix automaton,
/// to find the longest suffix of the pattern that begins there; then to the left of the centre, with the automaton of
/// the reversed pattern, as long as a match that contains the centre is possible.
struct WideWindow : BothWays<false> {
  static constexpr MatcherFacts kFacts = {"wide-window", "ww",
                                          "Reads to the right and then to the left of each m-th character", 2005};

  TRAWL_HOST_DEVICE static void scan(const BothWays& table, const auto& text, Index begin, Index end, auto&& emit) {
    const std::uint32_t m = table.m;
    for (Index centre = first_window(begin, m) + m - 1; centre < end; centre += m) {
      std::uint32_t suffix = table.longest_suffix(end - centre, [&](std::uint32_t i) { return text[centre + i]; });
      for (std::uint32_t left = 0; suffix > left;) {  // characters to the left of the centre
        if (suffix == m) {
          emit(centre - left + m - 1);
        }
        if (++left == m) {
          break;
        }
        suffix = table.automaton.at(table.back + suffix, text[centre - left]);
      }
    }
  }
};

/// Improved linear DAWG matching (Liu, Wang, Liu and Li 2006, "Two improved single pattern matching algorithms"): reads
/// a window from right to left, to find the longest prefix of the pattern that ends the window; then the text after it
/// from left to right with the pattern's automaton, while the prefix is longer than 0, or than half the pattern. The
/// next window begins with the prefix that is left.
template <bool kHalf>
struct ImprovedLinearDawg : BothWays<true> {
  TRAWL_HOST_DEVICE static void scan(const BothWays& table, const auto& text, Index begin, Index end, auto&& emit) {
    const std::uint32_t m = table.m, enough = kHalf ? m / 2 : 0;
    for (Index window = first_window(begin, m); window + m <= end;) {
      Index next = window + m;  // the first character that was not read
      std::uint32_t length = table.longest_suffix(m, [&](std::uint32_t i) { return text[next - 1 - i]; });
      while (length > enough) {
        if (length == m) {
          emit(next - 1);
        }
        if (next == end) {
          return;
        }
        length = table.automaton.at(table.back + length, text[next++]);
      }
      window = next - length;
    }
  }
};

/// Version 1.
struct ImprovedLinearDawg1 : ImprovedLinearDawg<false> {
  static constexpr MatcherFacts kFacts = {"improved-linear-dawg-1", "ildm1",
                                          "Reads backward with a suffix automaton, then forward while a prefix lasts",
                                          2006};
};

/// Version 2.
struct ImprovedLinearDawg2 : ImprovedLinearDawg<true> {
  static constexpr MatcherFacts kFacts = {"improved-linear-dawg-2", "ildm2",
                                          "As improved-linear-dawg-1, but forward only while half the pattern is there",
                                          2006};
};

}  // namespace trawl::matchers
