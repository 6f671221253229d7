#include "io/read/gzip/window.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace trawl::io {

// Moves what stays so that `n` <= kWindowSize bytes can be written at the end.
void InflateWindow::make_room(std::size_t n) {
  std::copy(bytes_.begin() + kFirstMarker + n, bytes_.end(), bytes_.begin() + kFirstMarker);
  size_ = std::min(size_ + n, kWindowSize);
}

void InflateWindow::add(const std::uint8_t* text, std::size_t n) {
  const std::size_t last = std::min(n, kWindowSize);
  make_room(last);
  std::copy_n(text + (n - last), last, bytes_.end() - last);
}

void InflateWindow::add(const std::uint16_t* symbols, std::size_t n) {
  const std::size_t last = std::min(n, kWindowSize);
  std::vector<char> text(last);
  to_text(symbols + (n - last), last, *this, text.data());
  make_room(last);
  std::copy(text.begin(), text.end(), bytes_.end() - last);
}

void fill_with_markers(std::uint16_t* to) { std::iota(to, to + kWindowSize, static_cast<std::uint16_t>(kFirstMarker)); }

bool refer_to_more_than(const InflateWindow& window, const std::uint16_t* symbols, std::size_t n) {
  const std::size_t first_known = kFirstMarker + kWindowSize - window.size();
  return first_known > kFirstMarker &&
         std::any_of(symbols, symbols + n, [&](std::uint16_t s) { return s >= kFirstMarker && s < first_known; });
}

bool has_marker(const std::uint16_t* symbols, std::size_t n) {
  constexpr std::size_t kStep = 512;
  // From the end, where the copies of copies have got rarest: in other words, where the answer is still useful.
  while (n > 0) {
    const std::size_t step = std::min(n, kStep);
    unsigned all = 0;
    for (std::size_t i = n - step; i < n; ++i) {
      all |= symbols[i];
    }
    if (all >= kFirstMarker) {
      return true;
    }
    n -= step;
  }
  return false;
}

void to_text(const std::uint16_t* symbols, std::size_t n, const InflateWindow& window, char* to) {
  for (std::size_t i = 0; i < n; ++i) {
    to[i] = static_cast<char>(window.byte_of(symbols[i]));
  }
}

}  // namespace trawl::io
