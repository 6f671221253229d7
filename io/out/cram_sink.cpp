#include "io/out/cram_sink.hpp"

#include <htslib/hfile.h>
#include <htslib/sam.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/error.hpp"
#include "io/out/bam_encoder.hpp"
#include "io/out/htslib_record.hpp"
#include "io/out/sam_header.hpp"

namespace trawl::io {
namespace {

struct CramChunk : Chunk {
  BamRecords records;
};

std::string scratch_prefix(const OutputFile& file) {
  const std::filesystem::path output(file.write_path());
  if (output.extension() == ".tmp") {
    return file.write_path();
  }
  // A pipe or a device: other files cannot be made in its directory.
  return (std::filesystem::temp_directory_path() / ("trawl." + std::to_string(::getpid()))).string();
}

}  // namespace

CramSink::CramSink(const SinkOptions& options, const sequence::Reference& reference,
                   const std::vector<std::string>& md5s)
    : rule_{options.keep_unmapped, options.mate_fields},
      read_group_(parse_read_group(options.read_group).id),
      file_(options.path) {
  const std::string text = sam_header(options, reference.contigs(), md5s);
  header_.reset(sam_hdr_parse(text.size(), text.c_str()));
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
  cram_reference_ = std::make_unique<CramReference>(reference, scratch_prefix(file_));
  if (hts_set_opt(cram_.get(), CRAM_OPT_REFERENCE, cram_reference_->path().c_str()) != 0) {
    throw IoError(file_.name(), "htslib cannot use the reference for CRAM");
  }
}

void CramSink::fail() const {
  const int stream_error = cram_ ? herrno(stream_) : 0;
  const int error = stream_error != 0 ? stream_error : errno;
  throw IoError(file_.name(), "cannot write" + (error != 0 ? std::string(": ") + std::strerror(error) : ""));
}

std::unique_ptr<Chunk> CramSink::make_chunk() const { return std::make_unique<CramChunk>(); }

void CramSink::format(const sequence::ReadBatch& reads, const align::AlignmentBatch& alignments, Chunk& chunk) const {
  BamRecords& records = static_cast<CramChunk&>(chunk).records;
  records.clear();
  BamEncoder(records, read_group_, reads, alignments).append_all(rule_);
}

void CramSink::write(Chunk& chunk) {
  const BamRecords& records = static_cast<CramChunk&>(chunk).records;
  HtslibRecord record;
  for (const BamRecordInfo& info : records.infos) {
    errno = 0;
    if (sam_write1(cram_.get(), header_.get(), &record.read(records.bytes_of(info))) < 0) {
      fail();
    }
  }
}

void CramSink::close() {
  errno = 0;
  // Closing also flushes. An extra flush would make htslib write the last container twice, which fails.
  if (hts_close(cram_.release()) != 0) {
    fail();
  }
  cram_reference_.reset();
  file_.commit();
}

}  // namespace trawl::io
