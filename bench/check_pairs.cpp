#include <algorithm>
#include <compare>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bench/check.hpp"

namespace trawl::bench {

namespace {

constexpr std::uint64_t kShownFaults = 20;

// An alignment of a mate.
struct Place {
  std::uint32_t contig = 0;
  std::uint64_t begin = 0;  // 0-based
  std::uint64_t end = 0;    // after the last base
  bool reverse = false;
  std::int64_t distance = 0;
  std::string cigar;

  auto operator<=>(const Place&) const = default;
};

struct PlacePair {
  Place first;
  Place second;

  std::int64_t sum() const { return first.distance + second.distance; }
  auto operator<=>(const PlacePair&) const = default;
};

// A record with all that the check needs of it.
struct Record {
  std::uint32_t flag = 0;
  std::optional<Place> place;
  std::uint32_t position_contig = 0;  // RNAME and POS, of unmapped records, too
  std::uint64_t position = 0;
  std::uint32_t mate_contig = 0;
  std::uint64_t mate_position = 0;
  std::optional<std::int64_t> hit_count;   // NH
  std::optional<std::int64_t> hit_index;   // HI
  std::optional<std::int64_t> score;       // AS
  std::optional<std::int64_t> mate_score;  // YS
  std::uint32_t mapq = 0;

  bool has(std::uint32_t bits) const { return (flag & bits) == bits; }
};

struct Template {
  std::string name;
  std::vector<Record> records;
  std::vector<Record> supplementary;  // other pieces of split mates
  bool supplementary_last = true;     // after all other records
};

// Reads all records of one read or pair at a time. It begins at its primary record: of the first mate, if the record
// is a mate's.
class TemplateReader {
 public:
  TemplateReader(const std::string& path, NameTable& contigs) : sam_(path), contigs_(contigs) {
    have_record_ = sam_.next(record_);
  }

  bool next(Template& read) {
    if (!have_record_) {
      return false;
    }
    if (!begins()) {
      sam_.fail("the first record of a read or pair must be primary, and that of the first mate");
    }
    read.name = std::string(without_mate(record_.name));
    read.records.clear();
    read.supplementary.clear();
    read.supplementary_last = true;
    do {
      if (without_mate(record_.name) != read.name) {
        sam_.fail("a record with another name than the primary one before it");
      }
      if ((record_.flag & kFlagSupplementary) != 0) {
        read.supplementary.push_back(made());
      } else {
        read.supplementary_last = read.supplementary_last && read.supplementary.empty();
        read.records.push_back(made());
      }
      have_record_ = sam_.next(record_);
    } while (have_record_ && !begins());
    return true;
  }

 private:
  bool begins() const { return record_.primary() && (record_.flag & kFlagSecond) == 0; }

  std::uint32_t number_of(std::string_view contig) { return contigs_.number_of(contig); }

  Record made() {
    Record record;
    record.flag = record_.flag;
    record.position_contig = number_of(record_.contig);
    record.position = record_.position;
    record.mate_contig = number_of(record_.mate_contig == "=" ? record_.contig : record_.mate_contig);
    record.mate_position = record_.mate_position;
    record.hit_count = record_.integer_tag("NH");
    record.hit_index = record_.integer_tag("HI");
    record.score = record_.integer_tag("AS");
    record.mate_score = record_.integer_tag("YS");
    record.mapq = record_.mapq;
    if (record_.mapped()) {
      const std::uint64_t span = reference_span(record_.cigar);
      if (!record.score || span == 0) {
        sam_.fail("a mapped record needs a CIGAR and AS");
      }
      std::string cigar(record_.cigar);
      std::replace(cigar.begin(), cigar.end(), 'H', 'S');  // --hard-clip depends on which record is primary
      record.place = Place{record.position_contig, record.position - 1,   record.position - 1 + span,
                           record_.reverse(),      -record.score.value(), std::move(cigar)};
    }
    return record;
  }

  SamReader sam_;
  NameTable& contigs_;
  SamRecord record_;
  bool have_record_ = false;
};

std::vector<Place> places_of(const Template& read) {
  std::vector<Place> places;
  for (const Record& record : read.records) {
    if (record.place) {
      places.push_back(*record.place);
    }
  }
  std::sort(places.begin(), places.end());
  return places;
}

struct PairLimits {
  Orientation orientation = Orientation::fr;
  Range insert;
};

class PairFinder {
 public:
  explicit PairFinder(const PairLimits& limits) : limits_(limits) {}

  // All combinations that fit, sorted. Both lists are sorted.
  std::vector<PlacePair> all(const std::vector<Place>& first, const std::vector<Place>& second) const {
    std::vector<PlacePair> pairs;
    for (const Place& a : first) {
      Place nearest;  // no place before it can be near enough
      nearest.contig = a.contig;
      nearest.begin = a.begin > limits_.insert.last ? a.begin - limits_.insert.last : 0;
      auto b = std::lower_bound(second.begin(), second.end(), nearest);
      for (; b != second.end() && b->contig == a.contig && b->begin <= a.end + limits_.insert.last; ++b) {
        if (fits(a, *b)) {
          pairs.push_back({a, *b});
        }
      }
    }
    std::sort(pairs.begin(), pairs.end());
    return pairs;
  }

 private:
  bool fits(const Place& first, const Place& second) const {
    if ((first.reverse == second.reverse) != (limits_.orientation == Orientation::ff)) {
      return false;
    }
    const bool first_is_left = limits_.orientation == Orientation::rf ? first.reverse : !first.reverse;
    const Place& left = first_is_left ? first : second;
    const Place& right = first_is_left ? second : first;
    const bool dovetail = right.begin < left.begin && right.end < left.end;
    const std::uint64_t insert = std::max(first.end, second.end) - std::min(first.begin, second.begin);
    return !dovetail && limits_.insert.first <= insert && insert <= limits_.insert.last;
  }

  PairLimits limits_;
};

class PairChecker {
 public:
  explicit PairChecker(const PairLimits& limits) : finder_(limits) {}

  void add(const Template& first, const Template& second, const Template& pair) {
    ++pairs_;
    name_ = pair.name;
    const auto expected = finder_.all(places_of(first), places_of(second));
    const auto found = concordant_pairs(pair);
    with_concordant_ += expected.empty() ? 0 : 1;
    expected_ += expected.size();
    found_ += found.size();
    auto sorted = found;
    std::sort(sorted.begin(), sorted.end());
    report("missing", expected, sorted, missing_);
    report("extra", sorted, expected, extra_);
    check_order(found);
    check_alone(pair, first, second, !expected.empty());
    check_hits(pair);
  }

  void add_best(const Template& first, const Template& second, const Template& pair) {
    name_ = pair.name;
    const auto expected = finder_.all(places_of(first), places_of(second));
    const auto found = concordant_pairs(pair);
    check_hits(pair);
    if (found.size() != (expected.empty() ? 0u : 1u)) {
      fault("best: " + std::to_string(found.size()) + " concordant pairs");
      return;
    }
    if (expected.empty()) {
      return;
    }
    ++best_;
    const bool known = std::binary_search(expected.begin(), expected.end(), found[0]);
    const auto least = std::min_element(expected.begin(), expected.end(), by_sum)->sum();
    if (!known || found[0].sum() != least) {
      fault("best: sum " + std::to_string(found[0].sum()) + (known ? "" : ", no pair of the single reads") +
            "; the smallest sum is " + std::to_string(least));
    }
  }

  int result(bool with_best) const {
    print_count("pairs", pairs_);
    print_count("with concordant pairs", with_concordant_);
    print_count("combinations that fit", expected_);
    print_count("concordant pairs", found_);
    print_count("missing", missing_.count());
    print_count("extra", extra_.count());
    if (with_best) {
      print_count("best pairs", best_);
    }
    print_count("faults", faults_.count());
    return missing_.count() + extra_.count() + faults_.count() == 0 ? 0 : 1;
  }

 private:
  static bool by_sum(const PlacePair& a, const PlacePair& b) { return a.sum() < b.sum(); }

  void fault(const std::string& what) { faults_.add("pair " + name_ + ": " + what); }

  // The records with the flag for a concordant pair, two by two. Checks that the two point at each other.
  std::vector<PlacePair> concordant_pairs(const Template& pair) {
    std::vector<PlacePair> found;
    const auto& records = pair.records;
    for (std::size_t r = 0; r < records.size(); ++r) {
      if (!records[r].has(kFlagProper)) {
        continue;
      }
      const Record& a = records[r];
      if (r + 1 == records.size() || !a.has(kFlagFirst) || !records[r + 1].has(kFlagProper | kFlagSecond) || !a.place ||
          !records[r + 1].place) {
        fault("record " + std::to_string(r) + " is in a concordant pair, but has no mate after it");
        continue;
      }
      const Record& b = records[++r];
      const bool equal = a.hit_index == b.hit_index && a.hit_index && a.has(kFlagSecondary) == b.has(kFlagSecondary);
      if (!equal || !points_to(a, b) || !points_to(b, a)) {
        fault("the records of concordant pair " + std::to_string(found.size()) + " do not point at each other");
      }
      found.push_back({*a.place, *b.place});
    }
    return found;
  }

  static bool mate_is_at(const Record& record, const Record& mate) {
    return record.mate_contig == mate.position_contig && record.mate_position == mate.position &&
           record.has(kFlagMateReverse) == mate.has(kFlagReverse) &&
           record.has(kFlagMateUnmapped) == mate.has(kFlagUnmapped);
  }

  static bool points_to(const Record& record, const Record& mate) {
    return mate_is_at(record, mate) && record.mate_score == mate.score;
  }

  void report(const char* what, const std::vector<PlacePair>& a, const std::vector<PlacePair>& b, Faults& faults) {
    std::vector<PlacePair> only;
    std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(only));
    const auto text = [](const Place& place) {
      return std::string(place.reverse ? "-" : "+") + std::to_string(place.begin) + "-" + std::to_string(place.end) +
             "/" + std::to_string(place.distance) + " " + place.cigar;
    };
    for (const PlacePair& pair : only) {
      faults.add(std::string(what) + ": pair " + name_ + " " + text(pair.first) + " with " + text(pair.second));
    }
  }

  // The primary pair has the smallest sum, and the others are sorted by it.
  void check_order(const std::vector<PlacePair>& found) {
    if (!std::is_sorted(found.begin(), found.end(), by_sum)) {
      fault("the sums of the concordant pairs are not in order");
    }
  }

  // Without a concordant pair the mates have the records of single reads.
  void check_alone(const Template& pair, const Template& first, const Template& second, bool is_concordant) {
    for (const std::uint32_t mate : {kFlagFirst, kFlagSecond}) {
      std::vector<Place> alone;
      for (const Record& record : pair.records) {
        if (record.has(mate) && !record.has(kFlagProper) && record.place) {
          alone.push_back(*record.place);
        }
      }
      std::sort(alone.begin(), alone.end());
      const auto single = is_concordant ? std::vector<Place>{} : places_of(mate == kFlagFirst ? first : second);
      if (alone != single) {
        fault(std::string(mate == kFlagFirst ? "first" : "second") + " mate: " + std::to_string(alone.size()) +
              " records alone, but " + std::to_string(single.size()) + " expected");
      }
    }
  }

  // Each mate: one primary record, the first one; NH and HI; a MAPQ only for the primary record.
  void check_hits(const Template& pair) {
    const Record* primaries[2] = {nullptr, nullptr};
    for (const std::uint32_t mate : {kFlagFirst, kFlagSecond}) {
      std::int64_t records = 0;
      for (const Record& record : pair.records) {
        records += record.has(mate) ? 1 : 0;
      }
      std::int64_t index = 0;
      for (const Record& record : pair.records) {
        if (!record.has(mate)) {
          continue;
        }
        const bool primary = ++index == 1;
        if (primary) {
          primaries[mate == kFlagFirst ? 0 : 1] = &record;
        }
        if (!record.has(kFlagPaired) || record.has(kFlagFirst | kFlagSecond) || record.has(kFlagSecondary) == primary) {
          fault("record " + std::to_string(index) + " of a mate has flag " + std::to_string(record.flag));
        }
        if (record.place ? record.hit_count != records || record.hit_index != index : records != 1) {
          fault("NH or HI of record " + std::to_string(index) + " of a mate is wrong");
        }
        if (!primary && record.mapq != 0) {
          fault("a secondary record has MAPQ " + std::to_string(record.mapq));
        }
      }
    }
    if (primaries[0] == nullptr || primaries[1] == nullptr) {
      fault("a mate has no record");
    } else if (!points_to(*primaries[0], *primaries[1]) || !points_to(*primaries[1], *primaries[0])) {
      fault("the primary records do not point at each other");
    } else {
      check_supplementary(pair, *primaries[0], *primaries[1]);
    }
  }

  // After all other records, those of the first mate first; they point to the mate's primary record.
  void check_supplementary(const Template& pair, const Record& first, const Record& second) {
    const auto& records = pair.supplementary;
    if (!pair.supplementary_last || !std::is_sorted(records.begin(), records.end(), [](const auto& a, const auto& b) {
          return !a.has(kFlagSecond) && b.has(kFlagSecond);
        })) {
      fault("the supplementary records are not in order");
    }
    for (const Record& record : records) {
      if (!record.has(kFlagPaired) || record.has(kFlagFirst) == record.has(kFlagSecond) || record.has(kFlagSecondary) ||
          record.hit_count || record.hit_index) {
        fault("a supplementary record has flag " + std::to_string(record.flag) + ", or NH or HI");
      } else if (!mate_is_at(record, record.has(kFlagFirst) ? second : first)) {
        fault("a supplementary record does not point to the primary record of the mate");
      }
    }
  }

  PairFinder finder_;
  std::string name_;
  std::uint64_t pairs_ = 0;
  std::uint64_t with_concordant_ = 0;
  std::uint64_t expected_ = 0;
  std::uint64_t found_ = 0;
  std::uint64_t best_ = 0;
  Faults missing_{10};
  Faults extra_{10};
  Faults faults_{kShownFaults};
};

}  // namespace

int check_pairs(const Arguments& args) {
  PairChecker checker(
      {parse_orientation(args.value("--orientation", "fr")), parse_range("--insert", args.value("--insert", ""))});
  const std::string best = args.value("--best", "");
  NameTable contigs;
  TemplateReader firsts(args.positional(0), contigs);
  TemplateReader seconds(args.positional(1), contigs);
  TemplateReader pairs(args.positional(2), contigs);
  std::optional<TemplateReader> bests;
  if (!best.empty()) {
    bests.emplace(best, contigs);
  }
  Template first;
  Template second;
  Template pair;
  while (firsts.next(first)) {
    const bool complete = seconds.next(second) && pairs.next(pair);
    if (!complete || first.name != second.name || first.name != pair.name) {
      throw std::runtime_error("pair " + first.name + ": the files must hold the same pairs in the same order");
    }
    checker.add(first, second, pair);
    if (bests) {
      if (!bests->next(pair) || pair.name != first.name) {
        throw std::runtime_error(best + ": pair " + first.name + " is missing");
      }
      checker.add_best(first, second, pair);
    }
  }
  if (seconds.next(second) || pairs.next(pair) || (bests && bests->next(pair))) {
    throw std::runtime_error("pair " + first.name + " is the last one of " + args.positional(0) + " only");
  }
  return checker.result(bests.has_value());
}

}  // namespace trawl::bench
