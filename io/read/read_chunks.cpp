#include "io/read/read_chunks.hpp"

#include <utility>

#include "sequence/packed_letters.hpp"

namespace trawl::io {

namespace {

// Of a chunk: a read takes memory besides its bases.
constexpr std::size_t kMostReads = std::size_t{1} << 20;

}  // namespace

bool ReadChunks::next(sequence::TextChunk& chunk) {
  chunk.slices.clear();
  ReadInput::InputBatch batch;
  input_->set_batch(kMostReads, options_.bases);
  if (!input_->take_reads(batch)) {
    input_->check_end();
    return false;
  }
  input_->take_mates(batch);
  input_->check_ahead(batch);
  input_->finish(batch);
  batch.reads.first_read = std::exchange(reads_, reads_ + batch.reads.size());
  const auto reads = std::make_shared<const sequence::ReadBatch>(std::move(batch.reads));
  std::vector<sequence::NamedText> texts;
  texts.reserve(reads->size());
  chunk.slices.reserve(reads->size());
  for (std::size_t r = 0; r < reads->size(); r += reads->paired ? 2 : 1) {
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
