#include "io/out/scan_sink.hpp"

#include <concepts>
#include <cstdint>
#include <string_view>
#include <utility>

#include "align/sam_fields.hpp"
#include "base/append_number.hpp"
#include "io/out/file_format.hpp"
#include "io/out/sam_header.hpp"
#include "sequence/alphabet.hpp"

namespace trawl::io {
namespace {

constexpr const char* kTsvHeader =
    "contig\tstart\tend\tpattern\tstrand\tdistance\tmismatches\tdna_bulges\trna_bulges\tcigar\ttext\n";
constexpr std::size_t kWriteSize = std::size_t{4} << 20;  // enough work for several threads, if it is compressed

template <std::integral Integer>
void append_field(std::string& text, Integer value) {
  text += '\t';
  append_number(text, value);
}

void append_field(std::string& text, std::string_view value) {
  text += '\t';
  text += value;
}

// Tags as SAM text.
struct TagText {
  std::string& to;

  void integer(const char* tag, std::int64_t value) {
    to.append("\t").append(tag).append(":i:");
    append_number(to, value);
  }
  void text(const char* tag, std::string_view value) { to.append("\t").append(tag).append(":Z:").append(value); }
};

}  // namespace

ScanFormat scan_format(const std::string& path) {
  constexpr ScanFormat formats[] = {ScanFormat::bed, ScanFormat::bed_gz, ScanFormat::tsv, ScanFormat::sam};
  const auto extension = extension_of(path, {".bed", ".bed.gz", ".tsv", ".sam"}, "BED");
  return extension ? formats[*extension] : ScanFormat::bed;
}

ScanSink::ScanSink(const ScanSinkOptions& options, sequence::PatternList patterns)
    : options_(options),
      format_(scan_format(options.path)),
      patterns_(std::move(patterns)),
      arena_(static_cast<int>(options.threads)) {
  output_.emplace(options.path,
                  format_ == ScanFormat::bed_gz ? std::optional(options.compression_level) : std::nullopt);
  if (format_ == ScanFormat::tsv) {
    output_->write(kTsvHeader);
  } else if (format_ == ScanFormat::sam) {
    spool_.emplace("SAM records");
  }
}

ScanSink::~ScanSink() = default;

void ScanSink::spool(const std::string& text) { spool_->write(text); }

void ScanSink::append_bed(const scan::Record& record, const std::string& contig) {
  const sequence::Pattern pattern = patterns_[record.pattern];
  const scan::RecordTexts& texts = record.texts_or(pattern.bases, room_);
  text_ += contig;
  append_field(text_, record.start);
  append_field(text_, record.end);
  append_field(text_, pattern.name);
  append_field(text_, 1000 - 1000 * std::uint64_t{record.distance} / pattern.bases.size());
  text_ += record.reverse ? "\t-" : "\t+";
  append_field(text_, record.distance);
  append_field(text_, texts.cigar);
  append_field(text_, texts.text);
  append_field(text_, record.mismatches);
  append_field(text_, record.dna_bulges + record.rna_bulges);
  // 11 columns: with 12, other programs would take the line for BED12, which has blocks in its last three columns.
  text_ += '\n';
}

void ScanSink::append_tsv(const scan::Record& record, const std::string& contig) {
  const sequence::Pattern pattern = patterns_[record.pattern];
  const scan::RecordTexts& texts = record.texts_or(pattern.bases, room_);
  text_ += contig;
  append_field(text_, record.start);
  append_field(text_, record.end);
  append_field(text_, pattern.name);
  text_ += record.reverse ? "\t-" : "\t+";
  append_field(text_, record.distance);
  append_field(text_, record.mismatches);
  append_field(text_, record.dna_bulges);
  append_field(text_, record.rna_bulges);
  append_field(text_, texts.cigar);
  append_field(text_, texts.text);
  text_ += '\n';
}

void ScanSink::append_sam(const scan::Record& record, const std::string& contig) {
  const sequence::Pattern pattern = patterns_[record.pattern];
  const scan::RecordTexts& texts = record.texts_or(pattern.bases, room_);
  text_ += pattern.name;
  append_field(text_, record.reverse ? align::kFlagReverse : std::uint16_t{0});
  append_field(text_, contig);
  append_field(text_, record.start + 1);
  text_ += "\t255";
  append_field(text_, texts.cigar);
  text_ += "\t*\t0\t0";
  append_field(text_, record.reverse ? sequence::reverse_complement(pattern.bases) : std::string(pattern.bases));
  text_ += "\t*";
  TagText tags{text_};
  align::put_edit_tags(record.edits, texts.md, -std::int32_t{record.distance}, tags);
  tags.integer("mm", record.mismatches);
  tags.integer("db", record.dna_bulges);
  tags.integer("rb", record.rna_bulges);
  text_ += '\n';
}

void ScanSink::write(std::span<const scan::Record> records, const std::vector<std::string>& contig_names) {
  const auto flush = [&] {
    if (spool_) {
      spool(text_);
    } else {
      arena_.execute([&] { output_->write(text_); });
    }
    text_.clear();
  };
  // The patterns of neighbouring records lie anywhere in memory.
  constexpr std::size_t kPlaceAhead = 32, kLettersAhead = 16;
  for (std::size_t r = 0; r < records.size(); ++r) {
    if (r + kPlaceAhead < records.size()) {
      patterns_.prefetch_place(records[r + kPlaceAhead].pattern);
      patterns_.prefetch_letters(records[r + kLettersAhead].pattern);
    }
    const scan::Record& record = records[r];
    const std::string& contig = contig_names[record.contig];
    if (format_ == ScanFormat::sam) {
      append_sam(record, contig);
    } else if (format_ == ScanFormat::tsv) {
      append_tsv(record, contig);
    } else {
      append_bed(record, contig);
    }
    if (text_.size() >= kWriteSize) {
      flush();
    }
  }
  flush();
}

void ScanSink::close(const std::vector<sequence::Contig>& contigs, const std::vector<std::string>& md5s) {
  if (spool_) {
    SinkOptions header;
    header.command_line = options_.command_line;
    header.version = options_.version;
    output_->write(sam_header(header, contigs, md5s, RecordOrder::by_place));
    text_.resize(kWriteSize);
    std::uint64_t at = 0;
    while (const std::size_t n = spool_->read(at, text_.data(), text_.size())) {
      output_->write(std::string_view(text_).substr(0, n));
      at += n;
    }
  }
  output_->close();
}

}  // namespace trawl::io
