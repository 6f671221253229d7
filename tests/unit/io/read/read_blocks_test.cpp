// Reads that are cut in blocks are the reads, and the errors, that one gets by reading the text from its start.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "io/format/letters.hpp"
#include "io/read/read_source.hpp"
#include "io/read/record_check.hpp"
#include "tests/catch.hpp"
#include "tests/unit/io/files.hpp"

using trawl::InputError;
using trawl::io::ReadSource;
using trawl::sequence::ReadBatch;
using trawl::test::message_of;
using trawl::test::TempDir;

namespace {

// The reads, one per line: name, bases, qualities, line. Then the error.
struct Result {
  std::vector<std::string> reads;
  std::string error;

  void add(std::string_view name, std::string_view bases, std::string_view qualities, std::uint64_t line,
           unsigned mate) {
    reads.push_back(std::string(name) + " " + std::string(bases) + " " + std::string(qualities) + " " +
                    std::to_string(line) + " " + std::to_string(mate));
  }
};

// The definition: reads a text that is completely in memory, from its start.
class PlainParser {
 public:
  PlainParser(std::string file, std::string_view text) : file_(std::move(file)), text_(text) {}

  Result parse() {
    result_.error = message_of([&] { parse_all(); });
    return std::move(result_);
  }

 private:
  static constexpr const char* kLengths = "; both must have the same length";

  [[noreturn]] void fail(std::uint64_t line, const std::string& what) const { throw InputError(file_, line, what); }

  bool at_line_end() const { return text_[at_] == '\n' || text_[at_] == '\r'; }
  bool ended() const { return at_ == text_.size(); }

  void skip_blank_lines() {
    while (!ended() && at_line_end()) {
      line_ += text_[at_++] == '\n' ? 1 : 0;
    }
  }

  bool next_line(std::string_view& line) {
    if (ended()) {
      return false;
    }
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    line = text_.substr(at_, end - at_);
    if (line.ends_with('\r')) {
      line.remove_suffix(1);
    }
    at_ = std::min(end + 1, text_.size());
    ++line_;
    return true;
  }

  void parse_all() {
    skip_blank_lines();
    if (ended()) {
      return;
    }
    const char format = text_[at_];
    if (format != '@' && format != '>') {
      if (text_.substr(at_).starts_with("CRAM")) {
        fail(0, "this is an alignment file; convert it to FASTQ first, for example with samtools fastq");
      }
      fail(line_,
           "begins with " + trawl::io::describe_character(format) + ", so it is neither FASTQ ('@') nor FASTA ('>'); SAM needs its header: samtools view -h");
    }
    for (;;) {
      skip_blank_lines();
      if (ended()) {
        return;
      }
      record_ = at_;
      format == '@' ? parse_fastq() : parse_fasta();
    }
  }

  [[noreturn]] void incomplete(std::uint64_t line) const {
    const std::string_view rest = text_.substr(record_);
    if (rest.find('\n') == rest.npos && trawl::io::has_lone_cr(rest)) {
      fail(line, trawl::io::kLoneCr);
    }
    fail(line, "the last record is not complete; the file is truncated, copy or make it again");
  }

  void parse_fastq() {
    const std::size_t start = at_;
    const std::uint64_t first = line_;
    if (text_[at_] != '@') {
      fail(line_, "a record must begin with '@', not with " + trawl::io::describe_character(text_[at_]) +
                      "; perhaps a line before it is missing, or there is one too many");
    }
    std::string_view header;
    std::string_view bases;
    std::string_view plus;
    std::string_view qualities;
    next_line(header);
    if (!next_line(bases)) {
      incomplete(first);
    }
    const bool no_sequence = bases.starts_with('+');
    if (!no_sequence && !next_line(plus)) {
      incomplete(first);
    }
    bool four_lines = !no_sequence && plus.starts_with('+');
    if (four_lines && !next_line(qualities) && !bases.empty()) {
      incomplete(first);
    }
    if (four_lines && qualities.size() < bases.size()) {
      if (ended() && text_.back() != '\n') {
        incomplete(first);
      }
      four_lines = ended() || text_[at_] == '@' || at_line_end();
    }
    if (!four_lines) {
      at_ = start;
      line_ = first;
      parse_wrapped();
      return;
    }
    if (qualities.size() != bases.size()) {
      fail(first + 3, "the quality has " + std::to_string(qualities.size()) + " characters and the sequence " +
                          std::to_string(bases.size()) + kLengths);
    }
    add(header, std::string(bases), qualities, first, first + 3);
  }

  void parse_wrapped() {
    const std::uint64_t first = line_;
    std::string_view header;
    std::string_view line;
    std::string bases;
    std::string qualities;
    next_line(header);
    for (;;) {
      if (!next_line(line)) {
        incomplete(first);
      }
      if (line.starts_with('+')) {
        break;
      }
      if (line.starts_with('@')) {
        fail(line_ - 1,
             "the record of line " + std::to_string(first) + " has no line with '+' between sequence and quality");
      }
      bases += line;
    }
    const std::uint64_t qualities_line = line_;
    while (qualities.size() < bases.size()) {
      if (!next_line(line)) {
        incomplete(first);
      }
      qualities += line;
    }
    if (qualities.size() != bases.size()) {
      fail(qualities_line, "the quality has " + std::to_string(qualities.size()) + " characters and the sequence " +
                               std::to_string(bases.size()) + kLengths);
    }
    add(header, bases, qualities, first, qualities_line);
  }

  void parse_fasta() {
    const std::uint64_t first = line_;
    std::string_view header;
    std::string_view line;
    std::string bases;
    next_line(header);
    if (trawl::io::has_lone_cr(header)) {
      fail(first, trawl::io::kLoneCr);
    }
    while (!ended() && text_[at_] != '>') {
      next_line(line);
      bases += line;
    }
    add(header, bases, "", first, 0);
  }

  void add(std::string_view header, std::string bases, std::string_view qualities, std::uint64_t line,
           std::uint64_t qualities_line) {
    const trawl::io::RecordCheck check(file_, line);
    const std::string_view rest = header.substr(1);
    const std::size_t length = check.name_length(rest, header[0]);
    check.clean_bases(bases.data(), bases.size());
    check.qualities(qualities, qualities_line);
    const std::string_view mark = rest.substr(length);
    const bool marked = mark.size() > 4 && mark.substr(2).starts_with(":N:") && (mark[1] == '1' || mark[1] == '2');
    result_.add(rest.substr(0, length), bases, qualities, line, marked ? static_cast<unsigned>(mark[1] - '0') : 0);
  }

  std::string file_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::uint64_t line_ = 1;
  std::size_t record_ = 0;  // where the last record begins
  Result result_;
};

struct Sizes {
  std::size_t block;
  std::size_t reads;
  std::size_t bases = std::size_t{1} << 20;
  unsigned threads = 1;
};

Result read_in_blocks(const std::string& path, const Sizes& sizes) {
  Result result;
  result.error = message_of([&] {
    ReadSource source({path}, sizes.reads, sizes.bases, sizes.threads, sizes.block);
    ReadBatch batch;
    while (source.next(batch)) {
      std::size_t bases = 0;
      bool full = false;
      for (std::size_t i = 0; i < batch.size(); ++i) {
        full = full || bases >= sizes.bases;  // before the last read
        bases += batch.length(i);
        result.add(batch.name(i), batch.bases(i), batch.qualities(i), batch.origin(i).line, batch.marked_mate(i));
      }
      REQUIRE(batch.size() <= sizes.reads);
      REQUIRE(!full);
    }
  });
  return result;
}

void check_same(const std::string& path, const Sizes& sizes, const Result& expected) {
  const Result result = read_in_blocks(path, sizes);
  CAPTURE(sizes.block, sizes.reads, sizes.bases, sizes.threads);
  CHECK(result.error == expected.error);
  // A batch with an error is not given at all.
  if (expected.error.empty() || sizes.reads == 1) {
    CHECK(result.reads == expected.reads);
  } else {
    REQUIRE(result.reads.size() <= expected.reads.size());
    CHECK(std::equal(result.reads.begin(), result.reads.end(), expected.reads.begin()));
  }
}

class HostileText {
 public:
  explicit HostileText(unsigned seed) : random_(seed) {}

  std::string make() {
    fastq_ = !one_in(4);
    newline_ = one_in(4) ? "\r\n" : "\n";
    const bool plain = one_in(2);
    const std::size_t records = below(14);
    std::string text;
    blank_lines(text);
    for (std::size_t r = 0; r < records; ++r) {
      fastq_ ? add_fastq(text, plain && !one_in(8)) : add_fasta(text, plain && !one_in(8));
    }
    for (std::size_t change = one_in(2) ? 0 : 1 + below(2); change > 0; --change) {
      damage(text);
    }
    return text;
  }

  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }

 private:
  bool one_in(std::size_t n) { return below(n) == 0; }

  std::string letters(std::string_view alphabet, std::size_t length) {
    std::string text;
    while (text.size() < length) {
      text += alphabet[below(alphabet.size())];
    }
    return text;
  }

  std::string sequence(std::size_t length) { return letters(one_in(3) ? "ACGTNacgtnRY." : "ACGT", length); }

  std::string name() {
    const std::string_view after[] = {"", "", "/1", " 1:N:0:AC", " 2:N:0:AC", " @x", "\t+", "@1", "@", ">"};
    const std::size_t length = 1 + below(3);
    std::string text = letters("ab@+>", length);
    return text += after[below(std::size(after))];
  }

  void blank_lines(std::string& text) {
    for (; one_in(12); text += one_in(6) ? "\r" : newline_) {
    }
  }

  // Several lines, or one.
  std::string wrapped(std::string text, bool wrap) {
    for (std::size_t at = 1 + below(9); wrap && at < text.size(); at += 1 + below(9)) {
      text.insert(at, newline_);
      at += newline_.size();
    }
    return text;
  }

  void add_fastq(std::string& text, bool plain) {
    const std::size_t length = one_in(10) ? 0 : 1 + below(24);
    const std::string bases = sequence(length);
    std::string qualities = letters(one_in(2) ? "@+>" : "!I@+>~", length);
    if (!qualities.empty() && one_in(2)) {
      qualities[0] = '@';
    }
    const std::string header = name();
    const bool wrap = !plain && one_in(2);
    text += "@" + header + newline_;
    text += length == 0 && !plain && one_in(2) ? "" : wrapped(bases, wrap) + newline_;
    text += "+" + (one_in(3) ? header : "") + newline_;
    text += wrapped(qualities, wrap) + newline_;
    if (!plain) {
      blank_lines(text);
    }
  }

  void add_fasta(std::string& text, bool plain) {
    const std::string bases = sequence(one_in(10) ? 0 : 1 + below(24));
    text += ">" + name() + newline_;
    text += bases.empty() && one_in(2) ? "" : wrapped(bases, !plain) + newline_;
    if (!plain) {
      blank_lines(text);
    }
  }

  void damage(std::string& text) {
    const std::size_t at = below(text.size() + 1);
    const std::string piece(1, "\n\r@+>A! \x80"[below(9)]);
    switch (below(6)) {
      case 0:
        text.resize(at);
        break;
      case 1:
        text.insert(at, piece);
        break;
      case 2:
        text.replace(at, 1, piece);
        break;
      case 3:
        text.erase(at, 1 + below(3));
        break;
      case 4: {  // a line is missing
        const std::size_t end = std::min(text.find('\n', at), text.size());
        text.erase(at, end + 1 - at);
        break;
      }
      default:  // no line end at the end
        while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) {
          text.pop_back();
        }
    }
  }

  std::mt19937 random_;
  bool fastq_ = true;
  std::string newline_;
};

std::string fastq_of(std::size_t reads, const char* first_quality) {
  std::string text;
  for (std::size_t r = 0; r < reads; ++r) {
    const std::string bases(30 + r % 71, "ACGT"[r % 4]);
    std::string qualities(bases.size(), "I@+>"[r % 4]);
    qualities.replace(0, 1, first_quality);
    text += "@r" + std::to_string(r) + "\n" + bases + "\n+\n" + qualities + "\n";
  }
  return text;
}

struct Counts {
  std::uint64_t reads = 0;
  std::uint64_t parsed = 0;
};

Counts count_reads(const std::string& path, std::size_t block) {
  ReadSource source({path}, 1000, std::size_t{1} << 22, 1, block);
  ReadBatch batch;
  while (source.next(batch)) {
  }
  return {source.reads(), source.parsed_reads()};
}

}  // namespace

TEST_CASE("hostile texts in blocks of any size give the reads and the errors of the whole text") {
  const TempDir dir;
  HostileText hostile(7);
  std::size_t errors = 0;
  for (int round = 0; round < 4000; ++round) {
    const std::string text = hostile.make();
    const std::string path = dir.write("r", text);
    const Result expected = PlainParser(path, text).parse();
    errors += expected.error.empty() ? 0 : 1;
    CAPTURE(round, text);
    check_same(path, {std::size_t{1} << 20, 1000}, expected);
    check_same(path, {16 + hostile.below(40), 1}, expected);
    check_same(path, {16 + hostile.below(200), 1 + hostile.below(9)}, expected);
    check_same(path, {16 + hostile.below(500), 1000, 1 + hostile.below(60), 2}, expected);
  }
  CHECK(errors > 1000);
  CHECK(errors < 3400);
}

TEST_CASE("a text that is cut off at any place, in blocks of any size") {
  const TempDir dir;
  for (const std::string newline : {"\n", "\r\n"}) {
    std::string whole;
    for (const std::string_view line : {"@a@1 x", "ACGTAC", "+", "@@@@@@", "@b", "", "+", "", "@c", "AC", "GT", "+c",
                                        "@I", "II", "", "@d", "acn.R", "+", "+I>@!"}) {
      whole += std::string(line) + newline;
    }
    std::string fasta;
    for (const std::string_view line : {">a>1", "ACGTAC", ">b", ">c", "ACG", "AC", "", ">d", "AC"}) {
      fasta += std::string(line) + newline;
    }
    for (const std::string& source : {whole, fasta}) {
      for (std::size_t size = 0; size <= source.size(); ++size) {
        const std::string text = source.substr(0, size);
        const std::string path = dir.write("r", text);
        const Result expected = PlainParser(path, text).parse();
        CAPTURE(text);
        for (std::size_t block = 16; block <= whole.size() + 1; block += 3) {
          check_same(path, {block, 1}, expected);
        }
      }
    }
  }
}

TEST_CASE("a sequence line that begins with '+' belongs to a read of length 0") {
  const TempDir dir;
  for (const std::string end : {"@b\nAC\n+\nII\n", ""}) {
    const std::string text = "@z\nAC\n+\nII\n@a\n+x\n+y\nII\n" + end;
    const std::string path = dir.write("r", text);
    const Result expected = PlainParser(path, text).parse();
    CHECK(expected.error.starts_with(path + ":7: a record must begin with '@', not with '+'"));
    check_same(path, {std::size_t{1} << 20, 1}, expected);
    check_same(path, {20, 1}, expected);
  }
}

TEST_CASE("only the reads at the borders of blocks are parsed, whatever the quality lines begin with") {
  const TempDir dir;
  for (const char* first_quality : {"I", "@", "+", ">"}) {
    const std::string text = fastq_of(5000, first_quality);
    constexpr std::size_t kBlock = 10'000;
    const auto [reads, parsed] = count_reads(dir.write("r", text), kBlock);
    CHECK(reads == 5000);
    CHECK(parsed <= text.size() / kBlock + 1);
    CHECK(parsed >= text.size() / kBlock / 2);
  }
  std::string fasta;
  std::string crlf;
  for (int r = 0; r < 5000; ++r) {
    fasta += ">r" + std::to_string(r) + "\nACGTACGTAC\n";
    crlf += "@r\r\nACGTACGTAC\r\n+\r\n@@@@@@@@@@\r\n\r\n";
  }
  for (const std::string& text : {fasta, crlf}) {
    const auto [reads, parsed] = count_reads(dir.write("r", text), 10'000);
    CHECK(reads == 5000);
    CHECK(parsed <= text.size() / 10'000 + 1);
  }
  // After a record of another form, the next one is found in its block again.
  const std::string mixed = fastq_of(100, "@") + "@w\nAC\nGT\n+\nII\nII\n" + fastq_of(100, "@");
  const auto [reads, parsed] = count_reads(dir.write("r", mixed), std::size_t{1} << 20);
  CHECK(reads == 201);
  CHECK(parsed == 1);
}

// A block that is searched from each of its blank lines takes minutes.
TEST_CASE("many blank lines take no more time than other lines") {
  const std::string blanks(2'000'000, '\n');
  const std::string crs(200'000, '\r');
  TempDir dir;
  for (const std::string& text : {
           blanks + "@a\nAC\n+\nII\n" + blanks + "@b\nGT\n+\nII\n" + blanks,
           ">a\nAC\n" + blanks + ">b\nGT\n" + blanks,
           ">a\nAC\n" + blanks + "GT\n>b\n" + blanks + "GT\n",
           crs + "\n" + blanks + "@a\nAC\n+\nII\n",
       }) {
    const std::string path = dir.write("blank", text);
    const auto before = std::chrono::steady_clock::now();
    ReadSource source({path});
    ReadBatch batch;
    std::size_t reads = 0;
    while (source.next(batch)) {
      reads += batch.size();
    }
    CHECK(reads == (text[0] == '\r' ? 1 : 2));
    CHECK(std::chrono::steady_clock::now() - before < std::chrono::seconds(20));
  }
}

TEST_CASE("reads that are much longer than a block") {
  const TempDir dir;
  std::string fastq;
  std::string fasta;
  for (const std::size_t length : {3, 200'000, 70'000, 1, 0, 999, 5'000'001, 2}) {
    const std::string name = "r" + std::to_string(length) + "\n";
    const std::string bases(length, 'C');
    fastq += "@" + name + bases + "\n+\n" + std::string(length, '@') + "\n";
    fasta += ">" + name + bases + "\n";
  }
  for (const std::string& text : {fastq, fasta}) {
    const std::string path = dir.write("r", text);
    const Result plain = PlainParser(path, text).parse();
    REQUIRE(plain.reads.size() == 8);
    for (const std::size_t block : {1000, 65'536, 1 << 20, 4 << 20}) {
      CHECK((read_in_blocks(path, {block, 3, std::size_t{1} << 30}).reads == plain.reads));
    }
  }
}

TEST_CASE("a batch keeps its reads when the files are closed") {
  const TempDir dir;
  const std::string text = fastq_of(1000, "@");
  std::vector<ReadBatch> batches;
  {
    ReadSource source({dir.write("a", text), dir.write("b", text)}, 300, std::size_t{1} << 20, 1, 4096);
    while (source.take(batches.emplace_back())) {
    }
    batches.pop_back();
    for (ReadBatch& batch : batches) {
      source.check(batch);
    }
  }
  std::string again;
  for (const ReadBatch& batch : batches) {
    for (std::size_t r = 0; r < batch.size(); ++r) {
      again += "@" + std::string(batch.name(r)) + "\n" + std::string(batch.bases(r)) + "\n+\n" +
               std::string(batch.qualities(r)) + "\n";
    }
  }
  CHECK((again == text + text));
}
