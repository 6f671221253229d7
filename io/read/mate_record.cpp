#include "io/read/mate_record.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace trawl::io {
namespace {

// The name of a read as it is in the file. If it is not checked yet, the batch has the whole header.
std::string name_of(const sequence::ReadBatch& batch, std::size_t read) {
  const std::string_view header = batch.name(read);
  return std::string(header.substr(0, header.find_first_of(" \t")));
}

// Which mate of its pair this is: 1 or 2, by its name or by the mark after it; 0 if they do not say it.
unsigned number_of(const MateRecord& mate) {
  const std::string name = mate.name();
  for (const unsigned number : {1u, 2u}) {
    if (name_without_mate(name, number).size() < name.size()) {
      return number;
    }
  }
  return mate.batch.marked_mate(mate.read);
}

std::string place_of(const MateRecord& mate) { return mate.file() + ":" + std::to_string(mate.line()); }

// Whether the names differ only at their ends, as in SRR1.7.1 and SRR1.7.2.
bool differ_in_number(const std::string& first, const std::string& second) {
  const std::size_t stem = first.size() - 1;
  return first.size() > 2 && first.size() == second.size() && first[stem] == '1' && second[stem] == '2' &&
         std::string_view("._-:").find(first[stem - 1]) != std::string_view::npos &&
         first.compare(0, stem, second, 0, stem) == 0;
}

// Whether one of the two is so long that it may be a sequence of a reference.
bool may_be_reference(const MateRecord& first, const MateRecord& second) {
  constexpr std::size_t kLong = 10'000;
  return first.batch.qualities(first.read).empty() && second.batch.qualities(second.read).empty() &&
         std::max(first.batch.length(first.read), second.batch.length(second.read)) >= kLong;
}

// Why two mates with different names are no pair, and what to do.
std::string why_no_pair(const MateRecord& first, const MateRecord& second, bool interleaved) {
  const unsigned numbers[] = {number_of(first), number_of(second)};
  const std::string both = numbers[0] != 0 && numbers[0] == numbers[1]
                               ? std::string("both are ") + (numbers[0] == 1 ? "first" : "second") + " mates; "
                               : "";
  if (may_be_reference(first, second)) {
    return "the reference comes first: trawl map REF R1 R2";
  }
  if (name_without_mate(first.name(), 2) == name_without_mate(second.name(), 1)) {
    return "the second mate (/2) comes first here, the first one (/1) must";
  }
  if (differ_in_number(first.name(), second.name())) {
    return "the names differ only at the end: if these are mates, make their names equal, with fasterq-dump "
           "--split-files (without -I), or with sed -E '1~4s/[._:-][12]( |$)/\\1/'";
  }
  if (interleaved) {
    return both +
           "the mates of a pair must follow each other, with equal names: a read is missing, or the file has no pairs";
  }
  if (!both.empty()) {
    return both + "one of the files must have the " + (numbers[0] == 1 ? "second" : "first") +
           " ones (reads without mates, of several files: put commas between the files)";
  }
  return "the files are not in the same order, or a read is missing (reads without mates, of several files: put commas "
         "between the files)";
}

// Throws if the marks of two mates with equal names contradict their places.
void check_marks(const MateRecord& first, const MateRecord& second, bool interleaved) {
  const unsigned marks[] = {first.batch.marked_mate(first.read), second.batch.marked_mate(second.read)};
  if (marks[0] != 2 && marks[1] != 1) {
    return;
  }
  if (marks[0] == marks[1]) {
    throw InputError(second.file(), second.line(),
                     "the read '" + second.name() + "' and its mate (" + place_of(first) + ") are both marked as " +
                         (marks[0] == 1 ? "first mate (1:)" : "second mate (2:)") + ": the same mates come twice");
  }
  const MateRecord& wrong = marks[0] == 2 ? first : second;
  throw InputError(wrong.file(), wrong.line(),
                   "the read '" + wrong.name() + "' is marked as " +
                       (marks[0] == 2 ? "second mate (2:), but comes first" : "first mate (1:), but comes second") +
                       (interleaved ? "; the first mate must come first"
                                    : "; the files are exchanged, give the one with the first mates first"));
}

}  // namespace

std::string MateRecord::name() const { return name_of(batch, read); }

std::string_view name_without_mate(std::string_view name, unsigned mate) {
  const bool has_mate = name.size() > 2 && name.ends_with(mate == 1 ? "/1" : "/2");
  return has_mate ? name.substr(0, name.size() - 2) : name;
}

std::size_t common_name_length(const MateRecord& first, const MateRecord& second, bool interleaved) {
  const std::string_view name = name_without_mate(first.batch.name(first.read), 1);
  if (name == name_without_mate(second.batch.name(second.read), 2)) {
    check_marks(first, second, interleaved);
    return name.size();
  }
  throw InputError(second.file(), second.line(),
                   "the read '" + second.name() + "' is not the mate of '" + first.name() + "' (" + place_of(first) +
                       "); " + why_no_pair(first, second, interleaved));
}

bool have_one_name(const sequence::ReadBatch& reads, std::size_t read) {
  const std::string names[] = {name_of(reads, read), name_of(reads, read + 1)};
  const auto stem = [](std::string_view name) { return name_without_mate(name_without_mate(name, 1), 2); };
  return stem(names[0]) == stem(names[1]);
}

}  // namespace trawl::io
