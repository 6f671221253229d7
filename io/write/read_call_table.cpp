#include "io/write/read_call_table.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/append_number.hpp"
#include "io/format/file_format.hpp"
#include "io/format/table_cell.hpp"

namespace trawl::io {

namespace {

// Rows that one thread writes at a time.
constexpr std::size_t kRowsAPiece = 2048;
// Names in one cell.
constexpr std::size_t kMostNames = 10;

constexpr const char* kColumns[] = {"read", "call",   "pattern",      "distance",      "strand", "start",
                                    "end",  "places", "next_pattern", "next_distance", "cigar",  "text"};
constexpr std::size_t kCommonColumns = 5;  // of reads with a structure, too

std::string_view word_of(scan::CallKind kind) {
  return kind == scan::CallKind::assigned ? "assigned" : kind == scan::CallKind::ambiguous ? "ambiguous" : "unassigned";
}

}  // namespace

ScanFormat read_call_format(const std::string& path) {
  constexpr ScanFormat formats[] = {ScanFormat::tsv, ScanFormat::tsv_gz, ScanFormat::csv, ScanFormat::csv_gz};
  const auto extension = extension_of(path, {".tsv", ".tsv.gz", ".csv", ".csv.gz"}, "TSV");
  return extension ? formats[*extension] : ScanFormat::tsv;
}

ReadCallTable::ReadCallTable(const ScanSinkOptions& options, sequence::PatternList patterns,
                             const BarcodeLists* barcodes)
    : separator_(separator(read_call_format(options.path))),
      patterns_(std::move(patterns)),
      barcodes_(barcodes),
      output_(options.path, level_of(read_call_format(options.path), options.compression_level)),
      arena_(static_cast<int>(options.threads)),
      pieces_(4 * std::size_t{options.threads}) {
  std::vector<std::string> columns(std::begin(kColumns), std::end(kColumns));
  if (barcodes_ != nullptr) {
    columns.resize(kCommonColumns);
    for (std::size_t b = 1; b <= barcodes_->of_barcode.size(); ++b) {
      for (const char* const column : {"barcode_", "distance_", "start_", "end_"}) {
        columns.push_back(column + std::to_string(b));
      }
    }
    columns.emplace_back("umi");
  }
  std::string header;
  for (const std::string& column : columns) {
    header.append(header.empty() ? 0 : 1, separator_).append(column);
  }
  output_.write(header + '\n');
}

void ReadCallTable::append_names(std::span<const std::uint32_t> of, const sequence::PatternList& patterns,
                                 std::string& text) const {
  std::string names, room;
  for (std::size_t p = 0; p < std::min(kMostNames, of.size()); ++p) {
    names.append(p > 0 ? "," : "").append(patterns[of[p]].name);
  }
  names += of.size() > kMostNames ? ",..." : "";
  text += cell_text(names, separator_, room);
}

void ReadCallTable::append(std::string_view read, const scan::ReadCall& call, std::string& text) const {
  std::string name_room;
  text += cell_text(read, separator_, name_room);
  const auto field = [&](std::string_view value) { (text += separator_) += value; };
  const auto number = [&](std::uint64_t value) { append_number(text += separator_, value); };
  field(word_of(call.kind));
  if (call.kind == scan::CallKind::unassigned) {
    for (const char* const value : {".", ".", ".", ".", ".", "0", ".", ".", ".", "."}) {
      field(value);
    }
    text += '\n';
    return;
  }
  append_names(call.patterns, patterns_, text += separator_);
  number(call.best.distance);
  field(call.best.reverse ? "-" : "+");
  number(call.best.start);
  number(call.best.end);
  number(call.places);
  if (call.next.empty()) {
    field(".");
    field(".");
  } else {
    append_names(call.next, patterns_, text += separator_);
    number(call.next_distance);
  }
  scan::RecordTexts room;
  const scan::RecordTexts& texts = call.best.texts_or(patterns_[call.best.pattern].bases, room);
  field(texts.cigar);
  field(texts.text);
  text += '\n';
}

void ReadCallTable::append_barcodes(const sequence::ReadBatch& reads, std::size_t read, const scan::ReadCall& call,
                                    std::string& text) const {
  std::string room;
  text += cell_text(reads.name(read), separator_, room);
  const auto field = [&](std::string_view value) { (text += separator_) += value.empty() ? "." : value; };
  field(word_of(call.kind));
  field(call.patterns.empty() ? "" : cell_text(patterns_[call.patterns[0]].name, separator_, room));
  const bool is_assigned = call.kind == scan::CallKind::assigned;
  field(is_assigned ? std::to_string(call.best.distance) : "");
  field(call.parts.empty() ? "" : call.best.reverse ? "-" : "+");
  for (std::size_t b = 0; b < barcodes_->of_barcode.size(); ++b) {
    if (call.parts.empty() || call.barcodes[b].kind == scan::CallKind::unassigned) {
      for (int column = 0; column < 4; ++column) {
        field("");
      }
      continue;
    }
    const scan::ReadCall& barcode = call.barcodes[b];
    append_names(barcode.patterns, barcodes_->patterns, text += separator_);
    for (const std::uint64_t number : {std::uint64_t{barcode.best.distance}, barcode.best.start, barcode.best.end}) {
      append_number(text += separator_, number);
    }
  }
  field(scan::letters_of_parts(scan::PartKind::umi, reads, read, call, barcodes_->structure));
  text += '\n';
}

void ReadCallTable::write(const sequence::ReadBatch& reads, std::span<const scan::ReadCall> calls) {
  const std::size_t mates = reads.paired ? 2 : 1;
  for (std::size_t first = 0; first < calls.size();) {
    const std::size_t pieces = std::min(pieces_.size(), (calls.size() - first + kRowsAPiece - 1) / kRowsAPiece);
    arena_.execute([&] {
      tbb::parallel_for(std::size_t{0}, pieces, [&](std::size_t p) {
        pieces_[p].clear();
        const std::size_t begin = first + p * kRowsAPiece;
        for (std::size_t r = begin; r < std::min(calls.size(), begin + kRowsAPiece); ++r) {
          if (barcodes_ != nullptr) {
            append_barcodes(reads, r * mates, calls[r], pieces_[p]);
          } else {
            append(reads.name(r * mates), calls[r], pieces_[p]);
          }
        }
      });
      for (std::size_t p = 0; p < pieces; ++p) {
        output_.write(pieces_[p]);
      }
    });
    first += pieces * kRowsAPiece;
  }
}

}  // namespace trawl::io
