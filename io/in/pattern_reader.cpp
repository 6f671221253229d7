#include "io/in/pattern_reader.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "io/in/letters.hpp"
#include "io/in/text_blocks.hpp"
#include "sequence/alphabet.hpp"

namespace trawl::io {
namespace {

constexpr std::size_t kLongestName = 254;  // as in SAM

// The patterns are read line by line. A line that lies whole in a block is not copied.
class PatternReader {
 public:
  PatternReader(const std::string& path, std::size_t longest, bool pairs, sequence::PatternList& patterns)
      : text_(path, {}), longest_(longest), pairs_(pairs), patterns_(patterns) {}

  void read() {
    const std::size_t before = patterns_.size();
    std::string_view line;
    while (next_line(line)) {
      if (line.empty() || (!is_fasta_ && line[0] == '#')) {
        continue;
      }
      if (pairs_) {
        read_pair(line);
      } else if (line[0] == '>' && (is_fasta_ || patterns_.size() == before)) {
        close_pattern();
        is_fasta_ = true;
        begin_pattern(line.substr(1, std::min(line.find_first_of(kBlanks, 1), line.size()) - 1));
      } else if (is_fasta_) {
        add_letters(line);
      } else {
        read_columns(line);
      }
    }
    close_pattern();
    if (patterns_.size() == before) {
      throw InputError(text_.name(), 0,
                       pairs_ ? std::string("has no primers; give ") + kPairLine
                              : "has no patterns; give FASTA, or lines with a name, a tab and a sequence");
    }
  }

 private:
  static constexpr const char* kPairLine =
      "a pair in each line: a name, the forward and the reverse primer, with tabs between them";
  static constexpr std::string_view kBlanks = " \t\r\v\f";  // as is_space()

  [[noreturn]] void fail(const std::string& what, std::uint64_t line) const {
    throw InputError(text_.name(), line, what);
  }

  // Reads the next line, without white space at its end. It is valid until the next call.
  bool next_line(std::string_view& line) {
    broken_.clear();
    for (bool is_whole = false; !is_whole;) {
      if (!block_ || at_ == block_->end()) {
        text_.give_back(std::move(block_));
        block_ = text_.next();
        if (!block_) {
          if (broken_.empty()) {
            return false;
          }
          line = broken_;
          break;
        }
        at_ = block_->begin();
      }
      const auto left = static_cast<std::size_t>(block_->end() - at_);
      const auto* const end = static_cast<const char*>(std::memchr(at_, '\n', left));
      is_whole = end != nullptr;
      line = {at_, is_whole ? static_cast<std::size_t>(end - at_) : left};
      at_ += line.size() + (is_whole ? 1 : 0);
      if (!is_whole || !broken_.empty()) {
        line = broken_.append(line);
      }
    }
    while (!line.empty() && is_space(line.back())) {
      line.remove_suffix(1);
    }
    ++line_;
    return true;
  }

  void begin_pattern(std::string_view name) {
    check_name(name);
    name_ = name;
    bases_.clear();
    is_open_ = true;
    begun_ = line_;
  }

  void add_letters(std::string_view letters) {
    if (const std::size_t at = find_not_iupac(letters); at < letters.size()) {
      fail(describe_character(letters[at]) + " in the pattern " + name_ + " is not an IUPAC letter", line_);
    }
    const std::size_t before = bases_.size();
    bases_ += letters;
    std::transform(letters.begin(), letters.end(), bases_.begin() + static_cast<std::ptrdiff_t>(before),
                   sequence::upper_base);
    if (bases_.size() > longest_) {
      fail("the pattern " + name_ + " has more than " + std::to_string(longest_) +
               " letters, which is the most that is possible; give a part of it. (The reference comes first: trawl "
               "scan REFERENCE PATTERNS.)",
           line_);
    }
  }

  void read_columns(std::string_view line) {
    if (line[0] == '@') {
      fail("begins with '@' as a FASTQ file does; give FASTA, or lines with a name, a tab and a sequence", line_);
    }
    const std::size_t tab = line.find('\t');
    if (tab == line.npos) {
      fail("no tab in the line; give FASTA, or lines with a name, a tab and a sequence", line_);
    }
    const std::size_t end = std::min(line.find('\t', tab + 1), line.size());
    std::string_view name = line.substr(0, tab);
    while (!name.empty() && is_space(name.back())) {
      name.remove_suffix(1);
    }
    begin_pattern(name);
    add_letters(line.substr(tab + 1, end - tab - 1));
    close_pattern();
  }

  void read_pair(std::string_view line) {
    const std::size_t first = std::min(line.find('\t'), line.size());
    const std::size_t second = std::min(line.find('\t', first + 1), line.size());
    const std::size_t end = std::min(line.find('\t', second + 1), line.size());
    if (end <= second + 1) {
      fail(std::string("not a pair of primers; give ") + kPairLine, line_);
    }
    for (const std::string_view letters :
         {line.substr(first + 1, second - first - 1), line.substr(second + 1, end - second - 1)}) {
      begin_pattern(line.substr(0, first));
      add_letters(letters);
      close_pattern();
    }
  }

  void close_pattern() {
    if (is_open_ && bases_.empty()) {
      fail("the pattern " + name_ + " has no letters; remove it, or give its sequence", begun_);
    }
    if (is_open_) {
      patterns_.add(name_, bases_);
    }
    is_open_ = false;
  }

  void check_name(std::string_view name) const {
    if (name.empty()) {
      fail(is_fasta_ ? "a pattern without a name; write one directly after the '>'"
                     : "a pattern without a name; put one before the tab",
           line_);
    }
    if (name.size() > kLongestName) {
      fail("the pattern name has " + std::to_string(name.size()) + " characters; SAM allows " +
               std::to_string(kLongestName),
           line_);
    }
    if (find_not_printable(name) < name.size()) {
      fail("the pattern name contains a blank or a character that is not printable ASCII; rename it", line_);
    }
  }

  TextBlocks text_;
  std::unique_ptr<TextBlock> block_;
  const char* at_ = nullptr;  // in the block
  std::string broken_;        // a line that lies in several blocks
  std::size_t longest_;
  bool pairs_;  // of primers
  std::uint64_t line_ = 0;
  bool is_fasta_ = false;
  bool is_open_ = false;  // there is a pattern that patterns_ does not have yet:
  std::string name_;
  std::string bases_;
  std::uint64_t begun_ = 0;  // its first line
  sequence::PatternList& patterns_;
};

}  // namespace

void read_patterns(const std::string& path, std::size_t longest, sequence::PatternList& patterns) {
  PatternReader(path, longest, false, patterns).read();
}

void read_primer_pairs(const std::string& path, std::size_t longest, sequence::PatternList& patterns) {
  PatternReader(path, longest, true, patterns).read();
}

}  // namespace trawl::io
