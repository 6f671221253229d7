#include "io/out/sam_sink.hpp"

#include <htslib/hfile.h>
#include <htslib/sam.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/error.hpp"
#include "io/out/bam_encoder.hpp"
#include "io/out/htslib_record.hpp"
#include "io/out/sam_text.hpp"

namespace trawl::io {
namespace {

// The records of a batch: as text for SAM, otherwise as BAM.
struct SamChunk : Chunk {
  std::string text;
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

SamSink::SamSink(const SinkOptions& options, OutputFormat format, const sequence::Reference& reference,
                 const std::vector<std::string>& md5s)
    : reference_(reference),
      format_(format),
      rule_{options.keep_unmapped, options.mate_fields},
      group_(parse_read_group(options.read_group)),
      header_text_(sam_header(options, reference.contigs(), md5s)),
      file_(options.path) {
  header_.reset(sam_hdr_parse(header_text_.size(), header_text_.c_str()));
  if (!header_) {
    throw Error("the SAM header cannot be made; please report this");
  }
  if (format_ == OutputFormat::sam) {
    file_.write(header_text_);
  } else {
    open_binary(options, reference);
  }
}

void SamSink::open_binary(const SinkOptions& options, const sequence::Reference& reference) {
  const bool is_cram = format_ == OutputFormat::cram;
  auto stream = open_stream(file_);
  // CRAM stores this name in the file. It is always the same, so that the file is, too.
  binary_.reset(stream ? hts_hopen(stream.get(), "trawl", is_cram ? "wc" : "wb") : nullptr);
  if (!binary_) {
    fail();
  }
  stream_ = stream.release();  // is closed together with binary_
  // CRAM uses one thread: with more, htslib chooses codecs by their timing, and the file would not be the same each
  // time.
  if (!is_cram && options.threads > 1 && hts_set_threads(binary_.get(), static_cast<int>(options.threads)) != 0) {
    fail();
  }
  if (is_cram && hts_set_opt(binary_.get(), CRAM_OPT_VERSION, "3.0") != 0) {
    fail();
  }
  if (sam_hdr_write(binary_.get(), header_.get()) != 0) {
    fail();
  }
  if (is_cram) {
    // After the header: otherwise htslib would write this reference's path into it (@SQ UR).
    cram_reference_ = std::make_unique<CramReference>(reference, scratch_prefix(file_));
    if (hts_set_opt(binary_.get(), CRAM_OPT_REFERENCE, cram_reference_->path().c_str()) != 0) {
      throw IoError(file_.name(), "htslib cannot use the reference for CRAM");
    }
  }
}

void SamSink::fail() const {
  const int stream_error = binary_ ? herrno(stream_) : 0;
  const int error = stream_error != 0 ? stream_error : errno;
  throw IoError(file_.name(), "cannot write" + (error != 0 ? std::string(": ") + std::strerror(error) : ""));
}

std::unique_ptr<Chunk> SamSink::make_chunk() const { return std::make_unique<SamChunk>(); }

void SamSink::format(const sequence::ReadBatch& reads, const align::AlignmentBatch& alignments, Chunk& chunk) const {
  auto& made = static_cast<SamChunk&>(chunk);
  if (format_ == OutputFormat::sam) {
    made.text.clear();
    SamText(made.text, reference_, group_.id, reads, alignments).append_all(rule_);
  } else {
    made.records.clear();
    BamEncoder(made.records, group_.id, reads, alignments).append_all(rule_);
  }
}

void SamSink::write(Chunk& chunk) {
  const auto& made = static_cast<SamChunk&>(chunk);
  if (format_ == OutputFormat::sam) {
    file_.write(made.text);
    return;
  }
  HtslibRecord record;
  for (const BamRecordInfo& info : made.records.infos) {
    errno = 0;
    if (sam_write1(binary_.get(), header_.get(), &record.read(made.records.bytes_of(info))) < 0) {
      fail();
    }
  }
}

void SamSink::close() {
  if (binary_) {
    errno = 0;
    // Closing also flushes. An extra flush would make htslib write CRAM's last container twice, which fails.
    if (format_ != OutputFormat::cram && hts_flush(binary_.get()) != 0) {
      fail();
    }
    if (hts_close(binary_.release()) != 0) {
      fail();
    }
    cram_reference_.reset();
  }
  file_.commit();
}

}  // namespace trawl::io
