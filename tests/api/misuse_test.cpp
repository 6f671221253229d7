// Forty wrong calls: each throws the right kind of error, with words that help.
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "tests/catch.hpp"
#include "trawl/trawl.hpp"

namespace {

enum class Kind { usage, input, io, cancelled, failed };

struct Misuse {
  const char* name;
  Kind kind;
  const char* words;  // of the message
  std::function<void()> call;
};

trawl::Reference small_reference() {
  return trawl::Reference::of({{"chr1", "TTTTGATTACAGGCATGAGCCACCGCGCCCGGCCTTTT"}, {"chr2", "ACGTNACGTNACGT"}});
}

std::string file_with(const std::string& name, const std::string& text) {
  const auto path = std::filesystem::temp_directory_path() / ("trawl_misuse_" + name);
  std::ofstream(path) << text;
  return path;
}

void map_with(const trawl::Options& options) { trawl::Mapper(small_reference(), options); }
void scan_with(const trawl::Options& options) { trawl::Scanner({"GATTACA"}, options); }

std::vector<Misuse> misuses() {
  const auto always = [](const trawl::Alignments&) { return true; };
  const auto hits = [](const trawl::Hits&) { return true; };
  return {
      // References.
      {"a file that is not there", Kind::io, "no_such.fa", [] { trawl::Reference("no_such.fa"); }},
      {"a folder", Kind::io, "", [] { trawl::Reference("/"); }},
      {"an empty FASTA", Kind::input, "empty.fa", [] { trawl::Reference(file_with("empty.fa", "")); }},
      {"a FASTA with a wrong letter", Kind::input,
       ":2:", [] { trawl::Reference(file_with("wrong.fa", ">a\nAC!T\n")); }},
      {"a FASTA with a name twice", Kind::input, "twice",
       [] { trawl::Reference(file_with("twice.fa", ">twice\nACGT\n>twice\nACGT\n")); }},
      {"no contig", Kind::input, "at least one contig",
       [] { trawl::Reference::of(std::vector<std::pair<std::string_view, std::string_view>>{}); }},
      {"a contig without letters", Kind::input, "has no letters",
       [] {
         trawl::Reference::of({{"chr1", ""}});
       }},
      {"a contig without a name", Kind::input, "has no name",
       [] {
         trawl::Reference::of({{"", "ACGT"}});
       }},
      {"a name with a blank", Kind::input, "a blank",
       [] {
         trawl::Reference::of({{"chr 1", "ACGT"}});
       }},
      {"a name twice", Kind::input, "is there twice",
       [] {
         trawl::Reference::of({{"a", "AC"}, {"a", "GT"}});
       }},
      {"a letter that is not IUPAC", Kind::input, "letter 3 is '?'",
       [] {
         trawl::Reference::of({{"a", "AC?T"}});
       }},
      {"a contig that is not there", Kind::usage, "no contig 7", [] { small_reference().letters(7, 0, 1); }},
      {"letters beyond the contig", Kind::usage, "chr2, which has 14", [] { small_reference().letters(1, 10, 15); }},
      {"letters that end before they begin", Kind::usage, "not in contig", [] { small_reference().letters(1, 5, 4); }},
      // Options.
      {"an option that is not there", Kind::usage, "did you mean max-edits",
       [] {
         map_with({{"max-edit", 3}});
       }},
      {"an option of the program", Kind::usage, "of the program",
       [] {
         map_with({{"output", "x.bam"}});
       }},
      {"an option twice", Kind::usage, "more than once",
       [] {
         map_with({{"edits", 3}, {"max-edits", 4}});
       }},
      {"a word that is none of them", Kind::usage, "is none of best, strata, all",
       [] {
         map_with({{"report", "some"}});
       }},
      {"a share that is too large", Kind::usage, "up to 50%",
       [] {
         map_with({{"edits", "80%"}});
       }},
      {"too many edits", Kind::usage, "are possible",
       [] {
         map_with({{"edits", 10000}});
       }},
      {"edits that are no number", Kind::usage, "number of edits",
       [] {
         map_with({{"edits", "many"}});
       }},
      {"a negative number", Kind::usage, "whole number",
       [] {
         map_with({{"min-length", -3}});
       }},
      {"a flag that is no flag", Kind::usage, "true or false",
       [] {
         map_with({{"eqx", "perhaps"}});
       }},
      {"strata without --report strata", Kind::usage, "needs --report strata",
       [] {
         map_with({{"strata", 2}});
       }},
      {"max-hits with best", Kind::usage, "--report best",
       [] {
         map_with({{"max-hits", 5}});
       }},
      {"clips without gaps", Kind::usage, "hamming",
       [] {
         map_with({{"metric", "hamming"}, {"clip", "20%"}});
       }},
      {"insert sizes in the wrong order", Kind::usage, "smallest size comes first",
       [] {
         map_with({{"insert", "600-100"}});
       }},
      {"a device that is not there", Kind::usage, "this build has",
       [] {
         map_with({{"device", "abacus"}});
       }},
      {"too many threads", Kind::usage, "at most",
       [] {
         map_with({{"threads", 5000}});
       }},
      {"a table of no command", Kind::usage, "neither map nor scan", [] { trawl::option_table("sort"); }},
      // Reads.
      {"a read with a wrong letter", Kind::input, "read 2: base 5 is '!'",
       [] {
         trawl::Mapper(small_reference()).map({"ACGT", "ACGT!"});
       }},
      {"too few qualities", Kind::input, "has 4 bases and 2 qualities",
       [] { trawl::Mapper(small_reference()).map({trawl::Read("ACGT", "II")}); }},
      {"qualities that cannot be printed", Kind::input, "Phred + 33",
       [] { trawl::Mapper(small_reference()).map({trawl::Read("AC", "I\x01")}); }},
      {"a mate too few", Kind::usage, "there are 2 first and 1 second",
       [] {
         const std::vector<trawl::Read> two{"ACGT", "ACGT"}, one{"ACGT"};
         trawl::Mapper(small_reference()).map_pairs(two, one);
       }},
      {"no file of reads", Kind::usage, "no file of reads",
       [=] { trawl::Mapper(small_reference()).map_files({""}, always); }},
      {"reads that are not there", Kind::io, "no_such.fq",
       [=] { trawl::Mapper(small_reference()).map_files({"no_such.fq"}, always); }},
      {"one file as both mates", Kind::usage, "the same file",
       [=] {
         const std::string reads = file_with("same.fq", "@a\nACGT\n+\nIIII\n");
         trawl::Mapper(small_reference()).map_files({reads, reads}, always);
       }},
      {"a callback that says no", Kind::cancelled, "cancelled",
       [] {
         const std::vector<trawl::Read> reads{"GATTACAGGCATGAGCCACC"};
         trawl::Mapper(small_reference()).map(reads, [](const trawl::Progress&) { return false; });
       }},
      {"no function for the batches", Kind::usage, "needs a function",
       [] { trawl::Mapper(small_reference()).map_files({"x.fq"}, nullptr); }},
      // Patterns.
      {"no pattern", Kind::usage, "at least one pattern", [] { trawl::Scanner(std::vector<trawl::Pattern>{}); }},
      {"an empty pattern", Kind::usage, "pattern 2 is empty",
       [] {
         trawl::Scanner({"ACGT", ""});
       }},
      {"a pattern that is no sequence", Kind::usage, "not an IUPAC letter", [] { trawl::Scanner({"GATT-CA"}); }},
      {"a pattern that is too long", Kind::usage, "at most 16384", [] { trawl::Scanner({std::string(20000, 'A')}); }},
      {"as many edits as letters", Kind::usage, "match everywhere",
       [] {
         trawl::Scanner({"ACG"}, {{"edits", 3}});
       }},
      {"a PAM that is none", Kind::usage, "'!' is not an IUPAC letter",
       [] {
         scan_with({{"pam", "N!G"}});
       }},
      {"bulges without a PAM", Kind::usage, "need --pam",
       [] {
         scan_with({{"max-bulges", 1}});
       }},
      {"more edits than a scan can", Kind::usage, "whole number from 0 to 64",
       [] {
         scan_with({{"edits", 65}});
       }},
      {"a text that is no sequence", Kind::input, "letter 4 of the text is a blank",
       [] { trawl::Scanner({"GATTACA"}).scan("ACG TTT"); }},
      {"patterns that are not there", Kind::io, "no_such.txt", [] { trawl::Scanner::from_file("no_such.txt"); }},
      {"a contig in two parts", Kind::input, "comes twice",
       [=] {
         int piece = 0;
         trawl::Scanner({"GATTACA"})
             .scan_stream(
                 [&](trawl::Chunk& chunk) {
                   chunk = {piece % 2 == 0 ? "a" : "b", "ACGT"};
                   return ++piece < 5;
                 },
                 hits);
       }},
      // Two strings.
      {"a limit below none", Kind::usage, "-1 for no limit",
       [] { trawl::distance("A", "C", trawl::Mode::global, -5); }},
      {"a mode that is none", Kind::usage, "no such mode",
       [] { trawl::distance("A", "C", static_cast<trawl::Mode>(9)); }},
  };
}

Kind kind_of(const std::function<void()>& call, std::string& message) {
  try {
    call();
  } catch (const trawl::Cancelled& e) {
    message = e.what();
    return Kind::cancelled;
  } catch (const trawl::UsageError& e) {
    message = e.what();
    return Kind::usage;
  } catch (const trawl::InputError& e) {
    message = e.what();
    return Kind::input;
  } catch (const trawl::IoError& e) {
    message = e.what();
    return Kind::io;
  } catch (const trawl::Error& e) {
    message = e.what();
    return Kind::failed;
  }
  FAIL("nothing was thrown");
  return Kind::failed;
}

}  // namespace

TEST_CASE("wrong calls throw errors that say what is wrong", "[api][misuse]") {
  const std::vector<Misuse> all = misuses();
  CHECK(all.size() >= 40);
  for (const Misuse& misuse : all) {
    std::string message;
    INFO(misuse.name);
    const Kind kind = kind_of(misuse.call, message);
    INFO(message);
    CHECK(static_cast<int>(kind) == static_cast<int>(misuse.kind));
    CHECK(message.find(misuse.words) != std::string::npos);
    CHECK(message.size() > 8);
  }
}

TEST_CASE("what is unusual, but right, works", "[api]") {
  const trawl::Reference reference = small_reference();
  const trawl::Mapper mapper(reference, {{"report", "all"}, {"edits", 1}, {"min-length", 1}});
  SECTION("no reads") { CHECK(mapper.map(std::vector<trawl::Read>{}).size() == 0); }
  SECTION("empty, lower-case and ambiguous reads, and one name twice") {
    const trawl::Alignments found =
        mapper.map({trawl::Read("", "", "a"), trawl::Read("gattacaggcatgagccacc", "", "b"),
                    trawl::Read("NNNNNNNNNN", "", "b"), trawl::Read("GATTACAGGCATGAGCCACC")});
    REQUIRE(found.size() == 4);
    CHECK_FALSE(found.is_found(0));
    CHECK(found.start[1] == 4);
    CHECK_FALSE(found.is_found(2));
    CHECK(found.start[3] == 4);
    CHECK(found.is_primary(3));
  }
  SECTION("no pairs") { CHECK(mapper.map_pairs(std::vector<trawl::Read>{}, std::vector<trawl::Read>{}).size() == 0); }
  SECTION("an empty text, and one that is shorter than the pattern") {
    const trawl::Scanner scanner({"GATTACA"}, {{"edits", 1}});
    CHECK(scanner.scan("").size() == 0);
    CHECK(scanner.scan("GATT").size() == 0);
    CHECK(scanner.scan("gattaca").size() == 1);
  }
  SECTION("a stream that nobody reads to its end") {
    const std::string fastq = file_with("stream.fq", "@a\nGATTACAGGCATGAGCCACC\n+\nIIIIIIIIIIIIIIIIIIII\n");
    { trawl::AlignmentStream stream = mapper.stream({fastq}); }
    trawl::AlignmentStream stream = mapper.stream({fastq});
    trawl::Alignments batch;
    CHECK(stream.next(batch));
    CHECK(batch.size() == 1);
    CHECK(batch.names[0] == "a");
    CHECK_FALSE(stream.next(batch));
  }
  SECTION("a stream of many batches has each read once, in order") {
    std::string text;
    for (int r = 0; r < 100000; ++r) {
      text += "@" + std::to_string(r) + "\nGATTACAGGCATGAGCCACC\n+\nIIIIIIIIIIIIIIIIIIII\n";
    }
    trawl::AlignmentStream stream = mapper.stream({file_with("many.fq", text)});
    trawl::Alignments batch;
    std::size_t reads = 0, batches = 0;
    while (stream.next(batch)) {
      REQUIRE(batch.size() > 0);
      for (std::size_t r = 0; r < batch.names.size(); ++r) {
        REQUIRE(batch.names[r] == std::to_string(reads++));
      }
      ++batches;
    }
    CHECK(reads == 100000);
    CHECK(batches > 20);
  }
}

// Started with TRAWL_CUDA_PLUGIN, which names the module of other_plugin.cpp.
TEST_CASE("a CUDA engine of another build is refused", "[.other_plugin]") {
  const auto reference = trawl::Reference::of({{"chr1", "TTTTGATTACAGGCATGAGCCACCGCGCCCGGCCTTTT"}});
  std::string message;
  try {
    trawl::Mapper(reference, {{"device", "cuda"}});
  } catch (const trawl::Error& error) {
    message = error.what();
  }
  INFO(message);
  CHECK(message.find("is of another build of Trawl (0.1.0, headers 0123456789abcdef)") != message.npos);
  CHECK(message.find("install both from one build") != message.npos);
  CHECK(trawl::Mapper(reference).engine() == "cpu");
}
