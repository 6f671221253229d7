#include <algorithm>
#include <cctype>
#include <charconv>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <vector>

#include "bench/check.hpp"
#include "bench/rules.hpp"

namespace trawl::bench {

namespace {

constexpr std::uint64_t kShownFaults = 20;
constexpr std::uint64_t kShortestSplit = 30;

// The bases [begin, end) of a strand, or of a read.
struct Piece {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  std::uint64_t length() const { return end - begin; }
  bool contains(const Piece& other) const { return begin <= other.begin && other.end <= end; }
};

// The chain of a split read, from its records in their order. Each tag SA must list the other records of the chain, the
// primary one first; other records have none. The piece of a supplementary record has at least 30 bases, and lies in
// one of the ends that the primary record leaves out.
class Chain {
 public:
  void clear() { *this = {}; }

  // `piece`: of the strand.
  void add(const SamRecord& record, const Piece& piece, std::uint64_t read_length) {
    const std::string others(record.text_tag("SA").value_or(""));
    if ((record.flag & kFlagSecondary) != 0) {
      secondary_has_others_ = secondary_has_others_ || !others.empty();
      return;
    }
    read_length_ = read_length;
    const Piece in_read = record.reverse() ? Piece{read_length - piece.end, read_length - piece.begin} : piece;
    links_.push_back({text_of(record), others, in_read});
  }

  bool has_supplementary() const { return links_.size() > 1; }

  // What is wrong, or nothing.
  std::optional<std::string> fault() const {
    if (secondary_has_others_) {
      return "a secondary record has SA";
    }
    for (const Link& link : links_) {
      std::string expected;
      for (const Link& other : links_) {
        expected += &other == &link ? "" : other.text;
      }
      if (link.others != expected) {
        return "SA should be " + (expected.empty() ? "missing" : expected) + ", and is " +
               (link.others.empty() ? "missing" : link.others);
      }
    }
    for (std::size_t i = 1; i < links_.size(); ++i) {
      const Piece& primary = links_[0].piece;
      const Piece& piece = links_[i].piece;
      if (!Piece{0, primary.begin}.contains(piece) && !Piece{primary.end, read_length_}.contains(piece)) {
        return "a supplementary record has bases of the primary one";
      }
      if (piece.length() < kShortestSplit) {
        return "a supplementary record has fewer than 30 bases";
      }
      for (std::size_t k = 1; k < i; ++k) {
        if (piece.begin < links_[k].piece.end && links_[k].piece.begin < piece.end) {
          return "two supplementary records have the same bases";
        }
      }
    }
    return std::nullopt;
  }

 private:
  struct Link {
    std::string text;  // as in another record's SA
    std::string others;
    Piece piece;  // in the order of the read
  };

  static std::string text_of(const SamRecord& record) {
    std::string cigar(record.cigar);
    std::replace(cigar.begin(), cigar.end(), 'H', 'S');
    return std::string(record.contig) + ',' + std::to_string(record.position) + (record.reverse() ? ",-," : ",+,") +
           cigar + ',' + std::to_string(record.mapq) + ',' + std::string(record.text_tag("NM").value_or("")) + ';';
  }

  std::vector<Link> links_;
  std::uint64_t read_length_ = 0;
  bool secondary_has_others_ = false;
};

char upper(char letter) { return static_cast<char>(std::toupper(static_cast<unsigned char>(letter))); }

std::string in_upper_case(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), upper);
  return out;
}

bool is_clip(char operation) { return operation == 'S' || operation == 'H'; }

// Removes the clips at both ends. Nothing if the clips are longer than the read.
std::optional<Piece> cut_clips(std::vector<CigarElement>& cigar, std::uint64_t length) {
  Piece piece{0, length};
  if (!cigar.empty() && is_clip(cigar.front().operation)) {
    piece.begin = cigar.front().length;
    cigar.erase(cigar.begin());
  }
  if (!cigar.empty() && is_clip(cigar.back().operation)) {
    if (cigar.back().length > length) {
      return std::nullopt;
    }
    piece.end -= cigar.back().length;
    cigar.pop_back();
  }
  return piece.begin < piece.end ? std::optional(piece) : std::nullopt;
}

// The alignment of a record's piece, compared with read and reference.
class Alignment {
 public:
  Alignment(std::string_view read, std::string_view contig, std::uint64_t start, bool ambiguous_match)
      : read_(read), contig_(contig), start_(start), ambiguous_match_(ambiguous_match) {}

  // Walks along the CIGAR, which has no clips. Returns what is wrong with it, or nothing.
  std::optional<std::string> walk(const std::vector<CigarElement>& cigar) {
    std::uint64_t r = start_;
    std::uint64_t q = 0;
    std::uint64_t aligned_before = 0;  // bases aligned directly before this element
    for (const auto& [length, operation] : cigar) {
      const bool uses_read = operation != 'D';
      const bool uses_reference = operation != 'I';
      if (std::string_view("MID=X").find(operation) == std::string_view::npos || length == 0) {
        return "the CIGAR has an element that it cannot have here";
      }
      if ((uses_read && read_.size() - q < length) || (uses_reference && contig_.size() - r < length)) {
        return "the CIGAR runs past the end of the read or of the contig";
      }
      if (operation == 'D' || operation == 'I') {
        if (aligned_before > 0 && can_move_left(operation, length, q, r)) {
          // A gap that could move to the very edge of the read may stay; one that could move elsewhere to the left is a
          // fault.
          (aligned_before > 1 ? gap_not_left_ : gap_could_touch_edge_) = true;
        }
        add_gap(operation, length, r);
        aligned_before = 0;
      } else {
        for (std::uint64_t i = 0; i < length; ++i) {
          const bool equal = matches(read_[q + i], contig_[r + i]);
          if ((operation == '=' && !equal) || (operation == 'X' && equal)) {
            return "= or X in the CIGAR is not what it says";
          }
          add_aligned(equal, contig_[r + i]);
        }
        aligned_before += length;
      }
      q += uses_read ? length : 0;
      r += uses_reference ? length : 0;
    }
    md_ += std::to_string(equal_run_);
    return q == read_.size() ? std::nullopt : std::optional<std::string>("the CIGAR does not use the whole piece");
  }

  std::int64_t edits() const { return edits_; }
  const std::vector<CigarElement>& gaps() const { return gaps_; }
  const std::string& md() const { return md_; }
  bool gap_not_left() const { return gap_not_left_; }
  bool gap_could_touch_edge() const { return gap_could_touch_edge_; }

 private:
  bool matches(char a, char b) const {
    const auto set_a = iupac_set(a);
    const auto set_b = iupac_set(b);
    if (ambiguous_match_) {
      return (set_a & set_b) != 0;
    }
    const auto code = base_code(a);
    return code != kAmbiguous && code == base_code(b);
  }

  // Whether the gap can move left by one base without more edits.
  bool can_move_left(char operation, std::uint64_t length, std::uint64_t q, std::uint64_t r) const {
    const bool now = matches(read_[q - 1], contig_[r - 1]);
    const bool then = operation == 'D' ? matches(read_[q - 1], contig_[r + length - 1])
                                       : matches(read_[q + length - 1], contig_[r - 1]);
    return then >= now;
  }

  void add_aligned(bool equal, char reference_letter) {
    if (equal) {
      ++equal_run_;
      return;
    }
    ++edits_;
    md_ += std::to_string(equal_run_);
    md_ += upper(reference_letter);
    equal_run_ = 0;
  }

  void add_gap(char operation, std::uint64_t length, std::uint64_t r) {
    gaps_.push_back({length, operation});
    edits_ += static_cast<std::int64_t>(length);
    if (operation == 'D') {
      md_ += std::to_string(equal_run_) + '^' + in_upper_case(contig_.substr(r, length));
      equal_run_ = 0;
    }
  }

  std::string_view read_;
  std::string_view contig_;
  std::uint64_t start_;
  bool ambiguous_match_;
  std::int64_t edits_ = 0;
  std::uint64_t equal_run_ = 0;
  std::vector<CigarElement> gaps_;
  std::string md_;
  bool gap_not_left_ = false;
  bool gap_could_touch_edge_ = false;
};

// How the records were made.
struct Rules {
  bool ambiguous_match = false;  // trawl map --ambiguous match
  bool clip = false;             // --clip: records may have clipped ends, AS is a score, SA joins split reads
  bool join = false;             // --join: primary records may have one or two long gaps
};

class RecordChecker {
 public:
  RecordChecker(const std::string& reference_path, const std::string& reads_path, const Rules& rules)
      : contigs_(read_all(reference_path)), reads_(reads_path), rules_(rules) {
    for (const Sequence& contig : contigs_) {
      contig_names_.number_of(contig.name);
    }
  }

  void add(const SamRecord& record, std::uint64_t line) {
    line_ = line;
    name_ = record.name;
    ++records_;
    if (record.primary()) {
      finish_read();
      begin_read();
    }
    if (without_mate(record.name) != without_mate(read_.name)) {
      throw std::runtime_error("line " + std::to_string(line) + ": the record is of " + std::string(record.name) +
                               ", the read at hand is " + read_.name + ": records must be in input order");
    }
    if (!record.mapped()) {
      check_bases(record, {0, forward_.size()});
      if (record.cigar != "*" || !record.primary()) {
        fault("an unmapped record must be primary and without CIGAR");
      }
      return;
    }
    if (!is_supplementary(record) && chain_.has_supplementary()) {
      fault("a record of the read after a supplementary one");
    }
    check_mapped(record);
  }

  int result() {
    finish_read();
    Sequence left;
    while (reads_.next(left)) {
      faults_.add("read " + std::to_string(read_count_++) + " (" + left.name + ") has no record");
    }
    print_count("reads", read_count_);
    print_count("records", records_);
    print_count("alignments", alignments_);
    if (rules_.join) {
      print_count("joined by a long gap", joined_);
    }
    print_count("gaps that could move to the read's edge (no fault)", gaps_near_edge_);
    print_count("faults", faults_.count());
    return faults_.count() == 0 ? 0 : 1;
  }

 private:
  void fault(const std::string& what) {
    faults_.add("fault: line " + std::to_string(line_) + " (" + name_ + "): " + what);
  }

  void begin_read() {
    if (!reads_.next(read_)) {
      throw std::runtime_error("line " + std::to_string(line_) + ": more primary records than reads");
    }
    ++read_count_;
    forward_ = in_upper_case(read_.bases);
    reverse_ = reverse_complement(forward_);
    backward_qualities_.assign(read_.qualities.rbegin(), read_.qualities.rend());
    first_line_ = line_;
  }

  // NH and HI can be checked only when all records of the read are known.
  void finish_read() {
    if (read_count_ == 0) {
      return;
    }
    std::sort(hit_indexes_.begin(), hit_indexes_.end());
    bool good = true;
    for (std::size_t i = 0; i < hit_indexes_.size(); ++i) {
      good = good && hit_indexes_[i] == static_cast<std::int64_t>(i + 1);
    }
    for (const std::int64_t hits : hit_counts_) {
      good = good && hits == static_cast<std::int64_t>(hit_counts_.size());
    }
    if (!good) {
      faults_.add("fault: line " + std::to_string(first_line_) + " (" + read_.name +
                  "): NH must be the number of the read's records, HI 1 to NH");
    }
    hit_indexes_.clear();
    hit_counts_.clear();
    if (const auto wrong = chain_.fault()) {
      faults_.add("fault: line " + std::to_string(first_line_) + " (" + read_.name + "): " + *wrong);
    }
    chain_.clear();
  }

  static bool is_supplementary(const SamRecord& record) { return (record.flag & kFlagSupplementary) != 0; }

  // A supplementary record must have its bases, as a primary one; a secondary one may have "*". `piece`: what a record
  // with hard clips has.
  void check_bases(const SamRecord& record, const Piece& piece) {
    const bool required = (record.flag & kFlagSecondary) == 0;
    const auto of_record = [&](const std::string& whole) {
      return record.cigar.find('H') == std::string_view::npos ? whole : whole.substr(piece.begin, piece.length());
    };
    const std::string bases = of_record(record.reverse() ? reverse_ : forward_);
    if (record.bases == "*" ? required && !bases.empty() : in_upper_case(record.bases) != bases) {
      fault("SEQ is not the read");
    }
    if (read_.qualities.empty()) {
      if (record.qualities != "*") {
        fault("QUAL is not the read's");
      }
      return;
    }
    const std::string qualities = of_record(record.reverse() ? backward_qualities_ : read_.qualities);
    // The quality of a read of one base can be '*'.
    if (record.qualities != "*" && record.qualities != qualities) {
      fault("QUAL is not the read's");
    }
    if (required && record.qualities == "*" && qualities != "*") {
      fault("QUAL is missing");
    }
  }

  void check_mapped(const SamRecord& record) {
    ++alignments_;
    const auto hit_index = record.integer_tag("HI");
    const auto hit_count = record.integer_tag("NH");
    if (is_supplementary(record)) {
      if (hit_index || hit_count || record.integer_tag("X0") || record.integer_tag("X1")) {
        fault("a supplementary record has NH, HI, X0 or X1");
      }
    } else {
      hit_indexes_.push_back(hit_index.value_or(-1));
      hit_counts_.push_back(hit_count.value_or(-1));
    }
    auto cigar = parse_cigar(record.cigar);
    if (!cigar || cigar->empty()) {
      return fault("no CIGAR");
    }
    Piece piece{0, forward_.size()};
    if (rules_.clip) {
      if (record.primary() && record.cigar.find('H') != std::string_view::npos) {
        fault("the primary record is hard-clipped");
      }
      const auto cut = cut_clips(*cigar, piece.end);
      if (!cut) {
        return fault("the clips are as long as the read");
      }
      piece = *cut;
    }
    check_bases(record, piece);
    check_alignment(record, *cigar, piece);
    chain_.add(record, piece, forward_.size());
  }

  // `cigar`: of the piece, without clips.
  void check_alignment(const SamRecord& record, const std::vector<CigarElement>& cigar, const Piece& piece) {
    const auto contig_number = contig_names_.find(record.contig);
    if (!contig_number) {
      return fault("no such contig: " + std::string(record.contig));
    }
    const std::string& contig = contigs_[*contig_number].bases;
    if (record.position == 0 || record.position > contig.size()) {
      return fault("POS does not lie in the contig");
    }
    const std::string_view strand = record.reverse() ? reverse_ : forward_;
    Alignment alignment(strand.substr(piece.begin, piece.length()), contig, record.position - 1,
                        rules_.ambiguous_match);
    if (const auto wrong = alignment.walk(cigar)) {
      return fault(*wrong);
    }
    if (record.integer_tag("NM") != alignment.edits()) {
      fault("NM should be " + std::to_string(alignment.edits()));
    }
    const auto md = record.text_tag("MD");
    if (!md || in_upper_case(*md) != alignment.md()) {
      fault("MD should be " + alignment.md());
    }
    check_score(record, alignment, piece);
    if (alignment.gap_not_left()) {
      fault("a gap of " + std::string(record.cigar) + " can move left");
    }
    gaps_near_edge_ += alignment.gap_could_touch_edge() ? 1 : 0;
  }

  void check_score(const SamRecord& record, const Alignment& alignment, const Piece& piece) {
    const auto score = record.integer_tag("AS");
    const std::int64_t expected = rules_.clip ? static_cast<std::int64_t>(piece.length()) -
                                                    static_cast<std::int64_t>(kEditPoints) * alignment.edits()
                                              : -alignment.edits();
    const bool may_be_joined = rules_.join && record.primary();
    if (score ? *score != expected && !(may_be_joined && is_joined(*score - expected, alignment.gaps()))
              : rules_.clip) {
      fault("AS should be " + std::to_string(expected));
    }
  }

  // Whether the score is larger by `more` because one or two of the gaps count as long, or all where that is better:
  // kLongGapPoints each, in place of kEditPoints a base. Inserted bases are not among those aligned then.
  bool is_joined(std::int64_t more, const std::vector<CigarElement>& gaps) {
    const auto gain = [](const CigarElement& gap) {
      const std::int64_t base = kEditPoints - (gap.operation == 'I' ? 1 : 0);
      return base * static_cast<std::int64_t>(gap.length) - static_cast<std::int64_t>(kLongGapPoints);
    };
    const std::int64_t all = std::accumulate(gaps.begin(), gaps.end(), std::int64_t{0}, [&](auto sum, const auto& gap) {
      return sum + std::max<std::int64_t>(gain(gap), 0);
    });
    if (all == more) {
      ++joined_;
      return true;
    }
    for (std::size_t i = 0; i < gaps.size(); ++i) {
      for (std::size_t k = i; k < gaps.size(); ++k) {
        if (gain(gaps[i]) + (k == i ? 0 : gain(gaps[k])) == more) {
          ++joined_;
          return true;
        }
      }
    }
    return false;
  }

  std::vector<Sequence> contigs_;
  NameTable contig_names_;
  SequenceReader reads_;
  Rules rules_;

  // The current read.
  Sequence read_;
  std::string forward_;
  std::string reverse_;
  std::string backward_qualities_;
  std::vector<std::int64_t> hit_indexes_;
  std::vector<std::int64_t> hit_counts_;
  Chain chain_;
  std::uint64_t first_line_ = 0;

  std::uint64_t line_ = 0;
  std::string name_;
  std::uint64_t read_count_ = 0;
  std::uint64_t records_ = 0;
  std::uint64_t alignments_ = 0;
  std::uint64_t gaps_near_edge_ = 0;
  std::uint64_t joined_ = 0;
  Faults faults_{kShownFaults};
};

}  // namespace

int check_records(const Arguments& args) {
  RecordChecker checker(args.positional(0), args.positional(1),
                        {args.has("--ambiguous-match"), args.has("--clip"), args.has("--join")});
  SamReader sam(args.positional(2));
  SamRecord record;
  while (sam.next(record)) {
    checker.add(record, sam.line_number());
  }
  return checker.result();
}

}  // namespace trawl::bench
