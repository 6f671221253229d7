#include "clip/long_gaps.hpp"

#include <algorithm>
#include <tuple>

#include "align/clip_rule.hpp"
#include "align/pair_rule.hpp"

namespace trawl::clip {

namespace {

// A piece may run on beyond the gap by chance, but hardly by more bases.
constexpr std::uint32_t kOverrun = 40;
// The part before the gap keeps so many bases.
constexpr std::uint32_t kShortestPart = 15;
// The bases after a joined gap have this score or more: a gap of kShortest costs 10, of which the end of the read gives
// back 5.
constexpr std::int32_t kLeastAfter = 6;
// So with m mismatches they have 6 + 4 m matches or more, in m + 1 runs, and one run has 5 or more.
constexpr unsigned kShortestRun = 5;

constexpr std::int32_t kMatch = AffineBand::kMatch;
constexpr std::int32_t kMismatch = AffineBand::kMismatch;
static_assert(kMatch - kMismatch == static_cast<std::int32_t>(align::kEditPoints));
constexpr std::int32_t kDeletion = -static_cast<std::int32_t>(align::kEditPoints);

std::int64_t text_length(const std::vector<align::AlignedRun>& runs) {
  std::int64_t length = 0;
  for (const align::AlignedRun& run : runs) {
    length += run.step == match::Step::insertion ? 0 : run.length;
  }
  return length;
}

// The runs of an alignment, without its clips.
std::vector<align::AlignedRun> runs_of(const align::AlignmentBatch& results, const align::Alignment& alignment) {
  std::vector<align::AlignedRun> runs;
  for (std::uint32_t k = 0; k < alignment.cigar_length; ++k) {
    const std::uint32_t element = results.cigar_of(alignment)[k];
    if (align::is_operation(element, align::CigarOp::soft_clip)) {
      continue;
    }
    const match::Step step = align::is_operation(element, align::CigarOp::insertion)  ? match::Step::insertion
                             : align::is_operation(element, align::CigarOp::deletion) ? match::Step::deletion
                                                                                      : match::Step::diagonal;
    if (!runs.empty() && runs.back().step == step) {
      runs.back().length += element >> 4;
    } else {
      runs.push_back({step, element >> 4});
    }
  }
  return runs;
}

// Nothing if both are.
std::optional<std::int64_t> sum_of(std::optional<std::int64_t> a, std::optional<std::int64_t> b) {
  return a || b ? std::optional(a.value_or(0) + b.value_or(0)) : std::nullopt;
}

// Of a gap as one event.
std::int32_t gap_cost(std::uint32_t length) {
  return std::min(LongGaps::kGapOpening + static_cast<std::int32_t>(length), LongGaps::kPenalty);
}

// Whether the gaps of an alignment may be settled: it has a gap and another edit, or two mismatches.
bool may_be_settled(const align::AlignmentBatch& results, const align::Alignment& alignment) {
  std::uint32_t gaps = 0;
  std::uint32_t bases = 0;
  for (std::uint32_t k = 0; k < alignment.cigar_length; ++k) {
    const std::uint32_t element = results.cigar_of(alignment)[k];
    if (align::is_operation(element, align::CigarOp::insertion) ||
        align::is_operation(element, align::CigarOp::deletion)) {
      ++gaps;
      bases += element >> 4;
    }
  }
  return gaps > 1 || alignment.edits >= bases + (gaps == 0 ? 2 : 1);
}

// Whether one gap of up to kBeside bases makes the alignment of a read at text[kBeside] better: the bases before it, or
// those after it, then lie on another diagonal. `read` and `text` are sets of bases.
bool one_gap_is_better(std::span<const std::uint8_t> read, std::span<const std::uint8_t> text) {
  const auto length = static_cast<std::int64_t>(read.size());
  const auto differs = [&](std::int64_t i, std::int64_t diagonal) {
    return (read[static_cast<std::size_t>(i)] & text[static_cast<std::size_t>(i + LongGaps::kBeside + diagonal)]) == 0;
  };
  constexpr auto kPoints = static_cast<std::int64_t>(align::kEditPoints);
  std::int64_t all = 0;
  for (std::int64_t i = 0; i < length; ++i) {
    all += differs(i, 0) ? kPoints : 0;
  }
  for (std::int64_t diagonal = -LongGaps::kBeside; diagonal <= LongGaps::kBeside; ++diagonal) {
    for (const bool at_end : {false, true}) {
      const std::int64_t gap = std::abs(diagonal);
      const std::int64_t inserted = (diagonal > 0) == at_end ? 0 : gap;
      const auto base = [&](std::int64_t i) { return at_end ? length - 1 - i : i; };
      std::int64_t there = LongGaps::kGapOpening + gap + inserted;
      std::int64_t here = 0;
      for (std::int64_t i = 0; i < inserted && i < length; ++i) {
        here += differs(base(i), 0) ? kPoints : 0;
      }
      for (std::int64_t i = 0; diagonal != 0 && i + inserted < length && there < all; ++i) {
        there += differs(base(i), diagonal) ? kPoints : 0;
        here += differs(base(i + inserted), 0) ? kPoints : 0;
        if (there < here) {
          return true;
        }
      }
    }
  }
  return false;
}

// Of a gap that is joined.
std::int32_t joining_cost(std::uint32_t length) { return gap_cost(std::max(length, LongGaps::kShortest)); }

// Whether a part of the alignment may be better than all of it. MD may count more edits than there are, where ambiguous
// bases match.
bool may_be_trimmed(const align::AlignmentBatch& results, const align::Alignment& alignment) {
  std::int32_t sum = 0;
  std::int32_t least = 1;
  std::int32_t most = 0;  // before an edit
  const auto add = [&](std::int32_t points) {
    if (points < 0) {
      most = std::max(most, sum);
    }
    sum += points;
    least = std::min(least, sum);
  };
  const std::string_view md = results.md_of(alignment);
  std::size_t at = 0;
  const auto number = [&] {
    std::uint32_t value = 0;
    for (; at < md.size() && md[at] >= '0' && md[at] <= '9'; ++at) {
      value = 10 * value + static_cast<std::uint32_t>(md[at] - '0');
    }
    return value;
  };
  std::uint32_t matches = number();
  for (std::uint32_t k = 0; k < alignment.cigar_length; ++k) {
    const std::uint32_t element = results.cigar_of(alignment)[k];
    const std::uint32_t length = element >> 4;
    if (align::is_operation(element, align::CigarOp::soft_clip)) {
      continue;
    }
    if (align::is_operation(element, align::CigarOp::insertion)) {
      add(-gap_cost(length) - 1);  // of equal parts one has fewer gaps
    } else if (align::is_operation(element, align::CigarOp::deletion)) {
      add(-gap_cost(length) - 1);
      at += 1 + length;  // ^ and the bases
      matches = number();
    } else {
      for (std::uint32_t left = length; left > 0;) {
        const std::uint32_t here = std::min(matches, left);
        add(static_cast<std::int32_t>(here));
        matches -= here;
        left -= here;
        if (left > 0) {
          add(kMismatch);
          --left;
          ++at;
          matches = number();
        }
      }
    }
  }
  const auto [left, right] = align::clipped_ends(results, alignment);
  return least <= (left > 0 ? 0 : -LongGaps::kEndLeftOut) || most >= sum + (right > 0 ? 0 : LongGaps::kEndLeftOut);
}

}  // namespace

std::int64_t LongGaps::View::text_end() const { return backwards ? -owner.contig_begin_ : owner.contig_end_; }

unsigned LongGaps::View::text_set(std::int64_t position) const {
  const std::int64_t at = (backwards ? -1 - position : position) - owner.text_begin_;
  return at >= 0 && at < static_cast<std::int64_t>(owner.text_.length())
             ? owner.text_.set_at(static_cast<std::size_t>(at))
             : 0;
}

unsigned LongGaps::View::sure_set(std::int64_t position) const {
  const unsigned set = text_set(position);
  return (set & (set - 1)) == 0 ? set : 0;
}

unsigned LongGaps::View::read_set(std::uint32_t i) const { return read.set(backwards ? length() - 1 - i : i); }

bool LongGaps::View::matches(std::uint32_t i, std::int64_t position) const {
  return (text_set(position) & read_set(i)) != 0;
}

bool LongGaps::View::surely_matches(std::uint32_t i, std::int64_t position) const {
  return (sure_set(position) & read_set(i)) != 0;
}

bool LongGaps::View::allows(std::uint32_t bases, std::int64_t begin, std::int64_t end) const {
  const auto last = static_cast<std::uint64_t>((backwards ? -begin : end) - 1);
  return !owner.ambiguous_matches_ ||
         sequence::allows_end(owner.reference_, owner.max_ambiguous_.with_edits(owner.max_edits_.of(bases)), bases,
                              last);
}

std::uint16_t LongGaps::edits_of(const View& view, const Chain& chain) {
  std::uint32_t edits = 0;
  std::uint32_t base = chain.left;
  std::int64_t position = chain.start;
  for (const align::AlignedRun& run : chain.runs) {
    for (std::uint32_t k = 0; k < run.length; ++k) {
      edits += run.step != match::Step::diagonal || !view.matches(base, position) ? 1 : 0;
      base += run.step == match::Step::deletion ? 0 : 1;
      position += run.step == match::Step::insertion ? 0 : 1;
    }
  }
  return static_cast<std::uint16_t>(std::min<std::uint32_t>(edits, UINT16_MAX));
}

// Text position x becomes -1 - x.
void LongGaps::turn(Chain& chain) {
  chain.start = -(chain.start + text_length(chain.runs));
  std::reverse(chain.runs.begin(), chain.runs.end());
  std::swap(chain.left, chain.right);
}

void LongGaps::EndBits::load(const View& view, std::uint32_t first_base, std::int64_t first_diagonal,
                             std::int64_t last_diagonal) {
  first_base_ = first_base;
  first_diagonal_ = first_diagonal;
  words_ = (view.length() - first_base + 63) / 64;
  const std::size_t positions = view.length() - first_base + static_cast<std::size_t>(last_diagonal - first_diagonal);
  const std::size_t text_words = (positions + 63) / 64 + 1;
  for (unsigned code = 0; code < 4; ++code) {
    read_[code].assign(words_, 0);
    text_[code].assign(text_words, 0);
  }
  const auto put = [](std::array<std::vector<std::uint64_t>, 4>& planes, std::size_t i, unsigned set) {
    for (unsigned code = 0; code < 4; ++code) {
      planes[code][i / 64] |= std::uint64_t{(set >> code) & 1} << (i % 64);
    }
  };
  for (std::uint32_t i = first_base; i < view.length(); ++i) {
    put(read_, i - first_base, view.read_set(i));
  }
  const std::int64_t begin = first_base + first_diagonal;
  const std::int64_t end = std::min(begin + static_cast<std::int64_t>(positions), view.text_end());
  for (std::int64_t position = begin; position < end; ++position) {
    put(text_, static_cast<std::size_t>(position - begin), view.sure_set(position));
  }
  matches_.resize(words_);
}

bool LongGaps::EndBits::find_matches(std::int64_t diagonal) {
  const auto shift = static_cast<std::size_t>(diagonal - first_diagonal_);
  std::uint64_t before = 0;
  bool has_run = false;
  for (std::size_t w = 0; w < words_; ++w) {
    const std::size_t at = w + shift / 64;
    std::uint64_t found = 0;
    for (unsigned code = 0; code < 4; ++code) {
      found |= read_[code][w] & sequence::funnel_shift_right(text_[code][at], text_[code][at + 1], shift % 64);
    }
    matches_[w] = found;
    // Bit i of `runs`: matches i - 4 .. i, also of the word before.
    std::uint64_t runs = found;
    for (unsigned k = 1; k < kShortestRun; ++k) {
      runs &= (found << k) | (before >> (64 - k));
    }
    has_run = has_run || runs != 0;
    before = found;
  }
  return has_run;
}

std::optional<std::int32_t> LongGaps::join_right(const View& view, Chain& chain, std::size_t runs) {
  if (chain.right < static_cast<std::uint32_t>(kLeastAfter)) {
    return std::nullopt;
  }
  const std::int32_t end_points = joins_events_ ? kEndLeftOut : 0;
  // After each step on a diagonal the chain may be cut.
  struct Cut {
    std::uint32_t base;     // bases of the read before the cut, the left out ones included
    std::int64_t diagonal;  // text position minus `base`
    std::int32_t score;     // of the part before
    std::int32_t points;    // the same by the rule of joining
    std::size_t run;        // of this step
    std::uint32_t steps;    // of this run, up to the cut
  };
  std::vector<Cut> cuts;
  std::uint32_t base = chain.left;
  std::int64_t position = chain.start;
  std::int32_t score = 0;
  std::int32_t points = 0;
  // A long gap can take the place of a short one, or lie beyond a mismatch at the end of the piece. So a run may go on
  // along its diagonal.
  const auto add_beyond = [&](std::size_t run) {
    std::int32_t beyond = 0;
    const std::int64_t most = std::min<std::int64_t>({kOverrun, view.length() - base, view.text_end() - position});
    for (std::uint32_t k = 0; k < most; ++k) {
      beyond += view.surely_matches(base + k, position + k) ? kMatch : kMismatch;
      cuts.push_back(
          {base + k + 1, position - base, score + beyond, points + beyond, run, chain.runs[run].length + k + 1});
    }
  };
  for (std::size_t run = 0; run < chain.runs.size(); ++run) {
    const match::Step step = chain.runs[run].step;
    const std::int32_t gap_score = step == match::Step::insertion ? kMismatch : kDeletion;
    const auto gap_length = static_cast<std::int32_t>(chain.runs[run].length);
    if (step != match::Step::diagonal) {
      score += gap_score * gap_length;
      points += joins_events_ ? -gap_cost(chain.runs[run].length) : gap_score * gap_length;
    }
    for (std::uint32_t k = 1; k <= chain.runs[run].length; ++k) {
      if (step == match::Step::diagonal) {
        const std::int32_t here = view.matches(base, position) ? kMatch : kMismatch;
        score += here;
        points += here;
        cuts.push_back({base + 1, position - base, score, points, run, k});
      }
      base += step == match::Step::deletion ? 0 : 1;
      position += step == match::Step::insertion ? 0 : 1;
    }
    if (chain.runs[run].step == match::Step::diagonal) {
      add_beyond(run);
    }
  }

  const std::uint32_t first_base = std::max(chain.left + kShortestPart, base - std::min(base, kOverrun));
  std::erase_if(cuts, [&](const Cut& cut) { return cut.base < first_base || cut.run + 1 < runs; });
  if (cuts.empty()) {
    return std::nullopt;
  }
  // A piece may end where it has all the edits that are allowed. A gap is not made only to get beyond that.
  const std::uint32_t length = view.length();
  std::int32_t unbroken = points;
  for (const Cut& cut : cuts) {
    unbroken = std::max(unbroken, cut.points + (cut.base == length ? end_points : 0));
  }
  const auto longest = static_cast<std::int64_t>(longest_);
  const auto [least, most] =
      std::minmax_element(cuts.begin(), cuts.end(), [](const Cut& a, const Cut& b) { return a.diagonal < b.diagonal; });
  // More points are better; then short gaps; then what lies left on the reference; then deletions.
  using Rank = std::tuple<std::int32_t, std::int64_t, std::int64_t, bool>;
  Rank best{-unbroken, 0, 0, false};
  const Cut* best_cut = nullptr;
  std::int64_t best_diagonal = 0;
  const std::int64_t last_diagonal = most->diagonal + longest;
  end_bits_.load(view, first_base, least->diagonal - longest, last_diagonal);
  for (std::int64_t diagonal = least->diagonal - longest; diagonal <= last_diagonal; ++diagonal) {
    if (!end_bits_.find_matches(diagonal)) {
      continue;
    }
    suffix_.assign(length + 1, length + diagonal <= view.text_end() ? end_points : 0);
    for (std::uint32_t i = length; i-- > first_base;) {
      suffix_[i] = std::max(0, suffix_[i + 1] + (end_bits_.matches(i) ? kMatch : kMismatch));
    }
    for (const Cut& cut : cuts) {
      const std::int64_t gap = diagonal - cut.diagonal;
      const std::int64_t next = cut.base - std::min<std::int64_t>(gap, 0);
      if (gap == 0 || std::abs(gap) > longest || next >= length) {
        continue;
      }
      const std::int32_t after = suffix_[static_cast<std::size_t>(next)];
      const std::int32_t cost = joins_events_ ? joining_cost(static_cast<std::uint32_t>(std::abs(gap))) : kPenalty;
      const std::int32_t all = cut.points + after - cost;
      const Rank rank{-all, std::abs(gap), view.backwards ? -std::int64_t{cut.base} : std::int64_t{cut.base}, gap < 0};
      if (all > unbroken && rank < best) {
        best = rank;
        best_cut = &cut;
        best_diagonal = diagonal;
      }
    }
  }
  if (best_cut == nullptr) {
    return std::nullopt;
  }
  const std::int64_t gap = best_diagonal - best_cut->diagonal;
  const auto next = static_cast<std::uint32_t>(best_cut->base - std::min<std::int64_t>(gap, 0));
  std::uint32_t end = next;  // of the part after the gap: the last place with the best score
  std::int32_t sum = 0;
  std::int32_t largest = 0;
  std::int32_t after = 0;
  for (std::uint32_t i = next; i < length && i + best_diagonal < view.text_end(); ++i) {
    sum += view.surely_matches(i, i + best_diagonal) ? kMatch : kMismatch;
    const std::int32_t with_end = sum + (i + 1 == length ? end_points : 0);
    if (with_end >= largest) {
      largest = with_end;
      after = sum;
      end = i + 1;
    }
  }
  if (!view.allows(end - chain.left, chain.start, end + best_diagonal)) {
    return std::nullopt;
  }
  chain.runs.resize(best_cut->run + 1);
  chain.runs.back().length = best_cut->steps;
  chain.runs.push_back(
      {gap > 0 ? match::Step::deletion : match::Step::insertion, static_cast<std::uint32_t>(std::abs(gap))});
  chain.runs.push_back({match::Step::diagonal, end - next});
  chain.right = length - end;
  return best_cut->score + after - kPenalty - score;
}

void LongGaps::load_text(const sequence::EncodedRead& strand, const Chain& chain) {
  const std::int64_t around = 2 * static_cast<std::int64_t>(longest_ + strand.length());
  text_begin_ = chain.start - around;
  text_.load(reference_, text_begin_, static_cast<std::size_t>(text_length(chain.runs) + 2 * around),
             ambiguous_matches_);
}

template <class Cost>
std::int64_t LongGaps::score_of(const View& view, const Chain& chain, const Cost& cost_of) {
  std::int64_t score = 0;
  std::uint32_t base = chain.left;
  std::int64_t position = chain.start;
  for (const align::AlignedRun& run : chain.runs) {
    score -= run.step == match::Step::diagonal ? 0 : cost_of(run);
    for (std::uint32_t k = 0; k < run.length && run.step == match::Step::diagonal; ++k) {
      score += view.matches(base + k, position + k) ? kMatch : kMismatch;
    }
    base += run.step == match::Step::deletion ? 0 : run.length;
    position += run.step == match::Step::insertion ? 0 : run.length;
  }
  return score;
}

std::optional<std::int64_t> LongGaps::settle(const sequence::EncodedRead& strand, Chain& chain) {
  const View view{*this, strand, false};
  std::int64_t diagonal = chain.start - chain.left;
  std::int64_t first = diagonal;
  std::int64_t last = diagonal;
  for (const align::AlignedRun& run : chain.runs) {
    const auto length = static_cast<std::int32_t>(run.length);
    diagonal += run.step == match::Step::deletion ? length : run.step == match::Step::insertion ? -length : 0;
    first = std::min(first, diagonal);
    last = std::max(last, diagonal);
  }
  first -= kBeside;
  last += kBeside;
  read_sets_.resize(view.length() - chain.left - chain.right);
  for (std::uint32_t i = 0; i < read_sets_.size(); ++i) {
    read_sets_[i] = static_cast<std::uint8_t>(view.read_set(chain.left + i));
  }
  text_sets_.resize(read_sets_.size() + static_cast<std::size_t>(last - first));
  text_begin_ = chain.left + first;
  text_.load(reference_, text_begin_, text_sets_.size(), ambiguous_matches_);
  for (std::size_t i = 0; i < text_sets_.size(); ++i) {
    text_sets_[i] = static_cast<std::uint8_t>(text_.set_at(i));
  }
  if (chain.runs.size() == 1 && !one_gap_is_better(read_sets_, text_sets_)) {
    return std::nullopt;
  }
  const AffineBand::Best& best = band_.align(read_sets_, text_sets_);
  const Chain settled{best.runs, text_begin_ + static_cast<std::int64_t>(best.start), chain.left, chain.right};
  // The band knows no kPenalty.
  const auto as_events = [](const align::AlignedRun& gap) { return gap_cost(gap.length); };
  const std::int64_t score = score_of(view, chain, as_events);
  const std::int64_t score_then = score_of(view, settled, as_events);
  const std::int64_t end = settled.start + text_length(settled.runs);
  const std::uint32_t edits = edits_of(view, chain);
  const std::uint32_t edits_then = edits_of(view, settled);
  const auto bases = static_cast<std::uint32_t>(read_sets_.size());
  if (score_then <= score || settled.start < contig_begin_ || end > contig_end_ ||
      edits_then > std::max(edits, max_edits_.of(bases)) || !view.allows(bases, settled.start, end)) {
    return std::nullopt;
  }
  // Where ends are left out, the first alignment may still be the better one.
  const auto penalty_without_ends = [&](Chain part) {
    const std::int64_t penalty = trim(strand, nullptr, part).penalty;
    return penalty + (part.left > 0 ? kEndLeftOut : 0) + (part.right > 0 ? kEndLeftOut : 0);
  };
  if (penalty_without_ends(settled) >= penalty_without_ends(chain)) {
    return std::nullopt;
  }
  chain = settled;
  return static_cast<std::int64_t>(align::kEditPoints) * (std::int64_t{edits} - edits_then);
}

std::optional<std::int64_t> LongGaps::join(const sequence::EncodedRead& strand, Chain& chain) {
  if (std::max(chain.left, chain.right) < static_cast<std::uint32_t>(kLeastAfter)) {
    return std::nullopt;
  }
  load_text(strand, chain);
  const std::optional<std::int64_t> on_right = join_right({*this, strand, false}, chain, 1);
  turn(chain);
  // The long gap at the other end stays.
  const std::optional<std::int64_t> on_left = join_right({*this, strand, true}, chain, on_right ? 3 : 1);
  turn(chain);
  return sum_of(on_right, on_left);
}

std::optional<std::int64_t> LongGaps::extend(const sequence::EncodedRead& strand, Chain& chain) {
  load_text(strand, chain);
  std::uint32_t edits = edits_of({*this, strand, false}, chain);
  std::int64_t gained = extend_right({*this, strand, false}, chain, edits);
  turn(chain);
  gained += extend_right({*this, strand, true}, chain, edits);
  turn(chain);
  return gained > 0 ? std::optional(gained) : std::nullopt;
}

std::int32_t LongGaps::extend_right(const View& view, Chain& chain, std::uint32_t& edits) {
  const std::uint32_t bases_before = view.length() - chain.left - chain.right;
  const std::int64_t end = chain.start + text_length(chain.runs);
  const std::uint32_t base = view.length() - chain.right;
  std::int32_t sum = 0;
  std::int32_t best = 0;
  std::uint32_t bases = 0;
  std::uint32_t edits_here = edits;
  std::uint32_t best_edits = edits;
  const std::int64_t most = std::min<std::int64_t>(chain.right, view.text_end() - end);
  for (std::uint32_t k = 0; k < most && chain.runs.back().step == match::Step::diagonal; ++k) {
    const bool matches = view.surely_matches(base + k, end + k);
    sum += matches ? kMatch : kMismatch;
    edits_here += matches ? 0 : 1;
    if (sum >= best && sum > 0 && edits_here <= max_edits_.of(bases_before + k + 1) &&
        view.allows(bases_before + k + 1, chain.start, end + k + 1)) {
      best = sum;
      bases = k + 1;
      best_edits = edits_here;
    }
  }
  edits = best_edits;
  chain.runs.back().length += bases;
  chain.right -= bases;
  return best;
}

LongGaps::Chain LongGaps::load(const sequence::ReadBatch& batch, std::size_t r, const align::AlignmentBatch& results,
                               const align::Alignment& primary) {
  strands_[0].encode(batch.bases(r), ambiguous_matches_);
  strands_[1].encode_reverse_complement(strands_[0]);
  const sequence::Contig& contig = reference_.contigs()[primary.contig];
  contig_begin_ = static_cast<std::int64_t>(contig.offset);
  contig_end_ = static_cast<std::int64_t>(contig.offset + contig.length);
  const auto [left, right] = align::clipped_ends(results, primary);
  return {runs_of(results, primary), contig_begin_ + static_cast<std::int64_t>(primary.start), left, right};
}

template <class Change>
void LongGaps::change(const sequence::ReadBatch& batch, std::size_t r, align::AlignmentBatch& results,
                      const Change& change) {
  align::Alignment* const primary = align::primary_of(results, r);
  Chain chain = load(batch, r, results, *primary);
  const sequence::EncodedRead& strand = strands_[primary->reverse];
  const std::optional<std::int64_t> gained = change(strand, chain);
  if (!gained) {
    return;
  }
  align::Locus locus;
  locus.end = static_cast<std::uint64_t>(chain.start);
  locus.reverse = primary->reverse;
  locus.distance = edits_of({*this, strand, false}, chain);
  part_.encode_part(strand, chain.left, strand.length() - chain.right);
  align::Alignment changed = aligner_.describe(locus, part_, {static_cast<std::uint64_t>(chain.start), chain.runs},
                                               results, chain.left, chain.right);
  changed.mapq = primary->mapq;
  changed.score = primary->score + static_cast<std::int32_t>(*gained);
  *primary = changed;
}

bool LongGaps::is_clipped(const align::AlignmentBatch& results, std::size_t r) {
  const align::Alignment* const primary = align::primary_of(results, r);
  return primary != nullptr && align::clipped_ends(results, *primary).any();
}

void LongGaps::join(const sequence::ReadBatch& batch, std::size_t r, bool also_whole, align::AlignmentBatch& results) {
  const bool joins = is_clipped(results, r);
  const align::Alignment* const primary = align::primary_of(results, r);
  const bool settles =
      joins_events_ && (joins || also_whole) && primary != nullptr && may_be_settled(results, *primary);
  if ((joins && longest_ > 0) || settles) {
    const std::int64_t before = primary->score;
    change(batch, r, results, [&](const sequence::EncodedRead& strand, Chain& chain) -> std::optional<std::int64_t> {
      const auto settled = settles ? settle(strand, chain) : std::nullopt;
      const auto joined = joins && longest_ > 0 ? join(strand, chain) : std::nullopt;
      if (joined && joins_events_ && settle(strand, chain)) {
        // Each gap counts as it is better: 5 for each base, or kPenalty.
        const auto at_most = [](const align::AlignedRun& gap) {
          const std::int32_t of_base = gap.step == match::Step::insertion ? kMismatch : kDeletion;
          return std::min<std::int64_t>(-of_base * std::int64_t{gap.length}, kPenalty);
        };
        return score_of({*this, strand, false}, chain, at_most) - before;
      }
      return sum_of(settled, joined);
    });
  }
}

void LongGaps::join(const sequence::ReadBatch& batch, align::AlignmentBatch& results) {
  for (std::size_t r = 0; r < batch.size(); ++r) {
    join(batch, r, false, results);
  }
  measure_inserts(results);
}

void LongGaps::join(const sequence::ReadBatch& batch, std::span<const std::uint32_t> reads,
                    align::AlignmentBatch& results) {
  for (const std::uint32_t r : reads) {
    join(batch, r, true, results);
  }
  measure_inserts(results);
}

void LongGaps::measure_inserts(align::AlignmentBatch& results) {
  for (std::size_t p = 0; p < results.pairs.size(); ++p) {
    if (results.pairs[p].count > 0) {
      results.pairs[p].insert =
          static_cast<std::uint32_t>(align::outer_distance(align::extent_of(*align::primary_of(results, 2 * p)),
                                                           align::extent_of(*align::primary_of(results, 2 * p + 1))));
    }
  }
}

void LongGaps::extend(const sequence::ReadBatch& batch, std::span<const std::uint32_t> reads,
                      align::AlignmentBatch& results) {
  for (const std::uint32_t r : reads) {
    if (is_clipped(results, r)) {
      change(batch, r, results,
             [this](const sequence::EncodedRead& strand, Chain& chain) { return extend(strand, chain); });
    }
  }
}

LongGaps::Trimmed LongGaps::trim(const sequence::EncodedRead& strand, const align::PieceLimits* limits, Chain& chain) {
  load_text(strand, chain);
  const View view{*this, strand, false};
  // A place between two steps of the chain, and what the steps before it count.
  struct Cut {
    std::uint32_t base;
    std::int64_t position;
    std::size_t run;
    std::uint32_t steps;  // of this run, before the cut
    std::int32_t points;  // twice `events`; kPointsOfEnd more for an end of the read, kPointsOfGap fewer for a gap
    std::int32_t events;  // the score with gaps as events
    std::int32_t score;
    std::uint32_t edits;
  };
  constexpr std::int32_t kPointsOfEnd = 2 * kEndLeftOut + 1;
  constexpr std::int32_t kPointsOfGap = 1;
  const std::uint32_t length = view.length();
  const Cut first{chain.left, chain.start, 0, 0, chain.left == 0 ? -kPointsOfEnd : 0, 0, 0, 0};
  Cut here = first;
  here.points = 0;
  Cut least = first;  // the last place with the fewest points so far
  Cut begin = first;
  Cut end = first;
  for (; here.run < chain.runs.size(); ++here.run) {
    const align::AlignedRun& run = chain.runs[here.run];
    const bool is_gap = run.step != match::Step::diagonal;
    here.points -= is_gap ? 2 * gap_cost(run.length) + kPointsOfGap : 0;
    here.events -= is_gap ? gap_cost(run.length) : 0;
    for (here.steps = 0; here.steps < run.length;) {
      const bool matches = run.step == match::Step::diagonal && view.matches(here.base, here.position);
      const std::int32_t score = matches ? kMatch : run.step == match::Step::deletion ? kDeletion : kMismatch;
      here.score += score;
      here.points += is_gap ? 0 : 2 * score;
      here.events += is_gap ? 0 : score;
      here.edits += matches ? 0 : 1;
      here.base += run.step == match::Step::deletion ? 0 : 1;
      here.position += run.step == match::Step::insertion ? 0 : 1;
      ++here.steps;
      const bool is_end = here.base == length && here.steps == run.length && here.run + 1 == chain.runs.size();
      here.points += is_end ? kPointsOfEnd : 0;
      if (here.points - least.points > end.points - begin.points) {
        begin = least;
        end = here;
      }
      if (here.points <= least.points) {
        least = here;
      }
    }
  }
  const bool is_whole = begin.base == chain.left && end.base == length - chain.right;
  // The score does not tell whether a long gap in a clipped alignment was joined. So none is cut off.
  const auto is_long_gap = [&](const align::AlignedRun& run) {
    return run.step != match::Step::diagonal && gap_cost(run.length) == kPenalty;
  };
  // A part that begins after a gap begins at the end of its run.
  const auto kept = chain.runs.begin() + static_cast<std::ptrdiff_t>(begin.run) + (begin.steps > 0 ? 1 : 0);
  const auto after = chain.runs.begin() + static_cast<std::ptrdiff_t>(end.run) + 1;
  const bool cuts_long_gap = limits == nullptr && (std::any_of(chain.runs.begin(), kept, is_long_gap) ||
                                                   std::any_of(after, chain.runs.end(), is_long_gap));
  if (is_whole || cuts_long_gap ||
      (limits != nullptr && !limits->allows({begin.base, end.base, end.edits - begin.edits}))) {
    return {std::nullopt, length - here.events};
  }
  chain.right = length - end.base;
  chain.left = begin.base;
  chain.start = begin.position;
  chain.runs.resize(end.run + 1);
  chain.runs.back().length = end.steps;
  chain.runs[begin.run].length -= begin.steps;
  chain.runs.erase(chain.runs.begin(), chain.runs.begin() + static_cast<std::ptrdiff_t>(begin.run));
  if (chain.runs.front().length == 0) {
    chain.runs.erase(chain.runs.begin());
  }
  return {end.score - begin.score - here.score, length - (end.events - begin.events)};
}

void LongGaps::trim(const sequence::ReadBatch& batch, std::size_t r, const align::PieceLimits* limits,
                    align::AlignmentBatch& results) {
  const align::Alignment& primary = *align::primary_of(results, r);
  const bool settles = limits != nullptr && may_be_settled(results, primary);
  const bool trims = may_be_trimmed(results, primary);
  if (settles || trims) {
    change(batch, r, results, [&](const sequence::EncodedRead& strand, Chain& chain) {
      const auto settled = settles ? settle(strand, chain) : std::nullopt;
      return trims || settled ? sum_of(settled, trim(strand, limits, chain).gain) : std::nullopt;
    });
  }
}

void LongGaps::trim_clipped(const sequence::ReadBatch& batch, align::AlignmentBatch& results) {
  for (std::size_t r = 0; r < batch.size(); ++r) {
    if (is_clipped(results, r) && align::primary_of(results, r)->distance > 0) {
      trim(batch, r, nullptr, results);
    }
  }
  measure_inserts(results);
}

std::int64_t LongGaps::trimmed_penalty(const sequence::ReadBatch& batch, std::size_t r,
                                       const align::PieceLimits& limits, const align::AlignmentBatch& results) {
  const align::Alignment& primary = *align::primary_of(results, r);
  Chain chain = load(batch, r, results, primary);
  const sequence::EncodedRead& strand = strands_[primary.reverse];
  if (may_be_settled(results, primary)) {
    settle(strand, chain);
  }
  return trim(strand, &limits, chain).penalty;
}

}  // namespace trawl::clip
