#include "io/write/cram_file.hpp"

#include <fcntl.h>
#include <htslib/hfile.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <optional>
#include <thread>

#include "base/error.hpp"
#include "io/format/file_format.hpp"
#include "io/format/htslib_owner.hpp"
#include "io/write/bam_fields.hpp"
#include "io/write/nameless_file.hpp"
#include "io/write/output_file.hpp"
#include "io/write/record_sinks.hpp"
#include "io/write/sam_header.hpp"
#include "sequence/copy_letters.hpp"

namespace trawl::io {

const bam1_t& HtslibRecord::read(std::string_view bytes) {
  BamFields fields;
  std::memcpy(&fields, bytes.data(), sizeof fields);
  const std::string_view name = bytes.substr(sizeof fields, fields.name_size);
  std::string_view cigar = bytes.substr(sizeof fields + name.size(), 4ul * fields.cigar_operations);
  std::string_view others = bytes.substr(sizeof fields + name.size() + cigar.size());
  std::uint32_t second = 0;
  if (fields.cigar_operations == 2) {
    std::memcpy(&second, cigar.data() + 4, sizeof second);
  }
  if ((second & 15) == kBamRefSkip) {
    // The CIGAR is the last tag, so it ends with the record. The tags before it may contain the same letters.
    const std::size_t tags = (fields.bases + 1ul) / 2 + fields.bases;
    for (std::size_t at = others.find(kBamLongCigarTag, tags); at != others.npos;
         at = others.find(kBamLongCigarTag, at + 1)) {
      std::uint32_t operations = 0;
      const std::size_t begin = at + kBamLongCigarTag.size() + sizeof operations;
      std::memcpy(&operations, others.data() + begin - sizeof operations, sizeof operations);
      if (begin + 4ul * operations == others.size()) {
        cigar = others.substr(begin);
        others = others.substr(0, at);
        break;
      }
    }
  }

  // htslib reads the CIGAR as 32-bit words, so NULs after the name fill the last word.
  const std::size_t padding = (4 - name.size() % 4) % 4;
  data_.clear();
  data_.insert(data_.end(), name.begin(), name.end());
  data_.resize(data_.size() + padding);
  data_.insert(data_.end(), cigar.begin(), cigar.end());
  data_.insert(data_.end(), others.begin(), others.end());

  bam1_core_t& core = record_.core;
  core.pos = fields.start;
  core.tid = fields.contig;
  core.bin = fields.bin;
  core.qual = fields.mapq;
  core.l_extranul = static_cast<std::uint8_t>(padding);
  core.flag = fields.flag;
  core.l_qname = static_cast<std::uint16_t>(name.size() + padding);
  core.n_cigar = static_cast<std::uint32_t>(cigar.size() / 4);
  core.l_qseq = static_cast<std::int32_t>(fields.bases);
  core.mtid = fields.mate_contig;
  core.mpos = fields.mate_start;
  core.isize = fields.template_length;
  record_.data = reinterpret_cast<std::uint8_t*>(data_.data());
  record_.l_data = static_cast<int>(data_.size());
  record_.m_data = static_cast<std::uint32_t>(data_.size());
  return record_;
}

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
      sequence::copy_letters(reference, contig.offset + done, n, letters.data());
      fasta.write({letters.data(), n});
    }
    fasta.write("\n");
    offset += contig.length + 1;
  }
  index.write(index_text);
}

// The reference in the form that htslib needs for CRAM: a FASTA file with its .fai next to it.
//
// The user's own file may be a pipe, or gzip, or in a directory without write permission, or have an outdated .fai. So
// the letters are written again, in TMPDIR, and deleted with this object. htslib wants paths, so these files have names
// (trawl.PID.XXXXXX.fa), and a killed program leaves them.
class CramReference {
 public:
  explicit CramReference(const sequence::Reference& reference)
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
  ~CramReference() { remove(); }
  CramReference(const CramReference&) = delete;
  CramReference& operator=(const CramReference&) = delete;

  // Of the FASTA file.
  const std::string& path() const { return path_; }

 private:
  void remove() noexcept {
    ::unlink(path_.c_str());
    ::unlink((path_ + ".fai").c_str());
    forget_temporary(slots_[0]);
    forget_temporary(slots_[1]);
  }

  std::string path_;
  std::array<int, 2> slots_{-1, -1};  // in the registry of temporary files
};

// Takes what htslib writes to a pipe, and writes it to the file. So htslib never sees that a disk is full: if it sees
// that while it closes a CRAM file, it closes the file once more, and so on until the stack is full (htslib 1.16).
class Drain {
 public:
  explicit Drain(const OutputFile& file) : file_(file) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) {
      fail(errno);
    }
    from_ = ends[0];
    stream_.reset(hdopen(ends[1], "w"));
    if (!stream_) {
      const int error = errno;
      ::close(ends[0]);
      ::close(ends[1]);
      fail(error);
    }
    to_ = ends[1];
    thread_ = std::thread([this] { work(); });
  }
  ~Drain() {
    if (stream_) {
      stream_.reset();
    } else if (to_ >= 0) {
      ::close(to_);  // htslib's stream is given up
    }
    end();
  }
  Drain(const Drain&) = delete;
  Drain& operator=(const Drain&) = delete;

  // For htslib, which closes it.
  hFILE* stream() { return stream_.get(); }
  void stream_is_taken() { (void)stream_.release(); }
  // After htslib has closed the stream: until all is written.
  void finish() {
    to_ = -1;
    end();
    check();
  }
  // Throws IoError if the file could not be written so far.
  void check() const {
    if (const int error = error_.load()) {
      fail(error);
    }
  }

 private:
  [[noreturn]] void fail(int error) const {
    throw IoError(file_.name(), std::string("cannot write: ") + std::strerror(error));
  }
  void work() {
    std::array<char, 1 << 16> bytes;
    ssize_t n = 0;
    while ((n = TEMP_FAILURE_RETRY(::read(from_, bytes.data(), bytes.size()))) > 0) {
      if (error_.load() == 0 && !write_all(file_.descriptor(), {bytes.data(), static_cast<std::size_t>(n)})) {
        error_ = errno;
      }
    }
    if (n < 0) {
      error_ = errno;
    }
  }
  void end() {
    if (thread_.joinable()) {
      thread_.join();
      ::close(from_);
    }
  }

  const OutputFile& file_;
  int from_ = -1, to_ = -1;
  std::unique_ptr<hFILE, void (*)(hFILE*)> stream_{nullptr, hclose_abruptly};
  std::atomic<int> error_{0};
  std::thread thread_;
};

class CramSink final : public FormattingSink {
 public:
  CramSink(const SinkOptions& options, const sequence::Reference& reference, const std::vector<std::string>& md5s)
      : FormattingSink(std::make_unique<RecordFormatter>(options, OutputFormat::cram, reference)),
        path_(options.path),
        file_(options.path),
        index_file_(options.sort ? std::make_unique<OutputFile>(path_ + ".crai") : nullptr),
        drain_(file_) {
    const std::string header = sam_header(options, reference.contigs(), md5s);
    header_.reset(sam_hdr_parse(header.size(), header.c_str()));
    if (!header_) {
      throw Error("the SAM header cannot be made; please report this");
    }
    // CRAM stores this name in the file. It is always the same, so that the file is, too.
    cram_ = hts_hopen(drain_.stream(), "trawl", "wc");
    if (cram_ == nullptr) {
      fail();
    }
    drain_.stream_is_taken();
    // One thread: with more, htslib chooses codecs by their timing, and the file would not be the same each time.
    if (hts_set_opt(cram_, CRAM_OPT_VERSION, "3.0") != 0 || sam_hdr_write(cram_, header_.get()) != 0) {
      fail();
    }
    // After the header: otherwise htslib would write this reference's path into it (@SQ UR).
    if (options.without_reference) {
      hts_set_opt(cram_, CRAM_OPT_NO_REF, 1);
    } else if (hts_set_opt(cram_, CRAM_OPT_REFERENCE, reference_.emplace(reference).path().c_str()) != 0) {
      throw IoError(file_.name(), "htslib cannot use the reference for CRAM");
    }
    if (index_file_ && sam_idx_init(cram_, header_.get(), 0, index_file_->write_path().c_str()) != 0) {
      throw IoError(index_file_->name(), std::string("cannot write the index: ") + std::strerror(errno));
    }
  }

  void write(Chunk& chunk) override {
    drain_.check();
    HtslibRecord record;
    const BamRecords& records = static_cast<RecordChunk&>(chunk).records;
    for (const BamRecordInfo& info : records.infos) {
      errno = 0;
      if (sam_write1(cram_, header_.get(), &record.read(records.bytes_of(info))) < 0) {
        fail();
      }
    }
  }

  void close() override {
    errno = 0;
    if (index_file_ && sam_idx_save(cram_) != 0) {
      fail();
    }
    // Closing also flushes. An extra flush would make htslib write the last container twice, which fails.
    if (hts_close(cram_) != 0) {
      fail();
    }
    drain_.finish();
    reference_.reset();
    commit_with_index(path_, OutputFormat::cram, index_file_.get(), [&] { file_.commit(); });
  }

 private:
  [[noreturn]] void fail() const {
    const int error = errno;
    throw IoError(file_.name(), "cannot write" + (error != 0 ? std::string(": ") + std::strerror(error) : ""));
  }

  std::string path_;
  OutputFile file_;
  std::unique_ptr<OutputFile> index_file_;
  Drain drain_;
  std::optional<CramReference> reference_;
  HtslibOwner<sam_hdr_t> header_;
  htsFile* cram_ = nullptr;  // after an error it stays open: to close it would write more, or end the program
};

}  // namespace

std::unique_ptr<AlignmentSink> make_cram_sink(const SinkOptions& options, const sequence::Reference& reference,
                                              const std::vector<std::string>& md5s) {
  return std::make_unique<CramSink>(options, reference, md5s);
}

}  // namespace trawl::io
