// The SAM tags that the comment of a read, what follows its name, can bring: `trawl map -C`.
//
//   char tags[] = "1:N:0:ACGT BC:Z:ACGT\tNM:i:3\tRX:Z:GATT";
//   keep_tags(tags, sizeof tags - 1, {.read_group = true}).text == "BC:Z:ACGT\tRX:Z:GATT"
//   char words[] = "samples/3";
//   keep_tags(words, sizeof words - 1, {}).wrong == "samples/3"
#pragma once

#include <cstddef>
#include <string_view>

namespace trawl::io {

struct CommentRule {
  bool read_group = false;  // the records have a read group of their own, so that RG is left out
};

struct CommentTags {
  std::string_view text;   // TAG:TYPE:VALUE with tabs between several; may be empty
  std::string_view wrong;  // the first field that is not a tag; empty if all are
};

/// Keeps the tags of a comment, moved together in its text. Fields have tabs between them (a Z value may have blanks).
/// Left out are Illumina's mark 1:N:0:INDEX at the beginning, and tags that the records have anyway
/// (align::kWrittenTags). A tag that comes twice is wrong.
CommentTags keep_tags(char* comment, std::size_t size, const CommentRule& rule);

}  // namespace trawl::io
