// Random pairs of mates for the conformance tests, and the engines' results for them as text.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/engine_choice.hpp"
#include "tests/conformance/map_reads.hpp"
#include "tests/pair_oracle.hpp"
#include "tests/random_cases.hpp"

namespace trawl::tests {

using Mates = std::pair<Read, Read>;

inline constexpr auto kEdits = [](std::uint32_t edits) { return map::NumberOrShare{false, 0, edits}; };

inline constexpr const char* kKinds[] = {"unmapped", "one end", "discordant", "concordant"};

inline sequence::ReadBatch batch_of(const std::vector<Mates>& pairs) {
  std::vector<Read> reads;
  for (const auto& [first, second] : pairs) {
    reads.push_back(first);
    reads.push_back(second);
  }
  auto batch = tests::batch_of(reads);
  batch.are_parts_of_mates = false;
  batch.paired = true;
  return batch;
}

inline align::AlignmentBatch map_with(engine::Worker& worker, const std::vector<Mates>& pairs) {
  align::AlignmentBatch alignments;
  worker.map(batch_of(pairs), alignments);
  REQUIRE(alignments.reads.size() == 2 * pairs.size());
  REQUIRE(alignments.pairs.size() == pairs.size());
  return alignments;
}

// All that is known about pair i, as text.
inline std::string text_of_pair(const align::AlignmentBatch& batch, std::size_t i) {
  const auto& pair = batch.pairs[i];
  std::string text = std::string(kKinds[static_cast<int>(pair.kind)]) + ", " + std::to_string(pair.dropped) +
                     " dropped, insert " + std::to_string(pair.insert);
  const auto mate_of = [&](std::size_t k, std::size_t m) -> const align::Alignment& {
    return batch.alignments.at(batch.concordant_pairs.at(pair.first + k).mates[m]);
  };
  for (std::size_t k = 0; k < pair.count; ++k) {
    text += "\npair " + text_of(batch, mate_of(k, 0)) + " | " + text_of(batch, mate_of(k, 1));
  }
  for (std::size_t m = 0; m < 2; ++m) {
    const auto& mate = batch.reads[2 * i + m];
    text += "\nmate " + std::to_string(m + 1) + ": " + std::to_string(mate.best_count) + "," +
            (mate.next_known ? std::to_string(mate.next_count) : "?") + "," + std::to_string(mate.dropped);
    if (mate.best_count == 0) {
      text += mate.unmapped == align::Unmapped::too_short ? " too short" : " no locus";
    }
    if (pair.count > 0) {
      text += " q" + std::to_string(mate_of(0, m).mapq);
    } else if (mate.count > 0) {
      text += " q" + std::to_string(batch.alignments.at(mate.first).mapq);
    }
    for (std::size_t k = 0; k < mate.count; ++k) {
      text += "\nalone " + text_of(batch, batch.alignments.at(mate.first + k));
    }
  }
  return text;
}

inline std::string text_of(const AlignedLocus& locus) {
  return std::to_string(locus.contig) + (locus.reverse ? "-" : "+") + std::to_string(locus.start) + "+" +
         std::to_string(locus.span) + " " + std::to_string(locus.distance) + "," + std::to_string(locus.edits) + "," +
         std::to_string(locus.score) + " " + locus.cigar + " " + locus.md;
}

// The same for what the oracle expects.
inline std::string text_of(const ExpectedPair& pair) {
  std::string text = std::string(kKinds[static_cast<int>(pair.kind)]) + ", " + std::to_string(pair.dropped) +
                     " dropped, insert " + std::to_string(pair.pairs.empty() ? 0 : pair.pairs.front().insert);
  for (const OraclePair& reported : pair.pairs) {
    text += "\npair " + text_of(*reported.mates[0]) + " | " + text_of(*reported.mates[1]);
  }
  for (int m = 0; m < 2; ++m) {
    const ExpectedMate& mate = pair.mates[m];
    text += "\nmate " + std::to_string(m + 1) + ": " + std::to_string(mate.best_count) + "," +
            (mate.next_known ? std::to_string(mate.next_count) : "?") + "," + std::to_string(mate.dropped);
    if (mate.best_count == 0) {
      text += mate.too_short ? " too short" : " no locus";
    }
    if (!pair.pairs.empty() || !mate.alone.empty()) {
      text += " q" + std::to_string(mate.mapq);
    }
    for (const AlignedLocus* locus : mate.alone) {
      text += "\nalone " + text_of(*locus);
    }
  }
  return text;
}

// What text_of(batch, r) is to give for a single read.
inline std::string text_of_single(const ReadLoci& read, const align::ReportRule& rule) {
  const SingleSelection selection = select_single(read, rule);
  const auto unmapped = read.is_too_short() ? align::Unmapped::too_short : align::Unmapped::no_locus;
  std::string text = std::to_string(read.best_count()) + "," +
                     (selection.next_known ? std::to_string(read.next_count()) : "?") + "," +
                     std::to_string(selection.dropped) + "," + std::to_string(static_cast<int>(unmapped));
  for (const AlignedLocus* locus : selection.reported) {
    text += "\n" + text_of(*locus) + " q" + std::to_string(locus == selection.reported.front() ? selection.mapq : 0);
  }
  return text;
}

inline std::string first_line_with(const std::string& text, const std::string& start) {
  const std::size_t at = text.find("\n" + start);
  return at == std::string::npos ? "" : text.substr(at, text.find('\n', at + 1) - at);
}

struct Kind {
  std::uint64_t seed;
  std::size_t cases;
  enum { repeats, tandem, mixed } input = repeats;
  double ambiguity = 0;
  map::Ambiguous ambiguous = map::Ambiguous::mismatch;
  std::size_t longest = 60;
  std::size_t most_edits = 5;
  bool clip = false;  // mates may be clipped, and often have foreign ends
  map::Metric metric = map::Metric::levenshtein;
  std::size_t most_pairs = 16;
};

inline map::ClipOptions random_clip(RandomCases& random) {
  map::ClipOptions clip;
  clip.most = random.chance(0.6) ? map::NumberOrShare{true, static_cast<double>(random.number(10, 490)) / 10, 0}
                                 : map::NumberOrShare{false, 0, static_cast<std::uint32_t>(random.number(1, 30))};
  clip.when = random.chance(0.3) ? align::ClipWhen::always : align::ClipWhen::unmapped;
  return clip;
}

// Replaces bases at the ends of a mate by foreign ones, or adds some; none, a few, or more than may be left out.
inline void make_ends_foreign(RandomCases& random, std::string& bases) {
  for (const bool left : {true, false}) {
    if (random.chance(0.55)) {
      continue;
    }
    const std::size_t size = random.number(1, 1 + bases.size() / (random.chance(0.8) ? 4 : 2));
    const std::string end = random.chance(0.8) ? random.bases(size) : std::string(size, random.base());
    const std::size_t lost = random.chance(0.5) ? std::min(size, bases.size()) : 0;
    bases = left ? end + bases.substr(lost) : bases.substr(0, bases.size() - lost) + end;
  }
}

// Blocks of two units with a spacer, copied with few edits, in order and turned around, to one or more contigs.
inline std::vector<std::string> repeats(RandomCases& random) {
  const std::string units[] = {random.bases(random.number(20, 60)), random.bases(random.number(20, 60))};
  const std::string block = units[0] + random.bases(random.number(0, 80)) + units[1];
  std::vector<std::string> contigs;
  for (std::size_t c = random.number(1, 3); c > 0; --c) {
    std::string contig = random.chance(0.5) ? "" : random.bases(random.number(1, 80));
    for (std::size_t n = random.number(1, 5); n > 0; --n) {
      std::string piece = random.chance(0.6) ? block : units[random.number(0, 1)];
      piece = random.mutate(piece, random.chance(0.5) ? 0 : random.number(1, 4));
      contig += random.chance(0.7) ? piece : sequence::reverse_complement(piece);
      contig += random.bases(random.chance(0.5) ? 0 : random.number(1, 90));
    }
    contigs.push_back(contig.empty() ? "A" : contig);
  }
  return contigs;
}

// Loci with many ends, or many loci a period apart.
inline std::vector<std::string> tandem_repeats(RandomCases& random) {
  std::vector<std::string> contigs;
  for (std::size_t c = random.number(1, 2); c > 0; --c) {
    std::string contig = random.bases(random.number(0, 40));
    for (std::size_t n = random.number(1, 2); n > 0; --n) {
      const std::string unit = random.bases(random.number(1, random.chance(0.5) ? 6 : 25));
      std::string repeat;
      while (repeat.size() < 180) {
        repeat += unit;
      }
      contig += random.mutate(repeat, random.number(0, 5)) + random.bases(random.number(0, 60));
    }
    contigs.push_back(contig);
  }
  return contigs;
}

inline std::vector<std::string> contigs_for(const Kind& kind, RandomCases& random) {
  switch (kind.input) {
    case Kind::repeats:
      return repeats(random);
    case Kind::tandem:
      return tandem_repeats(random);
    default: {
      std::vector<std::string> contigs;
      for (std::size_t c = random.number(1, 4); c > 0; --c) {
        contigs.push_back(random.contig(random.number(1, 400), kind.ambiguity));
      }
      return contigs;
    }
  }
}

// Two mates of a fragment, or of none. Fragments may be shorter than the mates, and reach beyond a contig's ends.
inline Mates random_mates(RandomCases& random, const std::vector<std::string>& contigs, const map::MapOptions& options,
                          double ambiguity, std::size_t longest, bool foreign_ends = false) {
  const std::string& contig = contigs[random.number(0, contigs.size() - 1)];
  const std::size_t lengths[2] = {random.number(random.chance(0.1) ? 1 : 14, longest),
                                  random.number(random.chance(0.1) ? 1 : 14, longest)};
  const std::size_t insert = random.chance(0.3) ? random.number(1, 60) : random.number(40, 260);
  const std::size_t begin = random.chance(0.15) ? 0 : random.number(0, contig.size() - 1);
  const std::size_t end = random.chance(0.1) ? contig.size() : std::min(contig.size(), begin + insert);
  std::string left = contig.substr(begin, lengths[0]);
  std::string right = contig.substr(end > lengths[1] ? end - lengths[1] : 0, std::min(lengths[1], end));
  if (foreign_ends && random.chance(0.5)) {
    // The ends of a short fragment lie before the ends of its mates.
    const std::string fragment = contig.substr(begin, end - std::min(begin, end));
    if (left.size() > fragment.size()) {
      left = fragment + random.bases(left.size() - fragment.size());
    }
    if (right.size() > fragment.size()) {
      right = random.bases(right.size() - fragment.size()) + fragment;
    }
  }
  if (random.chance(0.08)) {
    right = contig.substr(std::min(contig.size() - 1, begin + random.number(0, 5)), random.number(10, lengths[0] + 10));
  }
  const auto orientation = random.chance(0.8) ? options.pairs.orientation : align::Orientation(random.number(0, 2));
  if (orientation == align::Orientation::fr) {
    right = sequence::reverse_complement(right);
  } else if (orientation == align::Orientation::rf) {
    left = sequence::reverse_complement(left);
  }
  if (random.chance(0.5)) {  // the same fragment from its other strand
    std::swap(left, right);
    if (orientation == align::Orientation::ff) {
      left = sequence::reverse_complement(left);
      right = sequence::reverse_complement(right);
    }
  }
  const auto far_away = [&](std::string& bases) {
    bases = random.chance(0.5) ? random.bases(random.number(1, 60)) : random.read(contigs, random.number(10, 60), 0, 0);
  };
  if (random.chance(0.12)) {
    far_away(left);
  }
  if (random.chance(0.12)) {
    far_away(right);
  }
  if (random.chance(0.05)) {
    right = left;
  }
  Mates mates;
  mates.second.second_mate = true;
  mates.first.name = mates.second.name = "pair" + std::to_string(random.number(0, 100000));
  std::string* const bases[2] = {&left, &right};
  Read* const reads[2] = {&mates.first, &mates.second};
  for (int m = 0; m < 2; ++m) {
    const std::size_t edits = std::min<std::size_t>(8, options.max_edits.of(bases[m]->size()));
    reads[m]->bases = random.mutate(*bases[m], random.chance(0.4) ? 0 : random.number(0, edits + edits / 4));
    if (foreign_ends && random.chance(0.7)) {
      make_ends_foreign(random, reads[m]->bases);
    }
    for (char& letter : reads[m]->bases) {
      letter = random.chance(ambiguity) ? random.ambiguous_letter() : letter;
    }
    if (reads[m]->bases.empty()) {
      reads[m]->bases = "A";
    }
    if (random.chance(0.6)) {
      while (reads[m]->qualities.size() < reads[m]->bases.size()) {
        reads[m]->qualities += static_cast<char>(random.number('#', 'J'));
      }
    }
  }
  return mates;
}

inline align::InsertModel random_inserts(RandomCases& random) {
  align::InsertModel inserts;
  inserts.min = static_cast<std::uint32_t>(random.chance(0.5) ? 1 : random.number(1, 120));
  inserts.max =
      inserts.min + static_cast<std::uint32_t>(random.chance(0.3) ? random.number(0, 30) : random.number(60, 400));
  const auto sizes = [&] {
    return align::InsertSizes{static_cast<std::uint32_t>(random.number(inserts.min, inserts.max)),
                              static_cast<std::uint32_t>(random.number(1, 60))};
  };
  if (random.chance(0.6)) {
    inserts.most = sizes();
    inserts.others = random.chance(0.4) ? sizes() : align::InsertSizes();
  }
  return inserts;
}

struct Case {
  std::vector<std::string> contigs;
  sequence::Reference reference;
  map::MapOptions options;
  align::InsertModel inserts;
  std::vector<Mates> pairs;
  std::vector<ReadLoci> first;
  std::vector<ReadLoci> second;
};

inline Case random_case(const Kind& kind, RandomCases& random) {
  Case made;
  made.contigs = contigs_for(kind, random);
  made.reference = make_reference(made.contigs);
  map::MapOptions& options = made.options;
  options.max_edits = random.chance(0.3)
                          ? map::NumberOrShare{true, static_cast<double>(random.number(0, 120)) / 10, 0}
                          : map::NumberOrShare{false, 0, static_cast<std::uint32_t>(random.number(0, kind.most_edits))};
  options.ambiguous = kind.ambiguous;
  options.metric = kind.metric;
  if (kind.clip) {
    options.clip = random_clip(random);
  }
  options.eqx = random.chance(0.3);
  options.search = random.chance(0.3)   ? map::SearchMethod::automatic
                   : random.chance(0.7) ? map::SearchMethod::seeds
                                        : map::SearchMethod::scan;
  options.pairs.orientation = random.chance(0.5) ? align::Orientation::fr : align::Orientation(random.number(0, 2));
  made.inserts = random_inserts(random);
  for (std::size_t n = random.number(1, kind.most_pairs); n > 0; --n) {
    made.pairs.push_back(random_mates(random, made.contigs, options, kind.ambiguity, kind.longest, kind.clip));
  }
  options.strands = made.pairs.size() % 8 == 1   ? map::Strands::forward
                    : made.pairs.size() % 8 == 5 ? map::Strands::reverse
                                                 : map::Strands::both;
  const ReadOracle oracle(made.contigs, options);
  for (const auto& [first, second] : made.pairs) {
    made.first.push_back(oracle.find(first));
    made.second.push_back(oracle.find(second));
  }
  return made;
}

// A case that is made by hand.
struct HandCase {
  std::vector<std::string> contigs;
  map::MapOptions options;
  align::InsertModel inserts{.min = 1, .max = 100};

  std::string expected(const std::string& first, const std::string& second, const std::string& name = "p") const {
    const ReadOracle reads(contigs, options);
    const ReadLoci a = reads.find({name, first, ""});
    const ReadLoci b = reads.find({name, second, ""});
    return text_of(PairOracle(options, inserts).expect(a, b));
  }
};

inline std::unique_ptr<engine::Engine> engine_for(const std::string& name, const Case& input,
                                                  const map::MapOptions& options) {
  auto engine = pipeline::make_engine(name, input.reference, options);
  engine->set_inserts(input.inserts);
  return engine;
}

inline std::string about(const Case& input, const map::MapOptions& options, std::size_t i) {
  std::string text = "pair " + std::to_string(i) + " " + input.pairs[i].first.name + ": " + input.pairs[i].first.bases +
                     " " + input.pairs[i].second.bases + "\n";
  for (const auto& contig : input.contigs) {
    text += "contig " + contig + "\n";
  }
  const auto of = [](const map::NumberOrShare& most) {
    return most.is_share ? std::to_string(most.percent) + "%" : std::to_string(most.number);
  };
  return text + "e " + of(options.max_edits) + ", clip " + of(options.clip.most) +
         (options.clip.when == align::ClipWhen::always ? " always" : "") + ", inserts " +
         std::to_string(input.inserts.min) + "-" + std::to_string(input.inserts.max) + " mean " +
         std::to_string(input.inserts.most.mean) + " sd " + std::to_string(input.inserts.most.deviation) +
         ", orientation " + std::to_string(static_cast<int>(options.pairs.orientation)) + ", discordant " +
         std::to_string(static_cast<int>(options.pairs.discordant)) + ", metric " +
         std::to_string(static_cast<int>(options.metric)) + ", ambiguous " +
         std::to_string(static_cast<int>(options.ambiguous)) + ", report " +
         std::to_string(static_cast<int>(options.report)) + " strata " + std::to_string(options.strata) + " max_hits " +
         std::to_string(options.max_hits) + ", search " + std::to_string(static_cast<int>(options.search)) +
         ", strand " + std::to_string(static_cast<int>(options.strands));
}

}  // namespace trawl::tests
