#include "io/write/labeled_reads.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <exception>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "io/format/file_format.hpp"
#include "io/read/record_check.hpp"
#include "io/write/read_files.hpp"
#include "io/write/record_sinks.hpp"
#include "sequence/alphabet.hpp"

namespace trawl::io {

namespace {

// A part of a read.
struct CutRead {
  std::string bases;
  std::string qualities;
};

// The letters from `begin` to `end`, as they are in the read or on its other strand.
CutRead piece_of(const sequence::ReadBatch& reads, std::size_t read, std::size_t begin, std::size_t end, bool reverse) {
  const auto part = [&](std::string_view of_read) {
    return of_read.empty() ? of_read : of_read.substr(begin, end - begin);
  };
  const std::string_view bases = part(reads.bases(read)), qualities = part(reads.qualities(read));
  return reverse ? CutRead{sequence::reverse_complement(bases), {qualities.rbegin(), qualities.rend()}}
                 : CutRead{std::string(bases), std::string(qualities)};
}

void put(const std::string& tag, std::string_view value, std::string& text) {
  if (!tag.empty() && !value.empty()) {
    text.append(text.empty() ? "" : "\t").append(tag).append(":Z:").append(value);
  }
}

// The new tags of a read or pair.
std::string new_tags(const sequence::ReadBatch& reads, std::size_t read, const scan::ReadCall& call,
                     const sequence::PatternList& patterns, const ReadTags& tags) {
  std::string text;
  if (call.kind == scan::CallKind::assigned) {
    put(tags[0], patterns[call.best.pattern].bases, text);
  }
  if (call.kind != scan::CallKind::unassigned) {
    const CutRead piece = piece_of(reads, read, call.best.start, call.best.end, call.best.reverse);
    put(tags[1], piece.bases, text);
    put(tags[2], piece.qualities, text);
  }
  return text;
}

// The same of a read or pair with a structure.
std::string structure_tags(const sequence::ReadBatch& reads, std::size_t read, const scan::ReadCall& call,
                           const BarcodeLists& lists, const ReadTags& tags) {
  using scan::PartKind;
  std::string text, barcode;
  const auto letters = [&](PartKind kind, bool qualities) {
    return scan::letters_of_parts(kind, reads, read, call, lists.structure, qualities);
  };
  for (const scan::ReadCall& one : call.barcodes) {
    if (call.kind == scan::CallKind::assigned) {
      barcode.append(barcode.empty() ? "" : "-").append(lists.patterns[one.best.pattern].bases);
    }
  }
  put(tags[0], barcode, text);
  const std::string read_barcode = letters(PartKind::barcode, false), umi = letters(PartKind::umi, false);
  if (read_barcode.find_first_not_of('-') != read_barcode.npos) {
    put(tags[1], read_barcode, text);
    put(tags[2], letters(PartKind::barcode, true), text);
  }
  put(tags[3], umi.find('N') == umi.npos && umi.size() >= lists.structure.umi_letters() ? umi : "", text);
  put(tags[4], umi, text);
  put(tags[5], letters(PartKind::umi, true), text);
  return text;
}

// With tags: the new ones, and those in the comment. Otherwise the comment. Of a read that was cut or turned, without
// tags whose values belong to single bases (modified bases, and the signal of nanopores).
std::string comment_of(std::string_view comment, const std::string& added, const CommentRule& rule, bool is_changed) {
  constexpr std::string_view of_bases[] = {"MM:Z:", "ML:B:", "MN:i:", "Mm:Z:", "Ml:B:", "mv:B:"};
  const bool has_some = is_changed && std::ranges::any_of(of_bases, [&](std::string_view tag) {
                          return comment.find(tag) != comment.npos;
                        });
  if (has_some) {
    CommentRule of_whole_reads = rule;
    for (const std::string_view tag : of_bases) {
      of_whole_reads.own->append(tag.substr(0, 2)) += ',';
    }
    return comment_of(comment, added, of_whole_reads, false);
  }
  std::string kept(comment);
  if (rule.own->empty()) {
    return kept;
  }
  kept.erase(0, kept.find_first_not_of(" \t"));
  const std::string_view old = keep_tags(kept.data(), kept.size(), rule).text;
  return added + (added.empty() || old.empty() ? "" : "\t") + std::string(old);
}

align::AlignmentBatch unmapped(const sequence::ReadBatch& reads) {
  align::AlignmentBatch none;
  none.reads.resize(reads.size());
  none.pairs.resize(reads.paired ? reads.size() / 2 : 0);
  none.read_flags.resize(reads.size());
  for (std::size_t r = 0; r < reads.size(); ++r) {
    none.read_flags[r] = reads.has_failed(r) ? align::kFlagFailed : 0;
    if (reads.is_absent(r)) {
      none.pairs[r / 2].kind = align::PairKind::single;
    }
  }
  return none;
}

// Beside files of reads there are no records.
class NoRecords final : public AlignmentSink {
 public:
  std::unique_ptr<Chunk> make_chunk() const override { return std::make_unique<Chunk>(); }
  void format(const sequence::ReadBatch&, const align::AlignmentBatch&, Chunk&) const override {}
  void write(Chunk&) override {}
  void close() override {}
};

}  // namespace

sequence::ReadBatch labeled_reads(const sequence::ReadBatch& reads, std::size_t first,
                                  std::span<const scan::ReadCall> calls, const sequence::PatternList& patterns,
                                  const LabelRule& rule) {
  sequence::ReadBatch labeled;
  labeled.is_fastq = reads.is_fastq;
  labeled.paired = reads.paired;
  labeled.mixed = reads.mixed;
  CommentRule comments{.alignments = true, .own = ""};
  for (const std::string& tag : rule.tags) {
    comments.own->append(tag.empty() ? "" : tag + ",");
  }
  const std::size_t mates = reads.paired ? 2 : 1;
  const scan::ReadStructure* const structure = rule.barcodes != nullptr ? &rule.barcodes->structure : nullptr;
  labeled.paired = labeled.paired && (structure == nullptr || structure->inserts() == 2);
  labeled.mixed = labeled.mixed && labeled.paired;
  for (std::size_t c = 0; c < calls.size(); ++c) {
    const scan::ReadCall& call = calls[c];
    const std::size_t first_mate = (first + c) * mates;
    const std::string added = structure != nullptr ? structure_tags(reads, first_mate, call, *rule.barcodes, rule.tags)
                                                   : new_tags(reads, first_mate, call, patterns, rule.tags);
    for (std::size_t r = first_mate; r < first_mate + mates; ++r) {
      const auto insert = structure != nullptr ? structure->insert_of(r - first_mate) : std::nullopt;
      if (structure != nullptr && !insert) {
        continue;
      }
      if (reads.is_absent(r) && labeled.paired) {
        labeled.add_absent();
        continue;
      }
      std::size_t begin = 0, end = reads.length(r);
      bool reverse = false;
      if (insert && !call.parts.empty()) {
        begin = call.parts[*insert].begin, end = call.parts[*insert].end;
        reverse = call.best.reverse;
        if (reverse) {
          std::tie(begin, end) = std::pair(reads.length(r) - end, reads.length(r) - begin);
        }
      } else if (structure == nullptr && call.kind == scan::CallKind::assigned && r == first_mate) {
        if (rule.trim != Trim::none) {
          const bool is_begin = (rule.trim == Trim::before) != call.best.reverse;
          (is_begin ? begin : end) = is_begin ? call.best.end : call.best.start;
        }
        reverse = rule.orient && call.best.reverse;
      }
      const CutRead piece = piece_of(reads, r, begin, end, reverse);
      labeled.add(reads.name(reads.is_absent(r) ? first_mate : r), piece.bases, piece.qualities, reads.origin(r),
                  reads.has_failed(r) ? sequence::ReadBatch::kFailed : 0,
                  comment_of(reads.comment(r), added, comments, reverse || end - begin < reads.length(r)));
    }
  }
  return labeled;
}

bool is_file_of_reads(const std::string& path) {
  constexpr const char* others[] = {".sam", ".bam", ".cram"};
  return is_fastq_name(path) || std::any_of(std::begin(others), std::end(others),
                                            [&](const char* other) { return has_extension(path, other); });
}

LabeledFile::LabeledFile(const SinkOptions& options, const LabelRule& rule, sequence::PatternList patterns)
    : rule_(rule),
      patterns_(std::move(patterns)),
      sink_(is_fastq_name(options.path)
                ? with_read_files(std::make_unique<NoRecords>(),
                                  {.unmapped = options.path, .compression_level = options.compression_level})
                : make_record_sink(options, output_format(options.path), nothing_, {})),
      arena_(static_cast<int>(options.threads)) {}

void LabeledFile::write(const sequence::ReadBatch& reads, std::span<const scan::ReadCall> calls) {
  const std::size_t pieces = (calls.size() + kCallsAPiece - 1) / kCallsAPiece;
  std::vector<std::unique_ptr<Chunk>> chunks(pieces);
  std::vector<std::exception_ptr> failures(pieces);
  const auto with_all = [&](const auto& work) {
    arena_.execute([&] { tbb::parallel_for(std::size_t{0}, pieces, work); });
  };
  with_all([&](std::size_t p) {
    try {
      const std::size_t first = p * kCallsAPiece;
      const auto of_piece = calls.subspan(first, std::min(kCallsAPiece, calls.size() - first));
      const sequence::ReadBatch labeled = labeled_reads(reads, first, of_piece, patterns_, rule_);
      chunks[p] = sink_->format(labeled, unmapped(labeled));
    } catch (...) {
      failures[p] = std::current_exception();
    }
  });
  for (std::size_t p = 0; p < pieces; ++p) {
    if (failures[p]) {
      std::rethrow_exception(failures[p]);
    }
    sink_->place(*chunks[p]);
  }
  with_all([&](std::size_t p) { sink_->pack(*chunks[p]); });
  for (const auto& chunk : chunks) {
    sink_->write(*chunk);
  }
}

}  // namespace trawl::io
