// What the examples of the headers need to run (make_examples.py).
#pragma once

#include <cmath>
#include <concepts>
#include <string_view>
#include <type_traits>

#include "sequence/encoded_read.hpp"
#include "sequence/packed_letters.hpp"

#define TRAWL_TRUE(...)                           \
  (trawl::examples::is_true(__VA_ARGS__) ? void() \
                                         : trawl::examples::fail(__FILE__, __LINE__, "does not hold: " #__VA_ARGS__))
#define TRAWL_EQUAL(got, ...)                  \
  (trawl::examples::is_equal(got, __VA_ARGS__) \
       ? void()                                \
       : trawl::examples::fail(__FILE__, __LINE__, "does not hold: " #got " == " #__VA_ARGS__))

namespace trawl::examples {

void fail(std::string_view file, int line, std::string_view problem);
void run(std::string_view file, int line, void (*example)());
/// In the file that make_examples.py writes.
void run_all();

/// For nothing but bool: a line that only shows an expression would not be checked.
inline bool is_true(std::same_as<bool> auto holds) { return holds; }

/// `want` may be a list in braces. Numbers with a fraction are written with as many digits as a reader wants.
template <class T>
bool is_equal(const T& got, const std::type_identity_t<T>& want) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::abs(got - want) <= 1e-6 * std::abs(want);
  } else {
    return got == want;
  }
}

/// A reference with one contig, chr1.
inline sequence::Reference reference_of(std::string_view letters) {
  const sequence::NamedText chr1{"chr1", letters};
  return sequence::pack_texts({&chr1, 1});
}

/// One strand of a read, in which ambiguous bases match nothing.
inline sequence::EncodedRead read_of(std::string_view bases) {
  sequence::EncodedRead read;
  read.encode(bases, false);
  return read;
}

}  // namespace trawl::examples
