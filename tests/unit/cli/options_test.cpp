// The options of commands: their values, what they mean, what they conflict with.
#include "cli/options/map_options.hpp"
#include "cli/options/parse.hpp"
#include "cli/options/scan_options.hpp"
#include "tests/catch.hpp"

using namespace trawl;
using namespace trawl::cli;

namespace {

// The error of a command line; "" if there is none.
std::string error_of(Command command, std::vector<std::string> words) {
  words.insert(words.begin(), {"trawl", command.name});
  std::vector<char*> pointers;
  for (std::string& word : words) {
    pointers.push_back(word.data());
  }
  pointers.push_back(nullptr);
  Program program{.name = "trawl"};
  program.commands.push_back(std::move(command));
  try {
    check_options(*parse(program, static_cast<int>(words.size()), pointers.data()).command);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

std::string map_error(std::vector<std::string> words, MapArguments& arguments) {
  words.insert(words.end(), {"ref.fa", "reads.fq"});
  return error_of(map_rules(arguments), std::move(words));
}

std::string scan_error(std::vector<std::string> words, ScanArguments& arguments) {
  words.push_back("ref.fa");
  return error_of({.name = "scan", .options = scan_table(arguments)}, std::move(words));
}

}  // namespace

TEST_CASE("values of options") {
  std::uint32_t number = 7;
  std::optional<std::uint32_t> perhaps;
  bool flag = false;
  std::string text = "x";
  std::vector<std::string> list, repeated;
  const Option of_number{.names = "-n,--number", .to = &number, .least = 2, .most = 9};
  REQUIRE(of_number.name() == "--number");
  REQUIRE(of_number.short_name() == "-n");
  REQUIRE(of_number.value_name() == "N");
  REQUIRE(text_of(of_number) == "7");
  REQUIRE(set(of_number, "9").empty());
  REQUIRE(number == 9);
  for (const char* wrong : {"1", "10", "", "3x", "-3", "99999999999999999999"}) {
    REQUIRE(set(of_number, wrong) == "'" + std::string(wrong) + "' is not a whole number from 2 to 9");
  }
  REQUIRE(number == 9);
  REQUIRE(text_of({.names = "--perhaps", .to = &perhaps}).empty());
  REQUIRE(set({.names = "--perhaps", .to = &perhaps}, "3").empty());
  REQUIRE(perhaps == 3u);
  REQUIRE(Option{.names = "--flag", .to = &flag}.is_flag());
  REQUIRE(set({.names = "--flag", .to = &flag}, "").empty());
  REQUIRE(flag);
  REQUIRE(set({.names = "--flag", .to = &flag}, "maybe") == "'maybe' is not true or false");
  REQUIRE(set({.names = "--text", .to = &text}, "") == "is empty");
  REQUIRE(set({.names = "--text", .to = &text, .may_be_empty = true}, "").empty());
  REQUIRE(set({.names = "--list", .to = &list}, "a,b").empty());
  REQUIRE(list == std::vector<std::string>{"a", "b"});
  const Option repeats{.names = "--repeated", .to = &repeated, .may_repeat = true};
  REQUIRE(set(repeats, "a,b").empty());
  REQUIRE(set(repeats, "c").empty());
  REQUIRE(repeated == std::vector<std::string>{"a,b", "c"});
}

TEST_CASE("a choice has a type") {
  map::Report report = map::Report::best;
  const Option option{.names = "--report",
                      .to = choice(&report, {{"best", map::Report::best}, {"all", map::Report::all}})};
  REQUIRE(option.value_name() == "best|all");
  REQUIRE(text_of(option) == "best");
  REQUIRE(set(option, "all").empty());
  REQUIRE(report == map::Report::all);
  REQUIRE(set(option, "bets") == "'bets' is none of best, all; did you mean best?");
  REQUIRE(set(option, "").starts_with("'' is none of"));
  REQUIRE(report == map::Report::all);
}

TEST_CASE("keys of --tune") {
  std::uint64_t size = 0;
  const Option option{.names = "--tune", .keys = {{.names = "size", .to = &size}}};
  REQUIRE(set(option, "size=12").empty());
  REQUIRE(size == 12);
  REQUIRE(text_of(option) == "size=12");
  REQUIRE(set(option, "size") == "'size' is none of size=N");
  REQUIRE(set(option, "size=x").starts_with("size: 'x' is not a whole number"));
}

TEST_CASE("texts of values are read as the same values") {
  MapArguments map;
  ScanArguments scan;
  for (const auto& [name, text] : std::vector<std::pair<const char*, const char*>>{{"--max-edits", "5"},
                                                                                   {"--max-edits", "4.5%"},
                                                                                   {"--max-edits", "bwa:0.01"},
                                                                                   {"--damage", "off"},
                                                                                   {"--damage", "auto"},
                                                                                   {"--damage", "ss:auto"},
                                                                                   {"--damage", "0.3,0.25,0.01"},
                                                                                   {"--damage", "ss:1,0,1"},
                                                                                   {"--clip", "30%"},
                                                                                   {"--clip", "auto"},
                                                                                   {"--clip", "40"},
                                                                                   {"--clip-when", "always"},
                                                                                   {"--insert", "100-600"},
                                                                                   {"--ambiguous", "match"},
                                                                                   {"--ambiguous", "mismatch"},
                                                                                   {"--ambiguous", "match:10"},
                                                                                   {"--ambiguous", "match:12.5%"},
                                                                                   {"--devices", "0,2"},
                                                                                   {"--devices", "all"},
                                                                                   {"--unmapped", "drop"},
                                                                                   {"--one-end", "never"},
                                                                                   {"--output-format", "bed"}}) {
    const Command command = map_rules(map);
    const Option& option = *command.find(name);
    REQUIRE(set(option, text).empty());
    REQUIRE(text_of(option) == text);
  }
  for (const auto& [name, text] : std::vector<std::pair<const char*, const char*>>{{"--max-bulges", "2"},
                                                                                   {"--max-bulges", "2,1"},
                                                                                   {"--max-bulges", "0,0"},
                                                                                   {"--within", "5p:150,3p:20"},
                                                                                   {"--within", "3p:7"},
                                                                                   {"--strand", "-"},
                                                                                   {"--trim", "after"},
                                                                                   {"--per-read", "best"}}) {
    const std::vector<Option> table = scan_table(scan);
    const auto option = std::find_if(table.begin(), table.end(), [&](const Option& o) { return o.name() == name; });
    REQUIRE(set(*option, text).empty());
    REQUIRE(text_of(*option) == text);
  }
}

TEST_CASE("wrong values of types of their own") {
  MapArguments map;
  ScanArguments scan;
  for (const auto& [words, error] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"-e", "x"}, "-e x: give a number of edits"},
           {{"-e", "300"}, "-e 300: at most 255 edits are possible"},
           {{"-e", "51%"}, "-e 51%: give"},
           {{"-e", "bwa:0"}, "-e bwa:0: give a share of reads between 0 and 1"},
           {{"-e", "bwa:1x"}, "-e bwa:1x: give a share"},
           {{"--damage", "0.3"}, "--damage 0.3: give off, auto"},
           {{"--damage", "0.3,0.3,2"}, "--damage 0.3,0.3,2: give off"},
           {{"--damage", "0,0,0"}, "--damage 0,0,0: give off"},
           {{"--damage", "0.1,0.3,0.2"}, "--damage 0.1,0.3,0.2: give off"},
           {{"--damage", "ss:off"}, "--damage ss:off: give off"},
           {{"--clip", "50%"}, "--clip 50%: give"},
           {{"--clip", "40000"}, "--clip 40000: at most 32767"},
           {{"--insert", "600-100"}, "--insert 600-100: the smallest size comes first"},
           {{"--insert", "0-100"}, "--insert 0-100: a pair covers at least 1 base"},
           {{"--ambiguous", "match:x"}, "--ambiguous match: x: give"},
           {{"--devices", "0,0"}, "--devices 0,0: give"},
           {{"--devices", "0:8X"}, "--devices 0: 8X: give bytes"},
           {{"--sort-memory", "100"}, "--sort-memory 100: at least 1M is needed"},
           {{"--sort-memory", "0"}, "--sort-memory 0: at least 1M is needed"}}) {
    INFO(words[1]);
    REQUIRE(map_error(words, map).starts_with(error));
  }
  REQUIRE(scan_error({"-p", "A", "--max-bulges", "1,2,3"}, scan).starts_with("--max-bulges 1,2,3: give a number"));
  REQUIRE(scan_error({"-p", "A", "--within", "5p:3,5p:4"}, scan).starts_with("--within 5p:3,5p:4: give how many"));
}

TEST_CASE("options that do not go together") {
  for (const auto& [words, error] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"-k", "5"}, "-k,--max-hits: --report best writes one record"},
           {{"--placements"}, "--placements: --report best writes one record"},
           {{"--strata", "1"}, "--strata needs --report strata"},
           {{"--split", "--report", "all"}, "--split needs --clip"},
           {{"--clip-when", "always", "--end-to-end"}, "--clip-when needs --clip"},
           {{"--clip", "30%", "--end-to-end"}, "--end-to-end: the whole read must fit"},
           {{"--clip", "30%", "--metric", "hamming"}, "--clip needs alignments with gaps"},
           {{"--insert", "1-9"}, "--insert is for pairs"},
           {{"--eqx", "-o", "x.cram"}, "--eqx: CRAM does not keep"},
           {{"-C", "-o", "x.bed.gz"}, "-C,--comments: BED has no tags"},
           {{"--damage", "auto"}, "--damage: whole reads only"},
           {{"--damage", "auto", "--end-to-end", "--interleaved"}, "--damage is for single reads"},
           {{"--mark-duplicates"}, "--mark-duplicates needs --sort"},
           {{"--for", "rsem", "--sort"}, "--for: its program needs the records of a read together"},
           {{"--engine", "cpu", "--devices", "0"}, "--devices are CUDA devices"},
           {{"--quiet", "--verbose"}, "--verbose and --quiet exclude each other"}}) {
    MapArguments map;
    INFO(words[0]);
    REQUIRE(map_error(words, map).starts_with(error));
  }
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"--clip", "0", "--end-to-end"},
                                             {"--clip-when", "unmapped", "--end-to-end"},
                                             {"--split", "--clip", "30%"},
                                             {"--insert", "1-9", "--interleaved"},
                                             {"-k", "5", "--report", "all"},
                                             {"-e", "5%", "--strata", "0"}}) {
    MapArguments map;
    REQUIRE(map_error(words, map).empty());
  }
  for (const auto& [words, error] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"--per-read", "best", "--pam", "NGG"}, "--per-read best writes a row for each read; leave out --pam"},
           {{"--per-read", "best", "--report", "ends"},
            "--per-read best writes a row for each read; leave out --report"},
           {{"--within", "5p:9", "--pam", "NGG"}, "--within is for patterns in reads"},
           {{"--margin", "2"}, "--margin needs --per-read best"},
           {{"--annotate", "x.gff", "-o", "x.bed"}, "--annotate adds columns to a table"},
           {{"--vcf", "x.vcf", "-o", "x.bed"}, "--vcf adds columns to a table"}}) {
    ScanArguments scan;
    REQUIRE(scan_error(words, scan).starts_with(error));
  }
}

TEST_CASE("what options mean, and the line in @PG") {
  MapArguments usual;
  const map::MapOptions options = map_options(usual);
  REQUIRE(options.clip.when == align::ClipWhen::poor);
  REQUIRE(options.clip.join == 120);
  REQUIRE(canonical_command_line(usual, "g.fa") == "trawl map --max-edits 5% --report best g.fa");
  MapArguments all;
  REQUIRE(map_error({"--report", "all", "-e", "3", "-t", "2", "--insert", "1-9", "--interleaved"}, all).empty());
  REQUIRE_FALSE(map_options(all).clip.on());
  REQUIRE(map_options(all).report == map::Report::all);
  REQUIRE(canonical_command_line(all, "g.fa") == "trawl map --max-edits 3 --report all --insert 1-9 g.fa");
  MapArguments ancient;
  REQUIRE(map_error({"--for", "adna"}, ancient).empty());
  REQUIRE(canonical_command_line(ancient, "g.fa") ==
          "trawl map --max-edits bwa:0.01 --damage auto --end-to-end --report best g.fa");
  // What bwa 0.7.17 says: "[bwa_aln] 17bp reads: max_diff = 2" and so on.
  std::uint32_t edits = 1;
  std::vector<std::size_t> rises;
  for (std::size_t length = 17; length <= 250; ++length) {
    const std::uint32_t here = map_options(ancient).allowed_edits(length);
    REQUIRE((here == edits || here == edits + 1));
    if (here > edits) {
      rises.push_back(length);
    }
    edits = here;
  }
  REQUIRE(rises == std::vector<std::size_t>{17, 22, 42, 64, 90, 117, 146, 176, 207, 239});
  MapArguments preset;
  REQUIRE(map_error({"--for", "telescope", "--clip", "20%"}, preset).empty());
  REQUIRE(clip_text(preset.clip) == "20%");  // what the user gives wins
  REQUIRE(preset.rules.report == map::Report::all);
  ScanArguments scan;
  REQUIRE(scan_error({"-p", "GATTACA", "--pam", "NGG", "--max-mismatches", "3"}, scan).empty());
  REQUIRE(scan_options(scan).max_edits == 3);
  REQUIRE(scan_options(scan).max_bulges == 0);
}

TEST_CASE("words that are nearly right") {
  REQUIRE(did_you_mean("--threds", {"--threads", "--stats"}) == "; did you mean --threads?");
  REQUIRE(did_you_mean("--fish", {"--threads", "--stats"}).empty());
  MapArguments map;
  REQUIRE(map_error({"--thread", "2"}, map) == "there is no option --thread; did you mean --threads?");
  REQUIRE(map_error({"-X", "600"}, map).find("--insert MIN-MAX") != std::string::npos);
  REQUIRE(map_error({"more.fq", "out.bam"}, map).find("-o out.bam") == std::string::npos);
}
