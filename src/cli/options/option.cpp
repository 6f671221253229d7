#include "cli/options/option.hpp"

#include <charconv>
#include <iterator>
#include <numeric>

namespace trawl::cli {

namespace {

template <class T>
constexpr bool is_vector = false;
template <class T>
constexpr bool is_vector<std::vector<T>> = true;
template <class T>
constexpr bool is_optional = false;
template <class T>
constexpr bool is_optional<std::optional<T>> = true;

// One of the two names in "-e,--max-edits".
std::string name_with(const std::string& names, std::string_view begin, bool is_long) {
  for (const std::string& one : split(names, ',')) {
    if (one.starts_with(begin) && one.starts_with("--") == is_long) {
      return one;
    }
  }
  return "";
}

template <class Number>
std::string set_number(const Option& option, const std::string& text, Number& to) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  if (read.ec != std::errc() || read.ptr != end || number < option.least || number > option.most) {
    return "'" + text + "' is not a whole number from " + std::to_string(option.least) + " to " +
           std::to_string(option.most);
  }
  to = static_cast<Number>(number);
  return "";
}

template <class T>
std::string set_one(const Option& option, const std::string& text, T& to) {
  if constexpr (!std::is_same_v<T, std::string>) {
    return set_number(option, text, to);
  } else if (text.empty() && !option.may_be_empty) {
    return "is empty";
  } else {
    to = text;
    return "";
  }
}

std::string set_own(const Option& option, const std::string& text, const OwnType& to) {
  const std::vector<std::string>& words = option.to.words;
  if (!words.empty() && std::find(words.begin(), words.end(), text) == words.end()) {
    return "'" + text + "' is none of " + joined(words, ", ") + did_you_mean(text, words);
  }
  if (text.empty() && !option.may_be_empty) {
    return "is empty";
  }
  to.set(text);
  return "";
}

template <class T>
std::string text_of_one(const T& value) {
  if constexpr (std::is_same_v<T, std::string>) {
    return value;
  } else {
    return std::to_string(value);
  }
}

// "search=seeds,batch-size=7".
std::string set_keys(const Option& option, const std::string& text) {
  for (const std::string& one : split(text, ',')) {
    const std::size_t equals = std::min(one.find('='), one.size());
    const std::string name = one.substr(0, equals);
    const auto key =
        std::find_if(option.keys.begin(), option.keys.end(), [&](const Option& o) { return o.names == name; });
    if (key == option.keys.end() || equals == one.size()) {
      std::vector<std::string> names;
      for (const Option& known : option.keys) {
        names.push_back(known.names + "=" + known.value_name());
      }
      return "'" + one + "' is none of " + joined(names, ", ");
    }
    if (const std::string wrong = set(*key, one.substr(equals + 1)); !wrong.empty()) {
      return name + ": " + wrong;
    }
  }
  return "";
}

// Calls `work` with what the target of an option points to.
template <class Result, class Work>
Result visit_target(const Option& option, const Work& work) {
  return std::visit(
      [&](auto to) -> Result {
        if constexpr (std::is_same_v<decltype(to), std::monostate>) {
          return Result();
        } else if constexpr (std::is_same_v<decltype(to), OwnType>) {
          return work(to);
        } else {
          return work(*to);
        }
      },
      option.to.pointer);
}

bool is_changed(const Option& option, const Option& other) { return text_of(option) != text_of(other); }

}  // namespace

std::string joined(const std::vector<std::string>& words, const char* separator) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : separator) + word;
  }
  return text;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

Target choice(std::string* to, const std::vector<std::string>& words) {
  return {OwnType{[to](const std::string& text) { *to = text; }, [to] { return *to; }}, words};
}

std::string Option::short_name() const { return name_with(names, "-", false); }

std::string Option::long_name() const { return name_with(names, "--", true); }

std::string Option::name() const {
  const std::string name = is_argument() ? names : long_name();
  return name.empty() ? short_name() : name;
}

std::string Option::value_name() const {
  if (is_flag()) {
    return "";
  }
  return !value.empty() ? value : !to.words.empty() ? joined(to.words, "|") : "N";
}

std::string text_of(const Option& option) {
  if (!option.keys.empty()) {
    std::string text;
    for (const Option& key : option.keys) {
      text += (text.empty() ? "" : ",") + key.names + '=' + text_of(key);
    }
    return text;
  }
  return visit_target<std::string>(option, []<class T>(const T& value) -> std::string {
    if constexpr (std::is_same_v<T, OwnType>) {
      return value.text();
    } else if constexpr (std::is_same_v<T, bool>) {
      return value ? "true" : "";
    } else if constexpr (is_optional<T>) {
      return value ? text_of_one(*value) : "";
    } else if constexpr (is_vector<T>) {
      std::string text;
      for (const auto& one : value) {
        text += (text.empty() ? "" : ",") + text_of_one(one);
      }
      return text;
    } else {
      return text_of_one(value);
    }
  });
}

std::optional<bool> flag_value(std::string_view text) {
  if (text.empty() || text == "true" || text == "1") {
    return true;
  }
  return text == "false" || text == "0" ? std::optional(false) : std::nullopt;
}

std::string set(const Option& option, const std::string& text) {
  if (!option.keys.empty()) {
    return set_keys(option, text);
  }
  return visit_target<std::string>(option, [&]<class T>(T& value) -> std::string {
    if constexpr (std::is_same_v<T, OwnType>) {
      return set_own(option, text, value);
    } else if constexpr (std::is_same_v<T, bool>) {
      const std::optional<bool> given = flag_value(text);
      value = given.value_or(value);
      return given ? "" : "'" + text + "' is not true or false";
    } else if constexpr (is_optional<T>) {
      return set_one(option, text, value.emplace());
    } else if constexpr (is_vector<T>) {
      T all;
      std::string wrong;
      for (const std::string& one : option.may_repeat ? std::vector{text} : split(text, ',')) {
        wrong = wrong.empty() ? set_one(option, one, all.emplace_back()) : wrong;
      }
      if (!option.may_repeat) {
        value.clear();
      }
      value.insert(value.end(), all.begin(), all.end());
      return wrong;
    } else {
      return set_one(option, text, value);
    }
  });
}

const Option* Command::find(std::string_view wanted) const {
  const auto found = std::find_if(options.begin(), options.end(), [&](const Option& o) { return o.name() == wanted; });
  return found == options.end() ? nullptr : &*found;
}

bool Command::has_most_used() const {
  return std::any_of(options.begin(), options.end(), [](const Option& o) { return o.is_most_used; });
}

void append(std::vector<Option>& table, std::vector<Option> options) {
  table.insert(table.end(), std::make_move_iterator(options.begin()), std::make_move_iterator(options.end()));
}

std::vector<Option> in_group(const std::string& group, std::vector<Option> table) {
  for (Option& option : table) {
    option.group = option.group.empty() ? group : option.group;
  }
  return table;
}

void set_most_used(std::vector<Option>& table, std::initializer_list<const char*> names) {
  for (Option& option : table) {
    option.is_most_used = std::find(names.begin(), names.end(), option.name()) != names.end();
  }
}

void finish_given(Command& command, const std::vector<std::string>& defaults) {
  if (command.settings != nullptr) {
    for (const Setting& setting : command.settings(command)) {
      if (command.given.insert(setting.option).second) {
        set(*command.find(setting.option), setting.value);
      }
    }
  }
  for (std::size_t i = 0; i < command.options.size(); ++i) {
    if (text_of(command.options[i]) != defaults[i]) {
      command.changed.insert(command.options[i].name());
    }
  }
}

void check_options(const Command& command) {
  for (const Option& option : command.options) {
    if (!command.is_changed(option.name())) {
      continue;
    }
    const std::string needed = option.needs.substr(0, option.needs.find(' '));
    const bool has_needed = needed == option.needs ? command.is_changed(needed)
                                                   : needed + ' ' + text_of(*command.find(needed)) == option.needs;
    if (!option.needs.empty() && !has_needed) {
      throw UsageError(option.name() + " needs " + option.needs +
                       (option.needs_why.empty() ? "" : ", " + option.needs_why));
    }
    for (const Conflict& conflict : option.conflicts) {
      if (conflict.holds(command)) {
        throw UsageError(option.names + conflict.text);
      }
    }
  }
}

std::string header_options(const std::vector<Option>& options, const std::vector<Option>& defaults) {
  std::string line;
  for (std::size_t i = 0; i < options.size(); ++i) {
    const Option& option = options[i];
    if (option.in_header == InHeader::always ||
        (option.in_header == InHeader::if_changed && is_changed(option, defaults[i]))) {
      line += " " + option.name() + (option.is_flag() ? "" : " " + text_of(option));
    }
  }
  return line;
}

namespace {

// Letters put in, left out, exchanged, or two neighbours swapped ("--ouptut"), to make `b` of `a`.
std::size_t edits_between(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before;
  std::vector<std::size_t> last;
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before = std::exchange(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
  }
  return row.back();
}

}  // namespace

std::string did_you_mean(const std::string& word, const std::vector<std::string>& names) {
  constexpr std::size_t kMostNames = 3;
  std::size_t fewest = std::min<std::size_t>(word.size() / 3, 3);
  std::vector<std::string> nearest;
  for (const std::string& name : names) {
    const std::size_t edits = edits_between(word, name);
    if (edits > fewest || edits == 0) {
      continue;
    }
    if (edits < fewest) {
      nearest.clear();
      fewest = edits;
    }
    if (nearest.size() < kMostNames && std::count(nearest.begin(), nearest.end(), name) == 0) {
      nearest.push_back(name);
    }
  }
  std::string text;
  for (std::size_t n = 0; n < nearest.size(); ++n) {
    text += (n == 0 ? "; did you mean " : n + 1 < nearest.size() ? ", " : " or ") + nearest[n];
  }
  return text.empty() ? "" : text + "?";
}

}  // namespace trawl::cli
