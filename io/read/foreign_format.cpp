#include "io/read/foreign_format.hpp"

#include "io/format/file_format.hpp"

namespace trawl::io {
namespace {

using namespace std::string_view_literals;

struct Packed {
  std::string_view magic;
  const char* what;
  const char* unpack;      // the program that writes the text to its standard output
  const char* after = "";  // further arguments of a program that cannot read a pipe
};

constexpr Packed kPacked[] = {
    {"\x28\xb5\x2f\xfd"sv, "zstd data", "zstdcat"},
    {"\xfd\x37\x7a\x58\x5a\0"sv, "xz data", "xzcat"},
    {"BZh"sv, "bzip2 data", "bzcat"},
    {"PK\3\4"sv, "a zip file", "unzip -p"},
    {"\xff\xfe"sv, "UTF-16 text", "iconv -f UTF-16 -t UTF-8"},
    {"\xfe\xff"sv, "UTF-16 text", "iconv -f UTF-16 -t UTF-8"},
    {"\x43\x27\x41\x1a"sv, "2bit data", "twoBitToFa", " stdout"},
    {"\x1a\x41\x27\x43"sv, "2bit data", "twoBitToFa", " stdout"},
};

// After "CRAM" comes the version, as a byte; a pattern may begin with these letters.
bool is_binary_alignments(std::string_view start) {
  return start.starts_with("BAM\1") ||
         (start.starts_with("CRAM") && start.size() > 4 && start[4] > 0 && start[4] < ' ');
}

bool is_sam(std::string_view start) {
  for (const std::string_view line : {"@HD\t", "@SQ\t", "@RG\t", "@PG\t", "@CO\t"}) {
    if (start.starts_with(line)) {
      return true;
    }
  }
  return false;
}

// `start` may be a line only, without its end.
bool is_index(std::string_view start) {
  const std::string_view magic(reinterpret_cast<const char*>(kIndexMagic.data()), kIndexMagic.size());
  return start.starts_with(magic.substr(0, magic.find_first_of("\r\n")));
}

// What messages say about files that may be given in place of another one.
struct Advice {
  const char* alignments;
  const char* index;
  const char* rest;  // what to do with the text of packed data
};

std::string foreign(std::string_view start, const std::string& name, const Advice& advice) {
  if (is_alignment_text(start)) {
    return std::string("this is an alignment file; ") + advice.alignments;
  }
  if (is_index(start)) {
    return advice.index;
  }
  for (const Packed& format : kPacked) {
    if (start.starts_with(format.magic)) {
      const std::string unnamed = *format.after != '\0' ? " FILE" : "";
      const std::string file = name == "standard input" ? unnamed : " " + name;
      return std::string("this is ") + format.what + ", which Trawl does not read; give it the text: " + format.unpack +
             file + format.after + advice.rest;
    }
  }
  return "";
}

constexpr const char* kIndexIsFirst = "this is a saved index; it is the first argument (REF)";

}  // namespace

bool is_alignment_text(std::string_view start) { return is_binary_alignments(start) || is_sam(start); }

std::string foreign_reads(std::string_view start, const std::string& name) {
  return foreign(start, name,
                 {"convert it to FASTQ first, for example with samtools fastq", kIndexIsFirst, " | trawl map REF -"});
}

std::string foreign_reference(std::string_view start, const std::string& name) {
  return foreign(
      start, name,
      {"a reference must be FASTA",
       "a saved index cannot be read from standard input, a pipe or a compressed file; name the file", " > genome.fa"});
}

std::string foreign_patterns(std::string_view start, const std::string& name) {
  if (start.starts_with("PK\3\4") || start.starts_with("\xd0\xcf\x11\xe0")) {
    return "this is data of a spreadsheet program (.xlsx, .ods, .xls), or a zip file, which Trawl does not read; save "
           "the table as CSV";
  }
  return foreign(start, name, {"patterns are FASTA or a table", kIndexIsFirst, " | trawl scan REF -"});
}

}  // namespace trawl::io
