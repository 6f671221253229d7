#include "io/bed_sink.hpp"

#include <htslib/bgzf.h>
#include <htslib/hfile.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "error.hpp"
#include "io/text_append.hpp"

namespace trawl::io {
namespace {

class TextChunk : public Chunk {
 public:
  std::string text;
};

}  // namespace

BedSink::BedSink(const SinkOptions& options, OutputFormat format, const sequence::Reference& reference)
    : reference_(reference), file_(options.path) {
  if (format == OutputFormat::bed_gz) {
    // htslib closes what it is given; the file keeps its own descriptor, for the last check.
    hFILE* stream = hdopen(::dup(file_.descriptor()), "w");
    compressed_ = stream != nullptr ? bgzf_hopen(stream, "w") : nullptr;
    if (compressed_ == nullptr ||
        (options.threads > 1 && bgzf_mt(compressed_, static_cast<int>(options.threads), 0) != 0)) {
      fail();
    }
  }
}

BedSink::~BedSink() {
  if (compressed_ != nullptr) {
    bgzf_close(compressed_);
  }
}

void BedSink::fail() const {
  const int stream_error = compressed_ != nullptr ? herrno(compressed_->fp) : 0;
  throw IoError(file_.name(), std::string("cannot write: ") + std::strerror(stream_error != 0 ? stream_error : errno));
}

std::unique_ptr<Chunk> BedSink::make_chunk() const { return std::make_unique<TextChunk>(); }

void BedSink::format(const sequence::ReadBatch& reads, const map::AlignmentBatch& alignments, Chunk& chunk) const {
  std::string& text = static_cast<TextChunk&>(chunk).text;
  text.clear();
  text.reserve(alignments.alignments.size() * 80);
  for (std::size_t i = 0; i < alignments.reads.size(); ++i) {
    const auto& read = alignments.reads[i];
    const std::string_view name = reads.name(i);
    for (std::uint64_t at = read.first; at < read.first + read.count; ++at) {
      const auto& alignment = alignments.alignments[at];
      text += reference_.contigs()[alignment.contig].name;
      text += '\t';
      append_number(text, alignment.start);
      text += '\t';
      append_number(text, alignment.start + alignment.span);
      text += '\t';
      text += name;
      text += '\t';
      append_number(text, alignment.mapq);
      text += alignment.reverse ? "\t-\t" : "\t+\t";
      append_number(text, alignment.distance);
      text += '\t';
      append_cigar(text, alignments.cigar_of(alignment), alignment.cigar_length);
      text += '\n';
    }
  }
}

void BedSink::write(Chunk& chunk) {
  const std::string& text = static_cast<TextChunk&>(chunk).text;
  if (compressed_ == nullptr) {
    file_.write(text);
  } else if (bgzf_write(compressed_, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    fail();
  }
}

void BedSink::close() {
  if (compressed_ != nullptr) {
    if (bgzf_flush(compressed_) != 0) {
      fail();
    }
    BGZF* closing = compressed_;
    compressed_ = nullptr;
    if (bgzf_close(closing) != 0) {
      fail();
    }
  }
  file_.commit();
}

}  // namespace trawl::io
