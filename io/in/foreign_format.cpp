#include "io/in/foreign_format.hpp"

#include <string>

#include "io/index/index_layout.hpp"

namespace trawl::io {
namespace {

using namespace std::string_view_literals;

struct Packed {
  std::string_view magic;
  const char* what;
  const char* unpack;  // the program that writes the text to its standard output
};

constexpr Packed kPacked[] = {
    {"\x28\xb5\x2f\xfd"sv, "zstd data", "zstdcat"},
    {"\xfd\x37\x7a\x58\x5a\0"sv, "xz data", "xzcat"},
    {"BZh"sv, "bzip2 data", "bzcat"},
    {"PK\3\4"sv, "a zip file", "unzip -p"},
    {"\xff\xfe"sv, "UTF-16 text", "iconv -f UTF-16 -t UTF-8"},
    {"\xfe\xff"sv, "UTF-16 text", "iconv -f UTF-16 -t UTF-8"},
};

bool is_alignments(std::string_view start) { return start.starts_with("BAM\1") || start.starts_with("CRAM"); }

bool is_sam(std::string_view start) {
  for (const std::string_view line : {"@HD\t", "@SQ\t", "@RG\t", "@PG\t", "@CO\t"}) {
    if (start.starts_with(line)) {
      return true;
    }
  }
  return false;
}

bool is_index(std::string_view start) {
  return start.starts_with(std::string_view(reinterpret_cast<const char*>(kIndexMagic.data()), kIndexMagic.size()));
}

// `rest`: what to do with the text.
std::string packed(std::string_view start, const std::string& name, const std::string& rest) {
  for (const Packed& format : kPacked) {
    if (start.starts_with(format.magic)) {
      const std::string file = name == "standard input" ? "" : " " + name;
      return std::string("this is ") + format.what + ", which Trawl does not read; give it the text: " + format.unpack +
             file + rest;
    }
  }
  return "";
}

}  // namespace

std::string foreign_reads(std::string_view start, const std::string& name) {
  if (is_alignments(start) || is_sam(start)) {
    return "this is an alignment file; convert it to FASTQ first, for example with samtools fastq";
  }
  if (is_index(start)) {
    return "this is a saved index; it is the first argument (REF)";
  }
  return packed(start, name, " | trawl map REF -");
}

std::string foreign_reference(std::string_view start, const std::string& name) {
  if (is_alignments(start) || is_sam(start)) {
    return "this is an alignment file; a reference must be FASTA";
  }
  if (is_index(start)) {
    return "a saved index cannot be read from standard input, a pipe or a compressed file; name the file";
  }
  return packed(start, name, " > genome.fa");
}

}  // namespace trawl::io
