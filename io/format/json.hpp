// The parts of JSON that statistics need: objects with keys in a fixed order, indented by two spaces.
//
//   JsonObject all(0);
//   all.add("reads", 12).add("name", json_string("x"));
//   all.text() == "{\n  \"reads\": 12,\n  \"name\": \"x\"\n}"
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace trawl::io {

/// Length of the UTF-8 sequence at the start of `text`, which is not empty; 0 if there is none.
std::size_t utf8_length(std::string_view text);

/// A string literal with its quotes. Bytes that are not UTF-8 become U+FFFD.
std::string json_string(std::string_view text);

/// The shortest text that gives the same number when read, in any locale; null for NaN and infinity.
std::string json_number(double value);

inline std::string json_bool(bool value) { return value ? "true" : "false"; }

std::string json_array(const std::vector<std::uint64_t>& values);

class JsonObject {
 public:
  /// `depth`: the number of objects around this one.
  explicit JsonObject(int depth) : indent_(static_cast<std::size_t>(depth) * 2, ' ') {}

  /// `json`: the value, already as JSON.
  JsonObject& add(std::string_view key, const std::string& json) {
    text_ += (text_.empty() ? "" : ",") + std::string("\n") + indent_ + "  " + json_string(key) + ": " + json;
    return *this;
  }
  JsonObject& add(std::string_view key, std::uint64_t value) { return add(key, std::to_string(value)); }
  std::string text() const { return text_.empty() ? "{}" : "{" + text_ + "\n" + indent_ + "}"; }

 private:
  std::string indent_;
  std::string text_;
};

}  // namespace trawl::io
