#include "io/report/report_page.hpp"

#include <string_view>
#include <utility>

#include "io/report/page_files.hpp"
#include "io/write/output_file.hpp"

namespace trawl::io {
namespace {

// In JSON these characters occur only in strings. Escaped, no text of the input can be read as HTML: no "</script>".
std::string escaped(std::string_view json) {
  std::string text;
  text.reserve(json.size());
  for (const char c : json) {
    switch (c) {
      case '<':
        text += "\\u003c";
        break;
      case '>':
        text += "\\u003e";
        break;
      case '&':
        text += "\\u0026";
        break;
      default:
        text += c;
    }
  }
  return text;
}

}  // namespace

void write_report_page(const std::string& json, const std::string& path) {
  OutputFile file(path);
  std::string_view rest = kPageHtml;
  const std::string data = escaped(json);
  for (const auto& [mark, text] : {std::pair<std::string_view, std::string_view>{"{{style}}", kPageStyle},
                                   {"{{data}}", data},
                                   {"{{script}}", kPageScript}}) {
    const std::size_t at = rest.find(mark);
    file.write(rest.substr(0, at));
    file.write(text);
    rest.remove_prefix(at + mark.size());
  }
  file.write(rest);
  file.commit();
}

}  // namespace trawl::io
