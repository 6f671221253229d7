#include "io/write/cram_file.hpp"

#include <fcntl.h>
#include <htslib/hfile.h>
#include <htslib/sam.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <thread>

#include "base/error.hpp"
#include "io/write/htslib_record.hpp"

namespace trawl::io {

// Takes what htslib writes to a pipe, and writes it to the file. So htslib never sees that a disk is full: if it sees
// that while it closes a CRAM file, it closes the file once more, and so on until the stack is full (htslib 1.16).
class CramFile::Drain {
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

  /// For htslib, which closes it.
  hFILE* stream() { return stream_.get(); }
  void stream_is_taken() { (void)stream_.release(); }
  /// After htslib has closed the stream: until all is written.
  void finish() {
    to_ = -1;
    end();
    check();
  }
  /// Whether the file could be written so far.
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
  std::unique_ptr<hFILE, HtslibCloser> stream_;
  std::atomic<int> error_{0};
  std::thread thread_;
};

CramFile::CramFile(const OutputFile& file, const std::string& header_text, const sequence::Reference& reference,
                   const OutputFile* index)
    : file_(file), header_(sam_hdr_parse(header_text.size(), header_text.c_str())), has_index_(index != nullptr) {
  if (!header_) {
    throw Error("the SAM header cannot be made; please report this");
  }
  drain_ = std::make_unique<Drain>(file_);
  // CRAM stores this name in the file. It is always the same, so that the file is, too.
  cram_ = hts_hopen(drain_->stream(), "trawl", "wc");
  if (cram_ == nullptr) {
    fail();
  }
  drain_->stream_is_taken();
  // One thread: with more, htslib chooses codecs by their timing, and the file would not be the same each time.
  if (hts_set_opt(cram_, CRAM_OPT_VERSION, "3.0") != 0 || sam_hdr_write(cram_, header_.get()) != 0) {
    fail();
  }
  // After the header: otherwise htslib would write this reference's path into it (@SQ UR).
  reference_ = std::make_unique<CramReference>(reference);
  if (hts_set_opt(cram_, CRAM_OPT_REFERENCE, reference_->path().c_str()) != 0) {
    throw IoError(file_.name(), "htslib cannot use the reference for CRAM");
  }
  if (has_index_ && sam_idx_init(cram_, header_.get(), 0, index->write_path().c_str()) != 0) {
    throw IoError(index->name(), std::string("cannot write the index: ") + std::strerror(errno));
  }
}

CramFile::~CramFile() = default;

void CramFile::fail() const {
  const int error = errno;
  throw IoError(file_.name(), "cannot write" + (error != 0 ? std::string(": ") + std::strerror(error) : ""));
}

void CramFile::write(const BamRecords& records) {
  drain_->check();
  HtslibRecord record;
  for (const BamRecordInfo& info : records.infos) {
    errno = 0;
    if (sam_write1(cram_, header_.get(), &record.read(records.bytes_of(info))) < 0) {
      fail();
    }
  }
}

void CramFile::close() {
  errno = 0;
  if (has_index_ && sam_idx_save(cram_) != 0) {
    fail();
  }
  // Closing also flushes. An extra flush would make htslib write the last container twice, which fails.
  if (hts_close(cram_) != 0) {
    fail();
  }
  drain_->finish();
  reference_.reset();
}

}  // namespace trawl::io
