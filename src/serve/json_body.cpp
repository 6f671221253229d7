// The only file that knows nlohmann-json.
#include "serve/json_body.hpp"

#include <cctype>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/error.hpp"
#include "serve/message.hpp"

namespace trawl::serve {

namespace {

using Json = nlohmann::json;

constexpr const char* kBody = "the JSON body";

[[noreturn]] void fail(const std::string& what) { throw InputError(kBody, 0, what); }

Json parse(const std::string& body, std::uint64_t most) {
  constexpr std::uint64_t kValuesAnEntry = 16;
  std::uint64_t values = 0;
  // A depth limit: the parser would recurse for "[[[[...". A value takes much more memory than its text.
  const auto shallow = [&](int depth, Json::parse_event_t, Json&) {
    if (++values / kValuesAnEntry > most) {
      throw Refusal(413, "the JSON body has too many values for the " + std::to_string(most) +
                             " reads or patterns that trawl serve allows; ask in several queries");
    }
    if (depth > 4) {
      fail("it is nested too deeply; give {\"reads\": [...]} or {\"patterns\": [...]}");
    }
    return true;
  };
  try {
    return Json::parse(body, shallow);
  } catch (const Json::exception& error) {
    fail("it is not JSON: " + std::string(error.what()));
  }
}

struct JsonField {
  std::string name;
  std::string sequence;
  std::string qualities;
};

// Everything of it goes into a line of a file.
std::string text_of(const Json& from, const char* key, const std::string& place) {
  const auto found = from.find(key);
  if (found == from.end()) {
    return {};
  }
  if (!found->is_string()) {
    fail(place + ": \"" + key + "\" must be a text");
  }
  std::string text = found->get<std::string>();
  for (const char letter : text) {
    if (std::iscntrl(static_cast<unsigned char>(letter))) {
      fail(place + ": \"" + key + "\" has a line end or another control character");
    }
  }
  return text;
}

std::vector<JsonField> entries(const Json& all, const char* key) {
  const Json* list = &all;
  if (all.is_object()) {
    const auto found = all.find(key);
    list = found == all.end() ? nullptr : &*found;
  }
  if (list == nullptr || !list->is_array()) {
    fail(std::string("give {\"") + key + "\": [...]}");
  }
  std::vector<JsonField> result;
  for (const Json& one : *list) {
    const std::string place = std::string(key) + "[" + std::to_string(result.size()) + "]";
    JsonField& entry = result.emplace_back();
    if (one.is_string()) {
      entry.sequence = text_of({{"sequence", one}}, "sequence", place);
    } else if (one.is_object()) {
      entry = {text_of(one, "name", place), text_of(one, "sequence", place), text_of(one, "qualities", place)};
    } else {
      fail(place + ": give a text, or an object with \"sequence\"");
    }
    for (const char letter : entry.sequence) {
      if (!std::isalpha(static_cast<unsigned char>(letter)) && letter != '*' && letter != '-' && letter != '.') {
        fail(place + ": '" + std::string(1, letter) + "' is not a letter of a sequence");
      }
    }
    if (entry.sequence.empty()) {
      fail(place + ": \"sequence\" is missing or empty");
    }
  }
  return result;
}

std::string reads_text(const Json& all, const char* key) {
  const std::vector<JsonField> list = entries(all, key);
  bool has_qualities = !list.empty();
  for (const JsonField& read : list) {
    has_qualities = has_qualities && read.qualities.size() == read.sequence.size();
    if (!read.qualities.empty() && read.qualities.size() != read.sequence.size()) {
      fail(std::string(key) + ": a read has " + std::to_string(read.sequence.size()) + " letters, but " +
           std::to_string(read.qualities.size()) + " qualities");
    }
  }
  std::string text;
  for (std::size_t i = 0; i < list.size(); ++i) {
    text += has_qualities ? '@' : '>';
    text += (list[i].name.empty() ? "read" + std::to_string(i + 1) : list[i].name) + "\n" + list[i].sequence + "\n";
    if (has_qualities) {
      text += "+\n" + list[i].qualities + "\n";
    }
  }
  return text;
}

}  // namespace

JsonReads parse_json_reads(const std::string& body, std::uint64_t most) {
  const Json all = parse(body, most);
  return {reads_text(all, "reads"), all.is_object() && all.contains("mates") ? reads_text(all, "mates") : ""};
}

std::string parse_json_patterns(const std::string& body, std::uint64_t most) {
  const std::vector<JsonField> list = entries(parse(body, most), "patterns");
  bool has_names = false;
  for (const JsonField& pattern : list) {
    has_names = has_names || !pattern.name.empty();
  }
  std::string text;
  for (const JsonField& pattern : list) {
    text += has_names ? ">" + (pattern.name.empty() ? pattern.sequence : pattern.name) + "\n" : "";
    text += pattern.sequence + "\n";
  }
  return text;
}

std::string json_error(const std::string& body) {
  const Json all = Json::parse(body, nullptr, false);
  return all.is_object() && all.contains("error") && all["error"].is_string() ? all["error"].get<std::string>() : body;
}

}  // namespace trawl::serve
