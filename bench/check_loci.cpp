#include <algorithm>
#include <charconv>
#include <compare>
#include <iterator>
#include <stdexcept>
#include <vector>

#include "bench/check.hpp"
#include "bench/sam_records.hpp"
#include "bench/sequence_files.hpp"

namespace trawl::bench {

namespace {

// Identifies a locus of a read by its leftmost end with the smallest distance.
struct Place {
  std::uint32_t contig = 0;
  bool reverse = false;
  std::uint64_t end = 0;
  std::int64_t distance = 0;

  auto operator<=>(const Place&) const = default;
};

// A locus as it is in the table.
struct TablePlace : Place {
  std::uint64_t run_end = 0;  // its last end
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
 public:
  LociReader(const std::string& path, NameTable& contigs) : lines_(path), contigs_(contigs) { advance(); }

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
    std::string_view fields[8];
    for (std::string_view& field : fields) {
      const std::size_t tab = line.find('\t');
      if ((tab == std::string_view::npos) != (&field == std::end(fields) - 1)) {
        fail();
      }
      field = line.substr(0, tab);
      line.remove_prefix(tab == std::string_view::npos ? line.size() : tab + 1);
    }
    const std::uint64_t previous = ordinal_;
    name_ = fields[0];
    ordinal_ = number(fields[1]);
    place_ = {{contigs_.number_of(fields[3]), fields[2] == "-", number(fields[4]),
               static_cast<std::int64_t>(number(fields[5]))},
              number(fields[7])};
    if (ordinal_ < previous) {
      fail();
    }
  }

  std::uint64_t number(std::string_view text) const {
    std::uint64_t value = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc()) {
      fail();
    }
    return value;
  }

  [[noreturn]] void fail() const {
    throw std::runtime_error(lines_.path() + ":" + std::to_string(lines_.line_number()) +
                             ": not a row of trawl-oracle, or not in the order of the reads");
  }

  LineReader lines_;
  NameTable& contigs_;
  bool have_row_ = false;
  std::string name_;
  std::uint64_t ordinal_ = 0;
  TablePlace place_;
};

// Reads the SAM, one read at a time. A read begins at its primary record.
class MappedReader {
 public:
  MappedReader(const std::string& path, NameTable& contigs) : sam_(path), contigs_(contigs) {
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
      if (record_.mapped()) {
        const auto distance = record_.integer_tag("NM");
        const std::uint64_t span = reference_span(record_.cigar);
        if (!distance || span == 0) {
          sam_.fail("a mapped record needs a CIGAR and NM");
        }
        read.places.push_back(
            {contigs_.number_of(record_.contig), record_.reverse(), record_.position - 1 + span, *distance});
      }
      have_record_ = sam_.next(record_);
    } while (have_record_ && !record_.primary());
    return true;
  }

  std::uint64_t reads() const { return reads_; }
  std::uint64_t records() const { return records_; }

 private:
  SamReader sam_;
  NameTable& contigs_;
  SamRecord record_;
  bool have_record_ = false;
  std::uint64_t reads_ = 0;
  std::uint64_t records_ = 0;
};

class Comparison {
 public:
  explicit Comparison(const NameTable& contigs) : contigs_(contigs) {}

  void add(const TablePlaces& table, ReadPlaces& found) {
    ReadPlaces expected{table.ordinal, table.name, {table.places.begin(), table.places.end()}};
    for (Place& place : found.places) {
      name_by_leftmost_end(place, table.places);
    }
    std::sort(expected.places.begin(), expected.places.end());
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
  // A record may end at any end of its locus that has the smallest distance.
  static void name_by_leftmost_end(Place& place, const std::vector<TablePlace>& loci) {
    for (const TablePlace& locus : loci) {
      if (locus.contig == place.contig && locus.reverse == place.reverse && locus.distance == place.distance &&
          locus.end <= place.end && place.end <= locus.run_end) {
        place.end = locus.end;
        return;
      }
    }
  }

  // Reports the places of `a` that have no partner in `b`. A duplicate needs its own partner.
  void report(const char* what, const ReadPlaces& a, const ReadPlaces& b, Faults& faults) const {
    std::vector<Place> only;
    std::set_difference(a.places.begin(), a.places.end(), b.places.begin(), b.places.end(), std::back_inserter(only));
    for (const Place& place : only) {
      faults.add(std::string(what) + ": read " + std::to_string(a.ordinal) + " (" + a.name + ") " +
                 contigs_.name_of(place.contig) + (place.reverse ? " - " : " + ") + "end " + std::to_string(place.end) +
                 " distance " + std::to_string(place.distance));
    }
  }

  const NameTable& contigs_;
  Faults missing_{10};
  Faults extra_{10};
  std::uint64_t loci_ = 0;
  std::uint64_t alignments_ = 0;
};

}  // namespace

int check_loci(const std::string& sam_path, const std::string& loci_path) {
  NameTable contigs;
  MappedReader mapped(sam_path, contigs);
  LociReader oracle(loci_path, contigs);
  Comparison comparison(contigs);

  TablePlaces expected;
  ReadPlaces found;
  bool have_expected = oracle.next(expected);
  while (mapped.next(found)) {
    const TablePlaces no_locus{found.ordinal, found.name, {}};
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
