#include "io/read/primer_reader.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/error.hpp"
#include "base/whole_number.hpp"
#include "io/format/letters.hpp"
#include "io/read/bed_regions.hpp"
#include "io/read/foreign_format.hpp"
#include "io/read/line_reader.hpp"
#include "io/read/pattern_reader.hpp"
#include "sequence/alphabet.hpp"
#include "sequence/copy_letters.hpp"

namespace trawl::io {
namespace {

constexpr const char* kPrimerForms =
    "give a table of pairs (name, forward and reverse primer), a BED of a scheme, names and sequences (tabs or commas "
    "between them), FASTA, or primer3's output";

constexpr std::string_view kPrimerNames = "name primer_name id primer_id oligo_name #name pair amplicon";
constexpr std::string_view kPrimerSequences = "sequence seq primer_sequence oligo_sequence primer_seq primer";
constexpr std::string_view kForwardColumns =
    "forward left fwd forward_primer left_primer forward_sequence left_sequence";
constexpr std::string_view kReverseColumns =
    "reverse right rev reverse_primer right_primer reverse_sequence right_sequence";
constexpr std::string_view kPoolColumns = "pool pool_name poolname tube";

// "PRIMER_LEFT_0_SEQUENCE=ACGT": letters, digits and '_' before the first '='.
bool is_boulder(std::string_view line) {
  const std::size_t at = line.find('=');
  return at != line.npos && at > 0 &&
         line.substr(0, at).find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == line.npos;
}

class PrimerReader {
 public:
  PrimerReader(const std::string& path, std::size_t longest, const sequence::Reference& reference)
      : lines_(path), longest_(longest), reference_(reference) {
    for (std::size_t c = 0; c < reference.contigs().size(); ++c) {
      contigs_.emplace(reference.contigs()[c].name, c);
    }
  }

  PrimerFile read() {
    std::string_view line;
    while (lines_.next(line)) {
      const bool is_of_fasta = form_ == Form::fasta && line.starts_with('#');
      if ((!is_of_fasta && is_beside_table(line, form_ == Form::none)) || (form_ == Form::none && begin(line))) {
        continue;
      }
      (this->*reader().read)(line);
    }
    close_fasta();
    if (file_.pool.size() == 0) {
      throw InputError(lines_.name(), 0,
                       form_ == Form::boulder ? std::string("primer3 found no primers: there is no line such as "
                                                            "PRIMER_LEFT_0_SEQUENCE=...; relax its limits")
                                              : std::string("has no primers; ") + kPrimerForms);
    }
    file_.form = reader().form;
    file_.pool.is_table_of_pairs = form_ == Form::pairs;
    file_.pool.combine = form_ == Form::pairs || form_ == Form::boulder ? scan::Combine::pair : scan::Combine::pool;
    return std::move(file_);
  }

 private:
  struct PrimerColumns {
    char separator = '\t';
    std::size_t count = 0;  // of the first line
    std::optional<std::size_t> name = 0;
    std::size_t sequence = 1;
    std::size_t reverse = 2;
    std::optional<std::size_t> pool;
  };
  enum class Form { fasta, boulder, bed, pairs, list, none };
  struct FormReader {
    const char* form;
    void (PrimerReader::*read)(std::string_view line);
  };
  const FormReader& reader() const {
    static constexpr FormReader readers[] = {{"FASTA", &PrimerReader::read_fasta},
                                             {"primer3's output", &PrimerReader::read_boulder},
                                             {"a BED of primers", &PrimerReader::read_bed},
                                             {"a table of pairs", &PrimerReader::read_pair},
                                             {"a list of primers", &PrimerReader::read_list}};
    return readers[static_cast<std::size_t>(form_)];
  }

  [[noreturn]] void fail(const std::string& what, std::uint64_t line = 0) const {
    throw InputError(lines_.name(), line > 0 ? line : lines_.number(), what);
  }

  // What the file is, by its first line. True if that is a header.
  bool begin(std::string_view line) {
    if (const std::string what = foreign_patterns(line, lines_.name()); !what.empty()) {
      throw InputError(lines_.name(), 0, what);
    }
    if (line[0] == '@') {
      fail(std::string("begins with '@' as a FASTQ file does; ") + kPrimerForms);
    }
    if (line.find("PRIMER PICKING RESULTS") != line.npos) {
      fail("is primer3's output for people (-format_output); run primer3_core without -format_output");
    }
    if (line[0] == '>' || is_boulder(line)) {
      form_ = line[0] == '>' ? Form::fasta : Form::boulder;
      return false;
    }
    bool is_header = false;
    columns_.separator = separator_of(line, ' ');
    cells_.split(line, columns_.separator);
    if (is_bed()) {
      form_ = Form::bed;
    } else if (!(is_header = find_header())) {
      const bool is_pair = cells_.size() > 2 && !(whole_number(cells_[1]) && whole_number(cells_[2]));
      form_ = is_pair ? Form::pairs : Form::list;
      file_.has_sizes = is_pair && cells_.size() == 5 && whole_number(cells_[3]) && whole_number(cells_[4]);
      if (cells_.size() > 2 && !is_pair) {
        fail("looks like a BED, which needs at least contig, start, end, name and pool; give these columns");
      }
      columns_.name = cells_.size() > 1 ? std::optional<std::size_t>(0) : std::nullopt;
      columns_.sequence = cells_.size() > 1 ? 1 : 0;
      may_be_header_ = true;
    }
    columns_.count = cells_.size();
    return is_header;
  }

  bool is_bed() const { return cells_.size() > 4 && whole_number(cells_[1]) && whole_number(cells_[2]); }

  // Whether the line is a header; then the columns are known.
  bool find_header() {
    auto forward = cells_.column_of(kForwardColumns);
    auto reverse = cells_.column_of(kReverseColumns);
    if (cells_.size() > 2 && lower_case(cells_[1]).starts_with("forward") &&
        lower_case(cells_[2]).starts_with("reverse")) {
      forward = 1;
      reverse = 2;
    }
    const auto sequence = cells_.column_of(kPrimerSequences);
    columns_.name = cells_.column_of(kPrimerNames);
    if (forward && reverse) {
      form_ = Form::pairs;
      columns_.sequence = *forward;
      columns_.reverse = *reverse;
      columns_.name = columns_.name.value_or(0);
    } else if (sequence && sequence != columns_.name && cells_.size() > 1) {
      form_ = Form::list;
      columns_.sequence = *sequence;
      if (!columns_.name && *sequence > 0) {
        columns_.name = 0;
      }
      columns_.pool = cells_.column_of(kPoolColumns);
    } else {
      return false;
    }
    return true;
  }

  std::string bases_of(std::string_view letters, std::string_view name) const {
    if (const std::string what = wrong_pattern_letters(letters, name); !what.empty()) {
      fail(what + (may_be_header_ ? " (if this is a header line, call its columns name and sequence, or name, forward "
                                    "and reverse)"
                                  : ""));
    }
    if (letters.empty()) {
      fail("the primer " + std::string(name) + " has no letters; give its sequence, or remove it");
    }
    if (letters.size() > longest_) {
      fail("the primer " + std::string(name) + " has more than " + std::to_string(longest_) +
           " letters; is it a reference? (The reference comes first: trawl primers REFERENCE PRIMERS.)");
    }
    return sequence::upper_bases(letters);
  }

  void add(std::string_view name, std::string_view letters, const scan::Primer& primer) {
    if (const std::string what = wrong_pattern_name(name, form_ == Form::fasta); !what.empty()) {
      fail(what);
    }
    file_.pool.add({name, bases_of(letters, name)}, primer);
  }

  // By its name. A probe makes no products: false.
  bool describe(std::string_view name, scan::Primer& primer) {
    const scan::PrimerName known = scan::split_primer_name(name);
    if (known.is_probe) {
      ++file_.probes;
      return false;
    }
    if (!known.amplicon.empty()) {
      primer.amplicon = file_.pool.amplicon(known.amplicon);
    }
    primer.side = known.side;
    return true;
  }

  void read_pair(std::string_view line) {
    cells_.split(line, columns_.separator);
    constexpr const char* kPair =
        "not a pair of primers, as the lines before; give a name, the forward and the reverse "
        "primer, with tabs or commas between them";
    if (cells_.size() <= std::max(columns_.sequence, columns_.reverse) || cells_[columns_.reverse].empty() ||
        cells_[columns_.sequence].empty()) {
      fail(kPair);
    }
    const std::string name(cells_[*columns_.name]);
    const std::uint32_t pair = file_.pool.new_amplicon(name);
    add(name, cells_[columns_.sequence], {.amplicon = pair, .side = scan::PrimerSide::left});
    add(name, cells_[columns_.reverse], {.amplicon = pair, .side = scan::PrimerSide::right});
    may_be_header_ = false;
  }

  void read_list(std::string_view line) {
    cells_.split(line, columns_.separator);
    if (cells_.size() <= std::max(columns_.sequence, columns_.name.value_or(0))) {
      fail("has " + std::to_string(cells_.size()) + " columns, but the lines before have " +
           std::to_string(columns_.count) + "; give all lines the same columns");
    }
    const std::string_view letters = cells_[columns_.sequence];
    const std::string name =
        columns_.name ? std::string(cells_[*columns_.name]) : name_of_pattern(letters, file_.pool.size() + 1);
    scan::Primer primer;
    if (!describe(name, primer)) {
      return;
    }
    if (columns_.pool && *columns_.pool < cells_.size() && !cells_[*columns_.pool].empty()) {
      primer.pool = file_.pool.pool(cells_[*columns_.pool]);
    }
    add(name, letters, primer);
    may_be_header_ = false;
  }

  void read_bed(std::string_view line) {
    cells_.split(line, columns_.separator);
    constexpr const char* kBed =
        "not a line of a BED of primers: contig, start, end, name, pool, strand (and the sequence), with tabs between "
        "them";
    auto start = cells_.size() > 4 ? whole_number(cells_[1]) : std::nullopt;
    auto end = start ? whole_number(cells_[2]) : std::nullopt;
    if (!end) {
      fail(kBed);
    }
    const std::string name(cells_[3]);
    if (*start == *end) {
      fail("the primer " + name + " starts and ends at " + std::to_string(*start) +
           "; the end is one after its last base");
    }
    if (*start > *end) {
      std::swap(start, end);  // as some have it for primers of the reverse strand
    }
    scan::Primer primer;
    if (!describe(name, primer)) {
      return;
    }
    const std::string_view strand = cells_.size() > 5 ? cells_[5] : "";
    if (strand != "+" && strand != "-" && primer.side == scan::PrimerSide::unknown) {
      fail("the primer " + name + " has no strand: give + or - in column 6, or call it ..._LEFT or ..._RIGHT");
    }
    const bool is_reverse = strand == "-" || (strand != "+" && primer.side == scan::PrimerSide::right);
    primer.side = is_reverse ? scan::PrimerSide::right : scan::PrimerSide::left;
    if (!cells_[4].empty() && cells_[4] != ".") {
      primer.pool = file_.pool.pool(cells_[4]);
    }
    const auto contig = contigs_.find(cells_[0]);
    if (contig != contigs_.end()) {
      primer.place = scan::PrimerPlace{contig->second, *start, *end};
    } else {
      ++file_.elsewhere;
      file_.elsewhere_contig = cells_[0];
    }
    const bool has_sequence = cells_.size() > 6 && is_iupac(cells_[6]);
    if (!has_sequence && cells_.size() > 6 && !cells_[6].empty() && cells_[6] != "." &&
        cells_[6].find('=') == std::string_view::npos) {
      bases_of(cells_[6], name);  // says what is wrong with it
    }
    add(name, has_sequence ? std::string(cells_[6]) : letters_at(name, primer, is_reverse), primer);
  }

  // Of a BED without sequences.
  std::string letters_at(const std::string& name, const scan::Primer& primer, bool is_reverse) const {
    if (!primer.place) {
      fail("the primer " + name + " has no sequence in column 7, and its contig " + std::string(cells_[0]) +
           " is not in the reference; give the reference of the scheme, or its sequences");
    }
    const sequence::Contig& contig = reference_.contigs()[primer.place->contig];
    if (primer.place->end > contig.length) {
      fail("the primer " + name + " ends at " + std::to_string(primer.place->end) + ", but " + contig.name + " has " +
           std::to_string(contig.length) + " bases; give the reference of the scheme");
    }
    const std::string letters =
        sequence::letters_at(reference_, contig.offset + primer.place->start, primer.place->end - primer.place->start);
    return is_reverse ? sequence::reverse_complement(letters) : letters;
  }

  void read_fasta(std::string_view line) {
    if (line[0] != '>') {
      letters_ += trimmed(line);
      return;
    }
    close_fasta();
    name_ = fasta_name(line);
    letters_.clear();
    begun_ = lines_.number();
  }

  void close_fasta() {
    if (form_ != Form::fasta || begun_ == 0) {
      return;
    }
    if (letters_.empty()) {
      fail("the primer " + name_ + " has no letters; give its sequence, or remove it", begun_);
    }
    scan::Primer primer;
    if (describe(name_, primer)) {
      add(name_, letters_, primer);
    }
    begun_ = 0;
  }

  // A line "=" ends a record.
  void read_boulder(std::string_view line) {
    if (line == "=") {
      name_.clear();
      return;
    }
    const std::size_t at = line.find('=');
    if (at == line.npos) {
      fail("not a line of primer3's output, as the lines before: KEY=VALUE");
    }
    const std::string_view key = line.substr(0, at);
    const std::string_view value = line.substr(at + 1);
    if (key == "SEQUENCE_ID" || key == "PRIMER_SEQUENCE_ID") {
      name_ = value;
    } else if (key == "PRIMER_ERROR") {
      fail("primer3 says: " + std::string(value));
    } else if (key.starts_with("PRIMER_") && key.ends_with("_SEQUENCE")) {
      const bool is_left = key.starts_with("PRIMER_LEFT_");
      if (!is_left && !key.starts_with("PRIMER_RIGHT_")) {
        file_.probes += key.starts_with("PRIMER_INTERNAL_") ? 1 : 0;
        return;
      }
      const std::size_t begin = is_left ? 12 : 13;
      const std::string_view number = key.substr(begin, key.size() - begin - 9);
      if (!whole_number(number)) {
        return;  // PRIMER_LEFT_SEQUENCE of old versions, or another key
      }
      const std::string pair = (name_.empty() ? std::string("primer3") : name_) + '_' + std::string(number);
      add(pair + (is_left ? "_LEFT" : "_RIGHT"), value,
          {.amplicon = file_.pool.amplicon(pair), .side = is_left ? scan::PrimerSide::left : scan::PrimerSide::right});
    }
  }

  LineReader lines_;
  std::size_t longest_;
  const sequence::Reference& reference_;
  std::unordered_map<std::string_view, std::uint64_t> contigs_;
  PrimerFile file_;
  Form form_ = Form::none;
  bool may_be_header_ = false;  // the line that is read, but it was not understood as one
  PrimerColumns columns_;
  Cells cells_;
  std::string name_;  // FASTA: of the primer; primer3: of the sequence
  std::string letters_;
  std::uint64_t begun_ = 0;  // FASTA: the line of the name
};

}  // namespace

PrimerFile read_primers(const std::string& path, std::size_t longest, const sequence::Reference& reference) {
  return PrimerReader(path, longest, reference).read();
}

}  // namespace trawl::io
