// The sorter's order is that of a stable sort by contig, start and strand, however little memory it has.
#include "io/write/sort/record_sorter.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <tuple>

#include "io/write/bgzf_compressor.hpp"
#include "io/write/record_queue.hpp"
#include "io/write/record_sinks.hpp"
#include "tests/catch.hpp"
#include "tests/random_cases.hpp"
#include "tests/unit/io/files.hpp"

using namespace trawl;
using io::BamFields;
using io::BamRecordInfo;
using io::BamRecords;
using io::RecordChunk;

namespace {

struct Collected : io::ChunkOutput {
  std::vector<std::string> records;
  std::vector<BamRecordInfo> infos;
  std::size_t largest_piece = 0;

  std::unique_ptr<io::Chunk> make_chunk() const override { return std::make_unique<RecordChunk>(); }
  void write(io::Chunk& chunk) override {
    const auto& piece = static_cast<RecordChunk&>(chunk);
    largest_piece = std::max(largest_piece, piece.records.bytes.size());
    for (const BamRecordInfo& info : piece.records.infos) {
      records.emplace_back(piece.records.bytes_of(info));
      infos.push_back(info);
    }
  }
};

constexpr std::uint32_t op(std::uint32_t length, std::uint32_t code) { return length << 4 | code; }

struct Made {
  BamFields fields;
  std::int32_t end;
  std::string bytes;

  // As the order is documented, not as a key.
  auto order() const {
    const bool unplaced = fields.contig < 0;
    return std::tuple(unplaced, unplaced ? 0 : fields.contig, unplaced ? 0 : fields.start,
                      !unplaced && (fields.flag & 16) != 0);
  }
};

// Few places, so that many records have the same one. The name is the number in the input.
Made make_record(tests::RandomCases& random, std::size_t number, std::int32_t contigs) {
  Made made;
  BamFields& fields = made.fields;
  const std::string name = "r" + std::to_string(number);
  std::vector<std::uint32_t> cigar;
  fields.name_size = static_cast<std::uint8_t>(name.size() + 1);
  if (random.chance(0.9)) {
    fields.contig = static_cast<std::int32_t>(random.number(0, static_cast<std::size_t>(contigs) - 1));
    fields.start = static_cast<std::int32_t>(random.chance(0.3) ? 7 : random.number(0, 2000));
    fields.start = random.chance(0.01) ? 0x7ffffffe : fields.start;
    fields.flag = random.chance(0.5) ? 16 : 0;
    if (random.chance(0.8) && fields.start < 5000) {
      cigar = {op(3, 4), op(20, 0), op(2, 1), op(4, 2), op(5, 7), op(1, 8)};
    } else {
      fields.flag |= 4;  // beside its mate
    }
  } else {
    fields.flag = 4;
  }
  made.end = fields.start + (cigar.empty() ? 1 : 30);
  fields.cigar_operations = static_cast<std::uint16_t>(cigar.size());
  // Some records are larger than a group or a range.
  const std::string rest = random.bases(random.chance(0.002) ? 200000 : random.number(0, 300));
  fields.block_size = static_cast<std::uint32_t>(sizeof fields - 4 + name.size() + 1 + 4 * cigar.size() + rest.size());
  made.bytes.assign(reinterpret_cast<const char*>(&fields), sizeof fields);
  made.bytes.append(name).push_back('\0');
  made.bytes.append(reinterpret_cast<const char*>(cigar.data()), 4 * cigar.size());
  made.bytes += rest;
  return made;
}

// Records of which `is_wanted` says so.
template <class IsWanted>
std::vector<Made> make_records(tests::RandomCases& random, std::size_t count, std::int32_t contigs,
                               const IsWanted& is_wanted) {
  std::vector<Made> all;
  while (all.size() < count) {
    Made made = make_record(random, all.size(), contigs);
    if (is_wanted(made)) {
      all.push_back(std::move(made));
    }
  }
  return all;
}
constexpr auto kAny = [](const Made&) { return true; };
constexpr auto kSmall = [](const Made& made) { return made.bytes.size() < 1000; };
constexpr auto kOneKey = [](const Made& made) { return made.fields.contig < 0 && kSmall(made); };

void sort_stably(std::vector<Made>& all) {
  std::stable_sort(all.begin(), all.end(), [](const Made& a, const Made& b) { return a.order() < b.order(); });
}

std::vector<BamRecords> batches_of(const std::vector<Made>& all, tests::RandomCases& random) {
  std::vector<BamRecords> batches;
  for (std::size_t done = 0; done < all.size();) {
    const std::size_t first = done;
    BamRecords& batch = batches.emplace_back();
    const std::size_t size = random.chance(0.1) ? 0 : random.number(1, 400);
    for (; done < all.size() && batch.infos.size() < size; ++done) {
      const Made& made = all[done];
      BamRecordInfo info;
      info.at = batch.bytes.size();
      info.size = static_cast<std::uint32_t>(made.bytes.size());
      info.contig = made.fields.contig;
      info.start = made.fields.start;
      info.flag = made.fields.flag;
      info.end = made.end;
      info.read = static_cast<std::uint32_t>(done - first);
      batch.bytes.append(made.bytes);
      batch.infos.push_back(info);
    }
  }
  return batches;
}

// The records as a sorter with this memory gives them back.
Collected sorted(const std::vector<BamRecords>& batches, std::uint64_t memory, unsigned threads, bool spills,
                 const std::function<void(double)>& progress = {}, const std::vector<bool>* duplicates = nullptr) {
  io::RecordSorter sorter(memory, threads);
  io::MemoryRun::Scratch scratch;
  std::uint64_t first_read = 0;
  for (const BamRecords& batch : batches) {
    sorter.add(std::make_unique<io::MemoryRun>(batch, scratch, first_read));
    first_read += batch.infos.size();
  }
  Collected found;
  sorter.merge(found, progress, duplicates);
  CHECK((sorter.spilled_bytes() > 0) == spills);
  return found;
}

void check_bytes(const Collected& found, const std::vector<Made>& expected) {
  REQUIRE(found.records.size() == expected.size());
  CHECK(std::equal(expected.begin(), expected.end(), found.records.begin(),
                   [](const Made& a, const std::string& b) { return a.bytes == b; }));
}

void check_sorted(std::size_t count, std::int32_t contigs, std::uint64_t memory, unsigned threads, bool spills) {
  tests::RandomCases random(401 + count);
  auto all = make_records(random, count, contigs, kAny);
  double done = 0;
  const Collected found = sorted(batches_of(all, random), memory, threads, spills, [&](double share) {
    CHECK(share > done);
    done = share;
  });
  CHECK(done == 1);
  sort_stably(all);
  check_bytes(found, all);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const BamRecordInfo& info = found.infos[i];
    REQUIRE(std::tuple(info.contig, info.start, info.end, info.flag) ==
            std::tuple(all[i].fields.contig, all[i].fields.start, all[i].end, all[i].fields.flag));
  }
}

// The open files without a name, as paths under which they can be opened again.
std::set<std::string> nameless_files() {
  std::set<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code error;
    const auto target = std::filesystem::read_symlink(entry.path(), error);
    if (!error && target.string().ends_with(" (deleted)")) {
      paths.insert(entry.path());
    }
  }
  return paths;
}

}  // namespace

TEST_CASE("records come out in coordinate order, ties in input order") {
  for (const unsigned threads : {1u, 3u}) {
    check_sorted(20000, 3, std::uint64_t{1} << 30, threads, false);
    check_sorted(20000, 3, std::uint64_t{3} << 20, threads, true);
    // So little memory that each batch becomes a file, and files are merged into larger ones.
    check_sorted(20000, 3, 1000, threads, true);
    check_sorted(5000, 1, 100000, threads, true);
    check_sorted(20000, 1000, std::uint64_t{1} << 20, threads, true);
  }
}

TEST_CASE("no records at all, and one") {
  for (const std::size_t count : {0u, 1u}) {
    check_sorted(count, 1, std::uint64_t{1} << 20, 2, false);
  }
}

TEST_CASE("many records with one key are merged in small pieces, too") {
  tests::RandomCases random(409);
  const auto all = make_records(random, 20000, 1, kOneKey);
  const std::uint64_t memory = std::uint64_t{5} << 20;
  for (const bool spills : {false, true}) {
    const Collected found = sorted(batches_of(all, random), spills ? memory : 4 * memory, 1, spills);
    CHECK(found.largest_piece < (spills ? memory : 4 * memory) / 8);
    check_bytes(found, all);
  }
}

TEST_CASE("the primary records of duplicates get flag 0x400, in memory and from files") {
  tests::RandomCases random(443);
  auto all = make_records(random, 20000, 3, kAny);
  std::vector<bool> duplicates;
  for (Made& made : all) {
    made.fields.flag = static_cast<std::uint16_t>(made.fields.flag | (random.chance(0.2) ? 0x100 : 0));
    std::memcpy(made.bytes.data(), &made.fields, sizeof made.fields);
    duplicates.push_back(random.chance(0.3));
  }
  for (const std::uint64_t memory : {std::uint64_t{1} << 30, std::uint64_t{1} << 20, std::uint64_t{1000}}) {
    const Collected found =
        sorted(batches_of(all, random), memory, 2, memory < std::uint64_t{1} << 30, {}, &duplicates);
    std::vector<Made> expected = all;
    for (std::size_t i = 0; i < all.size(); ++i) {
      BamFields& fields = expected[i].fields;
      if (duplicates[i] && (fields.flag & (0x4 | 0x100)) == 0) {
        fields.flag |= 0x400;
        std::memcpy(expected[i].bytes.data(), &fields, sizeof fields);
      }
    }
    sort_stably(expected);
    check_bytes(found, expected);
    CHECK(std::equal(expected.begin(), expected.end(), found.infos.begin(),
                     [](const Made& a, const BamRecordInfo& b) { return a.fields.flag == b.flag; }));
  }
}

TEST_CASE("a temporary file that was damaged is an error, and nothing is written past the memory for its text") {
  tests::RandomCases random(419);
  const auto all = make_records(random, 200, 1, kSmall);
  io::MemoryRun::Scratch scratch;
  const auto batches = batches_of(all, random);
  std::vector<std::unique_ptr<io::MemoryRun>> made;
  std::vector<const io::SortedRun*> runs;
  for (const BamRecords& batch : batches) {
    runs.push_back(made.emplace_back(std::make_unique<io::MemoryRun>(batch, scratch, 0)).get());
  }
  std::string larger(io::kBgzfBlock, '\0');
  larger.resize(io::BgzfCompressor(1).compress(std::string(io::kBgzfText, 'A'), larger.data()));
  for (const std::string& damage : {larger, std::string(40, '\xff'), std::string(40, '\0')}) {
    const auto before = nameless_files();
    const auto run = io::spill_runs(runs, {.memory = 1 << 20, .threads = 1});
    io::ByteBuffer buffer;
    REQUIRE_NOTHROW(run->groups(0, 1, buffer));
    std::size_t files = 0;
    for (const std::string& path : nameless_files()) {
      if (!before.contains(path)) {
        std::fstream(path, std::ios::in | std::ios::out | std::ios::binary) << damage;
        ++files;
      }
    }
    REQUIRE(files == 1);
    CHECK(test::message_of([&] { run->groups(0, 1, buffer); }) ==
          "a temporary file for sorted records was damaged; is the disk of TMPDIR sound?");
  }
}

namespace {

// The queue of waiting records keeps the output's order, however many records fit in memory.
std::string line_of(const scan::SiteRecord& r) {
  std::string line;
  for (const std::uint64_t n :
       {r.contig, r.start, r.end, std::uint64_t{r.pattern}, std::uint64_t{r.reverse}, std::uint64_t{r.distance},
        std::uint64_t{r.edits}, std::uint64_t{r.mismatches}, std::uint64_t{r.dna_bulges}, std::uint64_t{r.rna_bulges},
        std::uint64_t{r.is_packed}, std::uint64_t{r.gaps}, r.high, r.low}) {
    line += std::to_string(n) + ' ';
  }
  if (!r.texts) {
    return line + "exact";
  }
  line += r.texts->cigar + ' ' + r.texts->md + ' ' + r.texts->text;
  return r.texts->ungapped ? line + " beside " + line_of(*r.texts->ungapped) : line;
}

}  // namespace

TEST_CASE("records that wait come out in order, in memory or not") {
  for (const std::uint64_t most_bytes :
       {std::uint64_t{0}, std::uint64_t{3000}, std::uint64_t{40000}, std::uint64_t{1} << 30}) {
    tests::RandomCases random(301);
    io::RecordQueue queue(most_bytes);
    // The key of each record, and its line.
    std::vector<std::tuple<std::uint64_t, std::uint64_t, std::uint32_t, bool, std::uint64_t, std::string>> all;
    std::vector<std::string> found;
    std::pair<std::uint64_t, std::uint64_t> limit{0, 0};
    const auto write = [&](std::span<const scan::SiteRecord> records) {
      for (const auto& record : records) {
        REQUIRE(std::pair(record.contig, record.start) < limit);
        found.push_back(line_of(record));
      }
    };
    for (int step = 0; step < 300; ++step) {
      std::vector<scan::SiteRecord> records(random.number(0, 30));
      for (auto& r : records) {
        r.contig = limit.first + (random.chance(0.1) ? 1 : 0);
        r.start = (r.contig == limit.first ? limit.second : 0) + random.number(0, 5000);
        r.end = r.start + random.number(1, 50);
        r.pattern = static_cast<std::uint32_t>(all.size());
        r.reverse = random.chance(0.5);
        r.distance = static_cast<std::uint16_t>(random.number(0, 9));
        r.edits = static_cast<std::uint16_t>(random.number(0, 9));
        r.mismatches = static_cast<std::uint16_t>(random.number(0, 9));
        r.dna_bulges = static_cast<std::uint16_t>(random.number(0, 9));
        r.rna_bulges = static_cast<std::uint16_t>(random.number(0, 9));
        if (random.chance(0.5)) {
          r.is_packed = true;
          r.gaps = static_cast<std::uint32_t>(random.number(0, UINT32_MAX));
          r.high = random.number(0, UINT64_MAX);
          r.low = random.number(0, UINT64_MAX);
        }
        if (random.chance(0.7)) {
          r.texts = std::make_unique<scan::RecordTexts>();
          r.texts->cigar = random.chance(0.1) ? "" : "20M";
          r.texts->md = random.bases(random.number(0, 40));
          // Some records are larger than what is read at a time.
          r.texts->text = random.bases(random.chance(0.002) ? 200000 : random.number(0, 60));
        }
        if (r.texts && random.chance(0.3)) {
          scan::SiteRecord beside = scan::copy_of(r);
          beside.start += random.number(0, 3);
          beside.texts->cigar = "23M";
          r.texts->ungapped = std::make_shared<const scan::SiteRecord>(std::move(beside));
        }
        all.push_back({r.contig, r.start, r.pattern, r.reverse, r.end, line_of(r)});
      }
      queue.take(records);
      REQUIRE(records.empty());
      if (random.chance(0.7)) {
        // Sometimes nothing may be written for a long time.
        limit.second += step > 100 && step < 200 ? 0 : random.number(0, 2000);
        if (random.chance(0.05)) {
          limit = {limit.first + 1, 0};
        }
        queue.write_until(limit, write);
      }
    }
    limit = {UINT64_MAX, 0};
    queue.write_until(limit, write);
    std::sort(all.begin(), all.end());
    REQUIRE(found.size() == all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      REQUIRE(found[i] == std::get<5>(all[i]));
    }
    REQUIRE((queue.spilled_bytes() > 0) == (most_bytes < std::uint64_t{1} << 30));
  }
}

TEST_CASE("more records than are written at a time, of three contigs and many at one place") {
  for (const std::uint64_t most_bytes : {std::uint64_t{4} << 20, std::uint64_t{1} << 30}) {
    tests::RandomCases random(302);
    io::RecordQueue queue(most_bytes);
    using Key = std::tuple<std::uint64_t, std::uint64_t, std::uint32_t>;
    std::vector<Key> expected;
    std::vector<std::vector<scan::SiteRecord>> pieces(300);
    for (auto& piece : pieces) {
      piece.resize(1000);
      for (scan::SiteRecord& record : piece) {
        record.contig = random.number(5, 7);
        record.start = random.chance(0.3) ? 4000 : random.number(0, 100000);
        record.pattern = static_cast<std::uint32_t>(expected.size() * 7919 % 300000);
        expected.emplace_back(record.contig, record.start, record.pattern);
      }
    }
    std::sort(expected.begin(), expected.end());
    std::vector<Key> found;
    const auto write = [&](std::span<const scan::SiteRecord> records) {
      for (const auto& record : records) {
        found.emplace_back(record.contig, record.start, record.pattern);
      }
    };
    queue.take(pieces);
    queue.write_until({5, 4000}, write);
    REQUIRE(found.size() > 1000);
    REQUIRE(std::get<0>(expected[found.size()]) == 5);
    REQUIRE(std::get<1>(expected[found.size()]) >= 4000);
    queue.write_until({UINT64_MAX, 0}, write);
    REQUIRE((found == expected));
    REQUIRE((queue.spilled_bytes() > 0) == (most_bytes < std::uint64_t{1} << 30));
  }
}
