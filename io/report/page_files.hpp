// The files of io/report/page. CMake makes page_files.cpp of them.
//
//   kPageHtml.starts_with("<!DOCTYPE html>") == true
#pragma once

#include <string_view>

namespace trawl::io {

extern const std::string_view kPageHtml;  // with {{style}}, {{data}} and {{script}}, in this order
extern const std::string_view kPageStyle;
extern const std::string_view kPageScript;

}  // namespace trawl::io
