#include <htslib/bgzf.h>
#include <tbb/parallel_for.h>
#include <zlib.h>

#include <random>
#include <string>
#include <vector>

#include "io/write/text_output.hpp"
#include "tests/catch.hpp"
#include "tests/unit/io/files.hpp"

using namespace trawl;
using io::kBgzfBlock;
using io::kBgzfText;

namespace {

struct Block {
  std::string text;
  std::size_t in_file = 0;
};

// The text of one gzip member at the begin of `bytes`, decompressed and checked by zlib.
Block first_block(std::string_view bytes) {
  z_stream stream{};
  REQUIRE(inflateInit2(&stream, 15 + 16) == Z_OK);
  Block block;
  block.text.resize(kBgzfBlock);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(block.text.data());
  stream.avail_out = static_cast<uInt>(block.text.size());
  REQUIRE(inflate(&stream, Z_FINISH) == Z_STREAM_END);
  block.text.resize(stream.total_out);
  block.in_file = stream.total_in;
  inflateEnd(&stream);
  return block;
}

// All blocks of a file but the last one, which must be the end marker.
std::vector<Block> blocks_of(const std::string& path) {
  const std::string content = test::file_content(path);
  std::vector<Block> blocks;
  for (std::size_t at = 0; at < content.size();) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(content.data() + at);
    blocks.push_back(first_block(std::string_view(content).substr(at)));
    CHECK(blocks.back().in_file == bytes[16] + 256u * bytes[17] + 1);
    at += blocks.back().in_file;
  }
  REQUIRE(!blocks.empty());
  CHECK(content.ends_with(io::kBgzfEnd));
  CHECK(blocks.back().text.empty());
  blocks.pop_back();
  return blocks;
}

std::string text_of(std::size_t size, unsigned letters, unsigned seed) {
  std::mt19937 random(seed);
  std::string text(size, ' ');
  for (char& c : text) {
    c = static_cast<char>(random() % letters);
  }
  return text;
}

io::BamRecords records_of(const std::vector<std::size_t>& sizes, unsigned seed) {
  io::BamRecords records;
  for (const std::size_t size : sizes) {
    io::BamRecordInfo info;
    info.at = records.bytes.size();
    info.size = static_cast<std::uint32_t>(size);
    records.bytes.append(text_of(size, 5, seed++));
    records.infos.push_back(info);
  }
  return records;
}

}  // namespace

TEST_CASE("a block holds its text, at every level, for any size and content") {
  for (int level = 0; level <= io::kMostCompression; ++level) {
    io::BgzfCompressor compressor(level);
    for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{255}, std::size_t{4096},
                                   kBgzfText - 1, kBgzfText}) {
      for (const unsigned letters : {1u, 4u, 256u}) {
        INFO("level " << level << ", " << size << " bytes of " << letters << " kinds");
        const std::string text = text_of(size, letters, 7);
        std::string block(kBgzfBlock, '\0');
        const std::size_t bytes = compressor.compress(text, block.data());
        REQUIRE(bytes <= kBgzfBlock);
        block.resize(bytes);
        const Block read = first_block(block);
        CHECK((read.text == text));
        CHECK(read.in_file == bytes);
        if (letters < 256 && size >= 4096) {
          CHECK((bytes < size) == (level > 0));
        }
      }
    }
  }
}

TEST_CASE("a block does not depend on what was in memory before") {
  const std::string text = text_of(kBgzfText, 5, 7);
  for (int level = 1; level <= io::kMostCompression; ++level) {
    std::string first;
    for (std::uint16_t before = 0; before < 16; ++before) {
      INFO("level " << level << ", memory full of " << before);
      // Memory of many sizes, which the compressor probably gets.
      for (std::size_t size = 64; size < std::size_t{1} << 18; size += size / 4) {
        const std::vector<std::uint16_t> freed(size, before);
        CHECK(freed.back() == before);
      }
      io::BgzfCompressor compressor(level);
      std::string block(kBgzfBlock, '\0');
      block.resize(compressor.compress(text, block.data()));
      if (before == 0) {
        first = block;
      }
      CHECK((block == first));
    }
  }
}

TEST_CASE("a block does not depend on what follows its text in memory") {
  std::mt19937 random(41);
  for (int level = 1; level <= io::kMostCompression; ++level) {
    INFO("level " << level);
    io::BgzfCompressor compressor(level);
    for (int i = 0; i < 3000; ++i) {
      const std::size_t size = 1 + random() % (i % 3 == 0 ? 2000 : 300);
      std::string memory = text_of(size + 600, 5, random());
      std::string blocks[2];
      for (std::string& block : blocks) {
        block.resize(kBgzfBlock);
        block.resize(compressor.compress(std::string_view(memory).substr(0, size), block.data()));
        memory.replace(size, 600, text_of(600, 5, random()));
      }
      CHECK((blocks[0] == blocks[1]));
    }
  }
}

TEST_CASE("a block does not depend on which compressor makes it") {
  std::mt19937 random(43);
  for (int level = 1; level <= io::kMostCompression; ++level) {
    INFO("level " << level);
    std::vector<io::BgzfCompressor> compressors;  // at different addresses
    for (int i = 0; i < 6; ++i) {
      compressors.emplace_back(level);
    }
    for (int i = 0; i < 3000; ++i) {
      const std::string text = text_of(1 + random() % 600, 5, random());
      std::string first;
      for (auto& compressor : compressors) {
        std::string block(kBgzfBlock, '\0');
        block.resize(compressor.compress(text, block.data()));
        if (first.empty()) {
          first = block;
        }
        CHECK((block == first));
      }
    }
  }
}

TEST_CASE("higher levels of compression are not larger") {
  // Like BAM: numbers, names, bases, qualities.
  std::string text;
  std::mt19937 random(3);
  for (int i = 0; text.size() + 300 < kBgzfText; ++i) {
    text += "read" + std::to_string(i * 37) + text_of(60, 256, random()).substr(0, 20);
    for (int q = 0; q < 100; ++q) {
      text += "########FFFFFFFFIIIIIIIIIII,"[random() % 28];
    }
    text += "NM:i:0 MD:Z:100 AS:i:0";
  }
  std::vector<std::size_t> sizes;
  std::string block(kBgzfBlock, '\0');
  for (int level = 0; level <= io::kMostCompression; ++level) {
    sizes.push_back(io::BgzfCompressor(level).compress(text, block.data()));
  }
  for (std::size_t level = 1; level < sizes.size(); ++level) {
    INFO("level " << level << ": " << sizes[level] << ", before " << sizes[level - 1]);
    CHECK(sizes[level] <= sizes[level - 1] + sizes[level - 1] / 50);
  }
  CHECK(sizes.back() < sizes[1]);
}

TEST_CASE("blocks end where htslib ends them") {
  using Sizes = std::vector<std::size_t>;
  std::vector<Sizes> cases{{},
                           {kBgzfText},
                           {kBgzfText, kBgzfText},
                           {kBgzfText - 1, 1, 1},
                           {kBgzfText - 1, 2, kBgzfText - 2, 3},
                           {100, 3 * kBgzfText, 100},
                           {100, 3 * kBgzfText - 100, 100},
                           {kBgzfText + 1, kBgzfText - 1, 5},
                           {60'000, 10'000, 60'000}};
  std::mt19937 random(5);
  for (int i = 0; i < 30; ++i) {
    Sizes sizes;
    for (unsigned n = random() % 300; n > 0; --n) {
      sizes.push_back(random() % 20 == 0 ? random() % 200'000 : 36 + random() % 3000);
    }
    cases.push_back(sizes);
  }
  test::TempDir dir;
  for (const Sizes& sizes : cases) {
    const io::BamRecords records = records_of(sizes, 11);
    BGZF* file = bgzf_open(dir.path("expected").c_str(), "w1");
    REQUIRE(bgzf_write(file, "header", 6) == 6);
    REQUIRE(bgzf_flush(file) == 0);
    for (const auto& info : records.infos) {  // as bam_write1()
      REQUIRE(bgzf_flush_try(file, static_cast<ssize_t>(info.size)) == 0);
      REQUIRE(bgzf_write(file, records.bytes_of(info).data(), info.size) == static_cast<ssize_t>(info.size));
    }
    REQUIRE(bgzf_close(file) == 0);
    const auto expected = blocks_of(dir.path("expected"));

    io::TextOutput output(dir.path("found"), 1);
    std::vector<Block> seen;
    output.set_block_visitor([&](std::size_t text, std::size_t in_file) {
      seen.push_back({std::string(text, 'x'), in_file});
    });
    output.write("header", true);
    io::TextPart part;
    output.place(part, records);
    output.pack(part);
    output.write(part);
    output.close();
    const auto found = blocks_of(dir.path("found"));
    REQUIRE(found.size() == expected.size());
    REQUIRE(seen.size() == found.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      CHECK((found[i].text == expected[i].text));
      CHECK(seen[i].text.size() == found[i].text.size());
      CHECK(seen[i].in_file == found[i].in_file);
    }
  }
}

TEST_CASE("blocks do not depend on the parts in which records and text come") {
  test::TempDir dir;
  std::mt19937 random(17);
  std::vector<std::size_t> sizes;
  for (int i = 0; i < 4000; ++i) {
    sizes.push_back(i % 1000 == 999 ? 150'000 : 36 + random() % 500);
  }
  const io::BamRecords all = records_of(sizes, 23);
  std::string first_of_records;
  std::string first_of_text;
  for (const std::size_t most : {std::size_t{4000}, std::size_t{1}, std::size_t{7}, std::size_t{900}}) {
    INFO("parts of up to " << most);
    io::TextOutput by_record(dir.path("records"), 1);
    io::TextOutput by_text(dir.path("text"), 1);
    std::vector<io::BamRecords> records(4000 / most + 1);
    std::vector<io::TextPart> parts(records.size());
    std::vector<io::TextPart> text_parts(records.size());
    for (std::size_t p = 0, i = 0; p < parts.size(); ++p) {
      for (std::size_t n = 0; n < most && i < all.infos.size(); ++n, ++i) {
        records[p].infos.push_back(all.infos[i]);
        records[p].bytes.append(all.bytes_of(all.infos[i]));
      }
      by_record.place(parts[p], records[p]);
      by_text.place(text_parts[p], records[p].bytes.view());
    }
    tbb::parallel_for(std::size_t{0}, parts.size(), [&](std::size_t p) {
      by_record.pack(parts[parts.size() - 1 - p]);
      by_text.pack(text_parts[p]);
    });
    for (std::size_t p = 0; p < parts.size(); ++p) {
      by_record.write(parts[p]);
      by_text.write(text_parts[p]);
    }
    by_record.close();
    by_text.close();
    std::string text;
    for (const Block& block : blocks_of(dir.path("text"))) {
      text += block.text;
    }
    CHECK((text == all.bytes.view()));
    text.clear();
    for (const Block& block : blocks_of(dir.path("records"))) {
      text += block.text;
    }
    CHECK((text == all.bytes.view()));
    if (most == 4000) {
      first_of_records = test::file_content(dir.path("records"));
      first_of_text = test::file_content(dir.path("text"));
    }
    CHECK((test::file_content(dir.path("records")) == first_of_records));
    CHECK((test::file_content(dir.path("text")) == first_of_text));
  }
}

TEST_CASE("an empty BGZF file is the end marker alone") {
  test::TempDir dir;
  io::TextOutput(dir.path("x"), 6).close();
  CHECK(test::file_content(dir.path("x")) == io::kBgzfEnd);
}
