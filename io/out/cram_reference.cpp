#include "io/out/cram_reference.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "io/in/fasta_reader.hpp"
#include "io/out/output_file.hpp"

namespace trawl::io {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;

// A new file that only this process uses.
class ScratchFile {
 public:
  explicit ScratchFile(const std::string& path) : path_(path) {
    descriptor_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (descriptor_ < 0) {
      fail();
    }
  }
  ~ScratchFile() {
    if (descriptor_ >= 0) {
      ::close(descriptor_);
    }
  }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  void write(std::string_view bytes) {
    if (!write_all(descriptor_, bytes)) {
      fail();
    }
  }

 private:
  [[noreturn]] void fail() const {
    throw IoError(path_, std::string("cannot write the reference for CRAM: ") + std::strerror(errno));
  }

  std::string path_;
  int descriptor_ = -1;
};

}  // namespace

CramReference::CramReference(const sequence::Reference& reference, const std::string& prefix)
    : path_(prefix + ".fa"), slots_{register_temporary(path_), register_temporary(path_ + ".fai")} {
  try {
    write(reference);
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

// One line per sequence: then the index has the same form for any length.
void CramReference::write(const sequence::Reference& reference) {
  ScratchFile fasta(path_);
  ScratchFile index(path_ + ".fai");
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

}  // namespace trawl::io
