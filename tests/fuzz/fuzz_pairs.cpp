// Makes contigs, reads, pairs and options from bytes, as the conformance tests make them from seeds, and compares the
// engine's alignments with oracles. The first bytes choose what is compared: single reads with few or many edits;
// pairs, and their mates as single reads; both with those of the oracle, in all kinds of reports; reads that are
// trimmed or clipped as by default, with the oracle of that rule; or the parts of split reads with the same parts
// mapped as reads of their own.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/fuzz/memory_file.hpp"
#define REQUIRE(holds) trawl::fuzz::check(holds)  // of Catch2, in the headers of the conformance tests

#include "align/cigar.hpp"
#include "tests/conformance/map_pairs.hpp"
#include "tests/conformance/poor_reads.hpp"

using namespace trawl;

namespace {

void compare(const std::string& found, const std::string& expected, const std::string& about) {
  if (found != expected) {
    std::fprintf(stderr, "found %s\nexpected %s\n%s\n", found.c_str(), expected.c_str(), about.c_str());
    std::abort();
  }
}

void compare_pairs(tests::RandomCases& random) {
  tests::Kind kind{.seed = 0, .cases = 1, .most_pairs = 4};  // an input should take less than a second
  kind.input = static_cast<decltype(kind.input)>(random.number(0, 2));
  kind.ambiguity = random.chance(0.3) ? 0.01 : 0;
  kind.ambiguous = kind.ambiguity > 0 && random.chance(0.5) ? map::Ambiguous::match : map::Ambiguous::mismatch;
  kind.clip = random.chance(0.5);
  kind.metric = !kind.clip && random.chance(0.2) ? map::Metric::hamming : map::Metric::levenshtein;
  const tests::Case input = tests::random_case(kind, random);
  map::MapOptions options = input.options;
  options.report = static_cast<map::Report>(random.number(0, 2));
  options.strata = options.report == map::Report::strata ? static_cast<std::uint32_t>(random.number(0, 3)) : 0;
  options.max_hits = random.chance(0.3) ? random.number(1, 4) : 0;
  options.pairs.discordant = align::Discordant(random.number(0, 2));
  const tests::PairOracle oracle(options, input.inserts);
  const auto engine = tests::engine_for("cpu", input, options);
  const auto worker = engine->make_worker();
  const auto found = tests::map_with(*worker, input.pairs);
  for (std::size_t i = 0; i < input.pairs.size(); ++i) {
    compare(tests::text_of_pair(found, i), tests::text_of(oracle.expect(input.first[i], input.second[i])),
            tests::about(input, options, i));
  }
  const auto& [first, second] = input.pairs.front();
  const auto alone = tests::map_with(*worker, std::vector{first, second});
  compare(tests::text_of(alone, 0), tests::text_of_single(input.first.front(), options.report_rule()),
          tests::about(input, options, 0));
  compare(tests::text_of(alone, 1), tests::text_of_single(input.second.front(), options.report_rule()),
          tests::about(input, options, 0));
}

void compare_reads(tests::RandomCases& random) {
  const double ambiguity = random.chance(0.5) ? 0.01 : 0;
  std::vector<std::string> contigs;
  for (std::size_t n = random.number(1, 3); n > 0; --n) {
    contigs.push_back(random.contig(random.number(1, 700), ambiguity));
  }
  map::MapOptions options;
  options.max_edits = tests::random_max_edits(random);
  options.report = static_cast<map::Report>(random.number(0, 2));
  options.strata = options.report == map::Report::strata ? static_cast<std::uint32_t>(random.number(0, 3)) : 0;
  options.max_hits = random.number(0, 4);
  options.ambiguous = random.chance(0.5) ? map::Ambiguous::match : map::Ambiguous::mismatch;
  options.eqx = random.chance(0.5);
  options.search = static_cast<map::SearchMethod>(random.number(0, 2));
  auto reads = tests::random_reads(random, contigs, options.max_edits, ambiguity, 300);
  reads.resize(std::min<std::size_t>(reads.size(), 4));
  const auto reference = tests::make_reference(contigs);
  const auto found = tests::map_with(*pipeline::make_engine("cpu", reference, options)->make_worker(), reads);
  const tests::ReadOracle oracle(contigs, options);
  for (std::size_t r = 0; r < reads.size(); ++r) {
    std::string about = reads[r].bases + ": e " + std::to_string(options.allowed_edits(reads[r].bases.size())) +
                        ", ambiguous " + std::to_string(static_cast<int>(options.ambiguous)) + ", report " +
                        std::to_string(static_cast<int>(options.report)) + ", search " +
                        std::to_string(static_cast<int>(options.search));
    for (const std::string& contig : contigs) {
      about += "\ncontig " + contig;
    }
    compare(tests::text_of(found, r), tests::text_of_single(oracle.find(reads[r]), options.report_rule()), about);
  }
}

// Pairs that often have ends which do not belong.
tests::Case poor_case(tests::RandomCases& random) {
  tests::Case input;
  input.contigs = tests::repeats(random);
  input.reference = tests::make_reference(input.contigs);
  input.options = tests::poor_options(random);
  input.inserts = tests::random_inserts(random);
  for (std::size_t n = random.number(1, 3); n > 0; --n) {
    input.pairs.push_back(tests::poor_mates(random, input.contigs, input.options, random.chance(0.5)));
    if (random.chance(0.5)) {
      input.pairs.back().first.bases = tests::poor_read(random, input.contigs);
      input.pairs.back().first.qualities = "";
    }
  }
  std::erase_if(input.pairs, tests::is_short_fragment);
  return input;
}

void compare_poor(tests::RandomCases& random) {
  const tests::Case input = poor_case(random);
  const tests::PoorOracle oracle(input.contigs, input.options);
  tests::PoorCounts counts;
  const auto engine = tests::engine_for("cpu", input, input.options);
  const auto worker = engine->make_worker();
  const auto found = tests::map_with(*worker, input.pairs);
  for (std::size_t i = 0; i < input.pairs.size(); ++i) {
    const tests::Read& first = input.pairs[i].first;
    const auto compare_known = [&](const std::string& text, const std::string& expected) {
      if (expected != tests::PoorOracle::kInArray) {
        compare(text, expected, tests::about(input, input.options, i));
      }
    };
    compare_known(tests::text_of_pair(found, i), oracle.pair(input.pairs[i], input.inserts, counts));
    compare_known(tests::text_of(tests::map_with(*worker, std::vector{first}), 0), oracle.single(first, counts));
  }
}

// Pairs whose mates have parts of one to three places, and foreign bases between them.
tests::Case split_case(tests::RandomCases& random) {
  tests::Case input;
  if (random.chance(0.5)) {
    input.contigs = tests::repeats(random);
  } else {
    input.contigs = {random.contig(random.number(200, 1500), 0), random.bases(random.number(50, 500))};
  }
  input.reference = tests::make_reference(input.contigs);
  map::MapOptions& options = input.options;
  options = tests::poor_options(random);
  options.max_edits = random.chance(0.3)
                          ? map::NumberOrShare{true, static_cast<double>(random.number(20, 120)) / 10, 0}
                          : map::NumberOrShare{false, 0, static_cast<std::uint32_t>(random.number(0, 4))};
  options.clip.most = random.chance(0.7)
                          ? map::NumberOrShare{true, static_cast<double>(random.number(300, 490)) / 10, 0}
                          : map::NumberOrShare{false, 0, static_cast<std::uint32_t>(random.number(10, 100))};
  options.clip.join = random.chance(0.5) ? static_cast<std::uint32_t>(random.number(1, 80)) : 0;
  input.inserts = tests::random_inserts(random);
  for (std::size_t n = random.number(1, 3); n > 0; --n) {
    tests::Mates& mates = input.pairs.emplace_back();
    mates.first.name = mates.second.name = "pair" + std::to_string(random.number(0, 100000));
    mates.second.second_mate = true;
    for (tests::Read* const read : {&mates.first, &mates.second}) {
      for (std::size_t parts = random.number(1, 3); parts > 0; --parts) {
        read->bases += random.read(input.contigs, random.number(25, 90), random.number(0, 2), 0);
        read->bases += random.chance(0.3) ? random.bases(random.number(1, 40)) : "";
      }
      while (random.chance(0.995) && read->qualities.size() < read->bases.size()) {
        read->qualities += static_cast<char>(random.number('#', 'J'));
      }
      if (read->qualities.size() < read->bases.size()) {
        read->qualities = "";
      }
    }
  }
  return input;
}

// Whether CIGAR, MD and NM of an alignment are what its read and its contig say. Nothing is ambiguous.
void check_alignment(const std::vector<std::string>& contigs, const std::string& bases,
                     const align::AlignmentBatch& batch, const align::Alignment& a) {
  const std::string read = a.reverse ? sequence::reverse_complement(bases) : bases;
  fuzz::check(a.contig < contigs.size() && a.start + a.span <= contigs[a.contig].size() && a.mapq <= 60);
  const std::string& text = contigs[a.contig];
  std::size_t base = 0, at = a.start, edits = 0, same = 0;
  std::string md;
  const auto cigar = tests::cigar_of(batch, a);
  for (std::size_t k = 0; k < cigar.size(); ++k) {
    const auto [op, length] = cigar[k];
    fuzz::check(length > 0 && (k == 0 || cigar[k - 1].op != op) && (op != 'S' || k == 0 || k + 1 == cigar.size()) &&
                (op == 'D' || base + length <= read.size()) && (op == 'S' || op == 'I' || at + length <= text.size()));
    if (op == 'S') {
      base += length;
    } else if (op == 'I') {
      base += length;
      edits += length;
    } else if (op == 'D') {
      md += std::to_string(same) + "^" + text.substr(at, length);
      same = 0;
      at += length;
      edits += length;
    } else {
      for (std::size_t i = 0; i < length; ++i, ++base, ++at) {
        const bool matches = read[base] == text[at];
        fuzz::check(op == 'M' || (op == '=') == matches);
        ++same;
        if (!matches) {
          md += std::to_string(same - 1) + text[at];
          same = 0;
          ++edits;
        }
      }
    }
  }
  md += std::to_string(same);
  fuzz::check(base == read.size() && at == a.start + a.span && edits == a.edits && md == batch.md_of(a));
}

void check_alignments(const tests::Case& input, const align::AlignmentBatch& found) {
  for (std::size_t r = 0; r < found.reads.size(); ++r) {
    const tests::Mates& mates = input.pairs[r / 2];
    const std::string& bases = (r % 2 == 0 ? mates.first : mates.second).bases;
    const align::ReadResult& result = found.reads[r];
    for (std::size_t k = 0; k < result.count; ++k) {
      check_alignment(input.contigs, bases, found, found.alignments.at(result.first + k));
    }
    for (std::size_t k = 0; k < result.supplementary_count; ++k) {
      check_alignment(input.contigs, bases, found, found.alignments.at(result.supplementary + k));
    }
    const align::PairResult& pair = found.pairs[r / 2];
    for (std::size_t k = 0; k < pair.count; ++k) {
      const auto mate = found.concordant_pairs.at(pair.first + k).mates[r % 2];
      check_alignment(input.contigs, bases, found, found.alignments.at(mate));
    }
  }
}

// The alignment of a part of a read, as one of the whole read, which has so many more bases before and after the part.
std::string text_in_read(const align::AlignmentBatch& batch, const align::Alignment& a, std::size_t before,
                         std::size_t after) {
  auto cigar = tests::cigar_of(batch, a);
  const std::size_t left = a.reverse ? after : before, right = a.reverse ? before : after;
  if (left > 0 && cigar.front().op == 'S') {
    cigar.front().length += left;
  } else if (left > 0) {
    cigar.insert(cigar.begin(), {'S', left});
  }
  if (right > 0 && cigar.back().op == 'S') {
    cigar.back().length += right;
  } else if (right > 0) {
    cigar.push_back({'S', right});
  }
  std::string text;
  for (const tests::CigarElement& element : cigar) {
    text += std::to_string(element.length) + element.op;
  }
  return std::to_string(a.contig) + (a.reverse ? "-" : "+") + std::to_string(a.start) + "+" + std::to_string(a.span) +
         " " + std::to_string(a.distance) + "," + std::to_string(a.edits) + "," + std::to_string(a.score) + " " + text +
         " " + std::string(batch.md_of(a)) + " q" + std::to_string(a.mapq) + "\n";
}

// What an end of a read has as its own record: its best alignment, if it is mapped as a read.
std::string text_of_end(const tests::Case& input, map::MapOptions options, const tests::Read& read, std::size_t begin,
                        std::size_t end) {
  constexpr std::size_t kShortest = 30;
  if (end - begin < kShortest) {
    return "";
  }
  const tests::Read part{read.name, read.bases.substr(begin, end - begin),
                         read.qualities.empty() ? "" : read.qualities.substr(begin, end - begin), read.second_mate};
  options.report = map::Report::best;
  options.clip.join = 0;
  const std::size_t spare = part.bases.size() - kShortest;  // a piece is not shorter, either
  if (options.clip.most.of(part.bases.size()) > spare) {
    options.clip.most = {false, 0, static_cast<std::uint32_t>(spare)};
  }
  // Without clipping the engine would not score it as a piece. Of a longer read, halves of halves would be searched.
  if (!options.clip.on() || part.bases.size() >= 4 * kShortest - 3) {
    return "?";
  }
  const auto found = tests::map_with(*tests::engine_for("cpu", input, options)->make_worker(), std::vector{part});
  if (found.reads[0].count == 0 ||
      found.alignments[found.reads[0].first].score < static_cast<std::int32_t>(options.clip.least_score)) {
    return "";
  }
  return text_in_read(found, found.alignments[found.reads[0].first], begin, read.bases.size() - end);
}

// Clipped ends have records of their own, and may be joined by a long gap. Both change no other alignment.
void compare_split(tests::RandomCases& random) {
  const tests::Case input = split_case(random);
  map::MapOptions options = input.options;
  if (random.chance(0.3)) {  // as by default; its ends are searched in other ways than reads
    options.clip.split = true;
    check_alignments(input, tests::map_with(*tests::engine_for("cpu", input, options)->make_worker(), input.pairs));
    return;
  }
  options.clip.when = random.chance(0.5) ? align::ClipWhen::unmapped : align::ClipWhen::always;
  options.report = static_cast<map::Report>(random.number(0, 2));
  const auto plain = tests::map_with(*tests::engine_for("cpu", input, options)->make_worker(), input.pairs);
  options.clip.split = true;
  const auto found = tests::map_with(*tests::engine_for("cpu", input, options)->make_worker(), input.pairs);
  check_alignments(input, found);
  for (std::size_t r = 0; r < found.reads.size(); ++r) {
    const tests::Mates& mates = input.pairs[r / 2];
    const tests::Read& read = r % 2 == 0 ? mates.first : mates.second;
    const align::Alignment* const before = align::primary_of(plain, r);
    const align::Alignment* const primary = align::primary_of(found, r);
    fuzz::check(before == nullptr || primary != nullptr);
    if (primary == nullptr) {
      fuzz::check(found.reads[r].supplementary_count == 0);
      continue;
    }
    if (before != nullptr) {
      compare(tests::text_of(found, *primary), tests::text_of(plain, *before), tests::about(input, options, r / 2));
    }
    const auto [left, right] = align::clipped_ends(found, *primary);
    const std::size_t size = read.bases.size();
    const std::string first = text_of_end(input, options, read, 0, primary->reverse ? right : left);
    const std::string second = text_of_end(input, options, read, size - (primary->reverse ? left : right), size);
    if (first == "?" || second == "?") {
      continue;
    }
    std::string texts;
    for (std::size_t k = 0; k < found.reads[r].supplementary_count; ++k) {
      texts += text_in_read(found, found.alignments.at(found.reads[r].supplementary + k), 0, 0);
    }
    compare(texts, first + second, tests::about(input, options, r / 2));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tests::RandomCases random(std::string_view(reinterpret_cast<const char*>(data), size));
  switch (random.number(0, 5)) {
    case 0:
      compare_poor(random);
      break;
    case 1:
      compare_split(random);
      break;
    case 2:
    case 3:
      compare_reads(random);
      break;
    default:
      compare_pairs(random);
  }
  return 0;
}
