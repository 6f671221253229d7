// Names of any letters, in a cell of a table, and where only printable ASCII is allowed.
//
//   std::string room;
//   cell_text("a,b", ',', room) == "\"a,b\""
//   cell_text("a,b", '\t', room) == "a,b"
//   plain_name("site 2", room) == "site_2"
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "io/format/json.hpp"
#include "io/format/letters.hpp"

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

/// The name as SAM and BED have it: with '_' for a blank, and for each letter beyond ASCII. `room`: where a changed
/// name is.
inline std::string_view plain_name(std::string_view name, std::string& room) {
  if (find_not_printable(name) == name.size()) {
    return name;
  }
  room.clear();
  while (!name.empty()) {
    const bool is_plain = find_not_printable(name.substr(0, 1)) > 0;
    room += is_plain ? name.front() : '_';
    name.remove_prefix(std::max<std::size_t>(utf8_length(name), 1));
  }
  return room;
}

}  // namespace trawl::io
