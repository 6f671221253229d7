#include "io/write/sam_header.hpp"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <set>
#include <system_error>

#include "base/error.hpp"
#include "io/format/gzip_format.hpp"
#include "io/read/line_reader.hpp"

namespace trawl::io {
namespace {

[[noreturn]] void fail(const std::string& line, const std::string& what) {
  const bool is_group = line.starts_with("@RG");
  throw UsageError((is_group ? "the read group (-R) " : "the header line (-R) " + line + ' ') + what +
                   (is_group ? R"(; write it as '@RG\tID:name\tSM:sample')" : ""));
}

// SAM fields cannot contain tabs or line ends.
std::string one_field(std::string_view text) {
  std::string field(text);
  for (char& c : field) {
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') {
      c = ' ';
    }
  }
  return field;
}

// "@RG"
std::string kind_of(const std::string& line) { return line.substr(0, line.find('\t')); }

// The value of a field; "" if there is none.
std::string field_of(const std::string& line, const std::string& tag) {
  const std::size_t at = line.find('\t' + tag + ':');
  return at == line.npos ? "" : line.substr(at + 4, line.find('\t', at + 1) - at - 4);
}

// Replaces that value.
void set_field(std::string& line, const std::string& tag, const std::string& value) {
  line.replace(line.find('\t' + tag + ':') + 4, field_of(line, tag).size(), value);
}

// What the output takes over from the headers of its input.
struct InputLines {
  std::map<std::string, std::string> group_of;  // by ID
  std::string groups, programs, comments;       // lines
  std::set<std::string> program_ids;
  std::map<std::string, std::string> new_ids;  // by program line
  std::string last_program;

  std::string unused_id(const std::string& id) const {
    std::string unused = id;
    for (int n = 1; program_ids.contains(unused); ++n) {
      unused = id + '.' + std::to_string(n);
    }
    return unused;
  }

  void add(std::string_view header, bool with_groups) {
    std::map<std::string, std::string> renamed;  // programs of this header
    while (!header.empty()) {
      std::string line(header.substr(0, header.find('\n')));
      header.remove_prefix(std::min(line.size() + 1, header.size()));
      if (line.ends_with('\r')) {
        line.pop_back();
      }
      const std::string id = field_of(line, "ID");
      if (line.starts_with("@CO\t")) {
        comments += line + '\n';
      } else if (line.starts_with("@RG\t") && !id.empty() && with_groups) {
        const auto [known, is_new] = group_of.emplace(id, line);
        if (known->second != line) {
          throw UsageError("two read groups of the input have the ID " + id +
                           "; give one for all reads with -R, or make them different with samtools addreplacerg");
        }
        groups += is_new ? line + '\n' : "";
      } else if (const auto known = new_ids.find(line); known != new_ids.end()) {
        renamed[id] = known->second;
      } else if (line.starts_with("@PG\t") && !id.empty()) {
        const std::string given = line;
        if (const auto before = renamed.find(field_of(line, "PP")); before != renamed.end()) {
          set_field(line, "PP", before->second);
        }
        last_program = unused_id(id);
        set_field(line, "ID", last_program);
        renamed[id] = new_ids[given] = last_program;
        program_ids.insert(last_program);
        programs += line + '\n';
      }
    }
  }
};

void check_fields(const std::string& line) {
  std::set<std::string> tags;
  for (std::size_t at = kind_of(line).size() + 1; at <= line.size();) {
    const std::size_t end = std::min(line.find('\t', at), line.size());
    const std::string field = line.substr(at, end - at);
    if (field.size() < 4 || std::isalpha(static_cast<unsigned char>(field[0])) == 0 ||
        std::isalnum(static_cast<unsigned char>(field[1])) == 0 || field[2] != ':') {
      fail(line, "has the field '" + one_field(field) + "', which is not TAG:VALUE");
    }
    if (!tags.insert(field.substr(0, 2)).second) {
      fail(line, "has the tag " + field.substr(0, 2) + " twice");
    }
    at = end + 1;
  }
}

// `others`: the lines before it.
void check_line(const std::string& line, const std::vector<std::string>& others) {
  const std::string kind = kind_of(line);
  const bool is_kind = kind.size() == 3 && kind[0] == '@' && std::isalpha(static_cast<unsigned char>(kind[1])) != 0 &&
                       std::isalpha(static_cast<unsigned char>(kind[2])) != 0;
  if (!is_kind || kind.size() == line.size()) {
    fail(line, "must begin with @RG and a tab, or @CO, @PG and so on");
  }
  if (kind == "@HD" || kind == "@SQ") {
    fail(one_field(line), "is one that Trawl writes itself; leave it out");
  }
  for (const unsigned char c : line) {
    if ((c < ' ' && c != '\t') || c == 0x7f || (c > '~' && kind != "@CO")) {
      fail(one_field(line), "contains characters that are not printable ASCII");
    }
  }
  if (kind != "@CO") {
    check_fields(line);
  }
  const std::string id = field_of(line, "ID");
  if (id.empty() && (kind == "@RG" || kind == "@PG")) {
    fail(line, "has no ID");
  }
  const auto is_same = [&](const std::string& other) { return kind_of(other) == kind && field_of(other, "ID") == id; };
  if ((kind == "@PG" && id == "trawl") || (!id.empty() && std::any_of(others.begin(), others.end(), is_same))) {
    fail(one_field(line), "has the ID " + id + ", which another line has; IDs must differ");
  }
}

}  // namespace

void add_header_lines(const std::string& given, std::vector<std::string>& lines) {
  std::string text = given;
  if (!given.starts_with('@')) {
    if (std::error_code error; !std::filesystem::exists(given, error)) {
      throw UsageError("-R " + given +
                       R"(: no file has this name, and a header line begins with @RG and a tab: '@RG\tID:x\tSM:y')");
    }
    text.clear();
    LineReader file(given);
    for (std::string_view line; file.next(line);) {
      (text += line) += '\n';
    }
  }
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    at = end + 1;
    for (std::size_t tab = line.find("\\t"); tab != line.npos; tab = line.find("\\t", tab)) {
      line.replace(tab, 2, "\t");
    }
    if (!line.empty()) {
      check_line(line, lines);
      lines.push_back(line);
    }
  }
}

std::string read_group_of(const std::vector<std::string>& lines) {
  const auto first = std::find_if(lines.begin(), lines.end(), [](const auto& line) { return kind_of(line) == "@RG"; });
  return first == lines.end() ? "" : field_of(*first, "ID");
}

void check_contig_lengths(const std::vector<sequence::Contig>& contigs) {
  for (const sequence::Contig& contig : contigs) {
    if (contig.length > static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max())) {
      throw Error("the sequence " + contig.name + " has " + std::to_string(contig.length) +
                  " bases; SAM, BAM and CRAM allow 2147483647, so split it or write BED");
    }
  }
}

std::string sam_header(const SinkOptions& options, const std::vector<sequence::Contig>& contigs,
                       const std::vector<std::string>& md5s, std::optional<RecordOrder> order) {
  const bool is_cram = output_format(options.path, options.format) == OutputFormat::cram;
  const bool is_sorted = order ? *order == RecordOrder::by_place : options.sort.has_value();
  std::string text = is_sorted ? "@HD\tVN:1.6\tSO:coordinate\n" : "@HD\tVN:1.6\tSO:unsorted\tGO:query\n";
  check_contig_lengths(contigs);
  for (std::size_t i = 0; i < contigs.size(); ++i) {
    text += "@SQ\tSN:" + contigs[i].name + "\tLN:" + std::to_string(contigs[i].length);
    if (i < md5s.size() && !md5s[i].empty()) {
      text += "\tM5:" + md5s[i];
    }
    if (contigs[i].topology.circular) {
      text += "\tTP:circular";
    }
    const auto& urls = options.reference_urls;
    const std::string url = urls.empty() || options.without_reference ? "" : urls[urls.size() > 1 ? i : 0];
    if (is_cram && !url.empty()) {
      text += "\tUR:" + one_field(url);
    }
    text += '\n';
  }
  InputLines input;
  for (const std::string& line : options.header_lines) {
    text += line + '\n';
    if (kind_of(line) == "@PG") {
      input.last_program = field_of(line, "ID");
      input.program_ids.insert(input.last_program);
    }
  }
  const bool has_group = !read_group_of(options.header_lines).empty();
  for (const std::string& header : options.input_headers) {
    input.add(header, !has_group);
  }
  text += input.groups + input.programs + "@PG\tID:" + input.unused_id("trawl") + "\tPN:trawl";
  if (!input.last_program.empty()) {
    text += "\tPP:" + input.last_program;
  }
  if (!options.version.empty()) {
    text += "\tVN:" + one_field(options.version);
  }
  if (!options.command_line.empty()) {
    text += "\tCL:" + one_field(options.command_line);
  }
  return text + "\n" + input.comments;
}

std::string bam_header(std::string_view text, const std::vector<sequence::Contig>& contigs) {
  std::string header = "BAM\1";
  const auto put_number = [&](std::uint64_t number) {
    char bytes[4];
    header.append(bytes, put_little_endian(bytes, static_cast<std::uint32_t>(number), 4));
  };
  put_number(text.size());
  header += text;
  put_number(contigs.size());
  for (const sequence::Contig& contig : contigs) {
    put_number(contig.name.size() + 1);
    header.append(contig.name) += '\0';
    put_number(contig.length);
  }
  return header;
}

}  // namespace trawl::io
