#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
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
  std::uint64_t start = 0;
  bool reverse = false;
};

// Takes a name apart from its end.
class NameReader {
 public:
  explicit NameReader(std::string_view name) : name_(name), rest_(name) {}

  // Removes _<start0>_<end0>_<strand>_<edits>.
  Truth cut_place() {
    cut_last();
    Truth truth;
    truth.reverse = cut_last() == "-";
    cut_last();
    const std::string_view start = cut_last();
    if (std::from_chars(start.data(), start.data() + start.size(), truth.start).ec != std::errc()) {
      fail();
    }
    return truth;
  }

  // sim<N>_<contig>: the contig's name may contain underscores.
  std::string_view contig() const { return rest_.substr(std::min(rest_.size(), rest_.find('_') + 1)); }

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

Truth truth_of(const SamRecord& record) {
  const std::string_view name = without_mate(record.name);
  NameReader reader(name);
  Truth truth = reader.cut_place();
  if (name.starts_with("pair")) {
    const Truth first = reader.cut_place();
    if ((record.flag & (kFlagFirst | kFlagSecond)) == 0) {
      throw std::runtime_error(std::string(name) + ": the record does not say which mate it is");
    }
    truth = (record.flag & kFlagFirst) != 0 ? first : truth;
  }
  truth.contig = reader.contig();
  return truth;
}

bool is_right(const SamRecord& record, std::uint64_t slack) {
  const Truth truth = truth_of(record);
  // Where the read would begin if its clipped bases were aligned, too.
  const auto start =
      static_cast<std::int64_t>(record.position - 1) - static_cast<std::int64_t>(leading_clip(record.cigar));
  const std::int64_t off = start - static_cast<std::int64_t>(truth.start);
  const bool near = off <= static_cast<std::int64_t>(slack) && -off <= static_cast<std::int64_t>(slack);
  return near && record.contig == truth.contig && record.reverse() == truth.reverse;
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
  std::uint64_t reads = 0;
  Counts counts;
  while (sam.next(record)) {
    if (!record.primary()) {
      continue;
    }
    ++reads;
    if (record.mapped()) {
      Count& count = counts[std::min(record.mapq, kLargestMapq)];
      ++count.records;
      count.wrong += is_right(record, slack) ? 0 : 1;
    }
  }
  Count all;
  Count good;
  for (std::uint32_t mapq = 0; mapq <= kLargestMapq; ++mapq) {
    all += counts[mapq];
    if (mapq >= kGoodMapq) {
      good += counts[mapq];
    }
  }
  print_count("reads", reads);
  print_count("mapped", all.records);
  print_count("right", all.records - all.wrong);
  print_percent("percent", all.records - all.wrong, reads);
  print_count("MAPQ >= 20", good.records);
  print_count("right of them", good.records - good.wrong);
  print_percent("percent of reads", good.records - good.wrong, reads);
  print_percent("percent of them", good.records - good.wrong, good.records);
  if (calibration) {
    print_calibration(counts);
  }
  return 0;
}

}  // namespace trawl::bench
