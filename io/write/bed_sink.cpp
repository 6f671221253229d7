#include "io/write/bed_sink.hpp"

#include "align/cigar.hpp"
#include "align/records.hpp"
#include "base/append_number.hpp"

namespace trawl::io {

BedSink::BedSink(const SinkOptions& options, OutputFormat format, const sequence::Reference& reference)
    : TextSink(options.output_name(),
               format == OutputFormat::bed_gz ? std::optional(options.compression_level) : std::nullopt),
      reference_(reference) {}

void BedSink::append(const sequence::ReadBatch& reads, const align::AlignmentBatch& alignments,
                     std::string& text) const {
  text.reserve(alignments.alignments.size() * 80);
  align::for_each_record(alignments, {.keep_unmapped = false}, [&](const align::Record& record) {
    if (!record.alignment) {
      return;
    }
    const align::Alignment& alignment = *record.alignment;
    text += reference_.contigs()[alignment.contig].name;
    text += '\t';
    append_number(text, alignment.start);
    text += '\t';
    append_number(text, alignment.start + alignment.span);
    text += '\t';
    text += reads.name(record.read);
    if (record.flag & align::kFlagPaired) {
      text += record.flag & align::kFlagFirst ? "/1" : "/2";
    }
    text += '\t';
    append_number(text, record.mapq);
    text += alignment.reverse ? "\t-\t" : "\t+\t";
    append_number(text, alignment.distance);
    text += '\t';
    align::append_cigar(text, alignments.cigar_of(alignment), alignment.cigar_length);
    text += '\n';
  });
}

}  // namespace trawl::io
