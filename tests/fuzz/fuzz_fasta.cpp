// Reads any bytes as a reference. The result must be a complete reference or a trawl::Error.
#include <vector>

#include "base/error.hpp"
#include "io/in/fasta_reader.hpp"
#include "sequence/alphabet.hpp"
#include "tests/fuzz/memory_file.hpp"

using namespace trawl;
using fuzz::check;

namespace {

void check_reference(const sequence::Reference& reference) {
  check(!reference.contigs().empty());
  check(reference.size() % 64 == 0 && reference.planes().size() == reference.size() / 64);
  std::uint64_t bases = 0;
  std::uint64_t free = 0;
  for (const auto& contig : reference.contigs()) {
    check(!contig.name.empty() && contig.length > 0);
    check(contig.offset >= free + sequence::kContigGap);
    free = contig.offset + contig.length;
    bases += contig.length;
    std::vector<char> letters(contig.length);
    io::copy_letters(reference, contig.offset, contig.length, letters.data());
    for (std::uint64_t i = 0; i < contig.length; ++i) {
      check(letters[i] == reference.letter(contig.offset + i));
      check(sequence::iupac_set(letters[i]) != 0 && letters[i] != 'U');
    }
    check(reference.letter(contig.offset - 1) == '\0' && reference.letter(free) == '\0');
  }
  check(bases == reference.bases() && free + sequence::kContigGap <= reference.size());
  check(io::contig_md5s(reference).size() == reference.contigs().size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::MemoryFile file(data, size);
  try {
    std::vector<std::string> warnings;
    check_reference(io::read_reference(file.path(), &warnings));
  } catch (const Error&) {
  }
  return 0;
}
