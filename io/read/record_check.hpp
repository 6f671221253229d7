// What a read must fulfil, so that it can be used and written as SAM.
//
//   const RecordCheck check("reads.fq", 1);
//   check.name_length("read1 length=4", '@') == 5
//   char bases[] = "acg.";
//   check.clean_bases(bases, 4);
//   std::string(bases) == "ACGN"
//
// The SAM tags that the comment of a read, what follows its name, can bring: `trawl map -C`.
//
//   char tags[] = "1:N:0:ACGT BC:Z:ACGT\tNM:i:3\tRX:Z:GATT";
//   keep_tags(tags, sizeof tags - 1, {.read_group = true}).text == "BC:Z:ACGT\tRX:Z:GATT"
//   char words[] = "samples/3";
//   keep_tags(words, sizeof words - 1, {}).wrong == "samples/3"
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace trawl::io {

struct CommentRule {
  bool read_group = false;   // the records have a read group of their own, so that RG is left out
  bool alignments = false;   // tags of SAM, BAM or CRAM: RG is kept, too; "all" is without those of other mappers
  std::string tags = "all";  // that are kept, with commas between them: "RX,BC"; or "all"; "": none
  bool whole = false;        // all that follows a name is kept, with the blank before it
  /// Tags that the caller adds, as "CB,CR": they are left out, and so is what is no tag. Nothing: that is wrong.
  std::optional<std::string> own = {};
};

struct CommentTags {
  std::string_view text;   // TAG:TYPE:VALUE with tabs between several; may be empty
  std::string_view wrong;  // the first field that is not a tag; empty if all are
};

/// Keeps the tags of a comment, moved together in its text. Fields have tabs between them (a Z value may have blanks).
/// Left out are Illumina's mark 1:N:0:INDEX at the beginning, and tags that the records have anyway
/// (align::kWrittenTags). A tag that comes twice is wrong.
CommentTags keep_tags(char* comment, std::size_t size, const CommentRule& rule);

/// Checks one record. Throws InputError with the file and line.
class RecordCheck {
 public:
  /// `line`: line of the header; the sequence is on the next line. `doubt`: added to messages, see
  /// TextBlocks::doubt(). `file` and `doubt` must live longer than this object.
  RecordCheck(std::string_view file, std::uint64_t line, std::string_view doubt = "")
      : file_(file), line_(line), doubt_(doubt) {}

  /// The length of the read's name. `rest` is the header without its first character, `mark`.
  std::size_t name_length(std::string_view rest, char mark) const;
  /// The SAM tags of a read's comment, kept in its text. Throws InputError if it has something else.
  std::string_view comment(char* comment, std::size_t size, const CommentRule& rule) const;
  void length(std::size_t bases) const;
  /// Changes letters to upper case, and '.' to N.
  void clean_bases(char* bases, std::size_t length) const;
  void qualities(std::string_view qualities, std::uint64_t line) const;
  /// Changes Phred+64 to Phred+33. Solexa's values below 0 become 0.
  void lower_qualities(char* qualities, std::size_t length, std::uint64_t line) const;

 private:
  [[noreturn]] void fail(std::uint64_t line, const std::string& what) const;

  std::string_view file_;
  std::uint64_t line_;
  std::string_view doubt_;
};

}  // namespace trawl::io
