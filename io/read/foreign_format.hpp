// Files of a format that is not read here: what they are, and what to do.
//
//   foreign_reads("\x28\xb5\x2f\xfd", "reads.fq.zst").starts_with("this is zstd data") == true      // and what to do
//   foreign_reads("@read1\nACGT\n", "reads.fq") == ""         // no format that is known here
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace trawl::io {

/// The bytes at the start of a file that show its format.
inline constexpr std::size_t kForeignFormatBytes = 8;

/// Whether a text begins as SAM, BAM or CRAM.
bool is_alignment_text(std::string_view start);

/// For reads: a message, or "". `start`: of the text, after decompression of gzip data. `name`: of the file.
std::string foreign_reads(std::string_view start, const std::string& name);

/// The same for a reference.
std::string foreign_reference(std::string_view start, const std::string& name);

/// The same for patterns.
std::string foreign_patterns(std::string_view start, const std::string& name);

}  // namespace trawl::io
