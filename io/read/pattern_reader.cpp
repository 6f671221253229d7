#include "io/read/pattern_reader.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/whole_number.hpp"
#include "io/format/letters.hpp"
#include "io/read/foreign_format.hpp"
#include "io/read/line_reader.hpp"
#include "sequence/alphabet.hpp"

namespace trawl::io {
namespace {

// A pattern is its own name if it is at most this long.
constexpr std::size_t kLongestOwnName = 64;
constexpr std::size_t kLongestName = 254;  // as in SAM

constexpr const char* kForms =
    "give FASTA, lines with a name and a sequence (a tab or a comma between them), or lines with a sequence only";

// Names of columns that have sequences, the more certain ones first.
constexpr std::string_view kSequenceColumns =
    "sequence seq guide_sequence sgrna_sequence grna_sequence spacer_sequence target_sequence guideseq "
    "target_seq sgrna_target_sequence oligo_sequence primer_sequence spacer protospacer guide_seq sgrna grna "
    "crrna guide oligo primer pattern";
constexpr std::string_view kNameColumns =
    "name id guide_name guide_id sgrna_id sgrna_name grna_id uid #name pattern_name guide sgrna gene target";
// Others whose name is made of IUPAC letters.
constexpr std::string_view kOtherColumns = "strand start gc gc_content chr chrm rank date";

bool is_known_column(std::string_view cell) {
  return std::min({place_in(kSequenceColumns, cell), place_in(kNameColumns, cell), place_in(kOtherColumns, cell)}) <
         cell.npos;
}

// The patterns are read line by line.
class PatternReader {
 public:
  PatternReader(const std::string& path, std::size_t longest, sequence::PatternList& patterns,
                const TextOptions& options, PatternColumns* others)
      : lines_(path, options), longest_(longest), patterns_(patterns), others_(others) {}

  std::optional<CasOffinderInput> read() {
    const std::size_t before = patterns_.size();
    std::string_view line;
    while (lines_.next(line)) {
      if (line.empty() || (!is_fasta_ && line[0] == '#')) {
        continue;
      }
      if (++used_lines_ == 1) {
        if (const std::string what = foreign_patterns(line, lines_.name()); !what.empty()) {
          throw InputError(lines_.name(), 0, what);
        }
      }
      if (line[0] == '>' && (is_fasta_ || patterns_.size() == before)) {
        close_pattern();
        is_fasta_ = true;
        begin_pattern(fasta_name(line));
      } else if (is_fasta_) {
        add_letters(line);
      } else if (cas_ || is_cas_pattern(line)) {
        read_cas(line);
      } else if (held_.text.empty() && used_lines_ == 1 && may_be_genome(line)) {
        held_.text = line;
        held_.number = lines_.number();
      } else {
        read_held();
        read_columns(line);
      }
    }
    read_held();
    close_pattern();
    if (patterns_.size() == before) {
      throw InputError(lines_.name(), 0, std::string("has no patterns; ") + kForms);
    }
    return cas_ ? std::optional(std::move(cas_->input)) : std::nullopt;
  }

 private:
  struct SequenceColumns {
    bool has_header = false;
    bool is_bare = false;  // lines have a sequence only
    std::size_t sequence = 0;
    std::optional<std::size_t> name;
  };
  // The first line, until it is known whether it is a genome.
  struct HeldLine {
    std::string text;
    std::uint64_t number = 0;
  };
  struct CasFile {
    std::string pattern;     // of the second line
    std::size_t before = 0;  // patterns
    CasOffinderInput input;
  };
  // The pattern that is read.
  struct Last {
    bool is_open = false;  // patterns_ does not have it yet
    std::string name;
    std::string bases;
    std::uint64_t line = 0;  // its first one
  };

  static constexpr std::string_view kBlanks = " \t\r\v\f";  // as is_space()

  [[noreturn]] void fail(const std::string& what, std::uint64_t line) const {
    throw InputError(lines_.name(), line, what);
  }
  [[noreturn]] void fail(const std::string& what) const { fail(what, line()); }
  // Of the line that is read.
  std::uint64_t line() const { return line_ > 0 ? line_ : lines_.number(); }

  void begin_pattern(std::string_view name) {
    check_name(name);
    last_.name = name;
    last_.bases.clear();
    last_.is_open = true;
    last_.line = line();
  }

  void add_letters(std::string_view letters) {
    if (const std::string what = wrong_pattern_letters(letters, last_.name); !what.empty()) {
      fail(what + (may_be_header_ ? " (if this is a header line, call the column of the sequences sequence)" : ""));
    }
    const std::size_t before = last_.bases.size();
    last_.bases += letters;
    std::transform(letters.begin(), letters.end(), last_.bases.begin() + static_cast<std::ptrdiff_t>(before),
                   sequence::upper_base);
    if (last_.bases.size() > longest_) {
      fail("the pattern " + last_.name + " has more than " + std::to_string(longest_) +
           " letters, which is the most that is possible; give a part of it. (The reference comes first: trawl "
           "scan REFERENCE PATTERNS.)");
    }
  }

  void add_pattern(std::string_view name, std::string_view letters) {
    begin_pattern(name);
    add_letters(letters);
    close_pattern();
  }

  // The first line of a file in the form of Cas-OFFinder is the path of a genome, whose letters nearly always are not
  // all IUPAC codes. Whether it is one is known after the next line.
  static bool may_be_genome(std::string_view line) {
    return line.find_first_of("\t,") == line.npos && !is_iupac(line) && line[0] != '@';
  }

  void read_held() {
    if (held_.text.empty()) {
      return;
    }
    line_ = held_.number;
    read_columns(std::exchange(held_.text, {}));
    line_ = 0;
  }

  // Lines of a name and a sequence. Sets the columns from the first line.
  void read_columns(std::string_view line) {
    if (line[0] == '@') {
      fail(std::string("begins with '@' as a FASTQ file does; ") + kForms);
    }
    cells_.split(line, separator_of(line, ';'));
    const bool is_first = !columns_;
    if (is_first) {
      if (find_header()) {
        return;
      }
      columns_ = {.is_bare = cells_.size() == 1, .sequence = 1, .name = 0};
      keep_others(true);
    }
    if (columns_->has_header) {
      if (cells_.size() <= columns_->sequence) {
        fail("has " + std::to_string(cells_.size()) + " columns; by the header, the sequence is in column " +
             std::to_string(columns_->sequence + 1));
      }
      const std::string_view letters = cells_[columns_->sequence];
      const auto name = columns_->name;
      const bool is_named = name && *name < cells_.size() && !cells_[*name].empty();
      add_pattern(is_named ? std::string(cells_[*name]) : own_name(letters), letters);
      keep_others();
    } else if (columns_->is_bare != (cells_.size() == 1)) {
      fail(columns_->is_bare ? "several columns, but the lines before have a sequence only; give all lines a name"
                             : "one column only, but the lines before have a name and a sequence");
    } else if (columns_->is_bare) {
      read_bare(cells_[0]);
    } else {
      may_be_header_ = is_first;
      add_pattern(cells_[0], cells_[1]);
      may_be_header_ = false;
      keep_others();
    }
  }

  // The cells besides the name and the sequence. Without a header line, the third column has the genes, as in mageck's.
  void keep_others(bool are_names = false) {
    std::string cells;
    for (std::size_t c = 0; others_ != nullptr && !columns_->is_bare && c < cells_.size(); ++c) {
      if (c != columns_->sequence && c != columns_->name) {
        cells.append(cells_[c]) += '\n';
        if (are_names) {
          others_->names.push_back(c == 2 && !columns_->has_header ? "gene" : "column" + std::to_string(c + 1));
          others_->names.back() = columns_->has_header && !cells_[c].empty() ? cells_[c] : others_->names.back();
        }
      }
    }
    if (!are_names && !cells.empty()) {
      others_->cells.resize(patterns_.size());
      others_->cells.back() = std::move(cells);
    }
  }

  void read_bare(std::string_view letters) {
    if (letters.find_first_of(kBlanks) != letters.npos) {
      fail(std::string("the line has blanks, but no tab and no comma; ") + kForms);
    }
    if (const std::size_t at = find_not_iupac(letters); at < letters.size()) {
      fail(describe_character(letters[at]) + " in the line is not an IUPAC letter" + inosine_hint(letters[at]) + "; " +
           kForms);
    }
    add_pattern(own_name(letters), letters);
  }

  std::string own_name(std::string_view letters) const {
    return name_of_pattern(sequence::upper_bases(letters), patterns_.size() + 1);
  }

  // Whether the cells are a header line; then the columns are known.
  bool find_header() {
    if (std::any_of(cells_.begin(), cells_.end(),
                    [](std::string_view cell) { return !is_known_column(cell) && is_iupac(cell); })) {
      return false;  // a sequence
    }
    const auto sequence = cells_.column_of(kSequenceColumns);
    if (!sequence || (cells_.size() == 1 && is_iupac(cells_[0]))) {
      return false;
    }
    columns_ = {.has_header = true, .sequence = *sequence, .name = cells_.column_of(kNameColumns, sequence)};
    if (!columns_->name && *sequence > 0) {
      columns_->name = 0;
    }
    keep_others(true);
    return true;
  }

  // The second line in the form of Cas-OFFinder: N for each base of the guide, then or before that the PAM; perhaps the
  // sizes of DNA and RNA bulges.
  bool is_cas_pattern(std::string_view line) {
    if (held_.text.empty()) {
      return false;
    }
    cells_.split(line, ' ');
    if (cells_.size() == 0 || cells_.size() > 3 || !is_iupac(cells_[0]) || cells_[0].size() < 2) {
      return false;
    }
    CasFile cas{sequence::upper_bases(cells_[0]), patterns_.size(), {}};
    const auto any = static_cast<std::size_t>(std::count(cas.pattern.begin(), cas.pattern.end(), 'N'));
    if (2 * any < cas.pattern.size()) {
      return false;
    }
    for (std::size_t c = 1; c < cells_.size(); ++c) {
      const auto size = whole_number<std::uint32_t>(cells_[c]);
      if (!size) {
        return false;
      }
      cas.input.rna_bulges = *size;
      cas.input.dna_bulges = c == 1 ? *size : cas.input.dna_bulges;
    }
    cas_ = std::move(cas);
    return true;
  }

  void read_cas(std::string_view line) {
    if (!std::exchange(held_.text, {}).empty()) {
      return;  // the pattern
    }
    const std::string& pattern = cas_->pattern;
    CasOffinderInput& input = cas_->input;
    const bool has_guide = patterns_.size() > cas_->before;
    cells_.split(line, ' ');
    const auto mismatches = cells_.size() > 1 ? whole_number<std::uint32_t>(cells_[1]) : std::nullopt;
    if (!mismatches) {
      fail("not a line of Cas-OFFinder's input, as the lines before it: a guide and its number of mismatches");
    }
    std::string guide = sequence::upper_bases(cells_[0]);
    if (!is_iupac(cells_[0]) || guide.size() != pattern.size()) {
      fail("the guide has letters other than IUPAC codes, or not as many as the pattern in the second line");
    }
    // Letters of the PAM in the guide cost nothing where the pattern has the same.
    for (std::size_t i = 0; i < guide.size(); ++i) {
      if (pattern[i] != 'N' && sequence::is_part_of(pattern[i], guide[i])) {
        guide[i] = 'N';
      }
    }
    const std::size_t first = std::min(guide.find_first_not_of('N'), guide.size());
    const std::size_t after = guide.find_last_not_of('N') + 1;
    const std::size_t pam_begin = pattern.find_first_not_of('N');  // without the N of the PAM
    const bool is_whole = pam_begin == pattern.npos;
    const bool is_last = !is_whole && pam_begin >= after;
    if (after == 0 || (!is_whole && !is_last && pattern.find_last_not_of('N') >= first)) {
      fail("the pattern in the second line has letters other than N beside the guide's own; they are the PAM, on one " +
           std::string("side of the guide, where the guide has N or the same letters"));
    }
    if (is_whole && input.dna_bulges + input.rna_bulges > 0) {
      fail("bulges need a PAM in the second line; its pattern has only N");
    }
    const std::string pam = is_whole ? "" : is_last ? pattern.substr(after) : pattern.substr(0, first);
    if (has_guide && (input.pam != pam || input.is_last != is_last)) {
      fail("the PAM has another place than in the guides before");
    }
    if (has_guide && input.mismatches != *mismatches) {
      fail("another number of mismatches than in the guides before; search these guides by themselves");
    }
    input.pam = pam;
    input.is_last = is_last;
    input.mismatches = *mismatches;
    const std::string own = is_whole ? guide : is_last ? guide.substr(0, after) : guide.substr(first);
    add_pattern(cells_.size() > 2 ? std::string(cells_[2]) : own_name(own), own);
  }

  void close_pattern() {
    if (last_.is_open && last_.bases.empty()) {
      fail("the pattern " + last_.name + " has no letters; remove it, or give its sequence", last_.line);
    }
    if (last_.is_open) {
      patterns_.add(last_.name, last_.bases);
    }
    last_.is_open = false;
  }

  void check_name(std::string_view name) const {
    if (const std::string what = wrong_pattern_name(name, is_fasta_); !what.empty()) {
      fail(what);
    }
  }

  LineReader lines_;
  std::size_t longest_;
  std::uint64_t used_lines_ = 0;
  std::uint64_t line_ = 0;  // of a line that was held back, while it is read
  bool is_fasta_ = false;
  bool may_be_header_ = false;              // the line that is read
  std::optional<SequenceColumns> columns_;  // none: no line of a table was read
  HeldLine held_;
  std::optional<CasFile> cas_;
  Cells cells_;
  Last last_;
  sequence::PatternList& patterns_;
  PatternColumns* others_;  // null: they are not kept
};

}  // namespace

std::optional<CasOffinderInput> read_patterns(const std::string& path, std::size_t longest,
                                              sequence::PatternList& patterns, const TextOptions& options,
                                              PatternColumns* others) {
  return PatternReader(path, longest, patterns, options, others).read();
}

std::string name_of_pattern(std::string_view bases, std::size_t number) {
  return bases.size() <= kLongestOwnName ? std::string(bases) : "pattern" + std::to_string(number);
}

bool is_iupac(std::string_view text) { return !text.empty() && find_not_iupac(text) == text.size(); }

std::string wrong_pattern_name(std::string_view name, bool is_fasta) {
  if (name.empty()) {
    return is_fasta ? "a pattern without a name; write one directly after the '>'"
                    : "a pattern without a name; put one before its sequence";
  }
  if (name.size() > kLongestName) {
    return "the pattern name has " + std::to_string(name.size()) + " characters; SAM allows " +
           std::to_string(kLongestName);
  }
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; };
  if (const auto at = std::find_if(name.begin(), name.end(), is_control); at != name.end()) {
    return "the pattern name contains " + describe_character(*at) + ", which cannot be printed; rename it";
  }
  return "";
}

std::string wrong_pattern_letters(std::string_view letters, std::string_view name) {
  const std::size_t at = find_not_iupac(letters);
  return at == letters.size() ? ""
                              : describe_character(letters[at]) + " in the pattern " + std::string(name) +
                                    " is not an IUPAC letter" + inosine_hint(letters[at]);
}

std::string inosine_hint(char letter) {
  return letter == 'I' || letter == 'i' ? "; for inosine, which pairs with any base, write N" : "";
}

}  // namespace trawl::io
