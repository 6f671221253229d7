// Reads any bytes as one of the smaller inputs: patterns, primers, genes, variants, comments of reads, regions, read
// groups, and the JSON of requests. What is read must keep the promises of its header; else a trawl::Error or a
// trawl::UsageError is thrown.
//
// The first byte chooses the reader.
#include <algorithm>
#include <cctype>
#include <cstdint>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "io/read/annotation.hpp"
#include "io/read/bed_regions.hpp"
#include "io/read/pattern_reader.hpp"
#include "io/read/primer_reader.hpp"
#include "io/read/record_check.hpp"
#include "io/read/variant_reader.hpp"
#include "io/write/sam_header.hpp"
#include "sequence/alphabet.hpp"
#include "sequence/reference.hpp"
#include "serve/json_body.hpp"
#include "tests/fuzz/memory_file.hpp"

using namespace trawl;
using fuzz::check;

namespace {

constexpr std::size_t kLongest = 40;  // letters of a pattern

bool has_control(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](unsigned char c) { return std::iscntrl(c) != 0; });
}

void check_patterns(const sequence::PatternList& patterns) {
  check(patterns.size() > 0);
  for (const auto [name, bases] : patterns) {
    check(!name.empty() && name.size() <= 254 && !has_control(name));
    check(!bases.empty() && bases.size() <= kLongest);
    for (const char c : bases) {
      check(sequence::iupac_set(c) != 0 && c >= 'A' && c <= 'Z' && c != 'U');
    }
  }
}

void use_primers(const std::string& path) {
  const io::PrimerFile file = io::read_primers(path, kLongest, sequence::Reference());
  if (file.pool.patterns().size() > 0) {
    check_patterns(file.pool.patterns());
  } else {
    check(file.elsewhere > 0 || file.probes > 0);
  }
}

void use_annotation(const std::string& path) {
  const auto genes = io::read_annotation(path);
  io::Annotation::Finding place;
  for (const std::uint64_t at : {0, 10, 100, 1000}) {
    genes->find("chr1", at, at + 25, place);
    check(!place.genes.empty() && !has_control(place.genes) && !place.feature.empty());
  }
  Packer packer;
  packer.add(*genes);
  Unpacker unpacker(packer.bytes());
  io::Annotation same;
  unpacker.get(same);
  check(same.genes() == genes->genes());
}

void use_variants(const std::string& path) {
  constexpr std::uint64_t kLength = 4000;
  std::string letters;
  while (letters.size() < kLength) {
    letters += "ACGTTGCA";
  }
  const auto of_contig = [&](const std::string& contig, std::uint64_t begin,
                             std::uint64_t end) -> std::optional<std::string> {
    if (contig.size() < 2 || contig[0] != 'c' || end > kLength || begin > end) {
      return std::nullopt;
    }
    return letters.substr(begin, end - begin);
  };
  io::VariantReader variants(path);
  scan::AlleleList list;
  std::string contig;
  while (variants.next(contig, list, of_contig)) {
    for (const scan::Allele& allele : list.alleles) {
      check(allele.begin <= allele.end && allele.record_begin <= allele.record_end);
    }
    const scan::HaplotypePieces pieces(
        list, [&](std::uint64_t begin, std::uint64_t end) { return letters.substr(begin, end - begin); }, kLength, 20);
    for (const scan::HaplotypePiece& piece : pieces.all()) {
      check(piece.anchor < list.alleles.size() && piece.begin <= kLength);
    }
  }
}

void use_regions(const std::string& path) {
  for (const io::NamedRegion& region : io::read_bed(path)) {
    check(region.begin < region.end);
  }
}

// What the tags of a comment bring into a record: no line ends, and each has its form.
void use_comment(std::string comment) {
  const bool is_line = comment.find_first_of("\r\n") == std::string::npos;
  const io::CommentTags tags = io::keep_tags(comment.data(), comment.size(), {.read_group = comment.size() % 2 == 0});
  if (is_line && tags.wrong.empty()) {
    check(tags.text.find('\n') == std::string_view::npos);
    check(tags.text.empty() || (tags.text.size() >= 5 && tags.text[2] == ':' && tags.text[4] == ':'));
  }
}

void use(unsigned reader, const std::string& path, const std::string& text) {
  sequence::PatternList patterns;
  switch (reader) {
    case 0:
      io::read_patterns(path, kLongest, patterns);
      check_patterns(patterns);
      break;
    case 1:
      use_primers(path);
      break;
    case 2:
      use_annotation(path);
      break;
    case 3:
      use_variants(path);
      break;
    case 4:
      use_comment(text);
      break;
    case 5:
      use_regions(path);
      break;
    case 7:
      if (std::vector<std::string> lines; text.starts_with('@')) {
        io::add_header_lines(text, lines);
        check(!has_control(io::read_group_of(lines)));
      }
      break;
    case 8:
      for (const char c : serve::parse_json_reads(text, 100).reads) {
        check(c == '\n' || std::iscntrl(static_cast<unsigned char>(c)) == 0);
      }
      break;
    default:
      serve::json_error(text);
      serve::parse_json_patterns(text, 100);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const fuzz::MemoryFile file(data + 1, size - 1);
  try {
    use(data[0] % 10, file.path(), {reinterpret_cast<const char*>(data + 1), size - 1});
  } catch (const Error&) {
  } catch (const UsageError&) {
  }
  return 0;
}
