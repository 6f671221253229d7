#include <algorithm>
#include <charconv>
#include <compare>
#include <iterator>
#include <stdexcept>
#include <vector>

#include "bench/check.hpp"

namespace trawl::bench {

namespace {

// The part of a read that a record or locus is about. All 0 where the table has no pieces.
struct Piece {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::int64_t penalty = 0;  // of the table; the read's length minus AS

  auto operator<=>(const Piece&) const = default;
};

// Identifies a locus of a read by its leftmost end with the smallest distance.
struct Place {
  std::uint32_t contig = 0;
  bool reverse = false;
  std::uint64_t end = 0;
  std::int64_t distance = 0;
  Piece piece = {};

  auto operator<=>(const Place&) const = default;
};

// A locus as it is in the table.
struct TablePlace : Place {
  std::uint64_t run_end = 0;  // its last end
  bool taken = false;         // by a record
};

template <class PlaceType>
struct PlacesOf {
  std::uint64_t ordinal = 0;
  std::string name;
  std::vector<PlaceType> places;
};
using ReadPlaces = PlacesOf<Place>;
using TablePlaces = PlacesOf<TablePlace>;

// Reads the oracle's table, one read at a time.
class LociReader {
  static constexpr std::size_t kFields = 8;
  static constexpr std::size_t kFieldsWithPiece = 11;

 public:
  LociReader(const std::string& path, NameTable& contigs) : lines_(path), contigs_(contigs) { advance(); }

  // Whether the table is one of clipped loci; an empty one is not.
  bool has_pieces() const { return has_pieces_; }

  // Gives the next read that has loci; false at the end.
  bool next(TablePlaces& read) {
    if (!have_row_) {
      return false;
    }
    read = {ordinal_, name_, {}};
    while (have_row_ && ordinal_ == read.ordinal) {
      read.places.push_back(place_);
      advance();
    }
    return true;
  }

 private:
  void advance() {
    std::string_view line;
    do {
      have_row_ = lines_.next(line);
    } while (have_row_ && (line.empty() || line[0] == '#'));
    if (!have_row_) {
      return;
    }
    std::string_view fields[kFieldsWithPiece];
    const std::size_t count = cut(line, fields);
    has_pieces_ = count == kFieldsWithPiece;
    if (count != kFields && !has_pieces_) {
      fail();
    }
    const std::uint64_t previous = ordinal_;
    name_ = fields[0];
    ordinal_ = number(fields[1]);
    place_ = {{contigs_.number_of(fields[3]), fields[2] == "-", number(fields[4]),
               static_cast<std::int64_t>(number(fields[5]))},
              number(fields[7])};
    if (has_pieces_) {
      place_.piece = {number(fields[8]), number(fields[9]), static_cast<std::int64_t>(number(fields[10]))};
    }
    if (ordinal_ < previous) {
      fail();
    }
  }

  // Returns the number of fields; more than kFieldsWithPiece count as one more.
  static std::size_t cut(std::string_view line, std::string_view (&fields)[kFieldsWithPiece]) {
    for (std::size_t i = 0; i < kFieldsWithPiece; ++i) {
      const std::size_t tab = line.find('\t');
      fields[i] = line.substr(0, tab);
      if (tab == std::string_view::npos) {
        return i + 1;
      }
      line.remove_prefix(tab + 1);
    }
    return kFieldsWithPiece + 1;
  }

  std::uint64_t number(std::string_view text) const {
    std::uint64_t value = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc()) {
      fail();
    }
    return value;
  }

  [[noreturn]] void fail() const { lines_.fail("not a row of trawl-oracle, or not in the order of the reads"); }

  LineReader lines_;
  NameTable& contigs_;
  bool have_row_ = false;
  bool has_pieces_ = false;
  std::string name_;
  std::uint64_t ordinal_ = 0;
  TablePlace place_;
};

// Reads the SAM, one read at a time. A read begins at its primary record. Supplementary records are passed over: they
// are about other parts of the read.
class MappedReader {
 public:
  MappedReader(const std::string& path, NameTable& contigs, bool with_pieces)
      : sam_(path), contigs_(contigs), with_pieces_(with_pieces) {
    have_record_ = sam_.next(record_);
  }

  bool next(ReadPlaces& read) {
    if (!have_record_) {
      return false;
    }
    if (!record_.primary()) {
      sam_.fail("a secondary record without its primary before it");
    }
    read = {reads_++, std::string(record_.name), {}};
    do {
      ++records_;
      if (record_.name != read.name) {
        sam_.fail("a secondary record with another name than its primary");
      }
      if (record_.mapped() && (record_.flag & kFlagSupplementary) == 0) {
        read.places.push_back(place());
      }
      have_record_ = sam_.next(record_);
    } while (have_record_ && !record_.primary());
    return true;
  }

  std::uint64_t reads() const { return reads_; }
  std::uint64_t records() const { return records_; }

 private:
  Place place() {
    const auto distance = record_.integer_tag("NM");
    const std::uint64_t span = reference_span(record_.cigar);
    if (!distance || span == 0) {
      sam_.fail("a mapped record needs a CIGAR and NM");
    }
    Place place{contigs_.number_of(record_.contig), record_.reverse(), record_.position - 1 + span, *distance};
    if (with_pieces_) {
      const auto score = record_.integer_tag("AS");
      if (!score) {
        sam_.fail("a record with clipped ends needs AS");
      }
      const std::uint64_t length = read_span(record_.cigar);
      place.piece = {leading_clip(record_.cigar), length - trailing_clip(record_.cigar),
                     static_cast<std::int64_t>(length) - *score};
    }
    return place;
  }

  SamReader sam_;
  NameTable& contigs_;
  bool with_pieces_;
  SamRecord record_;
  bool have_record_ = false;
  std::uint64_t reads_ = 0;
  std::uint64_t records_ = 0;
};

class Comparison {
 public:
  explicit Comparison(const NameTable& contigs) : contigs_(contigs) {}

  void add(TablePlaces& table, ReadPlaces& found) {
    const ReadPlaces expected = sorted(table);
    std::sort(found.places.begin(), found.places.end());
    for (Place& place : found.places) {
      name_by_leftmost_end(place, table.places);
    }
    std::sort(found.places.begin(), found.places.end());
    loci_ += expected.places.size();
    alignments_ += found.places.size();
    report("missing", expected, found, missing_);
    report("extra", found, expected, extra_);
  }

  int result(std::uint64_t reads, std::uint64_t records) const {
    print_count("reads", reads);
    print_count("records", records);
    print_count("alignments", alignments_);
    print_count("loci", loci_);
    print_count("missing", missing_.count());
    print_count("extra", extra_.count());
    return missing_.count() == 0 && extra_.count() == 0 ? 0 : 1;
  }

 private:
  static ReadPlaces sorted(const TablePlaces& table) {
    ReadPlaces places{table.ordinal, table.name, {table.places.begin(), table.places.end()}};
    std::sort(places.places.begin(), places.places.end());
    return places;
  }

  // A record may end at any end of its locus that has the smallest distance. The runs of clipped loci may overlap: of
  // those that a record fits, the one that ends first is taken. Call it with ascending ends.
  static void name_by_leftmost_end(Place& place, std::vector<TablePlace>& loci) {
    TablePlace* best = nullptr;
    for (TablePlace& locus : loci) {
      const bool fits = locus.contig == place.contig && locus.reverse == place.reverse &&
                        locus.distance == place.distance && locus.piece == place.piece && locus.end <= place.end &&
                        place.end <= locus.run_end;
      if (fits && !locus.taken && (best == nullptr || locus.run_end < best->run_end)) {
        best = &locus;
      }
    }
    if (best != nullptr) {
      best->taken = true;
      place.end = best->end;
    }
  }

  // Reports the places of `a` that have no partner in `b`. A duplicate needs its own partner.
  void report(const char* what, const ReadPlaces& a, const ReadPlaces& b, Faults& faults) const {
    std::vector<Place> only;
    std::set_difference(a.places.begin(), a.places.end(), b.places.begin(), b.places.end(), std::back_inserter(only));
    for (const Place& place : only) {
      faults.add(std::string(what) + ": read " + std::to_string(a.ordinal) + " (" + a.name + ") " +
                 contigs_.name_of(place.contig) + (place.reverse ? " - " : " + ") + "end " + std::to_string(place.end) +
                 " distance " + std::to_string(place.distance) + text_of(place.piece));
    }
  }

  static std::string text_of(const Piece& piece) {
    return piece == Piece{} ? ""
                            : " piece " + std::to_string(piece.begin) + "-" + std::to_string(piece.end) + " penalty " +
                                  std::to_string(piece.penalty);
  }

  const NameTable& contigs_;
  Faults missing_{10};
  Faults extra_{10};
  std::uint64_t loci_ = 0;
  std::uint64_t alignments_ = 0;
};

}  // namespace

int check_loci(const Arguments& args) {
  NameTable contigs;
  LociReader oracle(args.positional(1), contigs);
  MappedReader mapped(args.positional(0), contigs, oracle.has_pieces());
  Comparison comparison(contigs);

  TablePlaces expected;
  ReadPlaces found;
  bool have_expected = oracle.next(expected);
  while (mapped.next(found)) {
    TablePlaces no_locus{found.ordinal, found.name, {}};
    if (!have_expected || expected.ordinal != found.ordinal) {
      comparison.add(no_locus, found);
      continue;
    }
    if (without_mate(expected.name) != without_mate(found.name)) {
      throw std::runtime_error("read " + std::to_string(found.ordinal) + " is " + found.name + " in the SAM and " +
                               expected.name + " in the table: the SAM must hold all reads in input order");
    }
    comparison.add(expected, found);
    have_expected = oracle.next(expected);
  }
  while (have_expected) {
    ReadPlaces nothing{expected.ordinal, expected.name, {}};
    comparison.add(expected, nothing);
    have_expected = oracle.next(expected);
  }
  return comparison.result(mapped.reads(), mapped.records());
}

}  // namespace trawl::bench
