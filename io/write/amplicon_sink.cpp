#include "io/write/amplicon_sink.hpp"

#include <optional>
#include <string_view>

#include "base/append_number.hpp"
#include "base/error.hpp"
#include "io/format/table_cell.hpp"
#include "io/write/output_file.hpp"
#include "sequence/alphabet.hpp"
#include "sequence/copy_letters.hpp"

namespace trawl::io {
namespace {

constexpr const char* kHeader =
    "contig\tstart\tend\tpair\tstrand\tsize\tleft\tleft_edits\tleft_cigar\tleft_text\tright\tright_edits\tright_cigar\t"
    "right_text\tsequence\n";

ScanFormat amplicon_format(const std::string& path) {
  const ScanFormat format = scan_format(path);
  if (format == ScanFormat::sam || separator(format) == ',') {
    throw UsageError("the output " + path + ": products are written as .tsv or .bed, not as " +
                     (format == ScanFormat::sam ? "SAM" : "CSV"));
  }
  return format;
}

const char* side(const scan::PrimerSite& site) { return site.is_reverse_primer() ? "reverse" : "forward"; }

}  // namespace

AmpliconSink::AmpliconSink(const ScanSinkOptions& options, const sequence::PatternList& patterns,
                           const scan::AmpliconSizes& sizes, const sequence::Reference& reference)
    : format_(amplicon_format(options.path)),
      patterns_(patterns),
      reference_(reference),
      finder_(patterns, sizes),
      output_(options.path, is_packed(format_) ? std::optional(options.compression_level) : std::nullopt) {
  if (is_table(format_)) {
    text_ = kHeader;
  }
}

void AmpliconSink::write(std::span<const scan::Record> records, const sequence::ContigNames&) {
  finder_.add(records);
  take();
}

void AmpliconSink::take() {
  finder_.take([&](const scan::Amplicon& amplicon) {
    if (is_table(format_)) {
      put_tsv(amplicon);
    } else {
      put_bed(amplicon);
    }
    ++amplicons_;
    if (text_.size() >= kWriteSize) {
      output_.write(text_);
      text_.clear();
    }
  });
}

void AmpliconSink::put_bed(const scan::Amplicon& amplicon) {
  const std::uint64_t edits = std::uint64_t{amplicon.left->distance} + amplicon.right->distance;
  const std::uint64_t letters =
      patterns_[amplicon.left->pattern].bases.size() + patterns_[amplicon.right->pattern].bases.size();
  text_ += reference_.contigs()[amplicon.contig].name;
  for (const std::uint64_t number : {amplicon.start(), amplicon.end()}) {
    append_number(text_ += '\t', number);
  }
  std::string room;
  text_.append("\t").append(plain_name(patterns_[amplicon.left->pattern].name, room));
  append_number(text_ += '\t', 1000 - 1000 * edits / letters);
  text_.append("\t").append(1, amplicon.strand());
  append_number(text_ += '\t', amplicon.left->distance);
  append_number(text_ += '\t', amplicon.right->distance);
  text_ += '\n';
}

void AmpliconSink::put_tsv(const scan::Amplicon& amplicon) {
  text_ += reference_.contigs()[amplicon.contig].name;
  for (const std::uint64_t number : {amplicon.start(), amplicon.end()}) {
    append_number(text_ += '\t', number);
  }
  text_.append("\t").append(patterns_[amplicon.left->pattern].name);
  text_.append("\t").append(1, amplicon.strand());
  append_number(text_ += '\t', amplicon.size());
  for (const auto* site : {amplicon.left.get(), amplicon.right.get()}) {
    text_.append("\t").append(side(*site));
    append_number(text_ += '\t', site->distance);
    text_.append("\t").append(site->cigar).append("\t").append(site->text);
  }
  put_sequence(amplicon);
  text_ += '\n';
}

// From the forward primer to the reverse primer.
void AmpliconSink::put_sequence(const scan::Amplicon& amplicon) {
  letters_.resize(amplicon.size());
  sequence::copy_letters(reference_, reference_.contigs()[amplicon.contig].offset + amplicon.start(), letters_.size(),
                         letters_.data());
  text_ += '\t';
  text_ += amplicon.strand() == '-' ? sequence::reverse_complement(letters_) : letters_;
}

void AmpliconSink::close() {
  finder_.finish();
  take();
  output_.write(text_);
  output_.close();
}

}  // namespace trawl::io
