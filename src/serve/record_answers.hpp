// Records as JSON: a list with an object for each, made from the lines that the command line writes.
//
//   json_of_table("contig\tstart\nchr1\t7\n") == "[{\"contig\": \"chr1\", \"start\": 7}\n]\n"
#pragma once

#include <string>
#include <string_view>

namespace trawl::serve {

/// `lines`: SAM records, without the header. Each object has: read, flag, contig, start and end (0-based, half-open;
/// null if unmapped), strand, distance (NM), mapq, cigar, mate_contig, mate_start, insert, and tags, an object.
std::string json_of_sam(std::string_view lines);

/// `table`: a line with the names of the columns, and the lines of trawl scan's TSV. The keys are the names. Cells that
/// are numbers are numbers; a point, which means that a value is not known, is null.
std::string json_of_table(std::string_view table);

}  // namespace trawl::serve
