// Circular contigs: the engines against the oracle, which searches three turns of them, and against the same contigs
// with another origin.
#include <algorithm>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/catch.hpp"
#include "tests/conformance/map_pairs.hpp"
#include "tests/conformance/map_reads.hpp"
#include "tests/random_cases.hpp"
#include "tests/read_oracle.hpp"

using namespace trawl;
using namespace trawl::tests;

namespace {

constexpr std::size_t kLongestRead = 150;

struct Genome {
  std::vector<std::string> contigs;
  std::vector<bool> circular;

  std::size_t repeated(std::size_t c) const {
    return circular[c] ? (contigs[c].size() + 2 * kLongestRead + 63) / 64 * 64 : 0;
  }
  // With what is repeated.
  std::string text(std::size_t c) const {
    const std::string& circle = contigs[c];
    std::string text;
    for (std::size_t i = 0; i < circle.size() + 2 * repeated(c); ++i) {
      text += circle[(i + circle.size() - repeated(c) % circle.size()) % circle.size()];
    }
    return text;
  }
  sequence::Reference reference() const {
    std::deque<std::string> kept;
    std::vector<sequence::NamedText> texts;
    for (std::size_t c = 0; c < contigs.size(); ++c) {
      const std::string& name = kept.emplace_back("c" + std::to_string(c));
      texts.push_back({name, kept.emplace_back(text(c)), {circular[c], repeated(c)}});
    }
    return sequence::Reference::without_repeats(sequence::pack_texts(texts));
  }
  Genome turned(std::size_t by) const {
    Genome other = *this;
    for (std::size_t c = 0; c < contigs.size(); ++c) {
      if (circular[c]) {
        std::string& circle = other.contigs[c];
        std::rotate(circle.begin(), circle.begin() + static_cast<std::ptrdiff_t>(by % circle.size()), circle.end());
      }
    }
    return other;
  }
};

Genome random_genome(RandomCases& random, double ambiguity, std::size_t shortest) {
  Genome genome;
  for (std::size_t n = random.number(1, 3); n > 0; --n) {
    genome.contigs.push_back(random.contig(random.number(shortest, 900), ambiguity));
    genome.circular.push_back(genome.circular.empty() || random.chance(0.6));
  }
  return genome;
}

// Reads that are not longer than the contigs, many of them over an origin.
std::vector<Read> reads_of(RandomCases& random, const Genome& genome, std::size_t longest, std::size_t edits,
                           std::size_t count) {
  std::vector<Read> reads;
  for (std::size_t n = 0; n < count; ++n) {
    const std::size_t length = random.number(20, longest);
    const std::string& circle = genome.contigs[random.number(0, genome.contigs.size() - 1)];
    const std::size_t at = random.chance(0.6) ? circle.size() - std::min(circle.size(), random.number(0, length + 8))
                                              : random.number(0, circle.size() - 1);
    std::string bases = random.mutate((circle + circle).substr(at, length), random.number(0, edits));
    bases.resize(std::min(bases.size(), longest));
    Read read;
    read.name = "r" + std::to_string(random.number(0, 1000));
    read.bases = random.chance(0.5) ? bases : sequence::reverse_complement(bases);
    if (!read.bases.empty()) {
      reads.push_back(read);
    }
  }
  return reads;
}

// The parts of a locus on the contigs, by its steps.
std::vector<std::string> parts_of(const Genome& genome, const std::string& bases, const AlignedLocus& locus) {
  const std::size_t repeated = genome.repeated(locus.contig);
  const std::size_t length = genome.contigs[locus.contig].size();
  const std::string text = genome.text(locus.contig);
  // Which turn a position is on. Positions before the first base count from a number of turns before.
  const auto turn_of = [&](std::size_t p) { return repeated == 0 ? 0 : (p + 100 * length - repeated) / length; };
  struct Part {
    std::size_t first_base = 0, first = 0;
    std::string steps;
  };
  std::vector<Part> parts(1);
  parts[0].first = locus.start;
  std::size_t i = 0, p = locus.start;
  for (std::size_t k = 0; k < locus.steps.size(); ++k) {
    const char step = locus.steps[k];
    if (step != 'I' && turn_of(p) != turn_of(locus.start) && turn_of(p) != turn_of(p - 1)) {
      parts.push_back({i, p, ""});
    }
    // An insertion goes with the letter before it, unless the next one is on another turn, too.
    parts.back().steps += step;
    i += step == 'D' ? 0 : 1;
    p += step == 'I' ? 0 : 1;
  }
  std::vector<std::string> texts;
  std::vector<std::size_t> spans;
  for (std::size_t n = 0; n < parts.size(); ++n) {
    Part& part = parts[n];
    while (n > 0 && !part.steps.empty() && part.steps.front() != 'M') {
      part.first_base += part.steps.front() == 'I' ? 1 : 0;
      part.first += part.steps.front() == 'D' ? 1 : 0;
      part.steps.erase(0, 1);
    }
    while (n + 1 < parts.size() && !part.steps.empty() && part.steps.back() != 'M') {
      part.steps.pop_back();
    }
    if (part.steps.find('M') == std::string::npos) {
      continue;
    }
    std::string operations(part.first_base, 'S');
    std::string md;
    std::size_t matched = 0, base = part.first_base, position = part.first, edits = 0;
    for (std::size_t k = 0; k < part.steps.size(); ++k) {
      const char step = part.steps[k];
      operations += step;
      if (step == 'M' && match::letters_match(bases[base], text[position])) {
        ++matched;
      } else if (step != 'I') {
        if (step == 'M' || k == 0 || part.steps[k - 1] != 'D') {
          md += std::to_string(matched) + (step == 'D' ? "^" : "");
          matched = 0;
        }
        md += text[position];
      }
      edits += step != 'M' || !match::letters_match(bases[base], text[position]) ? 1 : 0;
      base += step == 'D' ? 0 : 1;
      position += step == 'I' ? 0 : 1;
    }
    md += std::to_string(matched);
    operations += std::string(bases.size() - base, 'S');
    std::string cigar;
    for (std::size_t k = 0; k < operations.size();) {
      const std::size_t end = std::min(operations.find_first_not_of(operations[k], k), operations.size());
      cigar += std::to_string(end - k) + operations[k];
      k = end;
    }
    const std::size_t start = repeated == 0 ? part.first : (part.first + 100 * length - repeated) % length;
    texts.push_back(std::to_string(locus.contig) + (locus.reverse ? "-" : "+") + std::to_string(start) + "+" +
                    std::to_string(position - part.first) + " " + std::to_string(locus.distance) + "," +
                    std::to_string(edits) + "," + std::to_string(locus.score) + " " + cigar + " " + md);
    spans.push_back(position - part.first);
  }
  const auto longest = std::max_element(spans.begin(), spans.end()) - spans.begin();
  std::rotate(texts.begin(), texts.begin() + longest, texts.begin() + longest + 1);
  return texts;
}

// Compares the records of a read with the loci of the oracle. Returns how many of them lie over an origin.
std::size_t check_read(const Genome& genome, const Read& read, const ReadLoci& expected,
                       const align::AlignmentBatch& found, std::size_t r) {
  std::multiset<std::string> main_parts, found_parts;
  std::multiset<std::string> supplementary, found_supplementary;
  const align::ReadResult& result = found.reads[r];
  const std::string primary = result.count > 0 ? text_of(found, found.alignments[result.first]) : "";
  std::size_t over = 0;
  // One record for each locus; the primary one is of one of its placements.
  std::optional<std::size_t> primary_run;
  for (const AlignedLocus& locus : expected.loci) {
    const auto parts = parts_of(genome, expected.strands.bases[locus.reverse], locus);
    if (!primary_run && parts.front() == primary && locus.penalty == expected.best()) {
      primary_run = locus.run;
      over += parts.size() > 1;
      main_parts.insert(parts.front());
      supplementary.insert(parts.begin() + 1, parts.end());
    }
  }
  for (const AlignedLocus& locus : expected.runs) {
    if (locus.run != primary_run) {
      const auto parts = parts_of(genome, expected.strands.bases[locus.reverse], locus);
      over += parts.size() > 1;
      main_parts.insert(parts.front());
    }
  }
  for (std::size_t k = 0; k < result.count; ++k) {
    found_parts.insert(text_of(found, found.alignments[result.first + k]));
  }
  for (std::size_t k = 0; k < result.supplementary_count; ++k) {
    found_supplementary.insert(text_of(found, found.alignments[result.supplementary + k]));
  }
  INFO(read.bases);
  CHECK(found_parts == main_parts);
  CHECK(found_supplementary == supplementary);
  CHECK(result.best_count == expected.best_count());
  return over;
}

// Only one of two places that are the same is kept. False: a read is everywhere on a circle.
bool keep_own(const Genome& genome, ReadLoci& loci) {
  bool everywhere = false;
  std::set<std::size_t> kept;
  std::erase_if(loci.runs, [&](const AlignedLocus& locus) {
    const std::size_t repeated = genome.repeated(locus.contig);
    const std::size_t length = genome.contigs[locus.contig].size();
    everywhere =
        everywhere || (repeated > 0 && locus.run_end - locus.run_begin + 1 >= std::min(length, repeated - 160));
    const bool is_repeat = repeated > 0 && (locus.end - 1 < repeated || locus.end - 1 >= repeated + length);
    if (!is_repeat) {
      kept.insert(locus.run);
    }
    return is_repeat;
  });
  std::erase_if(loci.loci, [&](const AlignedLocus& locus) { return !kept.contains(locus.run); });
  return !everywhere;
}

}  // namespace

TEST_CASE("places on circular contigs are those of the oracle") {
  RandomCases random(231);
  std::size_t over = 0;
  for (std::size_t n = 0; n < 60 / kFewer; ++n) {
    const double ambiguity = random.chance(0.7) ? 0 : 0.01;
    const Genome genome = random_genome(random, ambiguity, 170);
    const std::size_t edits = random.number(0, 8);
    map::MapOptions options;
    options.max_edits = {false, 0, static_cast<std::uint32_t>(edits)};
    options.report = map::Report::all;
    options.metric = random.chance(0.2) ? map::Metric::hamming : map::Metric::levenshtein;
    options.ambiguous = ambiguity > 0 && random.chance(0.5) ? map::Ambiguous::match : map::Ambiguous::mismatch;
    options.search = random.chance(0.8) ? map::SearchMethod::automatic : map::SearchMethod::scan;
    const auto reads = reads_of(random, genome, kLongestRead, edits, 40);
    std::vector<std::string> texts;
    for (std::size_t c = 0; c < genome.contigs.size(); ++c) {
      texts.push_back(genome.text(c));
    }
    const ReadOracle oracle(texts, options);
    const auto reference = genome.reference();
    for (const auto& name : usable_engines()) {
      const auto found = map_with(*pipeline::make_engine(name, reference, options)->make_worker(), reads);
      for (std::size_t r = 0; r < reads.size(); ++r) {
        INFO("case " << n << ", engine " << name << ", read " << r);
        ReadLoci expected = oracle.find(reads[r]);
        if (keep_own(genome, expected) && !expected.too_short &&
            found.reads[r].unmapped != align::Unmapped::too_short) {
          over += check_read(genome, reads[r], expected, found, r);
        }
      }
    }
  }
  CHECK(over > 500 / kFewer);
}

TEST_CASE("a read that lies everywhere on a circle has one record, and each place once") {
  for (const std::string unit : {"A", "ACG"}) {
    std::string circle;
    while (circle.size() < 240) {
      circle += unit;
    }
    const Genome genome{{circle, "GGTTGGTTCCAATTGGCA"}, {true, false}};
    const auto reference = genome.reference();
    map::MapOptions options;
    options.max_edits = {false, 0, 3};
    options.report = map::Report::all;
    for (const auto search : {map::SearchMethod::seeds, map::SearchMethod::scan}) {
      options.search = search;
      for (const auto& name : usable_engines()) {
        INFO("engine " << name << ", unit " << unit);
        const auto found = map_with(*pipeline::make_engine(name, reference, options)->make_worker(),
                                    std::vector<Read>{{"r", circle.substr(0, 60), ""}});
        CHECK(found.reads[0].count == 1);
        CHECK(found.reads[0].best_count == circle.size() / unit.size());
        CHECK(found.alignments.at(found.reads[0].first).distance == 0);
        CHECK(found.alignments.at(found.reads[0].first).start < circle.size());
      }
    }
  }
}

namespace {

// What does not depend on the origin. Which of several equal pairs is the primary one does.
std::string summary_of(const align::AlignmentBatch& batch, std::size_t p) {
  const auto& pair = batch.pairs[p];
  std::string text = std::string(kKinds[static_cast<int>(pair.kind)]) + " " + std::to_string(pair.count);
  unsigned distances = 0;
  bool is_sure = true;
  for (std::size_t m = 0; m < 2; ++m) {
    text += ", " + std::to_string(batch.reads[2 * p + m].best_count);
    if (const align::Alignment* const primary = align::primary_of(batch, 2 * p + m)) {
      distances += primary->distance;
      is_sure = is_sure && primary->mapq > 0;
      text += " q" + std::to_string(primary->mapq);
    }
  }
  return text + ", distances " + std::to_string(distances) + (is_sure ? ", insert " + std::to_string(pair.insert) : "");
}

std::vector<Mates> mates_of(RandomCases& random, const Genome& genome, std::size_t edits) {
  std::vector<Mates> pairs;
  for (std::size_t n = 0; n < 30; ++n) {
    const std::string& circle = genome.contigs[random.number(0, genome.contigs.size() - 1)];
    const std::size_t size = random.number(60, 250);
    const std::size_t at = random.number(0, circle.size() - 1);
    const std::string piece = (circle + circle).substr(at, size);
    const std::string name = "p" + std::to_string(random.number(0, 1000));
    Mates mates{{name, random.mutate(piece.substr(0, 50), random.number(0, edits)), ""},
                {name, random.mutate(sequence::reverse_complement(piece).substr(0, 50), random.number(0, edits)), ""}};
    if (random.chance(0.5)) {
      std::swap(mates.first, mates.second);
    }
    if (!mates.first.bases.empty() && !mates.second.bases.empty()) {
      pairs.push_back(mates);
    }
  }
  return pairs;
}

}  // namespace

TEST_CASE("pairs on circular contigs do not depend on the origin") {
  RandomCases random(232);
  std::size_t concordant = 0;
  for (std::size_t n = 0; n < 40 / kFewer; ++n) {
    Genome genome;
    for (std::size_t c = random.number(1, 2); c > 0; --c) {
      genome.contigs.push_back(random.bases(random.number(450, 1200)));
      // Places that are there twice.
      genome.contigs.back() += random.mutate(genome.contigs.back().substr(0, 300), 4);
      genome.circular.push_back(true);
    }
    map::MapOptions options;
    options.max_edits = {false, 0, 3};
    options.report = random.chance(0.5) ? map::Report::all : map::Report::best;
    const align::InsertModel inserts{.min = 50, .max = 260};
    const auto pairs = mates_of(random, genome, 2);
    std::vector<std::string> expected;
    for (const auto& name : usable_engines()) {
      for (const std::size_t by : {std::size_t{0}, random.number(1, 400), random.number(1, 400)}) {
        const auto reference = genome.turned(by).reference();
        const auto engine = pipeline::make_engine(name, reference, options);
        engine->set_inserts(inserts);
        const auto found = map_with(*engine->make_worker(), pairs);
        std::vector<std::string> texts;
        for (std::size_t p = 0; p < pairs.size(); ++p) {
          texts.push_back(summary_of(found, p));
          concordant += found.pairs[p].kind == align::PairKind::concordant;
        }
        expected = expected.empty() ? texts : expected;
        INFO("case " << n << ", engine " << name << ", turned by " << by);
        CHECK(texts == expected);
      }
    }
  }
  CHECK(concordant > 2000 / kFewer);
}

TEST_CASE("every engine says the same of circular contigs") {
  RandomCases random(233);
  for (std::size_t n = 0; n < 40 / kFewer; ++n) {
    const Genome genome = random_genome(random, random.chance(0.6) ? 0 : 0.01, 3);
    map::MapOptions options;
    options.max_edits = {false, 0, static_cast<std::uint32_t>(random.number(0, 8))};
    options.report = random.chance(0.5) ? map::Report::all : map::Report::best;
    options.eqx = random.chance(0.5);
    options.metric = random.chance(0.2) ? map::Metric::hamming : map::Metric::levenshtein;
    const auto reads = reads_of(random, genome, 200, 6, 60);
    const auto reference = genome.reference();
    const auto expected = map_with(*pipeline::make_engine("cpu", reference, options)->make_worker(), reads);
    for (const auto& name : usable_engines()) {
      const auto found = map_with(*pipeline::make_engine(name, reference, options)->make_worker(), reads);
      for (std::size_t r = 0; r < reads.size(); ++r) {
        INFO("case " << n << ", engine " << name << ", read " << reads[r].bases);
        REQUIRE(text_of(found, r) == text_of(expected, r));
      }
    }
  }
}
