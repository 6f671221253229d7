// The parts of the module.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <utility>
#include <vector>

#include "columns/result_tables.hpp"
#include "trawl/reference.hpp"

namespace trawl::python {

using columns::Labels;

/// Turns the exceptions of the library into those of trawl/_errors.py.
void bind_errors();
void bind_reference(nanobind::module_& module);
void bind_mapper(nanobind::module_& module);
void bind_scanner(nanobind::module_& module);
void bind_distance(nanobind::module_& module);

/// A reference and the names of its contigs, which results keep without the reference.
struct NamedReference {
  explicit NamedReference(Reference given);
  Reference reference;
  Labels names;
};

using OptionPairs = std::vector<std::pair<std::string, std::string>>;
Options options_of(const OptionPairs& pairs);

}  // namespace trawl::python
