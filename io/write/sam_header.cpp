#include "io/write/sam_header.hpp"

#include <cctype>
#include <cstdint>
#include <limits>
#include <map>
#include <set>

#include "base/error.hpp"
#include "io/format/gzip_format.hpp"

namespace trawl::io {
namespace {

[[noreturn]] void fail(const std::string& what) {
  throw UsageError("the read group (-R) " + what + R"(; write it as '@RG\tID:name\tSM:sample')");
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

// The value of a field of a header line, "\tID:"; empty if it has none.
std::string value_of(std::string_view line, std::string_view field) {
  const std::size_t at = line.find(field);
  return at == line.npos ? "" : std::string(line.substr(at + 4, line.find('\t', at + 4) - at - 4));
}

// Replaces that value.
void set_value(std::string& line, std::string_view field, const std::string& value) {
  line.replace(line.find(field) + 4, value_of(line, field).size(), value);
}

// What the output takes over from the headers of its input.
struct InputLines {
  std::map<std::string, std::string> group_of;  // by ID
  std::string groups, programs, comments;       // lines
  std::set<std::string> program_ids, program_lines;
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
      const std::string id = value_of(line, "\tID:");
      if (line.starts_with("@CO\t")) {
        comments += line + '\n';
      } else if (line.starts_with("@RG\t") && !id.empty() && with_groups) {
        const auto [known, is_new] = group_of.emplace(id, line);
        if (known->second != line) {
          throw UsageError("two read groups of the input have the ID " + id +
                           "; give one for all reads with -R, or make them different with samtools addreplacerg");
        }
        groups += is_new ? line + '\n' : "";
      } else if (line.starts_with("@PG\t") && !id.empty() && program_lines.insert(line).second) {
        if (const auto before = renamed.find(value_of(line, "\tPP:")); before != renamed.end()) {
          set_value(line, "\tPP:", before->second);
        }
        last_program = unused_id(id);
        set_value(line, "\tID:", last_program);
        renamed[id] = last_program;
        program_ids.insert(last_program);
        programs += line + '\n';
      }
    }
  }
};

}  // namespace

ReadGroup parse_read_group(std::string_view text) {
  ReadGroup group;
  if (text.empty()) {
    return group;
  }
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] == 't') {
      group.line += '\t';
      ++i;
    } else {
      group.line += text[i];
    }
  }
  if (!group.line.starts_with("@RG\t")) {
    fail("must begin with @RG and a tab");
  }
  std::set<std::string> tags;
  for (std::size_t at = 4; at <= group.line.size();) {
    const std::size_t end = std::min(group.line.find('\t', at), group.line.size());
    const std::string field = group.line.substr(at, end - at);
    if (field.size() < 4 || std::isalpha(static_cast<unsigned char>(field[0])) == 0 ||
        std::isalnum(static_cast<unsigned char>(field[1])) == 0 || field[2] != ':') {
      fail("has the field '" + one_field(field) + "', which is not TAG:VALUE");
    }
    for (const char c : field) {
      if (c < ' ' || c > '~') {
        fail("contains characters that are not printable ASCII");
      }
    }
    if (!tags.insert(field.substr(0, 2)).second) {
      fail("has the tag " + field.substr(0, 2) + " twice");
    }
    if (field.starts_with("ID:")) {
      group.id = field.substr(3);
    }
    at = end + 1;
  }
  if (group.id.empty()) {
    fail("has no ID");
  }
  return group;
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
  const ReadGroup group = parse_read_group(options.read_group);
  for (const std::string& header : options.input_headers) {
    input.add(header, group.line.empty());
  }
  text += group.line.empty() ? input.groups : group.line + '\n';
  text += input.programs + "@PG\tID:" + input.unused_id("trawl") + "\tPN:trawl";
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
