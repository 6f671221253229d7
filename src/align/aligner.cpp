#include "align/aligner.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <stdexcept>
#include <type_traits>

#include "align/cigar.hpp"
#include "align/host_comparison.hpp"
#include "align/placements.hpp"
#include "align/record_writer.hpp"
#include "align/select.hpp"
#include "base/append_number.hpp"
#include "base/stop.hpp"

namespace trawl::align {

namespace {

struct TextSink {
  AlignmentBatch& out;

  void element(std::uint32_t e) { out.cigar.push_back(e); }
  void letter(char c) { out.md += c; }
  void number(std::uint32_t n) { append_number(out.md, n); }
};

template <class Word>
struct RowStore {
  Word* words;
  unsigned stride;

  const Word& word(std::uint32_t row, unsigned k) const { return words[std::size_t{row} * stride + k]; }
  void put(std::uint32_t row, unsigned k, const Word& value) { words[std::size_t{row} * stride + k] = value; }
};

// The last run comes first.
struct RunList {
  std::vector<AlignedRun>& runs;

  void clear() { runs.clear(); }
  void push(match::Step step, std::uint32_t length) { runs.push_back({step, length}); }
  std::uint32_t size() const { return static_cast<std::uint32_t>(runs.size()); }
  match::Step step(std::size_t k) const { return runs[k].step; }
  std::uint32_t length(std::size_t k) const { return runs[k].length; }
};

// Bit b of the result: what `bits_at` says about text offset i + b.
template <class BitsAt>
void set_bits(std::uint64_t& word, std::size_t i, const BitsAt& bits_at) {
  word = bits_at(i);
}

template <unsigned kLimbs, class BitsAt>
void set_bits(WideWord<kLimbs>& word, std::size_t i, const BitsAt& bits_at) {
  for (std::size_t limb = 0; limb < kLimbs; ++limb) {
    word.limbs[limb] = bits_at(i + 64 * limb);
  }
}

// The rows of a band over the reference from `begin` on, as PathFinder and PlacementFinder need them.
template <class Word>
struct HostBand {
  static constexpr std::uint32_t kRowsALook = 4096;

  const sequence::Reference& reference;
  const sequence::EncodedRead& read;
  bool ambiguous_matches;
  sequence::TextWindow& text;

  template <class Visit>
  void operator()(std::int64_t begin, match::BandState<Word>& state, const Visit& visit) const {
    text.load(reference, begin, read.length() + 8 * sizeof(Word), ambiguous_matches);
    const auto length = static_cast<std::uint32_t>(read.length());
    const auto run = [&](const auto& match_bits) {
      for (std::uint32_t i = 0; i < length;) {
        Stop::look();
        for (const std::uint32_t end = std::min(length, i + kRowsALook); i < end; ++i) {
          Word eq;
          set_bits(eq, i, [&](std::size_t at) { return match_bits(i, at); });
          const auto cells = match::banded_row(match::PlainOps<Word>{}, state, eq);
          visit(i, cells, eq);
        }
      }
    };
    if (read.sets.empty()) {
      const std::array planes{text.plane(0), text.plane(1), text.plane(2), text.plane(3)};
      const std::uint8_t* const codes = read.codes.data();
      run([&](std::uint32_t i, std::size_t at) { return sequence::bits_at(planes[codes[i]], at); });
    } else {
      run([&](std::uint32_t i, std::size_t at) { return text.match_bits(read, i, at); });
    }
  }
};

// Rows that are kept from one locus to the next.
constexpr std::size_t kKeptBytes = std::size_t{16} << 20;

// The most edits for which a band of one word is used. Of the word's bits, 2 * edits are needed for the edits. The
// rest, at least two, are for the ends of a window and the one end after it.
template <class Word>
constexpr std::uint32_t most_edits() {
  return 4 * sizeof(Word) - 1;
}

}  // namespace

PathRank rank_of(const AlignedPath& path) {
  const auto is_gap = [](const AlignedRun& run) { return run.step != match::Step::diagonal; };
  PathRank rank;
  rank.gaps = static_cast<std::uint32_t>(std::count_if(path.runs.begin(), path.runs.end(), is_gap));
  rank.end_gaps = (is_gap(path.runs.front()) ? 1u : 0u) + (is_gap(path.runs.back()) ? 1u : 0u);
  return rank;
}

bool goes_before(const AlignedPath& a, const AlignedPath& b) {
  const PathRank rank_a = rank_of(a), rank_b = rank_of(b);
  if (rank_a < rank_b || rank_b < rank_a) {
    return rank_a < rank_b;
  }
  struct FromRightEnd {
    const std::vector<AlignedRun>& runs;
    std::size_t left;
    bool next(match::Step& step, std::uint32_t& length) {
      if (left == 0) {
        return false;
      }
      step = runs[--left].step;
      length = runs[left].length;
      return true;
    }
  };
  return has_gaps_further_left(FromRightEnd{a.runs, a.runs.size()}, FromRightEnd{b.runs, b.runs.size()});
}

std::optional<std::uint64_t> Aligner::end_without_gap(const Locus& locus, const sequence::EncodedRead& read,
                                                      std::uint32_t max_edits, std::uint64_t last_end) const {
  // D grows by at most one from one end to the next, so all these ends have D <= max_edits.
  const std::uint32_t further = max_edits > locus.distance ? max_edits - locus.distance : 0;
  const HostComparison comparison{reference_, read};
  const auto& contig = reference_.contigs()[reference_.contig_at(locus.end)];
  const std::uint64_t last = std::min({locus.end + further, contig.offset + contig.length - 1, last_end});
  for (std::uint64_t end = locus.end; end <= last; ++end) {
    if (fits_without_gap(comparison, static_cast<std::uint32_t>(read.length()), static_cast<std::int64_t>(end),
                         locus.distance, [&] { return contig.offset; })) {
      return end;
    }
  }
  return std::nullopt;
}

template <class Word, unsigned kMost>
bool Aligner::find_gaps_with(const Locus& locus, const sequence::EncodedRead& read, std::uint32_t max_edits,
                             std::uint64_t last_end, unsigned levels, unsigned fewest, std::vector<Word>& rows) {
  const auto& contig = reference_.contigs()[reference_.contig_at(locus.end)];
  PathProblem problem;
  problem.length = static_cast<std::uint32_t>(read.length());
  problem.max_edits = max_edits;
  problem.distance = locus.distance;
  problem.first_end = static_cast<std::int64_t>(locus.end);
  problem.contig_begin = static_cast<std::int64_t>(contig.offset);
  problem.contig_end = static_cast<std::int64_t>(contig.offset + contig.length);
  problem.last_end = static_cast<std::int64_t>(std::min<std::uint64_t>(last_end, INT64_MAX));
  problem.shows_last_deletion = shows_last_deletion_;
  const HostBand<Word> band{reference_, read, ambiguous_matches_, text_};
  const unsigned stride = match::gap_words(levels);
  rows.resize(std::max(rows.size(), read.length() * stride));
  RunList runs{path_.runs};
  PathFinder<Word, kMost, HostBand<Word>, RowStore<Word>, RunList> finder(problem, band, {rows.data(), stride}, runs);
  std::int64_t start = 0;
  const bool found = finder.find(levels, fewest, start);
  path_.start = static_cast<std::uint64_t>(start);
  return found;
}

void Aligner::find_gaps(const Locus& locus, const sequence::EncodedRead& read, std::uint32_t max_edits,
                        std::uint64_t last_end) {
  // Nearly every locus has a path with at most one gap. For the others more gaps are allowed step by step, so that the
  // saved rows stay few.
  constexpr unsigned kTries[] = {1, 2, 4, 8, 16, 32, 64, 128, kMaxEdits};
  unsigned fewest = 1;
  bool found = false;
  for (const unsigned* levels = kTries; !found; fewest = *levels++ + 1) {
    if (levels == std::end(kTries)) {
      throw std::logic_error("a locus has no path; please report this");
    }
    const auto find_with = [&]<class Word, unsigned kMost>(std::vector<Word>& rows) {
      const unsigned most = std::min({*levels, kMost, std::max<unsigned>(locus.distance, 1)});
      return find_gaps_with<Word, kMost>(locus, read, max_edits, last_end, most, fewest, rows);
    };
    if (max_edits > most_edits<WideWord<2>>()) {
      static_assert(kMaxEdits <= most_edits<WideWord<9>>());
      found = find_with.template operator()<WideWord<9>, kMaxEdits>(rows_576_);
    } else if (max_edits > most_edits<std::uint64_t>()) {
      found = find_with.template operator()<WideWord<2>, most_edits<WideWord<2>>()>(rows_128_);
    } else if (*levels == 1) {
      found = find_with.template operator()<std::uint64_t, 1>(rows_);
    } else if (*levels == 2) {
      found = find_with.template operator()<std::uint64_t, 2>(rows_);
    } else {
      found = find_with.template operator()<std::uint64_t, most_edits<std::uint64_t>()>(rows_);
    }
  }
  std::reverse(path_.runs.begin(), path_.runs.end());
  // Rows of many gaps in a long read are large, and rare.
  if (rows_576_.size() * sizeof(WideWord<9>) > kKeptBytes) {
    rows_576_ = {};
  }
}

template <class Word>
std::uint32_t Aligner::mark_placements(const Locus& locus, const sequence::EncodedRead& read, std::uint32_t worse) {
  const auto& contig = reference_.contigs()[reference_.contig_at(locus.end)];
  PlacementProblem problem;
  problem.length = static_cast<std::uint32_t>(read.length());
  problem.distance = locus.distance;
  problem.worse = worse;
  problem.first_end = static_cast<std::int64_t>(locus.end - locus.before);
  problem.last_end = static_cast<std::int64_t>(locus.end + locus.after);
  problem.contig_begin = static_cast<std::int64_t>(contig.offset);
  const HostBand<Word> band{reference_, read, ambiguous_matches_, text_};
  const HostComparison plain{reference_, read};
  const auto fits = [&](std::int64_t end, std::uint32_t mismatches) {
    const auto fits_in = [&](const auto& comparison) {
      return fits_without_gap(comparison, problem.length, end, mismatches, [&] { return contig.offset; });
    };
    return ambiguous_matches_ ? fits_in(SetComparison{plain}) : fits_in(plain);
  };
  marks_.resize(std::size_t{locus.before} + locus.after + 1);
  PlacementFinder<Word, HostBand<Word>, decltype(fits), std::uint8_t*> finder(problem, band, fits, marks_.data());
  return finder.find();
}

static_assert(kWorse == MapqModel::kStrata);

std::uint32_t Aligner::find_placements(const Locus& locus, const sequence::EncodedRead& read, std::uint32_t searched,
                                       std::vector<Locus>& placements) {
  const auto is_ambiguous = [this](std::uint64_t position) {
    return (reference_.ambiguous()[position / 64] >> position % 64 & 1) != 0;
  };
  if (!gaps_ || !may_have_placements(locus, searched, static_cast<std::uint32_t>(read.length()), ambiguous_matches_,
                                     is_ambiguous)) {
    return 1;
  }
  Locus run = locus;
  const auto& contig = reference_.contigs()[reference_.contig_at(locus.end)];
  if (contig.circle() > 0) {
    limit_to_circle(contig.origin(), contig.circle(), run);
  }
  const std::uint32_t worse = std::min(kWorse, searched - locus.distance);
  const std::uint32_t most = locus.distance + worse;
  const std::uint32_t found =
      most <= most_placement_edits<std::uint64_t>() ? mark_placements<std::uint64_t>(run, read, worse)
      : most <= most_placement_edits<WideWord<2>>() ? mark_placements<WideWord<2>>(run, read, worse)
                                                    : mark_placements<WideWord<9>>(run, read, worse);
  if (found > 1) {
    const std::uint64_t first = run.end - run.before;
    for_each_placement(marks_, 0, std::int64_t{run.before} + run.after,
                       [&](std::int64_t end, std::uint8_t worse_by, std::uint32_t spread) {
                         Locus placement;
                         placement.end = first + static_cast<std::uint64_t>(end);
                         placement.distance = static_cast<std::uint16_t>(locus.distance + worse_by);
                         placement.reverse = locus.reverse;
                         placement.placement = true;
                         placement.spread = spread;
                         placements.push_back(placement);
                       });
  }
  if (marks_.size() > kKeptBytes) {
    marks_ = {};
  }
  return found;
}

const AlignedPath& Aligner::find_path(const Locus& locus, const sequence::EncodedRead& read, std::uint32_t max_edits,
                                      std::uint64_t last_end) {
  // If ambiguous bases match, the differing bits are not the distance.
  const auto end = !gaps_               ? std::optional(locus.end)
                   : ambiguous_matches_ ? std::nullopt
                                        : end_without_gap(locus, read, max_edits, last_end);
  if (end) {
    path_.runs.assign({{match::Step::diagonal, static_cast<std::uint32_t>(read.length())}});
    path_.start = *end + 1 - read.length();
  } else {
    find_gaps(locus, read, max_edits, last_end);
  }
  return path_;
}

Alignment Aligner::describe(const Locus& locus, const sequence::EncodedRead& read, const AlignedPath& path,
                            AlignmentBatch& out, std::uint32_t left, std::uint32_t right) const {
  Alignment alignment;
  const std::size_t contig = reference_.contig_at(locus.end);
  alignment.contig = static_cast<std::uint32_t>(contig);
  alignment.start = path.start - reference_.contigs()[contig].offset;
  alignment.distance = locus.distance;
  alignment.score = -static_cast<std::int32_t>(locus.distance);
  alignment.reverse = locus.reverse;
  alignment.cigar = out.cigar.size();
  alignment.md = out.md.size();
  const HostComparison comparison{reference_, read};
  append_clip(left, out.cigar);
  TextSink sink{out};
  RecordWriter writer(comparison, eqx_, path.start, sink);
  for (const AlignedRun& run : path.runs) {
    writer.add(run.step, run.length);
  }
  writer.finish();
  append_clip(right, out.cigar);
  alignment.cigar_length = static_cast<std::uint32_t>(out.cigar.size() - alignment.cigar);
  alignment.md_length = static_cast<std::uint32_t>(out.md.size() - alignment.md);
  alignment.edits = writer.edits();
  alignment.span = static_cast<std::uint32_t>(writer.position() - path.start);
  return alignment;
}

void Aligner::prefetch(std::span<const Locus> loci, const sequence::EncodedRead& read) const {
  for (const Locus& locus : loci) {
    const std::uint64_t begin = locus.end - std::min<std::uint64_t>(locus.end, read.length());
    __builtin_prefetch(reference_.planes().data() + begin / 64);
    __builtin_prefetch(reference_.planes().data() + locus.end / 64);
    __builtin_prefetch(reference_.ambiguous().data() + begin / 64);
  }
}

std::uint64_t Aligner::cost_of(const AlignedPath& path, const sequence::EncodedRead& read,
                               const StrandQualities& qualities, const MapqModel& model) const {
  const auto sum_up = [&](const auto& comparison) {
    PathCost<std::remove_cvref_t<decltype(comparison)>> cost{model, comparison, qualities, path.start};
    for (const AlignedRun& run : path.runs) {
      cost.add(run.step, run.length);
    }
    return cost.cost;
  };
  const HostComparison plain{reference_, read};
  return ambiguous_matches_ ? sum_up(SetComparison{plain}) : sum_up(plain);
}

std::int64_t Aligner::cost_of(const Locus& locus, const sequence::EncodedRead& read, const StrandQualities& qualities,
                              const QualitySum& sum, const MapqModel& model) const {
  if (ambiguous_matches_) {
    return sum.likely_cost(locus.distance);
  }
  return locus_cost(model, sum, HostComparison{reference_, read}, qualities, static_cast<std::int64_t>(locus.end),
                    locus.spread, locus.distance, [&] { return contig_begin(locus.end); });
}

}  // namespace trawl::align
