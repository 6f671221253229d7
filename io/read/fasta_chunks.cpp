#include "io/read/fasta_chunks.hpp"

#include <algorithm>
#include <utility>

#include "sequence/copy_letters.hpp"

namespace trawl::io {

FastaChunks::FastaChunks(const std::string& path, const ChunkOptions& options, const TextOptions& reading)
    : FastaChunks(std::make_unique<FastaStream>(path, reading), options, reading.threads) {}

FastaChunks::FastaChunks(std::unique_ptr<ContigSource> source, const ChunkOptions& options, unsigned threads)
    : options_(options),
      threads_(threads),
      source_(std::move(source)),
      md5_(options.with_md5 ? std::make_unique<LetterMd5>() : nullptr) {}

// Reads until there are letters; false at the end.
bool FastaChunks::fill_pending() {
  if (!pending_ && !is_at_end_) {
    pending_ = source_->next();
    is_at_end_ = !pending_;
  }
  return pending_.has_value();
}

void FastaChunks::begin_piece(sequence::ReferenceAssembler& assembler, sequence::TextChunk& chunk) {
  if (pending_->start) {
    contigs_.push_back({std::move(pending_->start->name), 0, 0});
    pending_->start.reset();
    tail_.reset();
  }
  const sequence::Contig& contig = contigs_.back();
  assembler.begin_contig(contig.name);
  const std::uint64_t repeated = tail_ ? tail_->size() : 0;
  if (repeated > 0) {
    assembler.append(tail_, 0, repeated);
  }
  chunk.slices.push_back({contigs_.size() - 1, contig.length - repeated, contig.length, false});
}

// Adds up to `room` of the waiting letters; returns how many.
std::uint64_t FastaChunks::add_letters(sequence::ReferenceAssembler& assembler, std::uint64_t room) {
  const std::uint64_t n = std::min(room, pending_->count);
  assembler.append(pending_->letters, pending_->begin, n);
  contigs_.back().length += n;
  pending_->begin += n;
  pending_->count -= n;
  if (pending_->count == 0) {
    pending_.reset();
  }
  return n;
}

void FastaChunks::add_md5s(const sequence::TextChunk& chunk) {
  for (std::size_t p = 0; p < chunk.slices.size(); ++p) {
    const auto& slice = chunk.slices[p];
    const auto& contig = chunk.reference.contigs()[p];
    const std::uint64_t repeated = slice.fresh - slice.begin;
    md5_->add(chunk.reference, contig.offset + repeated, contig.length - repeated);
    if (slice.is_last) {
      md5s_.push_back(md5_->finish());
    }
  }
}

void FastaChunks::keep_tail(const sequence::TextChunk& chunk) {
  const auto& contig = chunk.reference.contigs().back();
  const std::uint64_t size = std::min(options_.overlap, contig.length);
  tail_ = sequence::packed_letters_at(chunk.reference, contig.offset + contig.length - size, size);
}

bool FastaChunks::next(sequence::TextChunk& chunk) {
  chunk.slices.clear();
  chunk.reads = nullptr;
  sequence::ReferenceAssembler assembler(threads_);
  assembler.expect(options_.bases + options_.overlap);
  std::uint64_t room = options_.bases;
  while (room > 0 && fill_pending()) {
    if (chunk.slices.empty() || pending_->start) {
      begin_piece(assembler, chunk);
    }
    room -= add_letters(assembler, room);
  }
  if (chunk.slices.empty()) {
    return false;
  }
  for (auto& slice : chunk.slices) {
    slice.is_last = slice.contig + 1 < contigs_.size();
  }
  // Only what follows shows whether the last contig continues.
  chunk.slices.back().is_last = !fill_pending() || pending_->start;
  chunk.reference = std::move(assembler).finish();
  if (md5_) {
    add_md5s(chunk);
  }
  keep_tail(chunk);
  chunk.input_bytes = source_->consumed(pending_ ? pending_->count : 0);
  return true;
}

}  // namespace trawl::io
