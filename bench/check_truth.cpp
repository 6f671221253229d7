#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <map>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "bench/check.hpp"
#include "bench/sam_records.hpp"

namespace trawl::bench {

namespace {

constexpr std::uint32_t kGoodMapq = 20;
constexpr std::uint32_t kLargestMapq = 255;
constexpr std::uint32_t kCalibratedMapq = 30;  // wrong records are too rare above
constexpr double kEnoughWrong = 20;            // expected in a bin; with fewer, chance decides

struct Truth {
  std::string_view contig;
  std::int64_t start = 0;  // where the read would begin if all of its bases were aligned as these are
  bool reverse = false;
};

// Takes a name apart from its end.
class NameReader {
 public:
  NameReader(std::string_view name, std::string_view rest) : name_(name), rest_(rest) {}

  // Removes _<start0>_<end0>_<strand>_<edits>.
  Truth cut_place() {
    cut_last();
    Truth truth;
    truth.reverse = cut_last() == "-";
    cut_last();
    truth.start = cut_number();
    return truth;
  }

  std::int64_t cut_number() {
    const std::string_view text = cut_last();
    std::int64_t value = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc()) {
      fail();
    }
    return value;
  }

  std::string_view rest() const { return rest_; }

 private:
  // Removes and returns what follows the last underscore.
  std::string_view cut_last() {
    const std::size_t underscore = rest_.rfind('_');
    if (underscore == std::string_view::npos) {
      fail();
    }
    const std::string_view last = rest_.substr(underscore + 1);
    rest_ = rest_.substr(0, underscore);
    return last;
  }

  [[noreturn]] void fail() const { throw std::runtime_error("not a name of trawl-simulate: " + std::string(name_)); }

  std::string_view name_;
  std::string_view rest_;
};

// What the name begins with: sim, pair, or the kind of an artefact.
std::string_view kind_of(std::string_view name) {
  return name.substr(0, std::min(name.find_first_of("0123456789_"), name.size()));
}

// <kind><N>_<contig>: the contig's name may contain underscores.
std::string_view without_number(std::string_view text) {
  return text.substr(std::min(text.size(), text.find('_') + 1));
}

// The places that count as right.
std::vector<Truth> truths_of(const SamRecord& record) {
  const std::string_view name = without_mate(record.name);
  const std::string_view kind = kind_of(name);
  if (kind == "sim" || kind == "pair") {
    NameReader reader(name, name);
    Truth truth = reader.cut_place();
    if (kind == "pair") {
      const Truth first = reader.cut_place();
      if ((record.flag & (kFlagFirst | kFlagSecond)) == 0) {
        throw std::runtime_error(std::string(name) + ": the record does not say which mate it is");
      }
      truth = (record.flag & kFlagFirst) != 0 ? first : truth;
    }
    truth.contig = without_number(reader.rest());
    return {truth};
  }
  std::vector<Truth> truths;
  for (std::string_view rest = without_number(name); !rest.empty();) {
    const std::size_t border = std::min(rest.find('&'), rest.size());
    NameReader reader(name, rest.substr(0, border));
    const std::int64_t before = reader.cut_number();
    Truth truth = reader.cut_place();
    truth.start -= before;
    truth.contig = reader.rest();
    truths.push_back(truth);
    rest.remove_prefix(std::min(border + 1, rest.size()));
  }
  return truths;
}

bool is_right(const SamRecord& record, std::uint64_t slack) {
  // Where the read would begin if its clipped bases were aligned, too.
  const auto start =
      static_cast<std::int64_t>(record.position - 1) - static_cast<std::int64_t>(leading_clip(record.cigar));
  for (const Truth& truth : truths_of(record)) {
    const std::int64_t off = start - truth.start;
    const bool near = off <= static_cast<std::int64_t>(slack) && -off <= static_cast<std::int64_t>(slack);
    if (near && record.contig == truth.contig && record.reverse() == truth.reverse) {
      return true;
    }
  }
  return false;
}

// Mapped records, and how many of them are wrong.
struct Count {
  std::uint64_t records = 0;
  std::uint64_t wrong = 0;

  Count& operator+=(const Count& other) {
    records += other.records;
    wrong += other.wrong;
    return *this;
  }
};

// The reads of one kind, or all.
struct Summary {
  std::uint64_t reads = 0;
  Count all;
  Count good;  // with MAPQ >= 20

  Summary& operator+=(const Summary& other) {
    reads += other.reads;
    all += other.all;
    good += other.good;
    return *this;
  }

  void print() const {
    print_count("reads", reads);
    print_count("mapped", all.records);
    print_count("right", all.records - all.wrong);
    print_percent("percent", all.records - all.wrong, reads);
    print_count("MAPQ >= 20", good.records);
    print_count("right of them", good.records - good.wrong);
    print_count("wrong of them", good.wrong);
    print_percent("percent of reads", good.records - good.wrong, reads);
    print_percent("percent of them", good.records - good.wrong, good.records);
  }
};

void print_kinds(const std::map<std::string, Summary, std::less<>>& kinds) {
  std::printf("kind\treads\tmapped\tright\tMAPQ >= 20\twrong of them\n");
  for (const auto& [kind, summary] : kinds) {
    const auto print = [](std::uint64_t value, char after) {
      std::printf("%llu%c", static_cast<unsigned long long>(value), after);
    };
    std::printf("%s\t", kind.c_str());
    print(summary.reads, '\t');
    print(summary.all.records, '\t');
    print(summary.all.records - summary.all.wrong, '\t');
    print(summary.good.records, '\t');
    print(summary.good.wrong, '\n');
  }
}

using Counts = std::array<Count, kLargestMapq + 1>;

// Neighbouring qualities share a row until it can be expected to have enough wrong records.
void print_calibration(const Counts& counts) {
  std::printf("MAPQ\trecords\twrong\tshare wrong\texpected\twithin a factor of 2\n");
  Count row;
  double expected = 0;  // wrong records
  std::uint32_t first = 0;
  for (std::uint32_t mapq = 0; mapq <= kLargestMapq; ++mapq) {
    const Count& here = counts[mapq];
    if (row.records == 0) {
      first = mapq;
    }
    row += here;
    expected += static_cast<double>(here.records) * std::pow(10.0, -0.1 * mapq);
    const bool ends = expected >= kEnoughWrong || mapq == kCalibratedMapq || mapq == kLargestMapq;
    if (!ends || row.records == 0) {
      continue;
    }
    const auto wrong = static_cast<double>(row.wrong);
    const bool is_near = expected <= 2 * wrong && wrong <= 2 * expected;
    const char* verdict = mapq > kCalibratedMapq    ? "-"
                          : expected < kEnoughWrong ? "too few records"
                          : is_near                 ? "yes"
                                                    : "no";
    const auto records = static_cast<double>(row.records);
    std::printf("%u-%u\t%llu\t%llu\t%.5f\t%.5f\t%s\n", first, mapq, static_cast<unsigned long long>(row.records),
                static_cast<unsigned long long>(row.wrong), wrong / records, expected / records, verdict);
    row = {};
    expected = 0;
  }
}

}  // namespace

int check_truth(const std::string& sam_path, std::uint64_t slack, bool calibration) {
  SamReader sam(sam_path);
  SamRecord record;
  Counts counts;
  std::map<std::string, Summary, std::less<>> kinds;
  while (sam.next(record)) {
    if (!record.primary()) {
      continue;
    }
    const std::string_view kind = kind_of(record.name);
    const auto known = kinds.find(kind);
    Summary& summary = known != kinds.end() ? known->second : kinds[std::string(kind)];
    ++summary.reads;
    if (record.mapped()) {
      const Count count{1, is_right(record, slack) ? 0u : 1u};
      counts[std::min(record.mapq, kLargestMapq)] += count;
      summary.all += count;
      summary.good += record.mapq >= kGoodMapq ? count : Count{};
    }
  }
  Summary total;
  for (const auto& [kind, summary] : kinds) {
    total += summary;
  }
  total.print();
  if (kinds.size() > 1) {
    print_kinds(kinds);
  }
  if (calibration) {
    print_calibration(counts);
  }
  return 0;
}

}  // namespace trawl::bench
