// Reads any bytes as a reference, in blocks of several sizes. The result must be that of a parser that goes line by
// line: the same reference and warning, or the same trawl::Error.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "io/read/fasta_chunks.hpp"
#include "io/read/foreign_format.hpp"
#include "io/read/reference_files.hpp"
#include "sequence/alphabet.hpp"
#include "sequence/copy_letters.hpp"
#include "tests/fasta_oracle.hpp"
#include "tests/fuzz/memory_file.hpp"

using namespace trawl;
using fuzz::check;

namespace {

std::string letters_of(const sequence::Reference& reference, std::uint64_t begin, std::uint64_t length) {
  std::string letters(length, '?');
  sequence::copy_letters(reference, begin, length, letters.data());
  return letters;
}

// The error without the path, as far as what() can show it.
std::string error_of(const Error& error, const std::string& path) {
  return std::string(error.what()).substr(path.size());
}

void check_whole(const tests::FastaOracle& oracle, const std::string& path, const io::TextOptions& options) {
  try {
    std::vector<std::string> warnings;
    const auto reference = io::read_reference(path, &warnings, options);
    check(oracle.error.empty() && oracle.difference(reference).empty());
    check((warnings.empty() ? "" : warnings.front()) == oracle.warning(path));
    const auto md5s = io::contig_md5s(reference);
    check(md5s.size() == reference.contigs().size());
    for (std::size_t c = 0; c < oracle.contigs.size(); ++c) {
      const auto& contig = reference.contigs()[c];
      check(letters_of(reference, contig.offset, contig.length) == oracle.contigs[c].letters);
    }
  } catch (const Error& error) {
    check(error_of(error, path) == oracle.error.c_str());
  }
}

// 2bit data are not compared with anything.
void read_two_bit(const std::string& path) {
  try {
    std::vector<std::string> warnings;
    const auto reference = io::read_reference(path, &warnings, {.threads = 1});
    io::contig_md5s(reference);
    for (const auto& contig : reference.contigs()) {
      letters_of(reference, contig.offset, contig.length);
    }
  } catch (const Error&) {
  }
}

void check_chunks(const tests::FastaOracle& oracle, const std::string& path, const io::ChunkOptions& chunk_options,
                  const io::TextOptions& options) {
  try {
    io::FastaChunks chunks(path, chunk_options, options);
    std::vector<std::string> found;
    sequence::TextChunk chunk;
    while (chunks.next(chunk)) {
      for (std::size_t p = 0; p < chunk.slices.size(); ++p) {
        const auto& slice = chunk.slices[p];
        const auto& contig = chunk.reference.contigs()[p];
        found.resize(std::max<std::size_t>(found.size(), slice.contig + 1));
        check(slice.contig + 1 == found.size() && slice.fresh == found.back().size());
        found.back().resize(slice.begin);
        found.back() += letters_of(chunk.reference, contig.offset, contig.length);
      }
    }
    check(oracle.error.empty() && found.size() == oracle.contigs.size());
    for (std::size_t c = 0; c < found.size(); ++c) {
      check(found[c] == oracle.contigs[c].letters && chunks.contigs()[c].name == oracle.contigs[c].name);
    }
    check(chunks.warning() == oracle.warning(path));
  } catch (const Error& error) {
    check(error_of(error, path) == oracle.error.c_str());
  }
}

}  // namespace

// The first byte chooses sizes, the others are the file.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0 || (size >= 3 && data[1] == 0x1f && data[2] == 0x8b)) {
    return 0;  // the oracle does not decompress
  }
  const std::size_t some = 11 + data[0] % 64;  // the first block tells files of other formats, also behind a mark
  const fuzz::MemoryFile file(data + 1, size - 1);
  const std::string path = file.path();
  const std::string_view content(reinterpret_cast<const char*>(data + 1), size - 1);
  tests::FastaOracle oracle(content);
  std::string_view text = content;
  text.remove_prefix(text.starts_with("\xef\xbb\xbf") ? 3 : 0);
  if (const std::string foreign = text.empty() ? "" : io::foreign_reference(text, path); !foreign.empty()) {
    oracle.error = ": " + foreign;
  }
  using namespace std::string_view_literals;
  if (content.starts_with("\x43\x27\x41\x1a"sv) || content.starts_with("\x1a\x41\x27\x43"sv)) {
    read_two_bit(path);
  } else {
    check_whole(oracle, path, {.threads = 1, .block_bytes = some});
    check_whole(oracle, path, {.threads = 2, .block_bytes = 7 * some});
    check_whole(oracle, path, {.threads = 1, .block_bytes = std::size_t{1} << 16});
  }
  check_chunks(oracle, path, {.bases = some, .overlap = some / 3, .with_md5 = true},
               {.threads = 1, .block_bytes = 3 * some});
  return 0;
}
