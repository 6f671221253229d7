// Writes the page of --report-html, and the parts of its data that several commands have. The page is one file with its
// style, scripts and data; it needs no network.
//
//   write_report_page("{\"command\": \"map\"}", "report.html");
//
// The page's own files are in io/report/page; they are compiled into the program.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/stats/histogram.hpp"
#include "sequence/reference.hpp"

namespace trawl::io {

/// The files of a run, as the user named them; "-" is a standard stream.
struct RunFiles {
  std::string reference;
  std::vector<std::string> inputs;  // reads and mates, or patterns
  std::string output;
};

/// `json`: the data. No string in it can end the element that holds it. The file appears only when it is complete.
/// Throws IoError.
void write_report_page(const std::string& json, const std::string& path);

// The files of io/report/page. CMake makes page_files.cpp of them.
extern const std::string_view kPageHtml;  // with {{style}}, {{data}} and {{script}}, in this order
extern const std::string_view kPageStyle;
extern const std::string_view kPageScript;

/// How many contigs are shown one by one: the longest ones. The others are shown as a sum.
inline constexpr std::size_t kShownContigs = 100;

/// `depth`: the number of JSON objects around this one.
std::string files_json(const RunFiles& files, int depth);

/// Several series of bins along the contigs, each with a name. Completes the bins.
std::string coverage_json(const std::vector<sequence::Contig>& contigs,
                          const std::vector<std::pair<std::string, ContigBins*>>& series, int depth);

}  // namespace trawl::io
