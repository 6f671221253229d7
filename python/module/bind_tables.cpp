#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrow_export.hpp"
#include "results.hpp"
#include "trawl/error.hpp"

namespace nb = nanobind;

namespace trawl::python {

namespace {

const Column& column_of(const Table& table, const std::string& name) {
  const Column* column = table.find(name);
  if (column != nullptr) return *column;
  throw nb::key_error(name.c_str());
}

/// Where the numbers of a column lie, and of which type they are, as NumPy's __array_interface__ wants it.
nb::tuple place(const Table& table, const std::string& name) {
  const Column& column = column_of(table, name);
  const auto type_of = [](char format) {
    switch (format) {
      case 'c':
        return "|i1";
      case 'C':
        return "|u1";
      case 'S':
        return "<u2";
      case 'i':
        return "<i4";
      case 'I':
        return "<u4";
      case 'l':
        return "<i8";
      default:
        return "";
    }
  };
  const char* type = type_of(column.format);
  if (*type == '\0') throw nb::key_error(name.c_str());
  return nb::make_tuple(reinterpret_cast<std::uintptr_t>(column.numbers), type, table.rows);
}

nb::str text(std::string_view letters) {
  PyObject* made = PyUnicode_DecodeUTF8(letters.data(), static_cast<Py_ssize_t>(letters.size()), "replace");
  if (made == nullptr) nb::raise_python_error();
  return nb::steal<nb::str>(made);
}

std::string one_text(const Column& column, std::size_t row) {
  return column.texts != nullptr ? std::string((*column.texts)[row]) : cigar_text((*column.cigars)[row]);
}

nb::list texts(const Table& table, const std::string& name, std::size_t first, std::size_t last) {
  const Column& column = column_of(table, name);
  if (column.format != 'U') throw nb::key_error(name.c_str());
  nb::list made;
  for (std::size_t row = first; row < std::min(last, table.rows); ++row) made.append(text(one_text(column, row)));
  return made;
}

using RowNumbers = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// What slices, masks and pickle need.
template <class Result>
void bind_result(nb::class_<Result, Table>& type) {
  type.def(
          "chosen",
          [](const Result& table, const RowNumbers& rows) {
            const nb::gil_scoped_release unlocked;
            return table.chosen({rows.data(), rows.size()});
          },
          nb::arg("rows"), "These rows, by their numbers.")
      .def("__getstate__", &Result::state)
      .def("__setstate__", [](Result& table, const nb::tuple& state) { new (&table) Result(Result::of_state(state)); });
}

/// "number", "label" or "text" for each column.
nb::dict kinds(const Table& table) {
  nb::dict made;
  for (const Column& column : table.columns) {
    made[column.name.data()] = column.format == 'U' ? "text" : column.labels != nullptr ? "label" : "number";
  }
  return made;
}

nb::object stream(const Table& table, const std::vector<std::string>& columns) {
  for (const std::string& name : columns) column_of(table, name);
  auto made = std::make_unique<ArrowArrayStream>();
  export_stream(table, columns, made.get());
  PyObject* capsule = PyCapsule_New(made.get(), "arrow_array_stream", [](PyObject* self) {
    auto* inside = static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(self, "arrow_array_stream"));
    if (inside->release != nullptr) inside->release(inside);
    delete inside;
  });
  if (capsule == nullptr) nb::raise_python_error();
  made.release();
  return nb::steal(capsule);
}

nb::object schema(const Table& table, const std::vector<std::string>& columns) {
  std::vector<const Column*> chosen;
  for (const std::string& name : columns) chosen.push_back(&column_of(table, name));
  auto made = std::make_unique<ArrowSchema>();
  export_schema(table, chosen, made.get());
  PyObject* capsule = PyCapsule_New(made.get(), "arrow_schema", [](PyObject* self) {
    auto* inside = static_cast<ArrowSchema*>(PyCapsule_GetPointer(self, "arrow_schema"));
    if (inside->release != nullptr) inside->release(inside);
    delete inside;
  });
  if (capsule == nullptr) nb::raise_python_error();
  made.release();
  return nb::steal(capsule);
}

}  // namespace

void bind_tables(nb::module_& module) {
  nb::class_<Table>(module, "Table", "Named columns of one length.")
      .def("__len__", [](const Table& table) { return table.rows; })
      .def("kinds", kinds, "The columns, in their order: \"number\", \"label\" or \"text\".")
      .def("place", place, nb::arg("name"), "Address, type (as of NumPy) and count of a column of numbers or labels.")
      .def("texts", texts, nb::arg("name"), nb::arg("first"), nb::arg("last"))
      .def(
          "labels",
          [](const Table& table, const std::string& name) {
            const Column& column = column_of(table, name);
            return column.labels == nullptr ? std::vector<std::string>() : *column.labels;
          },
          nb::arg("name"))
      .def("stream", stream, nb::arg("columns"), "A capsule with an Arrow C stream.")
      .def("schema", schema, nb::arg("columns"), "A capsule with an Arrow C schema.");
  auto alignments = nb::class_<AlignmentTable, Table>(module, "AlignmentTable");
  bind_result(alignments);
  alignments.def("name", [](const AlignmentTable& table, std::size_t read) { return text(table.name(read)); })
      .def("bases", [](const AlignmentTable& table, std::size_t read) { return text(table.bases(read)); })
      .def("qualities", [](const AlignmentTable& table, std::size_t read) { return text(table.qualities(read)); });
  auto sites = nb::class_<SiteTable, Table>(module, "SiteTable");
  bind_result(sites);
  sites.def("pattern", [](const SiteTable& table, std::size_t i) {
    if (i >= table.patterns->size()) throw nb::index_error();
    return text((*table.patterns)[i].bases);
  });
}

}  // namespace trawl::python
