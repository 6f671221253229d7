// Turns symbols of DeflateDecoder into text, once the window of 32 KiB before them is known.
//
//   InflateWindow window;                            // empty: the text starts here
//   const std::uint16_t symbols[] = {'A', 'C', 'G', 'T'};
//   char text[4];
//   to_text(symbols, 4, window, text);
//   std::string_view(text, 4) == "ACGT"
//   window.add(symbols, 4);                          // now the window of what comes after these symbols
//   window.size() == 4
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace trawl::io {

constexpr std::size_t kWindowSize = 32768;
constexpr unsigned kFirstMarker = 256;  // 256 + k: byte k of the window

/// The last bytes of a text.
class InflateWindow {
 public:
  /// Bytes that are known, at the end of the window. Less than kWindowSize only at the start of a stream.
  std::size_t size() const { return size_; }
  const std::uint8_t* end() const { return bytes_.data() + bytes_.size(); }
  const std::uint8_t* begin() const { return end() - size_; }

  void clear() { size_ = 0; }
  /// Adds text at the end.
  void add(const std::uint8_t* text, std::size_t n);
  /// Adds symbols whose unknown window was this one.
  void add(const std::uint16_t* symbols, std::size_t n);

  std::uint8_t byte_of(std::uint16_t symbol) const { return bytes_[symbol]; }

 private:
  void make_room(std::size_t n);

  // The 256 bytes themselves, so that a symbol is an index, then the window.
  std::array<std::uint8_t, kFirstMarker + kWindowSize> bytes_ = [] {
    std::array<std::uint8_t, kFirstMarker + kWindowSize> bytes{};
    for (unsigned i = 0; i < kFirstMarker; ++i) {
      bytes[i] = static_cast<std::uint8_t>(i);
    }
    return bytes;
  }();
  std::size_t size_ = 0;
};

/// What stands before the symbols whose window is unknown: kWindowSize symbols.
void fill_with_markers(std::uint16_t* to);
/// True if symbols stand for bytes that the window does not have: then the data are damaged, or do not start there.
bool refer_to_more_than(const InflateWindow& window, const std::uint16_t* symbols, std::size_t n);
bool has_marker(const std::uint16_t* symbols, std::size_t n);
void to_text(const std::uint16_t* symbols, std::size_t n, const InflateWindow& window, char* to);

}  // namespace trawl::io
