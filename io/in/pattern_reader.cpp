#include "io/in/pattern_reader.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/error.hpp"
#include "io/in/letters.hpp"
#include "io/in/text_blocks.hpp"
#include "sequence/alphabet.hpp"

namespace trawl::io {
namespace {

constexpr std::size_t kLongestName = 254;  // as in SAM

class PatternReader {
 public:
  PatternReader(const std::string& path, std::size_t longest) : text_(path, {}), longest_(longest) {}

  std::vector<sequence::Pattern> read() {
    std::string line;
    while (next_line(line)) {
      if (line.empty() || (!is_fasta_ && line[0] == '#')) {
        continue;
      }
      if (line[0] == '>' && (is_fasta_ || patterns_.empty())) {
        begin_pattern(line.substr(1));
      } else if (is_fasta_) {
        add_letters(line);
      } else {
        read_columns(line);
      }
    }
    close_pattern();
    if (patterns_.empty()) {
      throw InputError(text_.name(), 0, "has no patterns; give FASTA, or lines with a name, a tab and a sequence");
    }
    return std::move(patterns_);
  }

 private:
  [[noreturn]] void fail(const std::string& what, std::uint64_t line) const {
    throw InputError(text_.name(), line, what);
  }

  // Reads the next line, without white space at its end.
  bool next_line(std::string& line) {
    line.clear();
    for (bool is_whole = false; !is_whole;) {
      if (!block_ || at_ == block_->end()) {
        text_.give_back(std::move(block_));
        block_ = text_.next();
        if (!block_) {
          if (line.empty()) {
            return false;
          }
          break;
        }
        at_ = block_->begin();
      }
      const char* end = std::find(at_, static_cast<const char*>(block_->end()), '\n');
      line.append(at_, end);
      is_whole = end != block_->end();
      at_ = is_whole ? end + 1 : end;
    }
    while (!line.empty() && is_space(line.back())) {
      line.pop_back();
    }
    ++line_;
    return true;
  }

  void begin_pattern(const std::string& header) {
    close_pattern();
    is_fasta_ = true;
    const auto name_end = std::find_if(header.begin(), header.end(), is_space);
    patterns_.push_back({check_name(std::string(header.begin(), name_end)), ""});
    begun_ = line_;
  }

  void add_letters(const std::string& line) {
    patterns_.back().bases += check_letters(line);
    if (patterns_.back().bases.size() > longest_) {
      fail("the pattern " + patterns_.back().name + " has more than " + std::to_string(longest_) +
               " letters, which is the most that is possible; give a part of it",
           line_);
    }
  }

  void read_columns(const std::string& line) {
    if (line[0] == '@') {
      fail("begins with '@' as a FASTQ file does; give FASTA, or lines with a name, a tab and a sequence", line_);
    }
    const std::size_t tab = line.find('\t');
    if (tab == std::string::npos) {
      fail("no tab in the line; give FASTA, or lines with a name, a tab and a sequence", line_);
    }
    const std::size_t end = std::min(line.find('\t', tab + 1), line.size());
    std::string name = line.substr(0, tab);
    while (!name.empty() && is_space(name.back())) {
      name.pop_back();
    }
    patterns_.push_back({check_name(name), ""});
    begun_ = line_;
    add_letters(line.substr(tab + 1, end - tab - 1));
    close_pattern();
  }

  void close_pattern() {
    if (!patterns_.empty() && patterns_.back().bases.empty()) {
      fail("the pattern " + patterns_.back().name + " has no letters; remove it, or give its sequence", begun_);
    }
  }

  std::string check_name(const std::string& name) const {
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
    if (!all_printable(name)) {
      fail("the pattern name contains a blank or a character that is not printable ASCII; rename it", line_);
    }
    return name;
  }

  std::string check_letters(const std::string& letters) const {
    if (const std::size_t at = find_not_iupac(letters); at < letters.size()) {
      fail(describe_character(letters[at]) + " in the pattern " + patterns_.back().name + " is not an IUPAC letter",
           line_);
    }
    return sequence::upper_bases(letters);
  }

  TextBlocks text_;
  std::unique_ptr<TextBlock> block_;
  const char* at_ = nullptr;  // in the block
  std::size_t longest_;
  std::uint64_t line_ = 0;
  std::uint64_t begun_ = 0;
  bool is_fasta_ = false;
  std::vector<sequence::Pattern> patterns_;
};

}  // namespace

std::vector<sequence::Pattern> read_patterns(const std::string& path, std::size_t longest) {
  return PatternReader(path, longest).read();
}

}  // namespace trawl::io
