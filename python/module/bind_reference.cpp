#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "bind.hpp"
#include "input_texts.hpp"
#include "long_call.hpp"
#include "trawl/error.hpp"

namespace nb = nanobind;

namespace trawl::python {

namespace {

Labels names_of(const Reference& reference) {
  std::vector<std::string> names;
  for (const Contig& contig : reference.contigs()) names.push_back(contig.name);
  return std::make_shared<const std::vector<std::string>>(std::move(names));
}

NamedReference open(const std::string& path, unsigned threads) {
  std::optional<Reference> made;
  long_call(nb::none(), [&](const OnProgress&) { made.emplace(path, threads); });
  return NamedReference(std::move(*made));
}

NamedReference of(const InputTexts& names, const InputTexts& letters) {
  if (names.size() != letters.size()) throw UsageError("there are not as many names as contigs");
  std::vector<std::pair<std::string_view, std::string_view>> contigs;
  for (std::size_t i = 0; i < names.size(); ++i) contigs.emplace_back(names.texts()[i], letters.texts()[i]);
  nb::gil_scoped_release unlocked;
  return NamedReference(Reference::of(contigs));
}

std::string letters(const NamedReference& self, std::size_t contig, std::int64_t start, std::int64_t end) {
  nb::gil_scoped_release unlocked;
  return self.reference.letters(contig, start, end);
}

}  // namespace

NamedReference::NamedReference(Reference given) : reference(std::move(given)), names(names_of(reference)) {}

Options options_of(const OptionPairs& pairs) {
  Options made;
  for (const auto& [name, value] : pairs) made.emplace_back(name, value);
  return made;
}

void bind_reference(nb::module_& module) {
  nb::class_<InputTexts>(module, "Texts", "Strings of Python, NumPy or Arrow, where they lie.")
      .def(nb::init<nb::handle, const std::string&>(), nb::arg("given").none(), nb::arg("what"))
      .def("__len__", &InputTexts::size);
  nb::class_<NamedReference>(module, "Reference")
      .def_static("open", open, nb::arg("path"), nb::arg("threads"))
      .def_static("of", of, nb::arg("names"), nb::arg("letters"))
      .def_prop_ro("contigs",
                   [](const NamedReference& self) {
                     std::vector<std::pair<std::string, std::int64_t>> made;
                     for (const Contig& contig : self.reference.contigs()) made.emplace_back(contig.name, contig.length);
                     return made;
                   })
      .def_prop_ro("bases", [](const NamedReference& self) { return self.reference.bases(); })
      .def_prop_ro("warnings", [](const NamedReference& self) { return self.reference.warnings(); })
      .def("letters", letters, nb::arg("contig"), nb::arg("start"), nb::arg("end"));
}

}  // namespace trawl::python
