#include "trawl/distance.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bind.hpp"
#include "input_texts.hpp"
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

template <class Work>
auto maybe_unlocked(std::string_view query, std::string_view target, Work work) {
  if (query.size() * target.size() < kShortWork) return work();
  nb::gil_scoped_release unlocked;
  return work();
}

std::int64_t distance_of(nb::handle query, nb::handle target, const char* mode, std::int64_t most) {
  const std::string_view q = letters_of(query);
  const std::string_view t = letters_of(target);
  const Mode chosen = mode_of(mode);
  return maybe_unlocked(q, t, [&] { return distance(q, t, chosen, most); });
}

nb::tuple align_of(nb::handle query, nb::handle target, const char* mode, std::int64_t most, bool eqx) {
  const std::string_view q = letters_of(query);
  const std::string_view t = letters_of(target);
  const Mode chosen = mode_of(mode);
  const PairAlignment best = maybe_unlocked(q, t, [&] { return align(q, t, chosen, most, eqx); });
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
             "The smallest number of substitutions, insertions and deletions between two strings.\n\n"
             "mode: which part of target is aligned with the whole query: 'global' (all of it), 'prefix' or 'infix'.\n"
             "most: -1 is returned if there are more edits than this; -1: no limit.\n\n"
             ">>> trawl.distance('GATTACA', 'GATACAT')\n2\n"
             ">>> trawl.distance('GATTACA', 'CCCGATTCACC', mode='infix')\n1\n");
  module.def("align", align_of, nb::arg("query"), nb::arg("target"), nb::arg("mode"), nb::arg("most"), nb::arg("eqx"));
  module.def("option_table", table_of, nb::arg("command"));
}

}  // namespace trawl::python
