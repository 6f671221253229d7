#include "io/read/read_chunks.hpp"

#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <deque>
#include <string_view>

#include "base/error.hpp"
#include "sequence/alphabet.hpp"
#include "sequence/packed_letters.hpp"

namespace trawl::io {

namespace {

// Of a chunk: a read takes memory besides its bases.
constexpr std::size_t kMostReads = std::size_t{1} << 20;
// Of which one thread finds the parts at a time; even, for pairs.
constexpr std::size_t kReadsAPiece = 1024;

void add_ends(const sequence::ReadBatch& reads, const ReadEnds& within, sequence::TextChunk& chunk,
              std::vector<sequence::NamedText>& texts) {
  texts.reserve(reads.size());
  chunk.slices.reserve(reads.size());
  for (std::size_t r = 0; r < reads.size(); r += reads.paired ? 2 : 1) {
    const std::uint64_t length = reads.length(r);
    const auto add = [&](std::uint64_t begin, std::uint64_t end, bool is_last) {
      if (begin < end) {
        texts.push_back({reads.name(r), reads.bases(r).substr(begin, end - begin)});
        chunk.slices.push_back({.contig = reads.first_read + r, .begin = begin, .fresh = begin, .is_last = is_last});
      }
    };
    const auto [first, last] = within;
    if (first + last == 0 || first + last >= length) {
      add(0, length, true);
    } else {
      add(0, first, last == 0);
      add(length - last, length, true);
    }
  }
}

// Looks barcodes up where both the place and the letters are certain: from a known end on, as long as each is there.
void find_exact(const scan::ReadStructure::Parts& parts, const std::vector<scan::ExactBarcodes>& exact,
                std::string_view bases, std::vector<sequence::PlacedPart>& places) {
  const auto find = [&](std::size_t p, bool& is_certain) {
    if (parts[p].kind != scan::PartKind::barcode) {
      return;
    }
    const scan::ExactBarcodes& list = exact[parts[p].barcode];
    sequence::PlacedPart& place = places[p];
    const bool is_whole = is_certain && list.length() > 0 && place.end - place.begin == list.length();
    const auto found = is_whole ? list.find(bases.substr(place.begin, list.length())) : std::nullopt;
    is_certain = found.has_value();
    place.pattern = found.value_or(sequence::PlacedPart::kSearched);
  };
  for (const auto anchor : {sequence::Anchor::start, sequence::Anchor::end}) {
    bool is_certain = true;
    for (std::size_t n = 0; n < parts.size(); ++n) {
      const std::size_t p = anchor == sequence::Anchor::start ? n : parts.size() - 1 - n;
      if (parts[p].kind == scan::PartKind::linker) {
        is_certain = true;
      } else if (!parts[p].is_open() && places[p].anchor == anchor) {
        find(p, is_certain);
      }
    }
  }
}

// Several threads place the parts of reads. Returns what keeps the reverse complements in which barcodes are searched.
std::vector<std::deque<std::string>> add_barcodes(const sequence::ReadBatch& reads, const StructureSearch& search,
                                                  sequence::TextChunk& chunk, std::vector<sequence::NamedText>& texts) {
  const auto& [structure, max_edits, strands, exact] = search;
  struct ReadsPiece {
    std::vector<sequence::PlacedRead> placed;
    std::vector<sequence::PlacedPart> parts;
    std::deque<std::string> turned;
    std::vector<std::string_view> bases;  // of each placed read, in the direction of the structure
  };
  const std::size_t mates = reads.paired ? 2 : 1;
  std::vector<ReadsPiece> pieces((reads.size() + kReadsAPiece - 1) / kReadsAPiece);
  tbb::parallel_for(std::size_t{0}, pieces.size(), [&](std::size_t p) {
    ReadsPiece& piece = pieces[p];
    std::vector<sequence::PlacedPart> places[2];
    const std::size_t last = std::min(reads.size(), (p + 1) * kReadsAPiece);
    for (std::size_t r = p * kReadsAPiece; r < last; r += mates) {
      for (const bool reverse : {false, true}) {
        if (strands == (reverse ? scan::Strands::forward : scan::Strands::reverse)) {
          continue;
        }
        std::optional<std::uint32_t> edits[2];
        std::string_view bases[2];
        for (std::size_t m = 0; m < mates; ++m) {
          bases[m] = reverse ? piece.turned.emplace_back(sequence::reverse_complement(reads.bases(r + m)))
                             : reads.bases(r + m);
          edits[m] = structure.place(m, bases[m], max_edits, places[m]);
          if (exact && edits[m]) {
            find_exact(structure.parts(m), *exact, bases[m], places[m]);
          }
        }
        for (std::size_t m = 0; m < mates && edits[0] && edits[mates - 1]; ++m) {
          piece.placed.push_back(
              {static_cast<std::uint32_t>(r + m), reverse, *edits[m], static_cast<std::uint32_t>(piece.parts.size())});
          piece.parts.insert(piece.parts.end(), places[m].begin(), places[m].end());
          piece.bases.push_back(bases[m]);
        }
      }
    }
  });
  std::vector<std::deque<std::string>> turned;
  for (ReadsPiece& piece : pieces) {
    const auto before = static_cast<std::uint32_t>(chunk.parts.size());
    for (std::size_t i = 0; i < piece.placed.size(); ++i) {
      sequence::PlacedRead& placed = chunk.placed.emplace_back(piece.placed[i]);
      const scan::ReadStructure::Parts& parts = structure.parts(placed.read % mates);
      for (std::size_t p = 0; p < parts.size(); ++p) {
        const sequence::PlacedPart& place = piece.parts[placed.part + p];
        const auto [first, last] = std::pair(place.first, place.last);
        if (parts[p].kind == scan::PartKind::barcode && first < last &&
            place.pattern == sequence::PlacedPart::kSearched) {
          texts.push_back({reads.name(placed.read), piece.bases[i].substr(first, last - first)});
          chunk.slices.push_back(
              {.contig = chunk.first_part + before + placed.part + p, .begin = first, .fresh = first, .is_last = true});
        }
      }
      placed.part += before;
    }
    chunk.parts.insert(chunk.parts.end(), piece.parts.begin(), piece.parts.end());
    turned.push_back(std::move(piece.turned));
  }
  return turned;
}

// Single reads, each with an absent mate.
sequence::ReadBatch with_absent_mates(const sequence::ReadBatch& singles) {
  sequence::ReadBatch pairs;
  pairs.first_read = singles.first_read;
  pairs.input_bytes = singles.input_bytes;
  pairs.paired = pairs.mixed = true;
  pairs.is_fastq = singles.is_fastq;
  const std::uint32_t texts = pairs.share_texts(singles);
  for (std::size_t r = 0; r < singles.size(); ++r) {
    pairs.add_shared(singles, r, texts, singles.name(r).size());
    pairs.add_absent();
  }
  return pairs;
}

}  // namespace

// Where the files of the reads begin; and that all have qualities, or none has.
void ReadChunks::record_files(const sequence::ReadBatch& reads) {
  for (std::size_t r = 0; r < reads.size(); r += reads.paired ? 2 : 1) {
    const sequence::RecordOrigin origin = reads.origin(r);
    if (options_.files && file_ != origin.file) {
      file_ = origin.file;
      options_.files->begin(reads.first_read + r, input_->file_name(origin.file));
    }
    if (reads.length(r) == 0) {
      continue;
    }
    const bool has_qualities = !reads.qualities(r).empty();
    if (is_fastq_.value_or(has_qualities) != has_qualities) {
      throw InputError(input_->file_name(origin.file), origin.line,
                       "the files of a list must all be FASTQ, or all FASTA; search them in two runs");
    }
    is_fastq_ = has_qualities;
  }
}

bool ReadChunks::next(sequence::TextChunk& chunk) {
  chunk.slices.clear();
  chunk.placed.clear();
  chunk.parts.clear();
  ReadInput::InputBatch batch;
  input_->set_batch(kMostReads, options_.bases);
  if (!input_->take_reads(batch)) {
    input_->check_end();
    return false;
  }
  input_->take_mates(batch);
  input_->check_ahead(batch);
  input_->finish(batch);
  if (options_.structure && options_.structure->structure.mates() > 1 && !batch.reads.paired) {
    batch.reads = with_absent_mates(batch.reads);  // of alignments among which are pairs
  }
  batch.reads.first_read = std::exchange(reads_, reads_ + batch.reads.size());
  const auto reads = std::make_shared<const sequence::ReadBatch>(std::move(batch.reads));
  record_files(*reads);
  std::vector<sequence::NamedText> texts;
  std::vector<std::deque<std::string>> turned;
  if (options_.structure) {
    chunk.first_part = parts_;
    turned = add_barcodes(*reads, *options_.structure, chunk, texts);
    parts_ += chunk.parts.size();
  } else {
    add_ends(*reads, options_.within, chunk, texts);
  }
  chunk.reference = sequence::pack_texts(texts, options_.gap);
  chunk.input_bytes = reads->input_bytes;
  chunk.reads = reads;
  return true;
}

}  // namespace trawl::io
