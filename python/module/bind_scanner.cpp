#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "base/counted.hpp"
#include "bind.hpp"
#include "columns/map_columns.hpp"
#include "long_call.hpp"
#include "results.hpp"
#include "trawl/error.hpp"

namespace nb = nanobind;

namespace trawl::python {

namespace {

// A shorter text needs no thread of its own.
constexpr std::size_t kShortText = 1 << 14;

struct NamedScanner {
  explicit NamedScanner(Scanner given) : scanner(std::move(given)) {
    patterns = std::make_shared<const std::vector<Pattern>>(scanner.patterns());
    std::vector<std::string> all;
    for (const Pattern& pattern : *patterns) all.push_back(pattern.name.empty() ? pattern.bases : pattern.name);
    names = std::make_shared<const std::vector<std::string>>(std::move(all));
  }

  Scanner scanner;
  std::shared_ptr<const std::vector<Pattern>> patterns;
  Labels names;
};

SiteTable table_of(const NamedScanner& self, Hits found) { return {std::move(found), self.patterns, self.names}; }

NamedScanner make(const InputTexts& letters, const InputTexts* names, const OptionPairs& options) {
  if (names != nullptr && names->size() != letters.size()) {
    throw UsageError("the call has " + counted(letters.size(), "pattern") + " and " + counted(names->size(), "name"));
  }
  std::vector<Pattern> patterns;
  for (std::size_t i = 0; i < letters.size(); ++i) {
    patterns.emplace_back(letters.texts()[i], names != nullptr ? names->texts()[i] : std::string_view());
  }
  nb::gil_scoped_release unlocked;
  return NamedScanner(Scanner(patterns, options_of(options)));
}

NamedScanner from_file(const std::string& path, const OptionPairs& options) {
  nb::gil_scoped_release unlocked;
  return NamedScanner(Scanner::from_file(path, options_of(options)));
}

SiteTable scan_text(const NamedScanner& self, nb::handle given) {
  const std::string_view text = letters_of(given);
  Hits found;
  if (text.size() < kShortText) {
    short_call([&] { self.scanner.scan(text, found); });
  } else {
    long_call(nb::none(), [&](const OnProgress&) { self.scanner.scan(text, found); });
  }
  return table_of(self, std::move(found));
}

SiteTable scan_reference(const NamedScanner& self, const NamedReference& reference, nb::handle progress) {
  Hits found;
  long_call(progress, [&](const OnProgress& tell) { found = self.scanner.scan(reference.reference, tell); });
  return table_of(self, std::move(found));
}

SiteTable scan_file(const NamedScanner& self, const std::string& path, nb::handle progress) {
  Hits all;
  long_call(progress, [&](const OnProgress& tell) {
    self.scanner.scan_file(
        path, [&](const Hits& some) { return columns::append(all, some), true; }, tell);
  });
  return table_of(self, std::move(all));
}

}  // namespace

void bind_scanner(nb::module_& module) {
  nb::class_<NamedScanner>(module, "Scanner")
      .def_static("of", make, nb::arg("patterns"), nb::arg("names").none(), nb::arg("options"))
      .def_static("from_file", from_file, nb::arg("path"), nb::arg("options"))
      .def("scan_text", scan_text, nb::arg("text"))
      .def("scan_reference", scan_reference, nb::arg("reference"), nb::arg("progress").none())
      .def("scan_file", scan_file, nb::arg("path"), nb::arg("progress").none())
      .def_prop_ro("patterns", [](const NamedScanner& self) {
        std::vector<std::pair<std::string, std::string>> made;
        for (const Pattern& pattern : *self.patterns) made.emplace_back(pattern.name, pattern.bases);
        return made;
      });
}

}  // namespace trawl::python
