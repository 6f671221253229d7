// The compiled part of the Python package trawl. What users call stands in the .py files; this is what it stands on.
#include "bind.hpp"
#include "results.hpp"

NB_MODULE(_native, module) {
  module.doc() = "The compiled part of trawl.";
  trawl::python::bind_errors();
  trawl::python::bind_tables(module);
  trawl::python::bind_reference(module);
  trawl::python::bind_mapper(module);
  trawl::python::bind_scanner(module);
  trawl::python::bind_distance(module);
}
