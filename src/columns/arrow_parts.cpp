#include "columns/arrow_parts.hpp"

#include <algorithm>
#include <charconv>

namespace trawl::columns {

namespace {

std::size_t digits(std::uint32_t number) {
  std::size_t count = 1;
  for (; number >= 10; number /= 10) {
    ++count;
  }
  return count;
}

template <class T>
std::int64_t mark_not_negative(const void* column, std::size_t rows, std::vector<std::uint8_t>& valid) {
  const T* const numbers = static_cast<const T*>(column);
  const auto nulls = std::count_if(numbers, numbers + rows, [](T number) { return number < 0; });
  valid.assign(nulls > 0 ? (rows + 7) / 8 : 0, 0);
  for (std::size_t row = 0; nulls > 0 && row < rows; ++row) {
    if (numbers[row] >= 0) {
      valid[row / 8] = static_cast<std::uint8_t>(valid[row / 8] | 1U << row % 8);
    }
  }
  return nulls;
}

}  // namespace

Texts cigar_texts(const Cigars& cigars) {
  Texts made;
  const std::size_t rows = cigars.size();
  made.offset.resize(rows + 1);
  std::size_t total = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    made.offset[row] = total;
    for (const std::uint32_t element : cigars[row]) {
      total += digits(element >> 4) + 1;
    }
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

std::int64_t mark_valid(const Column& column, std::size_t rows, std::vector<std::uint8_t>& valid) {
  switch (column.negative_is_null ? column.format : ' ') {
    case 'c':
      return mark_not_negative<std::int8_t>(column.numbers, rows, valid);
    case 'i':
      return mark_not_negative<std::int32_t>(column.numbers, rows, valid);
    case 'l':
      return mark_not_negative<std::int64_t>(column.numbers, rows, valid);
    default:
      return 0;
  }
}

}  // namespace trawl::columns
