// Writes the page of --report-html: one file with its style, its scripts and its data, which needs no network.
//
//   write_report_page("{\"command\": \"map\"}", "report.html");
//
// The page's own files are in io/report/page; they are compiled into the program.
#pragma once

#include <string>

namespace trawl::io {

/// `json`: the data. Whatever its strings have in them cannot end the element that holds it. The file appears only when
/// it is complete. Throws IoError.
void write_report_page(const std::string& json, const std::string& path);

}  // namespace trawl::io
