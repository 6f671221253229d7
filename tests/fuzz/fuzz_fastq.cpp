// Reads any bytes as reads. Batches and blocks of any size must give the same reads, or the same trawl::Error.
#include <string>

#include "base/error.hpp"
#include "io/read/read_source.hpp"
#include "sequence/alphabet.hpp"
#include "tests/fuzz/memory_file.hpp"

using namespace trawl;
using fuzz::check;

namespace {

// The reads as text, then the error.
std::string read_all(const std::string& path, std::size_t reads_per_batch, std::size_t bases_per_batch,
                     unsigned threads, std::size_t block_bytes) {
  std::string text;
  try {
    io::ReadSource source({path}, reads_per_batch, bases_per_batch, threads, block_bytes);
    sequence::ReadBatch batch;
    for (std::uint64_t number = 0; source.next(batch); ++number) {
      check(batch.number == number && !batch.empty() && batch.size() <= reads_per_batch);
      for (std::size_t i = 0; i < batch.size(); ++i) {
        check(!batch.name(i).empty() && batch.bases(i).size() == batch.length(i));
        check(batch.qualities(i).empty() || batch.qualities(i).size() == batch.length(i));
        for (const char c : batch.bases(i)) {
          check(sequence::iupac_set(c) != 0 && c >= 'A' && c <= 'Z');
        }
        for (const char c : batch.qualities(i)) {
          check(c >= '!' && c <= '~');
        }
        text.append(batch.name(i)).append("\t").append(batch.bases(i)).append("\t").append(batch.qualities(i));
        text += '\n';
      }
    }
  } catch (const Error& error) {
    text.append("error: ").append(error.what());
  }
  return text;
}

// If a batch has an error, its other reads are lost, too. So only complete batches and the error are compared. With one
// read per batch, all reads before the error are given.
std::string error_of(const std::string& text) {
  const std::size_t at = text.rfind("error: ");
  return at == std::string::npos ? "" : text.substr(at);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::MemoryFile file(data, size);
  const std::string one_by_one = read_all(file.path(), 1, 1u << 20, 1, 1u << 20);
  const std::string together = read_all(file.path(), 1000, 1000, 2, 16 + size % 50);
  check(error_of(one_by_one) == error_of(together));
  check(!error_of(one_by_one).empty() || one_by_one == together);
  return 0;
}
