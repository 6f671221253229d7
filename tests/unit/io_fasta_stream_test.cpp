// FASTA read in blocks of any size is the same as FASTA read line by line.
#include <random>

#include "base/error.hpp"
#include "io/read/fasta_reader.hpp"
#include "io/read/gzip/input_file.hpp"
#include "tests/catch.hpp"
#include "tests/fasta_oracle.hpp"
#include "tests/unit/io_files.hpp"

using namespace trawl;

namespace {

class HostileFasta {
 public:
  explicit HostileFasta(unsigned seed) : random_(seed) {}

  std::size_t number(std::size_t least, std::size_t most) {
    return std::uniform_int_distribution<std::size_t>(least, most)(random_);
  }
  bool one_in(std::size_t n) { return number(1, n) == 1; }

  std::string text() {
    line_end_ = one_in(4) ? "\r\n" : "\n";
    hostile_ = one_in(3) ? 40 : 100'000;  // one of so many pieces has a fault
    std::string text = one_in(10) ? "\xef\xbb\xbf" : "";
    if (one_in(8)) {
      text += pick({"\n", "\r\n", " \n\n", "\t", "ACGT\n", " ACGT\n", "@r\nACGT\n+\nIIII\n", "\n\n@r\n", "@", ">"});
    }
    const std::size_t contigs = one_in(10) ? 0 : number(1, one_in(5) ? 30 : 4);
    for (std::size_t c = 0; c < contigs; ++c) {
      text += header(c);
      const std::size_t lines = one_in(5) ? 0 : number(1, one_in(4) ? 20 : 4);
      const std::size_t width = pick_number({1, 5, 60, 61, 63, 64, 70, 128, 200});
      for (std::size_t l = 0; l < lines; ++l) {
        text += sequence_line(one_in(5) ? number(0, width) : width);
      }
    }
    while (!text.empty() && one_in(2)) {
      text.pop_back();  // also a file that ends without an LF
    }
    return text;
  }

 private:
  template <class T>
  T any(std::initializer_list<T> values) {
    return values.begin()[number(0, values.size() - 1)];
  }
  std::string pick(std::initializer_list<const char*> values) { return any(values); }
  std::size_t pick_number(std::initializer_list<std::size_t> values) { return any(values); }

  std::string end_of_line() {
    const std::string blanks = one_in(20) ? pick({" ", "\t ", "  \r", "\v", "\f\f"}) : "";
    return blanks + (one_in(50) ? pick({"\n", "\r\n", "\n\n", "\r\r\n"}) : line_end_);
  }

  std::string header(std::size_t c) {
    std::string name = "c" + std::to_string(c) + (one_in(5) ? std::string(number(1, 100), 'x') : "");
    if (one_in(hostile_)) {
      name = pick({"", "*", "=a", "a,b", "c0", "n\xc3\xa9", " x", "a<b", "a\rb"});
    }
    if (one_in(4)) {
      name += pick({" and more", "\tACGTN", " >x", " ", "  *,=\x01 \xff", " NNNN"});
    }
    if (one_in(hostile_)) {
      name += "\r> a";
    }
    return ">" + name + end_of_line();
  }

  std::string sequence_line(std::size_t length) {
    const char* letters = any({"ACGT", "acgt", "ACGTacgtNnUu", "N", "NNNNNNNNNNNNNNNNACGTRYKMSWBDHVNrykm", "AN"});
    const std::string_view from = letters;
    std::string line;
    for (std::size_t i = 0; i < length; ++i) {
      line += from[number(0, from.size() - 1)];
    }
    if (one_in(hostile_)) {
      line.insert(number(0, line.size()),
                  pick({" ", "-", "*", ">", "@", "\r", "\t\t", " \r ", "E", "1", "\x80", " -"}));
    }
    if (one_in(hostile_)) {
      line.insert(number(0, line.size()), 1, '\0');
    }
    return line + end_of_line();
  }

  std::mt19937 random_;
  std::string line_end_;
  std::size_t hostile_ = 0;
};

std::string printable(const std::string& text) {
  std::string out;
  for (const char c : text) {
    out += c >= ' ' && c <= '~' ? std::string(1, c) : c == '\n' ? "\\n\n" : io::describe_character(c);
  }
  return out;
}

void check_file(const std::string& path, const std::string& text, const io::TextBlocks::Options& options) {
  const tests::FastaOracle oracle(text);
  INFO(options.block_bytes << " bytes, " << options.threads << " threads\n" << printable(text));
  std::string message;
  try {
    std::vector<std::string> warnings;
    const auto reference = io::read_reference(path, &warnings, options);
    REQUIRE(oracle.difference(reference) == "");
    REQUIRE((warnings.empty() ? "" : warnings.front()) == oracle.warning(path));
    REQUIRE(warnings.size() <= 1);
  } catch (const Error& error) {
    message = error.what();
    REQUIRE(message.starts_with(path));
    message.erase(0, path.size());
  }
  std::string expected = oracle.error.c_str();  // what() ends at a NUL
  if (io::InputFile(path).is_ordinary_gzip() && !expected.empty() &&
      expected != ": has no sequences; a reference must be FASTA") {
    expected += "; or the compressed file is damaged (test it with gzip -t)";
  }
  REQUIRE(message == expected);
}

}  // namespace

TEST_CASE("FASTA: blocks of any size give the same reference, warning and error") {
  test::TempDir dir;
  HostileFasta fasta(17);
  std::size_t with_error = 0;
  for (int n = 0; n < 3000; ++n) {
    const std::string text = fasta.text();
    with_error += !tests::FastaOracle(text).error.empty();
    const std::string path = n % 10 == 0   ? dir.write_compressed("r.gz", text, "wg")
                             : n % 10 == 1 ? dir.write_compressed("r.bgz", text, "w")
                                           : dir.write("r.fa", text);
    CAPTURE(n);
    check_file(path, text, {.threads = 1, .block_bytes = fasta.number(4, 64)});
    check_file(path, text, {.threads = 3, .block_bytes = fasta.number(4, 300)});
    check_file(path, text, {.threads = 2, .block_bytes = std::size_t{1} << 16});
    if (!text.starts_with('\xef')) {
      check_file(path, text, {.threads = 1, .block_bytes = fasta.number(1, 3)});
    }
  }
  REQUIRE(with_error > 500);
  REQUIRE(with_error < 2000);
}
