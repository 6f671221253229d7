// A plain parser of FASTA, line by line: the reader must give the same reference, the same warning or the same error.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "io/format/letters.hpp"
#include "sequence/alphabet.hpp"
#include "sequence/reference.hpp"

namespace trawl::tests {

struct FastaOracle {
  struct Contig {
    std::string name;
    std::string letters;  // in upper case
  };

  std::vector<Contig> contigs;
  std::vector<std::string> empty;  // names of sequences without letters
  std::string error;               // ":LINE: what", as it follows the name of the file

  explicit FastaOracle(std::string_view text) {
    if (text.starts_with("\xef\xbb\xbf")) {
      text.remove_prefix(3);
    }
    while (!text.empty() && error.empty()) {
      ++line_;
      const std::size_t end = std::min(text.find('\n'), text.size());
      parse(std::string(text.substr(0, end)));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (error.empty()) {
      close();
      if (contigs.empty()) {
        error = ": has no sequences; a reference must be FASTA";
      }
    }
  }

  /// The warning about `path`, or "".
  std::string warning(const std::string& path) const {
    std::string text;
    for (std::size_t i = 0; i < empty.size() && i < 5; ++i) {
      text += (i == 0 ? "" : ", ") + empty[i];
    }
    return empty.empty() ? ""
                         : path + ": " + std::to_string(empty.size()) + " sequence(s) of length 0 left out: " + text +
                               (empty.size() > 5 ? ", ..." : "");
  }

  /// What is different in `reference`; "" if nothing is.
  std::string difference(const sequence::Reference& reference) const {
    if (reference.contigs().size() != contigs.size()) {
      return "number of contigs";
    }
    std::uint64_t at = 0;
    std::uint64_t bases = 0;
    std::string space;  // the coordinate space; '-' in gaps
    std::string runs;
    for (std::size_t c = 0; c < contigs.size(); ++c) {
      at = (space.size() + 256 + 63) / 64 * 64;
      space.resize(at, '-');
      space += contigs[c].letters;
      bases += contigs[c].letters.size();
      const auto& found = reference.contigs()[c];
      if (found.name != contigs[c].name || found.offset != at || found.length != contigs[c].letters.size()) {
        return "contig " + std::to_string(c);
      }
    }
    space.resize((space.size() + 256 + 63) / 64 * 64, '-');
    if (reference.size() != space.size() || reference.bases() != bases ||
        reference.planes().size() != space.size() / 64) {
      return "size";
    }
    std::vector<sequence::AmbiguousRun> expected;
    for (std::uint64_t p = 0; p < space.size(); ++p) {
      const unsigned code = sequence::base_code(space[p]);
      const bool clear = code != sequence::kAmbiguous;
      const auto& block = reference.planes()[p / 64];
      if (((block.high >> (p % 64)) & 1) != (clear ? code >> 1 : 0) ||
          ((block.low >> (p % 64)) & 1) != (clear ? code & 1 : 0) ||
          ((reference.ambiguous()[p / 64] >> (p % 64)) & 1) == (clear ? 1u : 0u)) {
        return "position " + std::to_string(p);
      }
      if (reference.block_has_ambiguous(p / 64) != (reference.ambiguous()[p / 64] != 0)) {
        return "summary of position " + std::to_string(p);
      }
      if (!clear && space[p] != '-') {
        if (p > 0 && space[p - 1] == space[p]) {
          ++expected.back().length;
        } else {
          expected.push_back({p, 1, space[p]});
        }
      }
    }
    const auto& found = reference.ambiguous_runs();
    if (found.size() != expected.size()) {
      return "number of runs";
    }
    for (std::size_t r = 0; r < found.size(); ++r) {
      if (found[r].begin != expected[r].begin || found[r].length != expected[r].length ||
          found[r].letter != expected[r].letter) {
        return "run " + std::to_string(r);
      }
    }
    return "";
  }

 private:
  void fail(const std::string& what) { error = ":" + std::to_string(line_) + ": " + what; }

  void close() {
    if (!name_.empty() && letters_.empty()) {
      empty.push_back(name_);
    } else if (!name_.empty()) {
      contigs.push_back({name_, letters_});
    }
    letters_.clear();
  }

  void parse(std::string line) {
    if (line.starts_with('>')) {
      parse_header(line.substr(1));
      return;
    }
    while (!line.empty() && io::is_space(line.back())) {
      line.pop_back();
    }
    for (const char c : line) {
      if (name_.empty()) {
        return fail(line[0] == '@' ? "this is a FASTQ file; a reference must be FASTA, and is the first file"
                                   : "text before the first '>'; a reference must be FASTA");
      }
      if (sequence::iupac_set(c) == 0) {
        return fail(io::describe_character(c) + " in the sequence " + name_ + " is not an IUPAC letter");
      }
      letters_ += sequence::upper_base(c);
    }
  }

  void parse_header(std::string line) {
    std::size_t end = line.size();
    while (end > 0 && line[end - 1] == '\r') {
      --end;
    }
    if (line.substr(0, end).find('\r') != std::string::npos) {
      return fail(io::kLoneCr);
    }
    std::size_t size = 0;
    while (size < line.size() && !io::is_space(line[size])) {
      ++size;
    }
    line.resize(size);
    if (line.empty()) {
      return fail("a sequence without a name; write one directly after the '>'");
    }
    if (line[0] == '*' || line[0] == '=') {
      return fail("the sequence name " + line + " begins with '" + line[0] +
                  "', which SAM does not allow; rename it (trawl map, scan and index do: --rename-contigs)");
    }
    for (const char c : line) {
      if (c <= ' ' || c > '~' || std::string_view("\\,\"'`()[]{}<>").find(c) != std::string_view::npos) {
        return fail("the sequence name " + line + " contains " + io::describe_character(c) +
                    ", which SAM does not allow; rename it (trawl map, scan and index do: --rename-contigs)");
      }
    }
    if (!names_.insert(line).second) {
      return fail("a second sequence with the name " + line + "; names must differ");
    }
    close();
    name_ = line;
  }

  std::uint64_t line_ = 0;
  std::string name_;
  std::string letters_;
  std::set<std::string> names_;
};

}  // namespace trawl::tests
