// A matcher of sets is a published algorithm that finds where any of many patterns occurs in a text, written as one
// small type. list.txt lists them. cpu_set_matchers.hpp runs them on the CPU.
//
//   struct AhoCorasick {
//     static constexpr MatcherFacts kFacts = {"aho-corasick", "", "A trie ...", 1975};
//     struct Numbers {  // plain data
//       std::uint32_t width;
//     };
//     template <template <class> class Array>
//     struct Tables : Numbers {  // arrays of any size
//       Array<std::uint32_t> next;
//       auto arrays() { return std::tie(next); }              // all of them, those that are read most often first
//       auto arrays() const { return std::tie(next); }
//     };
//     static void prepare(const PatternSet& set, Tables<HostArray>& tables);
//     TRAWL_HOST_DEVICE static void scan(const auto& tables, const auto& text, Index begin, Index end, auto&& emit);
//   };
//
// prepare() fills vectors. scan() sees the same arrays as pointers (TableArray), in host or device memory, and reads
// them by [i] only; which instruction loads an element is the driver's choice.
//
// scan() calls emit(pattern, j) for every position j in [begin, end) where an occurrence of a pattern ends (text[j] is
// its last character), and for no other position; it calls it once for each, in any order. `pattern` is the number in
// the PatternSet, in which each pattern is there once. The drivers cut the text into stretches [begin, end). An
// occurrence may begin before `begin`, so scan() starts to read earlier: see first_window(). It may also read after
// `end`, but only before text.size(). scan() reads no other text than text[j] and text.size().
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/host_device.hpp"
#include "lab/matchers/matcher.hpp"

namespace trawl::matchers {

/// A set of patterns, in the form that matchers of sets take: each pattern once, in the order of their bytes.
///
///   const PatternSet set({"GATTACA", "ACA", "GATTACA"});
///   set.size() == 2;  set[0] == "ACA";  set[1] == "GATTACA";
class PatternSet {
 public:
  /// Throws UsageError for a set without patterns, with an empty one, or with more than kMostPatterns.
  explicit PatternSet(std::vector<std::string> patterns);

  /// The number of different patterns.
  std::uint32_t size() const { return static_cast<std::uint32_t>(offsets_.size() - 1); }
  std::string_view operator[](std::uint32_t number) const {
    return std::string_view(letters_).substr(offsets_[number], offsets_[number + 1] - offsets_[number]);
  }
  /// How many patterns were given.
  std::size_t given() const { return given_; }
  std::uint64_t shortest() const { return shortest_; }
  std::uint64_t longest() const { return longest_; }
  /// All different patterns after each other.
  const std::string& letters() const { return letters_; }

  static constexpr std::size_t kMostPatterns = std::size_t{1} << 30;

 private:
  std::size_t given_;
  std::string letters_;
  std::vector<std::uint64_t> offsets_;  // of each pattern in letters_, and the end of the last
  std::uint64_t shortest_ = 0;
  std::uint64_t longest_ = 0;
};

/// The letters of a set of patterns, numbered from 0 in the order of their bytes. For patterns over A, C, G and T: 0,
/// 1, 2 and 3.
struct LetterClasses {
  std::vector<std::uint16_t> of = std::vector<std::uint16_t>(256);  // of each byte; of others than letters: count
  std::uint16_t count = 0;                                          // different letters, 1 to 256
};

inline LetterClasses letter_classes(const PatternSet& set) {
  LetterClasses classes;
  bool seen[256] = {};
  for (const char c : set.letters()) {
    seen[static_cast<unsigned char>(c)] = true;
  }
  classes.count = static_cast<std::uint16_t>(std::count(std::begin(seen), std::end(seen), true));
  std::uint16_t next = 0;
  for (unsigned c = 0; c < 256; ++c) {
    classes.of[c] = seen[c] ? next++ : classes.count;
  }
  return classes;
}

/// Stands for a pattern or a state that is not there.
inline constexpr std::uint32_t kNone = 0xFFFFFFFF;

/// Loads an element of a table in the usual way.
struct PlainLoad {
  template <class T>
  TRAWL_HOST_DEVICE static T load(const T* from) {
    return *from;
  }
};

/// An array of a table as scan() sees it.
template <class T, class Load = PlainLoad>
class TableArray {
 public:
  TableArray() = default;
  explicit TableArray(const T* elements) : elements_(elements) {}
  TRAWL_HOST_DEVICE T operator[](std::uint64_t i) const { return Load::load(elements_ + i); }

 private:
  const T* elements_ = nullptr;
};

/// An array of a table as prepare() fills it.
template <class T>
using HostArray = std::vector<T>;

template <class T>
using PlainArray = TableArray<T>;

template <class Matcher>
using HostTables = typename Matcher::template Tables<HostArray>;

/// The tables as scan() sees them: place(vector) returns what Array<T> is made from. It is called for one array after
/// another, in the order of arrays(). Trivially copyable, so that they can be an argument of a kernel.
///
///   place_tables<AhoCorasick, PlainArray>(tables, [](const auto& array) { return array.data(); })
template <class Matcher, template <class> class Array, class Place>
typename Matcher::template Tables<Array> place_tables(const HostTables<Matcher>& tables, Place&& place) {
  typename Matcher::template Tables<Array> view;
  static_cast<typename Matcher::Numbers&>(view) = tables;
  auto to = view.arrays();
  const auto from = tables.arrays();
  static_assert(std::tuple_size_v<decltype(to)> == std::tuple_size_v<std::remove_const_t<decltype(from)>>);
  [&]<std::size_t... kIndex>(std::index_sequence<kIndex...>) {
    ((std::get<kIndex>(to) = std::remove_reference_t<decltype(std::get<kIndex>(to))>(place(std::get<kIndex>(from)))),
     ...);
  }
  (std::make_index_sequence<std::tuple_size_v<decltype(to)>>());
  return view;
}

/// The bytes of all arrays.
template <class Matcher>
std::uint64_t table_bytes_of(const HostTables<Matcher>& tables) {
  return std::apply([](const auto&... array) { return (std::uint64_t{0} + ... + (array.size() * sizeof(array[0]))); },
                    tables.arrays());
}

}  // namespace trawl::matchers
