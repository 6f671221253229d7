// A table as a stream of Arrow IPC: its schema, the names behind its labels, and all rows as one batch.
//
//   with: const columns::Table& table
//   Answer answer{.type = kArrowType, .body = arrow_stream(table)};
#pragma once

#include <string>

#include "columns/result_tables.hpp"

namespace trawl::serve {

inline constexpr const char* kArrowType = "application/vnd.apache.arrow.stream";

std::string arrow_stream(const columns::Table& table);

}  // namespace trawl::serve
