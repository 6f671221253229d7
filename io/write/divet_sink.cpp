#include "io/write/divet_sink.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "base/append_number.hpp"

namespace trawl::io {
namespace {

using align::Alignment;
using align::AlignmentBatch;

constexpr int kAssumedQuality = 30;  // without base qualities, as for MAPQ
constexpr double kVariantRate = 0.001;
constexpr double kGapRate = 0.0003;

// Calls mismatch(i) for each mismatch of an alignment, where i is the base of the read as it is aligned.
template <class Mismatch>
void for_each_mismatch(const AlignmentBatch& batch, const Alignment& a, const Mismatch& mismatch) {
  const std::uint32_t* const cigar = batch.cigar_of(a);
  std::uint32_t element = 0;
  std::uint32_t left = 0;  // of an element that is not a gap
  std::uint64_t base = 0;
  // Steps over `count` aligned bases, and over insertions and clipped bases before them.
  const auto step = [&](std::uint64_t count) {
    while (count > 0) {
      while (left == 0 && element < a.cigar_length) {
        const auto operation = static_cast<align::CigarOp>(cigar[element] & 15);
        const std::uint32_t length = cigar[element++] >> 4;
        const bool unaligned = operation == align::CigarOp::insertion || operation == align::CigarOp::soft_clip;
        base += unaligned ? length : 0;
        left = unaligned || operation == align::CigarOp::deletion ? 0 : length;
      }
      const std::uint64_t now = std::min<std::uint64_t>(left, count);
      if (now == 0) {
        return;  // MD has more bases than the CIGAR
      }
      left -= static_cast<std::uint32_t>(now);
      base += now;
      count -= now;
    }
  };
  const std::string_view md = batch.md_of(a);
  for (std::size_t i = 0; i < md.size();) {
    if (md[i] >= '0' && md[i] <= '9') {
      std::uint64_t matches = 0;
      i = static_cast<std::size_t>(std::from_chars(md.data() + i, md.data() + md.size(), matches).ptr - md.data());
      step(matches);
    } else if (md[i] == '^') {
      i = std::min(md.find_first_of("0123456789", i), md.size());
    } else {
      step(1);
      mismatch(base - 1);
      ++i;
    }
  }
}

double quality_rate(int quality) { return kVariantRate + std::pow(10, -quality / 10.0); }

double probability(const AlignmentBatch& batch, const Alignment& a, std::string_view qualities) {
  double product = 1;
  for (std::uint32_t i = 0; i < a.cigar_length; ++i) {
    const std::uint32_t element = batch.cigar_of(a)[i];
    const auto operation = static_cast<align::CigarOp>(element & 15);
    if (operation == align::CigarOp::insertion || operation == align::CigarOp::deletion) {
      product *= std::pow(kGapRate, element >> 4);
    }
  }
  for_each_mismatch(batch, a, [&](std::uint64_t base) {
    const std::uint64_t at = a.reverse ? qualities.size() - 1 - base : base;
    product *= quality_rate(at < qualities.size() ? qualities[at] - 33 : kAssumedQuality);
  });
  return product;
}

// Of both mates, rounded.
std::uint64_t average_quality(const sequence::ReadBatch& reads, std::size_t pair) {
  std::uint64_t sum = 0;
  std::uint64_t count = 0;
  for (std::size_t read = 2 * pair; read < 2 * pair + 2; ++read) {
    const std::string_view qualities = reads.qualities(read);
    for (const char q : qualities) {
      sum += static_cast<std::uint64_t>(q - 33);
    }
    count += qualities.size();
  }
  return count == 0 ? kAssumedQuality : (2 * sum + count) / (2 * count);
}

// The combinations of the mates' reported loci with the highest scores: indices into both mates' lists.
struct Combination {
  std::uint32_t loci[2];
  std::int64_t score;
};
void choose_combinations(const AlignmentBatch& batch, std::size_t pair, std::vector<Combination>& chosen) {
  const align::ReadResult* const results = &batch.reads[2 * pair];
  chosen.clear();
  // The loci of a mate are in the order of their scores. So (i, j) has at least (i + 1) (j + 1) - 1 before it.
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(results[0].count, kMostDivetLines); ++i) {
    const std::uint64_t end = std::min<std::uint64_t>(results[1].count, kMostDivetLines / (i + 1));
    for (std::uint64_t j = 0; j < end; ++j) {
      chosen.push_back(
          {{static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j)},
           std::int64_t{batch.alignments[results[0].first + i].score} + batch.alignments[results[1].first + j].score});
    }
  }
  std::stable_sort(chosen.begin(), chosen.end(),
                   [](const Combination& a, const Combination& b) { return a.score > b.score; });
  chosen.resize(std::min(chosen.size(), kMostDivetLines));
}

}  // namespace

std::optional<DivetEvent> divet_event(align::Orientation orientation, const align::InsertModel& inserts,
                                      bool same_contig, const align::Extent& first, const align::Extent& second) {
  if (!same_contig) {
    return DivetEvent::other_contig;
  }
  if (!align::strands_fit(orientation, first.reverse, second.reverse)) {
    return DivetEvent::inversion;
  }
  const align::InsertModel any_size{0, std::numeric_limits<std::uint32_t>::max(), 0, 0};
  if (!align::is_concordant(orientation, any_size, first, second)) {
    const bool overlap = first.begin < second.end && second.begin < first.end;
    return overlap ? std::nullopt : std::optional(DivetEvent::tandem_duplication);
  }
  const std::uint64_t size = align::outer_distance(first, second);
  if (inserts.allows(size)) {
    return std::nullopt;
  }
  return size > inserts.max ? DivetEvent::deletion : DivetEvent::insertion;
}

DivetSink::DivetSink(const SinkOptions& options, const sequence::Reference& reference)
    : TextSink(options.divet_name(), std::nullopt),
      reference_(reference),
      orientation_(options.orientation),
      inserts_(options.inserts) {}

void DivetSink::append(const sequence::ReadBatch& reads, const AlignmentBatch& alignments, std::string& text) const {
  std::vector<Combination> chosen;
  for (std::size_t i = 0; i < alignments.pairs.size(); ++i) {
    if (alignments.pairs[i].kind != align::PairKind::discordant) {
      continue;
    }
    const std::uint64_t quality = average_quality(reads, i);
    choose_combinations(alignments, i, chosen);
    for (const Combination& combination : chosen) {
      const Alignment* mates[2];
      double both = 1;
      for (int m = 0; m < 2; ++m) {
        mates[m] = &alignments.alignments[alignments.reads[2 * i + m].first + combination.loci[m]];
        both *= probability(alignments, *mates[m], reads.qualities(2 * i + m));
      }
      const bool same_contig = mates[0]->contig == mates[1]->contig;
      const auto event =
          divet_event(orientation_, inserts_, same_contig, align::extent_of(*mates[0]), align::extent_of(*mates[1]));
      if (!event) {
        continue;
      }
      text += reads.name(2 * i);
      for (int m = 0; m < 2; ++m) {
        text += '\t';
        text += m == 1 && same_contig ? "=" : std::string_view(reference_.contigs()[mates[m]->contig].name);
        text += '\t';
        append_number(text, mates[m]->start + 1);
        text += '\t';
        append_number(text, mates[m]->start + mates[m]->span);
        text += mates[m]->reverse ? "\tR" : "\tF";
      }
      text += '\t';
      text += static_cast<char>(*event);
      text += '\t';
      append_number(text, std::uint32_t{mates[0]->distance} + mates[1]->distance);
      text += '\t';
      append_number(text, quality);
      text += '\t';
      std::array<char, 32> number;
      text.append(
          number.data(),
          std::to_chars(number.data(), number.data() + number.size(), both, std::chars_format::scientific, 6).ptr);
      text += '\n';
    }
  }
}

}  // namespace trawl::io
