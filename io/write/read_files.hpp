// Reads in files by whether they are mapped, beside their records: --unmapped FILE and --mapped FILE of `trawl map`.
//
//   with: std::unique_ptr<AlignmentSink> records
//   files_of_mates("rest_%.fq.gz") == std::vector<std::string>{"rest_1.fq.gz", "rest_2.fq.gz"}
//   const auto sink = with_read_files(std::move(records), {.unmapped = "rest_%.fq.gz"});
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/write/alignment_sink.hpp"

namespace trawl::io {

/// Whether the name of a file of reads says FASTQ or FASTA, by its extension, with or without .gz; nothing: neither.
std::optional<bool> is_fastq_name(const std::string& name);

/// With 1 and 2 in place of %, if the name has it; no file for an empty name.
std::vector<std::string> files_of_mates(const std::string& name);

/// Appends a read as FASTQ or FASTA. A comment that does not begin with a blank gets a tab. Throws InputError if FASTQ
/// needs qualities that it does not have; `file`: for the message.
void append_read(const sequence::ReadBatch& reads, std::size_t read, bool is_fastq, const std::string& file,
                 std::string& text);

struct ReadFilesOptions {
  std::string unmapped = {};  // empty: no file
  std::string mapped = {};
  int compression_level = default_compression_level();
};

/// A sink that passes everything on to `records`, and writes reads as they came in: with their comments, without /1 and
/// /2. A pair is mapped if one of its mates is. Without % in a name, the mates follow each other. Throws IoError; when
/// it formats, InputError for a read without qualities that is to become FASTQ.
std::unique_ptr<AlignmentSink> with_read_files(std::unique_ptr<AlignmentSink> records, const ReadFilesOptions& options);

}  // namespace trawl::io
