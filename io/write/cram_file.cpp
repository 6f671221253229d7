#include "io/write/cram_file.hpp"

#include <htslib/hfile.h>
#include <htslib/sam.h>

#include <cerrno>
#include <cstring>

#include "base/error.hpp"
#include "io/write/htslib_record.hpp"

namespace trawl::io {

CramFile::CramFile(const OutputFile& file, const std::string& header_text, const sequence::Reference& reference,
                   const OutputFile* index)
    : file_(file), header_(sam_hdr_parse(header_text.size(), header_text.c_str())), has_index_(index != nullptr) {
  if (!header_) {
    throw Error("the SAM header cannot be made; please report this");
  }
  auto stream = open_stream(file_);
  // CRAM stores this name in the file. It is always the same, so that the file is, too.
  cram_.reset(stream ? hts_hopen(stream.get(), "trawl", "wc") : nullptr);
  if (!cram_) {
    fail();
  }
  stream_ = stream.release();  // is closed together with cram_
  // One thread: with more, htslib chooses codecs by their timing, and the file would not be the same each time.
  if (hts_set_opt(cram_.get(), CRAM_OPT_VERSION, "3.0") != 0 || sam_hdr_write(cram_.get(), header_.get()) != 0) {
    fail();
  }
  // After the header: otherwise htslib would write this reference's path into it (@SQ UR).
  reference_ = std::make_unique<CramReference>(reference);
  if (hts_set_opt(cram_.get(), CRAM_OPT_REFERENCE, reference_->path().c_str()) != 0) {
    throw IoError(file_.name(), "htslib cannot use the reference for CRAM");
  }
  if (has_index_ && sam_idx_init(cram_.get(), header_.get(), 0, index->write_path().c_str()) != 0) {
    throw IoError(index->name(), std::string("cannot write the index: ") + std::strerror(errno));
  }
}

void CramFile::fail() const {
  const int stream_error = cram_ ? herrno(stream_) : 0;
  const int error = stream_error != 0 ? stream_error : errno;
  throw IoError(file_.name(), "cannot write" + (error != 0 ? std::string(": ") + std::strerror(error) : ""));
}

void CramFile::write(const BamRecords& records) {
  HtslibRecord record;
  for (const BamRecordInfo& info : records.infos) {
    errno = 0;
    if (sam_write1(cram_.get(), header_.get(), &record.read(records.bytes_of(info))) < 0) {
      fail();
    }
  }
}

void CramFile::close() {
  errno = 0;
  if (has_index_ && sam_idx_save(cram_.get()) != 0) {
    fail();
  }
  // Closing also flushes. An extra flush would make htslib write the last container twice, which fails.
  if (hts_close(cram_.release()) != 0) {
    fail();
  }
  reference_.reset();
}

}  // namespace trawl::io
