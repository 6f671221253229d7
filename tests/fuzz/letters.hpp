// Makes sequences from a fuzzer's bytes.
#pragma once

#include <fuzzer/FuzzedDataProvider.h>

#include <algorithm>
#include <string>

namespace trawl::fuzz {

/// 1 to `longest` letters, mostly bases, so that matches are found. A byte can also ask for a repeat.
inline std::string letters(FuzzedDataProvider& bytes, std::size_t longest) {
  constexpr char kLetters[] = "AAAACCCCGGGGTTTTACGTACGTACGTNRYK";
  std::string text;
  const std::size_t length = bytes.ConsumeIntegralInRange<std::size_t>(1, longest);
  while (text.size() < length && bytes.remaining_bytes() > 0) {
    const unsigned byte = bytes.ConsumeIntegral<std::uint8_t>();
    text += kLetters[byte % 32];
    if (byte >= 240) {  // repeats earlier letters
      const std::size_t piece = std::min(text.size(), std::size_t{1} << (byte % 8));
      text += text.substr(text.size() - piece);
    }
  }
  return text.empty() ? "A" : text.substr(0, length);
}

}  // namespace trawl::fuzz
