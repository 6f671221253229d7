// Queries whose body is JSON, as FASTA or FASTQ: from there on there is one way for all.
//
//   parse_json_reads(R"({"reads": ["GATTACA"]})", 1000).reads == ">read1\nGATTACA\n"
//   parse_json_patterns(R"({"patterns": [{"name": "p", "sequence": "GATTACA"}]})", 1000) == ">p\nGATTACA\n"
#pragma once

#include <cstdint>
#include <string>

namespace trawl::serve {

struct JsonReads {
  std::string reads;  // FASTQ if all have qualities, otherwise FASTA
  std::string mates;  // the same for "mates"; empty: there are none
};

/// {"reads": [...], "mates": [...]}, or only the first list. A read is a text, or an object with "sequence" and perhaps
/// "name" and "qualities". Without a name it is read1, read2, ... Throws InputError, and Refusal if there are more
/// values than `most` reads can have.
JsonReads parse_json_reads(const std::string& body, std::uint64_t most);

/// {"patterns": [...]}, or only the list. A pattern is a text, or an object with "sequence" and perhaps "name"; without
/// a name it is named as `trawl scan` does. Throws as parse_json_reads() does.
std::string parse_json_patterns(const std::string& body, std::uint64_t most);

/// What {"error": "..."} says; another body as it is.
std::string json_error(const std::string& body);

}  // namespace trawl::serve
