#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "bench/check.hpp"

namespace trawl::bench {

namespace {

constexpr std::uint32_t kGoodMapq = 20;
constexpr std::uint32_t kHighMapq = 40;
constexpr std::uint32_t kTopMapq = 60;
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

// Which of two places in a name is the record's.
bool is_second_mate(const SamRecord& record, std::string_view name) {
  if ((record.flag & (kFlagFirst | kFlagSecond)) == 0) {
    throw std::runtime_error(std::string(name) + ": the record does not say which mate it is");
  }
  return (record.flag & kFlagSecond) != 0;
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
      truth = is_second_mate(record, name) ? truth : first;
    }
    truth.contig = without_number(reader.rest());
    return {truth};
  }
  std::string_view rest = without_number(name);
  if (const std::size_t border = rest.find('~'); border != std::string_view::npos) {  // of a library; single: mate 1
    const bool second = (record.flag & kFlagPaired) != 0 && is_second_mate(record, name);
    rest = second ? rest.substr(border + 1) : rest.substr(0, border);
  }
  std::vector<Truth> truths;
  while (!rest.empty()) {
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

// Mapped records, how many of them are wrong, and how many have flag 0x2.
struct Count {
  std::uint64_t records = 0;
  std::uint64_t wrong = 0;
  std::uint64_t proper = 0;

  Count& operator+=(const Count& other) {
    records += other.records;
    wrong += other.wrong;
    proper += other.proper;
    return *this;
  }
};

// The reads of one kind, or all.
struct Summary {
  std::uint64_t reads = 0;
  std::array<Count, kLargestMapq + 1> mapped;  // by MAPQ

  Count from(std::uint32_t mapq) const {
    Count sum;
    for (; mapq <= kLargestMapq; ++mapq) {
      sum += mapped[mapq];
    }
    return sum;
  }

  Summary& operator+=(const Summary& other) {
    reads += other.reads;
    for (std::size_t mapq = 0; mapq < mapped.size(); ++mapq) {
      mapped[mapq] += other.mapped[mapq];
    }
    return *this;
  }

  void print() const {
    const Count all = from(0);
    const Count good = from(kGoodMapq);
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

using Kinds = std::map<std::string, Summary, std::less<>>;

void print_row(const std::string& first, std::initializer_list<std::uint64_t> numbers) {
  std::printf("%s", first.c_str());
  for (const std::uint64_t number : numbers) {
    std::printf("\t%llu", static_cast<unsigned long long>(number));
  }
  std::printf("\n");
}

void print_kinds(const Kinds& kinds) {
  std::printf("kind\treads\tmapped\tproper\tright\tMAPQ >= 20\twrong of them\tMAPQ >= 40\twrong with 60 and more\n");
  for (const auto& [kind, summary] : kinds) {
    const Count all = summary.from(0);
    const Count good = summary.from(kGoodMapq);
    print_row(kind, {summary.reads, all.records, all.proper, all.records - all.wrong, good.records, good.wrong,
                     summary.from(kHighMapq).records, summary.from(kTopMapq).wrong});
  }
}

void print_counts(const Kinds& kinds) {
  std::printf("kind\tMAPQ\treads\tproper\twrong\n");
  for (const auto& [kind, summary] : kinds) {
    print_row(kind + "\t-", {summary.reads - summary.from(0).records, 0, 0});
    for (std::size_t mapq = 0; mapq < summary.mapped.size(); ++mapq) {
      if (const Count& count = summary.mapped[mapq]; count.records > 0) {
        print_row(kind + '\t' + std::to_string(mapq), {count.records, count.proper, count.wrong});
      }
    }
  }
}

// Neighbouring qualities share a row until it can be expected to have enough wrong records.
void print_calibration(const Summary& total) {
  std::printf("MAPQ\trecords\twrong\tshare wrong\texpected\twithin a factor of 2\n");
  Count row;
  double expected = 0;  // wrong records
  std::uint32_t first = 0;
  for (std::uint32_t mapq = 0; mapq <= kLargestMapq; ++mapq) {
    const Count& here = total.mapped[mapq];
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

int check_truth(const Arguments& args) {
  const std::uint64_t slack = args.integer("--slack", 10);
  SamReader sam(args.positional(0));
  SamRecord record;
  Kinds kinds;
  while (sam.next(record)) {
    if (!record.primary()) {
      continue;
    }
    const std::string_view kind = kind_of(record.name);
    const auto known = kinds.find(kind);
    Summary& summary = known != kinds.end() ? known->second : kinds[std::string(kind)];
    ++summary.reads;
    if (record.mapped()) {
      summary.mapped[std::min(record.mapq, kLargestMapq)] +=
          {1, is_right(record, slack) ? 0u : 1u, (record.flag & kFlagProper) != 0 ? 1u : 0u};
    }
  }
  if (args.has("--counts")) {
    print_counts(kinds);
    return 0;
  }
  Summary total;
  for (const auto& [kind, summary] : kinds) {
    total += summary;
  }
  total.print();
  if (kinds.size() > 1) {
    print_kinds(kinds);
  }
  if (args.has("--calibration")) {
    print_calibration(total);
  }
  return 0;
}

}  // namespace trawl::bench
