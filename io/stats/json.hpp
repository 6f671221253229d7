// The little of JSON that statistics need: objects with keys in a fixed order, two spaces of indentation.
//
//   JsonObject all(0);
//   all.add("reads", 12).add("name", json_string("x"));
//   all.text()
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace trawl::io {

/// A string literal, quotes included. Bytes that are no UTF-8 become U+FFFD.
std::string json_string(std::string_view text);

/// The shortest text that reads back as the same number, whatever the locale; null for what is no number.
std::string json_number(double value);

std::string json_array(const std::vector<std::uint64_t>& values);

class JsonObject {
 public:
  /// `depth`: objects around this one.
  explicit JsonObject(int depth) : indent_(static_cast<std::size_t>(depth) * 2, ' ') {}

  /// `json`: the value, as JSON.
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
