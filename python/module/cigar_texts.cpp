#include <array>
#include <charconv>

#include "table.hpp"

namespace trawl::python {

namespace {

std::size_t digits(std::uint32_t number) {
  std::size_t count = 1;
  for (; number >= 10; number /= 10) ++count;
  return count;
}

}  // namespace

Texts cigar_texts(const Cigars& cigars) {
  Texts made;
  const std::size_t rows = cigars.size();
  made.offset.resize(rows + 1);
  std::size_t total = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    made.offset[row] = total;
    for (const std::uint32_t element : cigars[row]) total += digits(element >> 4) + 1;
  }
  made.offset[rows] = total;
  made.text.resize(total);
  char* next = made.text.data();
  char* const end = next + total;
  for (std::size_t i = cigars.offset.front(); i < cigars.offset.back(); ++i) {
    next = std::to_chars(next, end, cigars.elements[i] >> 4).ptr;
    *next++ = "MIDNSHP=X???????"[cigars.elements[i] & 15];
  }
  return made;
}

}  // namespace trawl::python
