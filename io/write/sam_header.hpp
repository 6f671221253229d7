// The header of SAM, BAM and CRAM files.
//
//   std::vector<std::string> lines;
//   add_header_lines("@RG\\tID:lane1\\tSM:mouse", lines);
//   lines[0] == "@RG\tID:lane1\tSM:mouse"
//   read_group_of(lines) == "lane1"
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/write/alignment_sink.hpp"
#include "sequence/reference.hpp"

namespace trawl::io {

/// Adds header lines of the user: @RG, @PG, @CO and others, but not those that Trawl makes. `given`: lines, the first
/// of which begins with @, with tabs or the two characters \t; or a file of such lines. Throws UsageError, IoError.
void add_header_lines(const std::string& given, std::vector<std::string>& lines);

/// The ID of the first @RG line; "" if there is none.
std::string read_group_of(const std::vector<std::string>& lines);

/// The order of the records: that of the reads in the input, or by contig and start.
enum class RecordOrder { by_read, by_place };

/// Throws Error if a contig is too long for SAM, BAM and CRAM.
void check_contig_lengths(const std::vector<sequence::Contig>& contigs);

/// @HD, @SQ with LN and M5, @RG, @PG, @CO. The read group that is given takes the place of those of the input; our @PG
/// names the last one of the input as its PP. Throws UsageError if two read groups have one ID. `order`: as
/// options.sort says, if it is not given. Throws as check_contig_lengths().
std::string sam_header(const SinkOptions& options, const std::vector<sequence::Contig>& contigs,
                       const std::vector<std::string>& md5s, std::optional<RecordOrder> order = {});

/// The header of a BAM file with this text (SAM specification, section 4.2): not compressed yet.
std::string bam_header(std::string_view text, const std::vector<sequence::Contig>& contigs);

}  // namespace trawl::io
