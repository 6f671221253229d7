// The index made while a BAM file is written is the one that htslib makes of the finished file.
#include "io/write/bam_index.hpp"

#include <htslib/sam.h>

#include <algorithm>

#include "io/write/sam_header.hpp"
#include "io/write/sort/sorted_run.hpp"
#include "io/write/text_output.hpp"
#include "tests/catch.hpp"
#include "tests/random_cases.hpp"
#include "tests/unit/io/files.hpp"

using namespace trawl;
using io::BamFields;
using io::BamIndex;
using io::BamRecordInfo;
using io::BamRecords;
using test::file_content;
using test::TempDir;

namespace {

std::vector<sequence::Contig> contigs_of(const std::vector<std::uint64_t>& lengths) {
  std::vector<sequence::Contig> contigs(lengths.size());
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    contigs[i].name = "c" + std::to_string(i);
    contigs[i].length = lengths[i];
  }
  return contigs;
}

// Sorted records of random places and sizes, some larger than a block, the last ones without a place.
std::vector<BamFields> places_of(const std::vector<std::uint64_t>& lengths, std::size_t count) {
  tests::RandomCases random(77);
  std::vector<BamFields> places(count);
  for (BamFields& fields : places) {
    if (random.chance(0.9)) {
      fields.contig = static_cast<std::int32_t>(random.number(0, lengths.size() - 1));
      const std::uint64_t length = lengths[static_cast<std::size_t>(fields.contig)];
      fields.start = static_cast<std::int32_t>(random.number(0, length - 200));
      fields.flag = random.chance(0.1) ? 4 : random.chance(0.5) ? 16 : 0;
    } else {
      fields.flag = 4;
    }
  }
  std::stable_sort(places.begin(), places.end(), [](const BamFields& a, const BamFields& b) {
    return io::sort_key(a.contig, a.start, a.flag) < io::sort_key(b.contig, b.start, b.flag);
  });
  return places;
}

void check_index(const std::vector<std::uint64_t>& lengths, std::size_t count, const std::string& extension) {
  const TempDir dir;
  const auto contigs = contigs_of(lengths);
  REQUIRE(BamIndex::extension(contigs) == extension);
  const std::string path = dir.path("x.bam");
  io::TextOutput output(path, 1);
  std::uint64_t header_in_file = 0;
  output.set_block_visitor([&](std::size_t, std::size_t in_file) { header_in_file += in_file; });
  output.write(io::bam_header(io::sam_header({}, contigs, {}, io::RecordOrder::by_place), contigs), true);
  BamIndex index(contigs, header_in_file);
  output.set_block_visitor([&](std::size_t text, std::size_t in_file) { index.add_block(text, in_file); });
  tests::RandomCases random(78);
  BamRecords records;
  io::TextPart part;
  const auto write = [&] {
    output.place(part, records);
    output.pack(part);
    index.add(records.infos);
    output.write(part);
    records.clear();
  };
  for (BamFields fields : places_of(lengths, count)) {
    const bool is_mapped = (fields.flag & 4) == 0;
    const std::uint32_t cigar = 100 << 4;
    // Sequences are not needed here; the tag makes records of all sizes, some of which end with a block.
    const std::string tag = "XXZ" + random.bases(random.chance(0.01) ? 150000 : random.number(0, 2000)) + '\0';
    fields.cigar_operations = is_mapped ? 1 : 0;
    fields.name_size = 2;
    fields.block_size = static_cast<std::uint32_t>(sizeof fields - 4 + 2 + (is_mapped ? 4 : 0) + tag.size());
    BamRecordInfo info;
    info.at = records.bytes.size();
    info.contig = fields.contig;
    info.start = fields.start;
    info.end = fields.start + (is_mapped ? 100 : 1);
    info.flag = fields.flag;
    info.size = fields.block_size + 4;
    records.bytes.append({reinterpret_cast<const char*>(&fields), sizeof fields});
    records.bytes.append({"r\0", 2});
    records.bytes.append({reinterpret_cast<const char*>(&cigar), is_mapped ? 4u : 0u});
    records.bytes.append(tag);
    records.infos.push_back(info);
    if (random.chance(0.02)) {
      write();
    }
  }
  write();
  output.close();
  const std::string found = dir.path("found");
  io::OutputFile index_file(found);
  index.save(index_file);
  index_file.commit();
  const std::string expected = dir.path("expected");
  REQUIRE(sam_index_build2(path.c_str(), expected.c_str(), extension == ".csi" ? 14 : 0) == 0);
  CHECK(file_content(found) == file_content(expected));
}

}  // namespace

TEST_CASE("BAI and CSI are those of htslib") {
  check_index({1000, 100'000, 3'000'000}, 5000, ".bai");
  check_index({200'000'000, 1000}, 5000, ".bai");
  check_index({1000}, 0, ".bai");
  check_index({1000}, 1, ".bai");
  check_index({std::uint64_t{1} << 29}, 3000, ".bai");
  check_index({1000, (std::uint64_t{1} << 29) + 1}, 5000, ".csi");
  check_index({0x7fffffff, 5000}, 5000, ".csi");
}
