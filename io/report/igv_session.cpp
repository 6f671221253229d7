#include "io/report/igv_session.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "base/error.hpp"
#include "io/format/file_format.hpp"
#include "io/format/json.hpp"
#include "io/write/output_file.hpp"

namespace trawl::io {
namespace {

// The value of an attribute. XML can have neither control characters nor bytes that are not UTF-8.
std::string attribute(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const char c = text.front();
    const std::size_t length = utf8_length(text);
    if (std::string_view("&<>\"\t\n\r").find(c) != std::string_view::npos) {
      out += "&#" + std::to_string(static_cast<int>(c)) + ";";
    } else if (length == 0 || static_cast<unsigned char>(c) < 0x20) {
      out += '?';
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(1, length));
  }
  return out + '"';
}

std::string relative(const std::string& file, const std::string& session) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::absolute(session).lexically_normal().parent_path();
  return fs::absolute(file).lexically_normal().lexically_relative(folder).string();
}

std::string locus(const NamedRegion& region) {
  return region.contig + ":" + std::to_string(region.begin + 1) + "-" + std::to_string(region.end);
}

}  // namespace

void check_igv_session(const std::string& reference, const std::string& output, bool is_sorted) {
  const std::string begin = "--igv-session: ";
  if (reference == "-") {
    throw UsageError(begin + "IGV opens the reference by its name; the standard input has none");
  }
  if (is_stream(output)) {
    throw UsageError(begin + "IGV opens the output by its name; name a file with -o");
  }
  const bool is_alignments = has_extension(output, ".bam") || has_extension(output, ".cram");
  if (is_alignments && !is_sorted) {
    throw UsageError(begin + "IGV opens alignments in coordinate order with an index; give --sort, too");
  }
  if (!is_alignments && !has_extension(output, ".bed") && !has_extension(output, ".bed.gz")) {
    throw UsageError(begin + "IGV does not open " + output +
                     "; write .bed, or with trawl map .bam or .cram and --sort");
  }
}

void write_igv_session(const IgvSession& session, const std::string& path) {
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n<Session genome=" +
                     attribute(relative(session.reference, path)) +
                     " locus=" + attribute(session.regions.empty() ? "All" : locus(session.regions.front())) +
                     " version=\"8\">\n  <Resources>\n    <Resource path=" + attribute(relative(session.output, path)) +
                     "/>\n  </Resources>\n";
  if (!session.regions.empty()) {
    text += "  <Regions>\n";
    for (const NamedRegion& region : session.regions) {
      text += "    <Region chromosome=" + attribute(region.contig) + " start=\"" + std::to_string(region.begin) +
              "\" end=\"" + std::to_string(region.end) + "\"/>\n";
    }
    text += "  </Regions>\n";
  }
  OutputFile file(path);
  file.write(text + "</Session>\n");
  file.commit();
}

}  // namespace trawl::io
