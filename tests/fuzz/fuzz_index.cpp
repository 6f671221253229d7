// Changes the bytes of a saved index and opens it. The result must be a trawl::Error or an index that is safe to use,
// also where the checksums fit: half of the inputs get new ones.
//
// The input is a list of changes of 5 bytes: what is changed, where, and the new value.
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "io/index/saved_index.hpp"
#include "io/read/reference_files.hpp"
#include "sequence/copy_letters.hpp"
#include "tests/fuzz/memory_file.hpp"
#include "tests/random_cases.hpp"
#include "tests/reseal_index.hpp"

using namespace trawl;

namespace {

struct Example {
  std::string file;
  std::vector<std::string> reads;
};

const Example& example() {
  static const Example made = [] {
    tests::RandomCases random(601);
    std::vector<std::string> contigs = {random.contig(700, 0.02), random.contig(90, 0.1), random.contig(300, 0)};
    io::SavedIndex index;
    index.fasta = {"genome.fa", "/nowhere/genome.fa", 1200, 1};
    index.reference = tests::make_reference(contigs);
    index.md5s = io::contig_md5s(index.reference);
    index.seeds = std::make_shared<seed::SeedIndex>(index.reference, seed::SeedIndex::kMinQ, 1, 1280);
    const fuzz::MemoryFile target(nullptr, 0);
    io::OutputFile output("/dev/fd/" + target.path().substr(target.path().rfind('/') + 1));
    io::save_index(index, output);
    output.commit();
    Example result;
    std::ifstream file(target.path(), std::ios::binary);
    result.file.assign(std::istreambuf_iterator<char>(file), {});
    for (int n = 0; n < 4; ++n) {
      result.reads.push_back(random.read(contigs, 30, 1, 0));
    }
    return result;
  }();
  return made;
}

void use(const io::SavedIndex& index, const std::vector<std::string>& reads) {
  for (const auto& contig : index.reference.contigs()) {
    std::string letters(contig.length, '\0');
    sequence::copy_letters(index.reference, contig.offset, contig.length, letters.data());
  }
  tests::map_reads(index, reads);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  std::string file = example().file;
  io::FileHeader header = tests::header_of(file);
  auto sections = tests::sections_of(file);
  const bool seal = (data[0] & 1) != 0;
  const bool cut = (data[0] & 6) == 6;
  std::size_t at = 1;
  for (; at + 5 <= size; at += 5) {
    const std::size_t where = data[at + 1] | std::size_t{data[at + 2]} << 8 | std::size_t{data[at + 3]} << 16;
    const auto value = static_cast<char>(data[at + 4]);
    const std::size_t what = data[at] % (sections.size() + 2);
    if (what == 0) {
      reinterpret_cast<char*>(&header)[where % sizeof header] = value;
    } else if (what == 1) {
      reinterpret_cast<char*>(sections.data())[where % (sections.size() * sizeof(io::IndexSection))] = value;
    } else if (const io::IndexSection section = tests::sections_of(example().file)[what - 2]; section.bytes > 0) {
      file[section.begin + where % section.bytes] = value;
    }
  }
  if (seal) {
    tests::reseal(file, header, sections);
  } else {
    std::memcpy(file.data(), &header, sizeof header);
    std::memcpy(file.data() + sizeof header, sections.data(), sections.size() * sizeof(io::IndexSection));
  }
  if (cut && at < size) {
    file.resize(file.size() * data[at] / 256);
  }
  // A copy of exactly this size, so that the sanitizer sees each read after its end.
  const std::shared_ptr<char[]> copy(new char[file.size()]);
  std::memcpy(copy.get(), file.data(), file.size());
  try {
    use(io::read_saved_index("fuzz.trawl", {copy.get(), file.size()}, copy), example().reads);
  } catch (const Error&) {
  }
  return 0;
}
