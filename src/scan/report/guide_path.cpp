#include "scan/report/guide_path.hpp"

#include <algorithm>

namespace trawl::scan {

GuidePathFinder::GuidePathFinder(const GuideLimits& limits)
    : limits_(limits),
      most_mismatches_(limits.mismatches),
      bulges_(limits.bulges),
      most_shift_(static_cast<std::int32_t>(bulges_)),
      width_(4 * static_cast<std::size_t>(bulges_) + 1),
      reached_((bulges_ + std::size_t{1}) * (most_mismatches_ + std::size_t{1}) * (bulges_ + std::size_t{1}) * width_,
               kNone),
      diagonals_(bulges_) {}

// The best alignment with one gap, where the text is long enough for all and the guide has at most 64 bases: the gap
// furthest to the left; of those that are equal an insertion, and then the shorter one.
bool GuidePathFinder::find_one_gap(bool may_begin_with_gap, std::vector<match::Step>& steps) const {
  const std::uint32_t m = static_cast<std::uint32_t>(guide_size_);
  std::uint32_t best_right = 0, best_length = 0;  // bases to the right of the gap, and those in it
  bool is_insertion = false;
  const auto is_at = [](std::uint64_t word, std::uint32_t i) { return static_cast<std::uint32_t>(word >> i & 1); };
  const std::uint32_t longest = std::min({bulges_, edits_, m});
  for (std::uint32_t n = 1; n <= longest; ++n) {
    const std::uint32_t wanted = edits_ - n;  // mismatches
    if (wanted > most_mismatches_) {
      continue;
    }
    for (const bool insertion : {true, false}) {
      if (n > (insertion ? limits_.rna : limits_.dna)) {
        continue;
      }
      const std::int32_t moved = insertion ? static_cast<std::int32_t>(n) : -static_cast<std::int32_t>(n);
      const std::uint64_t left = diagonals_.first_word(pam_first_ ? 0 : moved);
      const std::uint64_t right = diagonals_.first_word(pam_first_ ? -moved : 0);
      const std::uint32_t of_gap = insertion ? n : 0;  // bases of the guide
      // At the far end, letters of the text are no bulge.
      const std::uint32_t first = may_begin_with_gap && (insertion || pam_first_) ? 0 : 1;
      std::uint32_t mismatches = 0;
      for (std::uint32_t i = 0; i < first && i < m; ++i) {
        mismatches += is_at(left, i);
      }
      for (std::uint32_t i = first + of_gap; i < m; ++i) {
        mismatches += is_at(right, i);
      }
      // The gap begins before base `at`.
      for (std::uint32_t at = first; at + of_gap <= m; ++at) {
        const std::uint32_t to_right = m - at - of_gap;
        if (best_length > 0 && to_right < best_right + (insertion == is_insertion || !insertion ? 1 : 0)) {
          break;
        }
        if (mismatches == wanted) {
          best_right = to_right;
          best_length = n;
          is_insertion = insertion;
          break;
        }
        if (at + of_gap < m) {
          mismatches += is_at(left, at);
          mismatches -= is_at(right, at + of_gap);
        }
      }
    }
  }
  if (best_length == 0) {
    return false;
  }
  steps.assign(m - best_right - (is_insertion ? best_length : 0), match::Step::diagonal);
  steps.insert(steps.end(), best_length, is_insertion ? match::Step::insertion : match::Step::deletion);
  steps.insert(steps.end(), best_right, match::Step::diagonal);
  return true;
}

// There are at most as many gaps as bases in them: the others are not computed.
std::size_t GuidePathFinder::row(std::uint32_t gaps, std::uint32_t x, std::uint32_t b) const {
  const std::size_t of_gaps = std::min(gaps, b);
  const std::size_t of_b = of_gaps == 0 ? 0 : b;
  return ((of_gaps * (most_mismatches_ + std::size_t{1}) + x) * (bulges_ + std::size_t{1}) + of_b) * width_ +
         2 * static_cast<std::size_t>(bulges_);
}

// Where the guide may begin: beside its PAM, or anywhere if the PAM comes last.
std::int32_t GuidePathFinder::begin_of(std::int32_t d) const {
  const std::int64_t column = d + shift_;
  if (begin_ && d != *begin_) {
    return kNone;
  }
  return (pam_first_ ? d == 0 : column >= 0 && column <= text_size_) ? 0 : kNone;
}

// How far from its PAM's diagonal an alignment can be that has b bases in bulges to its left.
std::int32_t GuidePathFinder::most_shift(std::uint32_t b) const {
  return static_cast<std::int32_t>(pam_first_ ? b : std::min(bulges_, edits_) - b);
}

void GuidePathFinder::compute(std::uint32_t gaps) {
  for (std::uint32_t b = gaps; b <= (gaps == 0 ? 0 : std::min(bulges_, edits_)); ++b) {
    for (std::uint32_t x = 0; x <= std::min(most_mismatches_, edits_ - b); ++x) {
      compute(gaps, x, b);
    }
  }
}

void GuidePathFinder::compute(std::uint32_t gaps, std::uint32_t x, std::uint32_t b) {
  const std::int32_t most = most_shift(b);
  std::int32_t* const here = &reached_[row(gaps, x, b)];
  std::fill(here - most_shift_, here + most_shift_ + 1, kNone);
  const std::int32_t* const fewer_gaps = gaps > 0 ? &reached_[row(gaps - 1, x, b)] : here;
  const std::int32_t* const fewer_bulges = b > gaps ? &reached_[row(gaps, x, b - 1)] : here;
  for (std::int32_t d = -most; d <= most; ++d) {
    here[d] = std::max({begin_of(d), fewer_gaps[d], fewer_bulges[d]});
  }
  if (x > 0) {
    const std::int32_t* const fewer_mismatches = &reached_[row(gaps, x - 1, b)];
    for (std::int32_t d = -most; d <= most; ++d) {
      here[d] = std::max(here[d], fewer_mismatches[d] >= 0 ? fewer_mismatches[d] + 1 : kNone);
    }
  }
  const std::int32_t least = may_begin_with_gap_ ? 0 : 1;  // bases before a gap
  // The first gap can have all the bases: one with fewer was tried for b - 1.
  const auto longest = gaps > 0 ? static_cast<std::int32_t>(b - (gaps - 1)) : 0;
  for (std::int32_t n = gaps == 1 ? longest : 1; n <= longest; ++n) {
    const std::int32_t* const before = &reached_[row(gaps - 1, x, b - static_cast<std::uint32_t>(n))];
    for (std::int32_t d = -most; d <= most; ++d) {
      const std::int32_t deletion = before[d - n], insertion = before[d + n];
      here[d] = std::max({here[d], deletion >= least ? deletion : kNone, insertion >= least ? insertion + n : kNone});
    }
  }
  for (std::int32_t d = -most; d <= most; ++d) {
    const auto limit = static_cast<std::int32_t>(std::min<std::int64_t>(guide_size_, text_size_ - shift_ - d));
    here[d] = here[d] < 0 || limit < 0 ? kNone : diagonals_.extend(d, std::min(here[d], limit), limit);
  }
}

// Whether an alignment of what is left of `at` exists, and does not begin with a gap if that is not allowed.
bool GuidePathFinder::reaches(const Place& at) const {
  if (column(at) < 0 || reached_[row(at.gaps, at.x, at.b) + static_cast<std::size_t>(at.d)] < at.i) {
    return false;
  }
  // A shorter alignment may have to begin with a gap where the longer one does not. This matters only for so few bases
  // that they can all lie in one gap.
  if (may_begin_with_gap_ || at.i == 0 || at.i > static_cast<std::int32_t>(at.b)) {
    return true;
  }
  const std::uint32_t differ = column(at) > 0 && diagonals_.is_mismatch(at.d, at.i - 1) ? 1 : 0;
  return (column(at) > 0 && differ <= at.x && reaches({at.i - 1, at.d, at.x - differ, at.b, at.gaps})) ||
         (at.gaps > 0 && (reaches_gap({at.i, at.d, at.x, at.b, at.gaps - 1}, match::Step::insertion) ||
                          reaches_gap({at.i, at.d, at.x, at.b, at.gaps - 1}, match::Step::deletion)));
}

// Whether a gap can lie before `at`; its own gap is not counted in at.gaps.
bool GuidePathFinder::reaches_gap(const Place& at, match::Step step) const {
  for (std::int32_t n = 1; n <= static_cast<std::int32_t>(at.b); ++n) {
    const bool is_insertion = step == match::Step::insertion;
    const Place before{is_insertion ? at.i - n : at.i, is_insertion ? at.d + n : at.d - n, at.x,
                       at.b - static_cast<std::uint32_t>(n), at.gaps};
    if (before.i < (may_begin_with_gap_ ? 0 : 1)) {
      return false;
    }
    if (reaches(before)) {
      return true;
    }
  }
  return false;
}

// From the right end, a match or mismatch wherever that is possible, otherwise an insertion, otherwise a deletion.
void GuidePathFinder::trace(Place at) {
  path_.clear();
  match::Step last = match::Step::diagonal;
  while (at.i > 0 || (pam_first_ && at.d > 0)) {
    const std::uint32_t differ = has_both(at) && diagonals_.is_mismatch(at.d, at.i - 1) ? 1 : 0;
    if (has_both(at) && differ <= at.x && reaches({at.i - 1, at.d, at.x - differ, at.b, at.gaps})) {
      --at.i;
      at.x -= differ;
      last = match::Step::diagonal;
    } else {
      const auto can_be = [&](match::Step step) {
        const std::uint32_t opened = last == step ? 0 : 1;
        return opened <= at.gaps && reaches_gap({at.i, at.d, at.x, at.b, at.gaps - opened}, step);
      };
      const match::Step step = can_be(match::Step::insertion) ? match::Step::insertion : match::Step::deletion;
      at.gaps -= last == step ? 0 : 1;
      at.i -= step == match::Step::insertion ? 1 : 0;
      at.d += step == match::Step::insertion ? 1 : -1;
      --at.b;
      last = step;
    }
    path_.push_back(last);
  }
}

// What was computed for fewer gaps is still there, unless `from_zero`.
void GuidePathFinder::compute_up_to(std::uint32_t gaps, bool from_zero) {
  for (std::uint32_t fewer = from_zero ? 0 : gaps; fewer <= gaps; ++fewer) {
    compute(fewer);
  }
}

// As take_best(), where the PAM comes last and each kind of bulges has a limit: they are known once it is known where
// the guide begins.
bool GuidePathFinder::take_best_within(std::uint32_t gaps, std::vector<match::Step>& steps) {
  bool found = false;
  std::vector<match::Step> some;
  const auto goes_before = [](const std::vector<match::Step>& a, const std::vector<match::Step>& b) {
    return std::lexicographical_compare(a.rbegin(), a.rend(), b.rbegin(), b.rend());
  };
  for (std::int32_t d = -static_cast<std::int32_t>(limits_.dna); d <= static_cast<std::int32_t>(limits_.rna); ++d) {
    begin_ = d;
    compute_up_to(gaps, true);
    if (take_best(gaps, some) && (!found || goes_before(some, steps))) {
      steps.swap(some);
      found = true;
    }
  }
  begin_.reset();
  return found;
}

// The best alignment with this number of gaps, if there is one.
bool GuidePathFinder::take_best(std::uint32_t gaps, std::vector<match::Step>& steps) {
  bool found = false;
  for (std::uint32_t b = std::max(gaps, edits_ - std::min(edits_, most_mismatches_)); b <= std::min(bulges_, edits_);
       ++b) {
    for (std::int32_t d = pam_first_ ? -most_shift_ : 0; d <= (pam_first_ ? most_shift_ : 0); ++d) {
      const Place end{guide_size_, d, edits_ - b, b, gaps};
      if ((limits_.separate() && !limits_.allows(b, d - begin_.value_or(0))) || !reaches(end)) {
        continue;
      }
      trace(end);
      if (!found || path_ < steps) {
        steps.swap(path_);
        found = true;
      }
    }
  }
  if (found) {
    std::reverse(steps.begin(), steps.end());
  }
  return found;
}

void GuidePathFinder::find(const GuideLetters& guide, const GuideLetters& text, std::uint32_t edits, bool pam_first,
                           std::vector<match::Step>& steps) {
  guide_size_ = static_cast<std::int32_t>(guide.size());
  text_size_ = static_cast<std::int64_t>(text.size());
  shift_ = pam_first ? 0 : text_size_ - guide_size_;
  edits_ = edits;
  pam_first_ = pam_first;
  diagonals_.begin(guide);
  for (std::int32_t d = -most_shift_; d <= most_shift_; ++d) {
    diagonals_.compare(guide, text, d, shift_);
  }
  steps.clear();
  // The far end of the guide is on the left if the PAM comes last. A gap there is taken only if there must be one:
  // where its bases cannot be mismatches. On the right, the rule for the leftmost gaps leaves it out.
  const bool may_need_far_gap =
      pam_first || edits > most_mismatches_ || text_size_ < guide_size_ + static_cast<std::int64_t>(bulges_);
  const bool tries_one = guide_size_ <= 64 && text_size_ >= guide_size_ + static_cast<std::int64_t>(bulges_);
  bool has_fewer = false;  // what was computed for fewer gaps is there
  for (std::uint32_t gaps = 1; gaps <= bulges_; ++gaps) {
    for (unsigned far_gap = pam_first ? 1 : 0; far_gap < (may_need_far_gap ? 2 : 1); ++far_gap) {
      if (gaps == 1 && tries_one) {
        if (find_one_gap(far_gap == 1, steps)) {
          return;
        }
        continue;
      }
      // What was computed for fewer gaps is still there, if it was not for the other case.
      const bool is_other = may_begin_with_gap_ != (far_gap == 1);
      may_begin_with_gap_ = far_gap == 1;
      if (limits_.separate() && !pam_first) {
        if (take_best_within(gaps, steps)) {
          return;
        }
        continue;
      }
      compute_up_to(gaps, !has_fewer || is_other);
      has_fewer = true;
      if (take_best(gaps, steps)) {
        return;
      }
    }
  }
}

}  // namespace trawl::scan
