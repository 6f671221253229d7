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

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/host_device.hpp"
#include "lab/matchers/matcher.hpp"
#include "lab/matchers/sets/pattern_set.hpp"

namespace trawl::matchers {

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
