// Compares the BAM bytes with those that htslib makes of the same records as SAM text.
#include "io/write/bam_encoder.hpp"

#include <htslib/bgzf.h>
#include <htslib/sam.h>

#include <memory>
#include <random>

#include "io/write/cram_file.hpp"
#include "io/write/sam_text.hpp"
#include "tests/catch.hpp"
#include "tests/unit/io/alignments.hpp"
#include "tests/unit/io/files.hpp"

using namespace trawl;
using test::Input;
using test::op;

namespace {

constexpr std::uint64_t kContigLengths[] = {16000, 700'000'000, io::kLongestBamContig};

// Only names and lengths: the writers need no bases.
sequence::Reference contigs() {
  sequence::Reference::Parts parts;
  std::uint64_t at = sequence::kContigGap;
  for (const std::uint64_t length : kContigLengths) {
    parts.contigs.push_back({"contig" + std::to_string(parts.contigs.size()), at, length});
    at += (length + sequence::kContigGap + 63) / 64 * 64;
  }
  return sequence::Reference(std::move(parts));
}

struct Bam {
  std::string bytes;               // of the records
  std::vector<std::string> lines;  // as htslib prints them
  std::vector<std::int64_t> ends;  // what htslib's indexes use
};

std::unique_ptr<sam_hdr_t, decltype(&sam_hdr_destroy)> header_of(const sequence::Reference& reference) {
  std::string header_text;
  for (const auto& contig : reference.contigs()) {
    header_text += "@SQ\tSN:" + contig.name + "\tLN:" + std::to_string(contig.length) + "\n";
  }
  return {sam_hdr_parse(header_text.size(), header_text.c_str()), sam_hdr_destroy};
}

// What htslib makes of SAM lines.
Bam htslib_bam(const std::string& lines, const sequence::Reference& reference) {
  const auto header = header_of(reference);
  const std::unique_ptr<bam1_t, decltype(&bam_destroy1)> record(bam_init1(), bam_destroy1);
  test::TempDir dir;
  BGZF* file = bgzf_open(dir.path("x").c_str(), "w0");
  REQUIRE(file != nullptr);
  Bam bam;
  kstring_t line = KS_INITIALIZE;
  kstring_t printed = KS_INITIALIZE;
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = lines.find('\n', at);
    ks_clear(&line);
    kputsn(lines.data() + at, end - at, &line);
    REQUIRE(sam_parse1(&line, header.get(), record.get()) == 0);
    REQUIRE(bam_write1(file, record.get()) >= 0);
    REQUIRE(sam_format1(header.get(), record.get(), &printed) >= 0);
    bam.lines.emplace_back(printed.s, printed.l);
    bam.ends.push_back(bam_endpos(record.get()));
    at = end + 1;
  }
  ks_free(&line);
  ks_free(&printed);
  REQUIRE(bgzf_close(file) == 0);
  file = bgzf_open(dir.path("x").c_str(), "r");
  char buffer[1 << 16];
  for (ssize_t n = 0; (n = bgzf_read(file, buffer, sizeof buffer)) > 0;) {
    bam.bytes.append(buffer, static_cast<std::size_t>(n));
  }
  bgzf_close(file);
  return bam;
}

void check_equal(const Input& in, const std::string& read_group, const align::RecordRule& rule) {
  const sequence::Reference reference = contigs();
  std::string text;
  io::append_sam({reference, read_group, in.reads, in.alignments}, rule, text);
  const Bam expected = htslib_bam(text, reference);
  std::string printed;
  for (const std::string& line : expected.lines) {
    printed += line + "\n";
  }
  CHECK((printed == text));  // no letter was one that htslib does not know

  io::BamRecords records;
  io::append_bam({reference, read_group, in.reads, in.alignments}, rule, records);
  REQUIRE(records.infos.size() == expected.lines.size());
  CHECK(records.bytes.size() == expected.bytes.size());
  std::uint64_t at = 0;
  const auto header = header_of(reference);
  io::HtslibRecord back;
  kstring_t line = KS_INITIALIZE;
  for (std::size_t i = 0; i < records.infos.size(); ++i) {
    const auto& info = records.infos[i];
    const bool same = records.bytes_of(info) == std::string_view(expected.bytes).substr(info.at, info.size);
    if (!same) {
      FAIL("record " << i << ": " << expected.lines[i].substr(0, 1000));
    }
    const bam1_t& read = back.read(records.bytes_of(info));
    CHECK(sam_format1(header.get(), &read, &line) >= 0);
    if (std::string_view(line.s, line.l) != expected.lines[i]) {
      FAIL("back as a record of htslib: " << std::string(line.s, std::min<std::size_t>(line.l, 1000)));
    }
    CHECK(info.at == at);
    CHECK(info.contig == read.core.tid);
    CHECK(info.start == read.core.pos);
    CHECK(info.end == expected.ends[i]);
    CHECK(info.flag == read.core.flag);
    at += info.size;
  }
  ks_free(&line);
  CHECK(at == records.bytes.size());
}

class RandomInput {
 public:
  explicit RandomInput(std::uint32_t seed) : random_(seed) {}

  Input reads(std::size_t count) {
    Input in;
    for (std::size_t i = 0; i < count; ++i) {
      const std::string name = text(number(1, chance(10) ? 254 : 20), "abcXYZ019:_/#");
      std::uint64_t loci = chance(30) ? 0 : number(1, 3);
      add_read(in, name, loci == 0);
      for (; loci > 0; --loci) {
        place(in, i);
        ++in.alignments.reads.back().count;
      }
      if (in.alignments.reads.back().count > 0) {
        supplement(in, i);
      }
    }
    return in;
  }

  Input pairs(std::size_t count) {
    Input in;
    for (std::size_t i = 0; i < count; ++i) {
      const auto kind = static_cast<align::PairKind>(number(0, 3));
      const std::string name = text(number(1, 40), "abcXYZ019:_/#");
      std::vector<std::array<std::uint32_t, 2>> concordant;
      const bool may_be_empty = kind == align::PairKind::unmapped;
      add_read(in, name, may_be_empty);
      const bool has_first = kind == align::PairKind::discordant || (kind == align::PairKind::one_end && chance(50));
      const bool has_second = kind == align::PairKind::discordant || (kind == align::PairKind::one_end && !has_first);
      const auto add_loci = [&](std::size_t read) {
        for (std::uint64_t loci = number(1, 3); loci > 0; --loci) {
          place(in, read);
          ++in.alignments.reads.back().count;
        }
      };
      if (has_first) {
        add_loci(2 * i);
      }
      add_read(in, name, may_be_empty);
      if (has_second) {
        add_loci(2 * i + 1);
      }
      if (kind == align::PairKind::concordant) {
        for (std::uint64_t pairs = number(1, 3); pairs > 0; --pairs) {
          const std::uint32_t first = place(in, 2 * i);
          const std::uint32_t second = place(in, 2 * i + 1, in.alignments.alignments[first].contig);
          concordant.push_back({first, second});
        }
      }
      for (std::size_t read = 2 * i; read < 2 * i + 2; ++read) {
        if (in.alignments.reads[read].count + concordant.size() > 0) {
          supplement(in, read);
        }
      }
      in.pair(kind, concordant, chance(20) ? border() : 0);
    }
    return in;
  }

 private:
  std::uint64_t number(std::uint64_t least, std::uint64_t most) {
    return std::uniform_int_distribution<std::uint64_t>(least, most)(random_);
  }
  bool chance(unsigned percent) { return number(0, 99) < percent; }
  std::string text(std::size_t length, std::string_view letters) {
    std::string made(length, ' ');
    for (char& c : made) {
      c = letters[number(0, letters.size() - 1)];
    }
    return made;
  }
  // Around the borders of BAM's integer types.
  std::uint32_t border() {
    constexpr std::uint32_t borders[] = {0, 127, 255, 32767, 65535, 0x7fffffff, 0xffffffff};
    const std::uint32_t near = borders[number(0, std::size(borders) - 1)];
    return chance(50) ? near : chance(50) ? near + (near != 0xffffffff) : near - (near != 0);
  }

  void add_read(Input& in, const std::string& name, bool may_be_empty) {
    const std::size_t length = may_be_empty && chance(10) ? 0 : chance(5) ? 1 : number(1, 160);
    const std::string bases = text(length, chance(50) ? "ACGT" : "ACGTUNRYSWKMBDHV");
    std::string qualities = text(length, "!\"#5AFI~");
    in.read(name, bases, chance(30) ? "" : qualities, border(),
            chance(50) ? std::optional<std::uint32_t>(border()) : std::nullopt, chance(20) ? border() : 0);
  }

  void supplement(Input& in, std::size_t read) {
    if (chance(30)) {
      auto& result = in.alignments.reads[read];
      result.supplementary = in.alignments.alignments.size();
      for (result.supplementary_count = static_cast<std::uint8_t>(number(1, 2));
           in.alignments.alignments.size() < result.supplementary + result.supplementary_count;) {
        place(in, read);
      }
    }
  }

  // A CIGAR that covers all bases of the read, or leaves out some at the ends.
  std::uint32_t place(Input& in, std::size_t read, std::optional<std::uint32_t> on = {}) {
    const auto contig = on.value_or(static_cast<std::uint32_t>(number(0, std::size(kContigLengths) - 1)));
    std::vector<std::uint32_t> cigar;
    std::uint64_t left = in.reads.length(read);
    std::uint64_t span = 0;
    std::uint32_t clipped[2] = {0, 0};
    for (std::uint32_t& end : clipped) {
      end = left > 1 && chance(30) ? static_cast<std::uint32_t>(number(1, left - 1)) : 0;
      left -= end;
    }
    if (clipped[0] > 0) {
      cigar.push_back(op(clipped[0], BAM_CSOFT_CLIP));
    }
    while (left > 0) {
      constexpr std::uint32_t operations[] = {BAM_CMATCH, BAM_CINS, BAM_CDEL, BAM_CEQUAL, BAM_CDIFF};
      const std::uint32_t operation = operations[number(0, 4)];
      const auto length = static_cast<std::uint32_t>(number(1, std::min<std::uint64_t>(left, 40)));
      cigar.push_back(op(length, operation));
      left -= operation == BAM_CDEL ? 0 : length;
      span += operation == BAM_CINS ? 0 : length;
    }
    if (clipped[1] > 0) {
      cigar.push_back(op(clipped[1], BAM_CSOFT_CLIP));
    }
    const std::uint64_t last = kContigLengths[contig] - std::max<std::uint64_t>(span, 1);
    const std::uint64_t start = chance(20)   ? last
                                : chance(30) ? (number(0, last) >> 14 << 14)  // at the border of a bin
                                             : number(0, last);
    const auto distance = static_cast<std::uint16_t>(border());
    const std::uint32_t index = in.place(contig, start, chance(50), cigar, text(number(0, 30), "ACGT0123^"), distance,
                                         static_cast<std::uint8_t>(number(0, 254)));
    in.alignments.alignments.back().edits = border();
    return index;
  }

  std::mt19937 random_;
};

}  // namespace

TEST_CASE("BAM bytes are htslib's, for random reads and pairs") {
  for (std::uint32_t seed = 1; seed <= 80; ++seed) {
    INFO("seed " << seed);
    check_equal(seed <= 40 ? RandomInput(seed).reads(50) : RandomInput(seed).pairs(40), seed % 2 == 0 ? "" : "lane 1",
                {.keep_unmapped = seed % 3 != 0,
                 .mate_fields = seed % 5 == 0 ? align::MateFields::primary : align::MateFields::paired,
                 .hard_clips = seed % 4 < 2,
                 .secondary_bases = seed % 7 < 4});
  }
}

TEST_CASE("BAM bytes are htslib's, for every length and letter at every place") {
  Input in;
  for (const std::string letters : {"ACGTUNRYSWKMBDHV", "ACGTN"}) {
    for (std::size_t length = 0; length < 40; ++length) {
      std::string bases;
      std::string qualities;
      for (std::size_t i = 0; i < length; ++i) {
        bases += letters[(i * 7 + length) % letters.size()];
        qualities += static_cast<char>('!' + (i * 5 + length * 3) % 94);
      }
      for (const bool reverse : {false, true}) {
        in.read("r", bases, qualities, 1);
        if (length > 0) {
          in.align(0, 5, reverse, {op(static_cast<std::uint32_t>(length), BAM_CMATCH)}, std::to_string(length), 0, 3);
        }
      }
    }
  }
  check_equal(in, "", {});
}

TEST_CASE("CIGARs around the most operations that fit into a BAM record") {
  for (const std::uint32_t operations : {65534u, 65535u, 65536u, 65537u, 200000u}) {
    INFO(operations);
    std::vector<std::uint32_t> cigar;
    for (std::uint32_t i = 0; i < operations; ++i) {
      cigar.push_back(op(1, i % 2 == 0 ? BAM_CMATCH : BAM_CINS));
    }
    Input in;
    for (int read = 0; read < 2; ++read) {
      in.read("long", std::string(operations, 'A'), "", 2);
      in.align(1, 77, false, cigar, "CGBI", 3, 9);
      in.align(1, 1077, true, cigar, "1", 3, 9);  // secondary: without bases
      cigar.front() = op(1, BAM_CSOFT_CLIP);
      in.supplement(static_cast<std::size_t>(read), 1, 2077, true, cigar, "1", 3, 9);
      cigar.front() = op(1, BAM_CMATCH);
    }
    check_equal(in, "CGBI", {});
    check_equal(in, "CGBI", {.hard_clips = true});
    check_equal(in, "CGBI", {.secondary_bases = true});
    in.pair(align::PairKind::discordant);
    check_equal(in, "CGBI", {});
    check_equal(in, "CGBI", {.hard_clips = true});
  }
}
