#include "io/read/read_chunks.hpp"

#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "base/error.hpp"
#include "sequence/packed_letters.hpp"

namespace trawl::io {

namespace {

// Of a chunk: a read takes memory besides its bases.
constexpr std::size_t kMostReads = std::size_t{1} << 20;
// That one thread checks at a time.
constexpr std::size_t kReadsAPiece = 512;

}  // namespace

ReadChunks::ReadChunks(std::unique_ptr<ReadSource> source, const ReadChunkOptions& options)
    : source_(std::move(source)), options_(options) {
  source_->set_reads_per_batch(kMostReads);
  if (options.with_comments) {
    source_->keep_whole_comments();
  }
}

// Several threads check. What is thrown is the first error in the order of the reads.
void ReadChunks::check(sequence::ReadBatch& reads) const {
  reads.expand();
  const std::size_t pieces = (reads.size() + kReadsAPiece - 1) / kReadsAPiece;
  std::vector<std::exception_ptr> failures(pieces);
  tbb::parallel_for(std::size_t{0}, pieces, [&](std::size_t p) {
    try {
      const std::size_t last = std::min(reads.size(), (p + 1) * kReadsAPiece);
      for (std::size_t r = p * kReadsAPiece; r < last; ++r) {
        source_->check(reads, r);
      }
    } catch (...) {
      failures[p] = std::current_exception();
    }
  });
  for (const std::exception_ptr& failure : failures) {
    if (failure) {
      std::rethrow_exception(failure);
    }
  }
}

// Where the files of the reads begin; and that all have qualities, or none has.
void ReadChunks::record_files(const sequence::ReadBatch& reads) {
  for (std::size_t r = 0; r < reads.size(); ++r) {
    const sequence::RecordOrigin origin = reads.origin(r);
    if (options_.files && file_ != origin.file) {
      file_ = origin.file;
      options_.files->begin(reads.first_read + r, source_->file_name(origin.file));
    }
    if (reads.length(r) == 0) {
      continue;
    }
    const bool has_qualities = !reads.qualities(r).empty();
    if (is_fastq_.value_or(has_qualities) != has_qualities) {
      throw InputError(source_->file_name(origin.file), origin.line,
                       "the files of a list must all be FASTQ, or all FASTA; search them in two runs");
    }
    is_fastq_ = has_qualities;
  }
}

bool ReadChunks::next(sequence::TextChunk& chunk) {
  chunk.slices.clear();
  const auto reads = std::make_shared<sequence::ReadBatch>();
  source_->set_bases_per_batch(options_.bases);
  if (!source_->take(*reads)) {
    return false;
  }
  check(*reads);
  record_files(*reads);
  std::vector<sequence::NamedText> texts;
  texts.reserve(reads->size());
  chunk.slices.reserve(reads->size());
  for (std::size_t r = 0; r < reads->size(); ++r) {
    const std::uint64_t length = reads->length(r);
    const auto add = [&](std::uint64_t begin, std::uint64_t end, bool is_last) {
      if (begin < end) {
        texts.push_back({reads->name(r), reads->bases(r).substr(begin, end - begin)});
        chunk.slices.push_back({.contig = reads->first_read + r, .begin = begin, .fresh = begin, .is_last = is_last});
      }
    };
    const auto [first, last] = options_.within;
    if (first + last == 0 || first + last >= length) {
      add(0, length, true);
    } else {
      add(0, first, last == 0);
      add(length - last, length, true);
    }
  }
  chunk.reference = sequence::pack_texts(texts, options_.gap);
  chunk.input_bytes = reads->input_bytes;
  chunk.reads = reads;
  return true;
}

}  // namespace trawl::io
