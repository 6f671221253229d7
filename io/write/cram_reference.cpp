#include "io/write/cram_reference.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "io/read/fasta_reader.hpp"
#include "io/write/nameless_file.hpp"
#include "io/write/output_file.hpp"

namespace trawl::io {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;
constexpr const char* kContent = "the reference for CRAM";

// A new file that only this process uses.
class ScratchFile {
 public:
  /// `path`: ends in XXXXXX, which is replaced, and `extension`.
  ScratchFile(std::string& path, std::string_view extension)
      : descriptor_(::mkostemps(path.data(), static_cast<int>(extension.size()), O_CLOEXEC)) {
    check();
  }
  explicit ScratchFile(const std::string& path)
      : descriptor_(TEMP_FAILURE_RETRY(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600))) {
    check();
  }
  ~ScratchFile() { ::close(descriptor_); }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  void write(std::string_view bytes) {
    if (!write_all(descriptor_, bytes)) {
      fail_temporary("cannot write", kContent);
    }
  }

 private:
  void check() const {
    if (descriptor_ < 0) {
      fail_temporary("cannot create", kContent);
    }
  }

  int descriptor_;
};

// One line per sequence: then the index has the same form for any length.
void write(const sequence::Reference& reference, ScratchFile& fasta, ScratchFile& index) {
  std::vector<char> letters(kPiece);
  std::string index_text;
  std::uint64_t offset = 0;
  for (const auto& contig : reference.contigs()) {
    const std::string header = ">" + contig.name + "\n";
    fasta.write(header);
    offset += header.size();
    const std::string length = std::to_string(contig.length);
    index_text += contig.name + "\t" + length + "\t" + std::to_string(offset) + "\t" + length + "\t" +
                  std::to_string(contig.length + 1) + "\n";
    for (std::uint64_t done = 0; done < contig.length; done += kPiece) {
      const std::size_t n = std::min<std::uint64_t>(kPiece, contig.length - done);
      copy_letters(reference, contig.offset + done, n, letters.data());
      fasta.write({letters.data(), n});
    }
    fasta.write("\n");
    offset += contig.length + 1;
  }
  index.write(index_text);
}

}  // namespace

CramReference::CramReference(const sequence::Reference& reference)
    : path_(temporary_directory() + "/trawl." + std::to_string(::getpid()) + ".XXXXXX.fa") {
  ScratchFile fasta(path_, ".fa");
  slots_ = {register_temporary(path_), register_temporary(path_ + ".fai")};
  try {
    ScratchFile index(path_ + ".fai");
    write(reference, fasta, index);
  } catch (...) {
    remove();
    throw;
  }
}

CramReference::~CramReference() { remove(); }

void CramReference::remove() noexcept {
  ::unlink(path_.c_str());
  ::unlink((path_ + ".fai").c_str());
  forget_temporary(slots_[0]);
  forget_temporary(slots_[1]);
}

}  // namespace trawl::io
