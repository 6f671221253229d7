#include "io/index/saved_index.hpp"

#include <tbb/task_arena.h>
#include <utime.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>

#include "base/error.hpp"
#include "io/read/reference_files.hpp"
#include "tests/catch.hpp"
#include "tests/random_cases.hpp"
#include "tests/reseal_index.hpp"
#include "tests/unit/io/files.hpp"

using namespace trawl;
using io::SavedIndex;
using test::file_content;
using test::message_of;
using test::TempDir;
using tests::map_reads;

namespace {

constexpr unsigned kThreads = 2;

// `shard`: positions per shard of the seed index.
SavedIndex make_index(const std::vector<std::string>& contigs, unsigned q, std::uint64_t shard) {
  SavedIndex index;
  index.fasta = {"some/genome.fa", "/data/some/genome.fa", 12345, 1700000000123456789};
  index.reference = tests::make_reference(contigs);
  index.md5s = io::contig_md5s(index.reference);
  index.seeds = std::make_shared<seed::SeedIndex>(index.reference, q, kThreads, shard);
  return index;
}

void save(const SavedIndex& index, const std::string& path) {
  io::OutputFile file(path);
  io::save_index(index, file);
  file.commit();
}

std::string saved(const SavedIndex& index) {
  const TempDir dir;
  save(index, dir.path("x"));
  return file_content(dir.path("x"));
}

SavedIndex parse(const std::string& file) {
  return io::read_saved_index("x.trawl", file, std::make_shared<const int>(0));
}

template <class T>
bool same(const sequence::HugeArray<T>& a, const sequence::HugeArray<T>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

void check_equal(const SavedIndex& a, const SavedIndex& b) {
  CHECK(a.fasta == b.fasta);
  CHECK(a.md5s == b.md5s);
  REQUIRE(a.reference.contigs().size() == b.reference.contigs().size());
  for (std::size_t c = 0; c < a.reference.contigs().size(); ++c) {
    CHECK(a.reference.contigs()[c].name == b.reference.contigs()[c].name);
    CHECK(a.reference.contigs()[c].offset == b.reference.contigs()[c].offset);
    CHECK(a.reference.contigs()[c].length == b.reference.contigs()[c].length);
  }
  REQUIRE(a.reference.size() == b.reference.size());
  CHECK(a.reference.bases() == b.reference.bases());
  std::size_t equal = 0;
  for (std::uint64_t i = 0; i < a.reference.size(); ++i) {
    equal += a.reference.letter(i) == b.reference.letter(i);
  }
  CHECK(equal == a.reference.size());
  for (std::uint64_t w = 0; w < a.reference.size() / 64; ++w) {
    REQUIRE(a.reference.ambiguous()[w] == b.reference.ambiguous()[w]);
    REQUIRE(a.reference.block_has_ambiguous(w) == b.reference.block_has_ambiguous(w));
  }
  CHECK(a.reference.ambiguous_runs().size() == b.reference.ambiguous_runs().size());
  CHECK(a.seeds->q() == b.seeds->q());
  REQUIRE(a.seeds->shards().size() == b.seeds->shards().size());
  for (std::size_t s = 0; s < a.seeds->shards().size(); ++s) {
    const auto& left = a.seeds->shards()[s];
    const auto& right = b.seeds->shards()[s];
    CHECK(left.begin == right.begin);
    CHECK(left.end == right.end);
    CHECK(same(left.offsets, right.offsets));
    CHECK(same(left.positions, right.positions));
  }
}

}  // namespace

TEST_CASE("a saved index gives back what was saved, whatever the contigs and shards") {
  tests::RandomCases random(501);
  const TempDir dir;
  for (int n = 0; n < 12; ++n) {
    const auto contigs =
        n == 0 ? std::vector<std::string>{std::string(300, 'N'), "A"} : random.contigs(random.chance(0.6) ? 0.02 : 0);
    const std::uint64_t shard = random.chance(0.5) ? random.number(64, 3000) : std::uint64_t{1} << 31;
    const SavedIndex made = make_index(contigs, static_cast<unsigned>(random.number(8, 9)), shard);
    CAPTURE(n, contigs.size(), made.seeds->shards().size());
    save(made, dir.path("x"));
    CHECK(io::is_saved_index(dir.path("x")));
    io::check_saved_index(dir.path("x"));
    check_equal(io::open_saved_index(dir.path("x")), made);
  }
}

TEST_CASE("the bytes of a saved index do not depend on the threads") {
  tests::RandomCases random(502);
  const SavedIndex index = make_index({random.contig(200000, 0.001)}, 10, std::uint64_t{1} << 31);
  const std::string many = saved(index);
  CHECK(tbb::task_arena(1).execute([&] { return saved(index); }) == many);
  CHECK(parse(many).seeds->q() == 10);
}

TEST_CASE("a saved index that is cut short, at any place") {
  const std::string file = saved(make_index({"ACGTNACGTTACG", "GGGATTACA"}, 8, 640));
  for (std::size_t length : {0, 7, 8, 40, 71, 72, 100, 500, 4096, 5000, 12288}) {
    CAPTURE(length);
    CHECK(message_of([&] { parse(file.substr(0, length)); }).find("cut short") != std::string::npos);
  }
  tests::RandomCases random(503);
  for (int n = 0; n < 200; ++n) {
    const std::size_t length = random.number(0, file.size() - 1);
    CHECK_THROWS_AS(parse(file.substr(0, length)), InputError);
  }
  CHECK(message_of([&] { parse(file.substr(0, file.size() - 1)); }).find("x.trawl: the saved index is cut short") == 0);
  CHECK(message_of([&] { parse(file + "x"); }).find("other data follow") != std::string::npos);
}

TEST_CASE(
    "a byte of a saved index that is changed is found by the check, and at the start if it is in a small section") {
  const std::string file = saved(make_index({"ACGTNACGTTACG", "GGGATTACA"}, 8, std::uint64_t{1} << 31));
  const auto sections = tests::sections_of(file);
  const std::size_t table_end = sizeof(io::FileHeader) + sections.size() * sizeof(io::IndexSection);
  const TempDir dir;
  tests::RandomCases random(504);
  const auto check = [&](std::size_t at, bool found_at_start) {
    std::string damaged = file;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << random.number(0, 7)));
    CAPTURE(at);
    CHECK_THROWS_AS(io::check_saved_index(dir.write("x", damaged)), InputError);
    if (found_at_start) {
      CHECK_THROWS_AS(parse(damaged), InputError);
    }
  };
  for (std::size_t at = 0; at < table_end; ++at) {
    check(at, true);
  }
  for (const io::IndexSection& section : sections) {
    const bool is_small = section.kind <= io::SectionKind::summary;
    for (int n = 0; n < 10; ++n) {
      check(section.begin + random.number(0, section.bytes - 1), is_small);
    }
  }
}

TEST_CASE("a saved index of another version or machine") {
  const std::string file = saved(make_index({"ACGTNACGTTACG"}, 8, std::uint64_t{1} << 31));
  const auto with = [&](auto change) {
    io::FileHeader header = tests::header_of(file);
    change(header);
    std::string changed = file;
    tests::reseal(changed, header, tests::sections_of(file));
    return message_of([&] { parse(changed); });
  };
  CHECK(with([](io::FileHeader&) {}).empty());
  const std::string newer = with([](io::FileHeader& h) {
    h.format = io::kCircularIndexFormat + 1;
    h.made_by = {"9.9.9"};
  });
  CHECK(newer.find("made by a newer version of Trawl (9.9.9), in format") != std::string::npos);
  CHECK(newer.find("make it again: trawl index REF -o x.trawl") != std::string::npos);
  CHECK(with([](io::FileHeader& h) { h.format = 0; }).find("made by an older version") != std::string::npos);
  CHECK(with([](io::FileHeader& h) { h.byte_order = 0x04030201; }).find("another byte order") != std::string::npos);
  CHECK(with([](io::FileHeader& h) { h.sections = 0; }).find("its table of sections is empty") != std::string::npos);
  CHECK(with([](io::FileHeader& h) { h.magic[0] = 'T'; }).find("is not a saved index") != std::string::npos);
}

TEST_CASE("a saved index with wrong content but right checksums is refused, or safe to use") {
  tests::RandomCases random(505);
  const auto contigs = random.contigs(0.02);
  const std::string file = saved(make_index(contigs, 8, 900));
  std::vector<std::string> reads;
  for (int n = 0; n < 20; ++n) {
    reads.push_back(random.read(contigs, 40, 2, 0));
  }
  int refused = 0;
  int used = 0;
  for (int n = 0; n < 600; ++n) {
    std::string changed = file;
    io::FileHeader header = tests::header_of(file);
    auto sections = tests::sections_of(file);
    for (std::size_t changes = random.number(1, 3); changes > 0; --changes) {
      const auto change = [&](char* bytes, std::size_t size) {
        bytes[random.number(0, size - 1)] = static_cast<char>(random.chance(0.3) ? 0xff : random.number(0, 255));
      };
      io::IndexSection& section = sections[random.number(0, sections.size() - 1)];
      switch (random.number(0, 4)) {
        case 0:
          change(reinterpret_cast<char*>(&header), sizeof header);
          break;
        case 1:
          change(reinterpret_cast<char*>(&section), sizeof section);
          break;
        default:
          if (section.begin < changed.size() && section.bytes <= changed.size() - section.begin && section.bytes > 0) {
            for (int k = 0; k < 50; ++k) {
              change(changed.data() + section.begin, section.bytes);
            }
          }
      }
    }
    tests::reseal(changed, header, sections);
    CAPTURE(n);
    try {
      map_reads(parse(changed), reads);
      ++used;
    } catch (const Error&) {
      ++refused;
    }
  }
  CHECK(refused > 100);
  CHECK(used > 100);
}

TEST_CASE("damaged seeds end the run with a message") {
  tests::RandomCases random(506);
  const std::string contig = random.bases(3000);
  const std::vector<std::string> reads = {contig.substr(100, 60), contig.substr(2000, 60)};
  const std::string file = saved(make_index({contig}, 8, std::uint64_t{1} << 31));
  const auto sections = tests::sections_of(file);
  const auto section = [&](io::SectionKind kind) {
    return *std::find_if(sections.begin(), sections.end(), [&](const io::IndexSection& s) { return s.kind == kind; });
  };
  const auto fails_with = [&](io::SectionKind kind, std::uint32_t value, std::size_t skip) {
    std::string changed = file;
    const io::IndexSection where = section(kind);
    for (std::size_t at = skip * 4; at + skip * 4 < where.bytes; at += 4) {
      std::memcpy(changed.data() + where.begin + at, &value, 4);
    }
    const SavedIndex index = parse(changed);
    return message_of([&] { map_reads(index, reads); });
  };
  const std::string expected = "the seeds of the saved index are damaged";
  CHECK(message_of([&] { map_reads(parse(file), reads); }).empty());
  CHECK(fails_with(io::SectionKind::offsets, 0xfffffff0, 1).find(expected) == 0);
  CHECK(fails_with(io::SectionKind::positions, 0xfffffff0, 0).find(expected) == 0);
  CHECK(fails_with(io::SectionKind::positions, 3, 0).find(expected) == 0);  // in the gap before the first contig
  // One position is damaged: no other seed confirms it.
  const io::IndexSection positions = section(io::SectionKind::positions);
  const std::uint32_t place = static_cast<std::uint32_t>(sequence::kContigGap) + 120;
  std::string changed = file;
  for (std::size_t at = positions.begin; at + 4 <= positions.begin + positions.bytes; at += 4) {
    std::uint32_t value = 0;
    std::memcpy(&value, file.data() + at, 4);
    value = value >= place && value < place + 20 ? 0xfffffff0 : value;
    std::memcpy(changed.data() + at, &value, 4);
  }
  CHECK(message_of([&] { map_reads(parse(changed), reads); }).find(expected) == 0);
}

TEST_CASE("the FASTA of an index is compared by size, and by time") {
  const TempDir dir;
  const std::string fasta = dir.write("g.fa", ">c\nACGT\n");
  SavedIndex index = make_index({"ACGT"}, 8, std::uint64_t{1} << 31);
  index.fasta = io::fasta_identity(fasta);
  CHECK(index.fasta.bytes == 8);
  CHECK(index.fasta.absolute_path == fasta);
  const std::string path = dir.path("g.trawl");
  CHECK(io::compare_with_fasta(path, index.fasta).empty());
  CHECK(io::find_fasta(path, index.fasta) == fasta);

  const utimbuf old{1000000, 1000000};
  REQUIRE(::utime(fasta.c_str(), &old) == 0);
  CHECK(io::compare_with_fasta(path, index.fasta).find("warning: " + fasta) == 0);
  dir.write("g.fa", ">c\nACGTA\n");
  CHECK(message_of([&] { io::compare_with_fasta(path, index.fasta); }).find("it had 8 bytes, and has 9 now") !=
        std::string::npos);
  CHECK_THROWS_AS(io::compare_with_fasta(path, index.fasta), InputError);

  // It may have moved together with the index, or be gone.
  std::filesystem::create_directory(dir.path("moved"));
  std::filesystem::rename(fasta, dir.path("moved/g.fa"));
  CHECK(!io::find_fasta(path, index.fasta));
  CHECK(io::compare_with_fasta(path, index.fasta).empty());
  CHECK(io::find_fasta(dir.path("moved/g.trawl"), index.fasta) == dir.path("moved/g.fa"));

  CHECK(io::fasta_identity("-").absolute_path.empty());
  CHECK(!io::is_saved_index(dir.path("moved/g.fa")));
  CHECK(!io::is_saved_index(dir.path("nothing")));
  CHECK(!io::is_saved_index("-"));
  CHECK(message_of([&] { io::open_saved_index(dir.path("nothing")); }).find("cannot read: No such file") !=
        std::string::npos);
}
