// Records of `trawl scan` as bytes, for a temporary file or another process of the same program.
//
//   scan::SiteRecord record, same;
//   record.end = 20;
//   std::string bytes;
//   append_record(bytes, record);
//   parse_record(bytes, same) == bytes.size()
//   same.end == 20
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "scan/report/record.hpp"

namespace trawl::io {

void append_record(std::string& bytes, const scan::SiteRecord& record);

/// Parses the record at the start of `bytes`. Returns its size there, or 0 if it is not complete.
std::size_t parse_record(std::string_view bytes, scan::SiteRecord& record);

}  // namespace trawl::io
