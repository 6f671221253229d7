#include "io/read/record_check.hpp"

#include <limits>

#include "base/error.hpp"
#include "io/format/letters.hpp"

namespace trawl::io {

namespace {

// SAM specification, section 1.4: QNAME.
constexpr std::size_t kMaxNameLength = 254;

}  // namespace

void RecordCheck::fail(std::uint64_t line, const std::string& what) const {
  throw InputError(std::string(file_), line, what + std::string(doubt_));
}

std::size_t RecordCheck::name_length(std::string_view rest, char mark) const {
  const std::size_t length = find_not_printable(rest);
  const std::string_view name = rest.substr(0, length);
  if (length < rest.size() && !is_space(rest[length])) {
    fail(line_,
         "the read name contains " + describe_character(rest[length]) + "; SAM allows printable ASCII characters only");
  }
  if (name.empty()) {
    fail(line_, std::string("a read without a name; write one directly after the '") + mark + "'");
  }
  if (name.size() > kMaxNameLength) {
    fail(line_, "the read name has " + std::to_string(name.size()) + " characters; SAM allows at most 254");
  }
  if (name[0] == '@' || name == "*") {
    fail(line_, "the read name " + std::string(name) + " has another meaning in SAM; rename the read");
  }
  return length;
}

std::string_view RecordCheck::comment(char* comment, std::size_t size, const CommentRule& rule) const {
  const CommentTags tags = keep_tags(comment, size, rule);
  if (!tags.wrong.empty()) {
    constexpr std::size_t most_shown = 60;
    fail(line_, "-C: in the read's comment, '" + std::string(tags.wrong.substr(0, most_shown)) +
                    (tags.wrong.size() > most_shown ? "..." : "") +
                    "' is not a SAM tag, or comes twice; tags are TAG:TYPE:VALUE with tabs between them, for example "
                    "BC:Z:ACGT; leave -C out if the comments have none");
  }
  return tags.text;
}

void RecordCheck::length(std::size_t bases) const {
  if (bases > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
    fail(line_, "a read of " + std::to_string(bases) + " bases; SAM allows at most 2147483647");
  }
}

void RecordCheck::clean_bases(char* bases, std::size_t length) const {
  if (const std::size_t bad = io::clean_bases(bases, length); bad < length) {
    fail(line_ + 1, "the sequence contains " + describe_character(bases[bad]) + ", which is not an IUPAC letter");
  }
}

void RecordCheck::qualities(std::string_view qualities, std::uint64_t line) const {
  if (!all_printable(qualities)) {
    fail(line, "the quality contains " + describe_character(qualities[find_not_printable(qualities)]) +
                   "; only '!' to '~' are allowed");
  }
}

}  // namespace trawl::io
