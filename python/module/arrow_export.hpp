// Tables for other libraries, through the Arrow C stream interface: numbers and texts are not copied.
#pragma once

#include <vector>

#include "arrow_abi.hpp"
#include "columns/result_tables.hpp"

namespace trawl::python {

using columns::Column, columns::Table;

/// Fills `schema` with a struct type that has the chosen columns as its fields.
void export_schema(const Table& table, const std::vector<const Column*>& columns, ArrowSchema* schema);
/// A stream of one batch. It keeps the owner of the table.
void export_stream(Table table, std::vector<std::string> columns, ArrowArrayStream* stream);

}  // namespace trawl::python
