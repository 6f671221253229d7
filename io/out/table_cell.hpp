// A cell of a table whose text may have any letters.
//
//   std::string room;
//   cell_text("a,b", ',', room)     // "\"a,b\""
//   cell_text("a,b", '\t', room)    // "a,b"
#pragma once

#include <string>
#include <string_view>

namespace trawl::io {

/// The text as it is or, if it would not be one cell of CSV, quoted (RFC 4180). `room`: where the quoted text is.
inline std::string_view cell_text(std::string_view text, char separator, std::string& room) {
  if (separator != ',' || text.find_first_of(",\"") == text.npos) {
    return text;
  }
  room = '"';
  for (const char letter : text) {
    room.append(letter == '"' ? 2 : 1, letter);
  }
  return room += '"';
}

}  // namespace trawl::io
