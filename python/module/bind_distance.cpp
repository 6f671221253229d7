#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <map>

#include "bind.hpp"
#include "input_texts.hpp"
#include "long_call.hpp"
#include "trawl/distance.hpp"
#include "trawl/error.hpp"

namespace nb = nanobind;

namespace trawl::python {

namespace {

// Below it, letting the lock go costs more than the work.
constexpr std::size_t kShortWork = 1 << 14;

Mode mode_of(std::string_view name) {
  if (name == "global") return Mode::global;
  if (name == "prefix") return Mode::prefix;
  if (name == "infix") return Mode::infix;
  throw UsageError("mode is 'global', 'prefix' or 'infix', not '" + std::string(name) + "'");
}

/// Two strings as the library takes them: a byte for each letter. Of str that is its number among the letters of both,
/// if they are not all ASCII.
class PairLetters {
 public:
  PairLetters(nb::handle query, nb::handle target) : query(letters_of(query)), target(letters_of(target)) {
    if (is_ascii(query, this->query) && is_ascii(target, this->target)) return;
    if (!PyUnicode_Check(query.ptr()) || !PyUnicode_Check(target.ptr())) {
      throw UsageError(
          "one string is bytes, and the other a str with letters beyond ASCII: give both as str, or both as bytes");
    }
    this->query = numbered(query, query_);
    this->target = numbered(target, target_);
  }

  std::string_view query, target;

 private:
  static bool is_ascii(nb::handle given, std::string_view utf8) {
    return PyBytes_Check(given.ptr()) || static_cast<Py_ssize_t>(utf8.size()) == PyUnicode_GetLength(given.ptr());
  }
  std::string_view numbered(nb::handle given, std::string& made) {
    const Py_ssize_t length = PyUnicode_GetLength(given.ptr());
    for (Py_ssize_t i = 0; i < length; ++i) {
      const auto number = numbers_.try_emplace(PyUnicode_ReadChar(given.ptr(), i), numbers_.size()).first->second;
      if (number > 255) throw UsageError("the strings have more than 256 different letters");
      made += static_cast<char>(number);
    }
    return made;
  }

  std::map<Py_UCS4, std::size_t> numbers_;
  std::string query_, target_;
};

template <class Work>
auto maybe_unlocked(const PairLetters& letters, Work work) {
  if (letters.query.size() * letters.target.size() < kShortWork) return work();
  return short_call(work);
}

std::int64_t distance_of(nb::handle query, nb::handle target, const char* mode, std::int64_t most) {
  const PairLetters letters(query, target);
  const Mode chosen = mode_of(mode);
  return maybe_unlocked(letters, [&] { return distance(letters.query, letters.target, chosen, most); });
}

nb::tuple align_of(nb::handle query, nb::handle target, const char* mode, std::int64_t most, bool eqx) {
  const PairLetters letters(query, target);
  const Mode chosen = mode_of(mode);
  const PairAlignment best =
      maybe_unlocked(letters, [&] { return align(letters.query, letters.target, chosen, most, eqx); });
  return nb::make_tuple(best.distance, best.start, best.end, cigar_text(best.cigar));
}

std::vector<nb::tuple> table_of(const std::string& command) {
  std::vector<nb::tuple> made;
  for (const OptionInfo& option : option_table(command)) {
    made.push_back(nb::make_tuple(option.name, option.value, option.default_text, option.help, option.words));
  }
  return made;
}

}  // namespace

void bind_distance(nb::module_& module) {
  module.def("distance", distance_of, nb::arg("query"), nb::arg("target"), nb::arg("mode") = "global",
             nb::arg("most") = -1,
             "The smallest number of substitutions, insertions and deletions between two strings: letters of str,\n"
             "bytes of bytes.\n\n"
             "mode: which part of target is aligned with the whole query: 'global' (all of it), 'prefix' or 'infix'.\n"
             "most: -1 is returned if there are more edits than this; -1: no limit.\n\n"
             ">>> trawl.distance('GATTACA', 'GATACAT')\n2\n"
             ">>> trawl.distance('GATTACA', 'CCCGATTCACC', mode='infix')\n1\n");
  module.def("align", align_of, nb::arg("query"), nb::arg("target"), nb::arg("mode"), nb::arg("most"), nb::arg("eqx"));
  module.def("option_table", table_of, nb::arg("command"));
}

}  // namespace trawl::python
