#include "io/read/fasta_chunks.hpp"

#include <algorithm>
#include <deque>
#include <string_view>
#include <utility>

#include "io/read/fasta_reader.hpp"

namespace trawl::io {

// Takes what the stream gives until a chunk uses it.
class FastaChunks::Collector final : public FastaHandler {
 public:
  struct Piece {
    std::shared_ptr<const sequence::PackedLetters> letters;
    std::uint64_t begin = 0;
    std::uint64_t count = 0;
    bool begins_contig = false;
    std::string name;  // of that contig
  };

  void begin_contig(const std::string& name, const sequence::Topology&) override {
    name_ = name;
    begins_contig_ = true;
  }
  void append(const std::shared_ptr<const sequence::PackedLetters>& letters, std::uint64_t begin,
              std::uint64_t count) override {
    pieces_.push_back({letters, begin, count, std::exchange(begins_contig_, false), std::exchange(name_, {})});
  }

  std::deque<Piece> pieces_;
  bool at_end_ = false;

 private:
  bool begins_contig_ = false;
  std::string name_;
};

FastaChunks::FastaChunks(const std::string& path, const ChunkOptions& options, const TextBlocks::Options& reading)
    : FastaChunks(std::make_unique<FastaStream>(path, reading), options, reading.threads) {}

FastaChunks::FastaChunks(std::unique_ptr<ContigSource> source, const ChunkOptions& options, unsigned threads)
    : options_(options),
      threads_(threads),
      source_(std::move(source)),
      collector_(std::make_unique<Collector>()),
      md5_(options.with_md5 ? std::make_unique<LetterMd5>() : nullptr) {}

FastaChunks::~FastaChunks() = default;

// Reads until there are letters; false at the end.
bool FastaChunks::fill_pending() {
  Collector& c = *collector_;
  while (c.pieces_.empty() && !c.at_end_) {
    c.at_end_ = !source_->step(c);
  }
  return !c.pieces_.empty();
}

void FastaChunks::begin_piece(sequence::ReferenceAssembler& assembler, sequence::TextChunk& chunk) {
  Collector::Piece& piece = collector_->pieces_.front();
  if (piece.begins_contig) {
    piece.begins_contig = false;
    contigs_.push_back({std::move(piece.name), 0, 0});
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
  Collector::Piece& piece = collector_->pieces_.front();
  const std::uint64_t n = std::min(room, piece.count);
  assembler.append(piece.letters, piece.begin, n);
  contigs_.back().length += n;
  piece.begin += n;
  piece.count -= n;
  if (piece.count == 0) {
    collector_->pieces_.pop_front();
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
  std::string letters(std::min(options_.overlap, contig.length), 'N');
  copy_letters(chunk.reference, contig.offset + contig.length - letters.size(), letters.size(), letters.data());
  const auto tail = std::make_shared<sequence::PackedLetters>();
  tail->append(letters);
  tail_ = tail;
}

bool FastaChunks::next(sequence::TextChunk& chunk) {
  chunk.slices.clear();
  chunk.reads = nullptr;
  sequence::ReferenceAssembler assembler(threads_);
  assembler.expect(options_.bases + options_.overlap);
  std::uint64_t room = options_.bases;
  while (room > 0 && fill_pending()) {
    if (chunk.slices.empty() || collector_->pieces_.front().begins_contig) {
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
  chunk.slices.back().is_last = !fill_pending() || collector_->pieces_.front().begins_contig;
  chunk.reference = std::move(assembler).finish();
  if (md5_) {
    add_md5s(chunk);
  }
  keep_tail(chunk);
  std::uint64_t unused = 0;
  for (const auto& piece : collector_->pieces_) {
    unused += piece.count;
  }
  chunk.input_bytes = source_->consumed(unused);
  return true;
}

}  // namespace trawl::io
