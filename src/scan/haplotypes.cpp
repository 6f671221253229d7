#include "scan/haplotypes.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace trawl::scan {

namespace {

using Choice = AlleleList::Choice;
using Path = std::vector<std::uint32_t>;  // alleles
constexpr std::uint32_t kReference = AlleleList::kReference;

// Every combination is tried of up to this many unphased genotypes on a side of an allele.
constexpr unsigned kMostUnsure = 6;

// The ways through the genotypes of a haplotype.
class Haplotype {
 public:
  // `skipped`: gets the alleles that the haplotype cannot have, because one before overlaps them.
  Haplotype(const std::vector<Allele>& alleles, const std::vector<Choice>& given, std::set<std::uint32_t>& skipped)
      : alleles_(alleles) {
    for (Choice choice : given) {
      bool is_sure = choice.is_known();
      for (std::uint32_t* const allele : {&choice.first, &choice.second}) {
        if (*allele != kReference && may_be_overlapped(alleles_[*allele])) {
          is_sure = false;
          if (!is_possible(alleles_[*allele])) {
            skipped.insert(*allele);
            *allele = kReference;
          }
        }
      }
      if (choice.is_known() && choice.may_be_reference()) {
        continue;
      }
      if (is_sure) {
        sure_.push_back(choice.first);
      }
      const std::uint64_t end = record_of(choice).record_end;
      ends_.push_back(ends_.empty() ? end : std::max(ends_.back(), end));
      choices_.push_back(choice);
    }
    std::sort(sure_.begin(), sure_.end());
  }

  const std::vector<Choice>& choices() const { return choices_; }
  // The alleles that it has for sure, ascending.
  Path take_sure() { return std::move(sure_); }

  // The alleles that it may have in the `reach` letters before one of choices()[at], from right to left, and after it,
  // from left to right. `is_cut`: set if not all combinations are there.
  std::vector<Path> before(std::size_t at, std::uint32_t allele, std::int64_t reach, bool& is_cut) const {
    std::vector<Path> paths;
    Path path;
    walk_left(at, {allele, alleles_[allele].begin, reach, 0}, path, paths, is_cut);
    return paths;
  }
  std::vector<Path> after(std::size_t at, std::uint32_t allele, std::int64_t reach, bool& is_cut) const {
    std::vector<Path> paths;
    Path path;
    walk_right(at + 1, {allele, alleles_[allele].end, reach, 0}, path, paths, is_cut);
    return paths;
  }

 private:
  // Of a walk.
  struct State {
    std::uint32_t last = 0;  // the allele before
    std::uint64_t at = 0;    // in the contig
    std::int64_t left = 0;   // letters
    unsigned unsure = 0;     // choices that were tried both ways

    // Goes on to an allele with `between` letters of the reference before it. Whether it is within reach.
    bool take(std::uint32_t allele, std::uint64_t to, std::uint64_t between, std::size_t letters) {
      last = allele;
      const bool is_near = static_cast<std::int64_t>(between) < left;
      if (is_near) {
        at = to;
        left -= static_cast<std::int64_t>(between + letters);
      }
      return is_near;
    }
  };

  // An allele of the choice; all of them have the same record.
  const Allele& record_of(const Choice& choice) const {
    return alleles_[choice.first != kReference ? choice.first : choice.second];
  }

  bool may_be_overlapped(const Allele& allele) const {
    for (std::size_t c = choices_.size(); c-- > 0 && ends_[c] > allele.record_begin;) {
      if (overlaps_one(choices_[c].first, allele) || overlaps_one(choices_[c].second, allele)) {
        return true;
      }
    }
    return false;
  }
  bool overlaps_one(std::uint32_t before, const Allele& after) const {
    return before != kReference && overlap(alleles_[before], after);
  }

  bool is_possible(const Allele& allele) const {
    bool is_found = false;
    const bool may_be_first = visit_before(choices_.size(), allele, allele.record_begin,
                                           [&](std::size_t, std::uint32_t) { is_found = true; });
    return is_found || may_be_first;
  }

  // Calls visit(choice, allele) for the alleles of the choices before `next` that may be the one directly before
  // `after` and end behind `limit`, from right to left. Returns whether there may be none.
  template <class Visit>
  bool visit_before(std::size_t next, const Allele& after, std::uint64_t limit, const Visit& visit) const {
    limit = std::min(limit, after.record_begin);
    // Choices without the letters of the reference: an allele to the left of them must overlap them.
    std::vector<Choice> passed;
    while (next-- > 0 && ends_[next] > (passed.empty() ? limit : record_of(passed.back()).record_begin)) {
      const Choice& choice = choices_[next];
      if (passed.empty() && record_of(choice).record_end <= limit) {
        continue;
      }
      const auto try_one = [&](std::uint32_t allele) {
        const bool is_next =
            allele != kReference && !overlap(alleles_[allele], after) &&
            std::all_of(passed.begin(), passed.end(), [&](const Choice& one) {
              return overlap(alleles_[allele], alleles_[one.first]) || overlap(alleles_[allele], alleles_[one.second]);
            });
        if (is_next) {
          visit(next, allele);
        }
      };
      try_one(choice.first);
      if (!choice.is_known()) {
        try_one(choice.second);
      }
      if (!choice.may_be_reference()) {
        passed.push_back(choice);
      }
    }
    return passed.empty();
  }

  void walk_left(std::size_t next, const State& state, Path& path, std::vector<Path>& paths, bool& is_cut) const {
    const auto left = static_cast<std::uint64_t>(std::max<std::int64_t>(state.left, 0));
    bool ends_here = left == 0;
    unsigned unsure = state.unsure;
    std::size_t seen = next;
    bool both = true;
    const auto visit = [&](std::size_t choice, std::uint32_t allele) {
      const Choice& one = choices_[choice];
      if (!one.is_known()) {
        if (choice != seen) {
          both = unsure < kMostUnsure;
          is_cut = is_cut || !both;
          unsure += both ? 1 : 0;
          seen = choice;
        }
        if (!both && (one.may_be_reference() || allele != one.first)) {
          return;
        }
      }
      State then = state;
      then.unsure = unsure;
      const Allele& before = alleles_[allele];
      if (then.take(allele, before.begin, state.at - before.end, before.letters.size())) {
        path.push_back(allele);
        walk_left(choice, then, path, paths, is_cut);
        path.pop_back();
      } else {
        ends_here = true;
      }
    };
    if (left > 0 && visit_before(next, alleles_[state.last], state.at - std::min(state.at, left), visit)) {
      ends_here = true;
    }
    if (ends_here) {
      paths.push_back(path);
    }
  }

  void walk_right(std::size_t next, const State& state, Path& path, std::vector<Path>& paths, bool& is_cut) const {
    if (next == choices_.size() || static_cast<std::int64_t>(record_of(choices_[next]).record_begin) >=
                                       static_cast<std::int64_t>(state.at) + state.left) {
      paths.push_back(path);
      return;
    }
    const auto possible = [&](std::uint32_t allele) {
      return allele != kReference && overlap(alleles_[state.last], alleles_[allele]) ? kReference : allele;
    };
    const auto follow = [&](std::uint32_t allele, unsigned unsure) {
      State then = state;
      then.unsure = unsure;
      const std::size_t size = path.size();
      if (allele != kReference) {
        const Allele& one = alleles_[allele];
        if (then.take(allele, one.end, one.begin - state.at, one.letters.size())) {
          path.push_back(allele);
        }
      }
      walk_right(next + 1, then, path, paths, is_cut);
      path.resize(size);
    };
    const Choice choice{possible(choices_[next].first), possible(choices_[next].second)};
    if (choice.is_known()) {
      follow(choice.first, state.unsure);
    } else if (state.unsure < kMostUnsure) {
      follow(choice.first, state.unsure + 1);
      follow(choice.second, state.unsure + 1);
    } else {
      is_cut = true;
      follow(choice.may_be_reference() ? kReference : choice.first, state.unsure);
    }
  }

  const std::vector<Allele>& alleles_;
  std::vector<Choice> choices_;
  std::vector<std::uint64_t> ends_;  // the last end of the records up to each choice
  Path sure_;
};

}  // namespace

bool overlap(const Allele& before, const Allele& after) {
  if (after.record_begin + 1 != before.record_end) {
    return after.record_begin < before.record_end;
  }
  const bool is_gap = after.begin == after.end || after.letters.empty();
  const bool adds = before.letters.size() > before.end - before.begin;
  return !is_gap || after.begin == after.record_begin || adds;
}

HaplotypePieces::HaplotypePieces(const AlleleList& list, const Letters& letters, std::uint64_t length,
                                 std::uint64_t reach)
    : list_(list), letters_(letters), length_(length), reach_(static_cast<std::int64_t>(reach)) {
  // By anchor and alleles.
  std::map<std::pair<std::uint32_t, Path>, std::vector<std::uint32_t>> carriers;
  std::set<std::uint32_t> skipped;
  for (std::uint32_t h = 0; h < list.haplotypes.size(); ++h) {
    Haplotype haplotype(list.alleles, list.haplotypes[h], skipped);
    const auto add = [&](std::size_t c, std::uint32_t anchor) {
      bool is_cut = false;
      const std::vector<Path> lefts = haplotype.before(c, anchor, reach_, is_cut);
      const std::vector<Path> rights = haplotype.after(c, anchor, reach_, is_cut);
      incomplete_ += is_cut ? 1 : 0;
      for (const Path& left : lefts) {
        for (const Path& right : rights) {
          Path alleles(left.rbegin(), left.rend());
          alleles.push_back(anchor);
          alleles.insert(alleles.end(), right.begin(), right.end());
          std::vector<std::uint32_t>& haplotypes = carriers[{anchor, std::move(alleles)}];
          if (haplotypes.empty() || haplotypes.back() != h) {
            haplotypes.push_back(h);
          }
        }
      }
    };
    for (std::size_t c = 0; c < haplotype.choices().size(); ++c) {
      const Choice& choice = haplotype.choices()[c];
      if (choice.first != kReference) {
        add(c, choice.first);
      }
      if (choice.second != kReference && !choice.is_known()) {
        add(c, choice.second);
      }
    }
    sure_.push_back(haplotype.take_sure());
  }
  skipped_ = skipped.size();
  for (auto& [key, haplotypes] : carriers) {
    pieces_.push_back(make(key.first, key.second));
    pieces_.back().carriers = std::move(haplotypes);
  }
}

HaplotypePiece HaplotypePieces::make(std::uint32_t anchor, const Path& alleles) const {
  HaplotypePiece piece;
  piece.anchor = anchor;
  piece.alleles = alleles;
  const auto middle = std::find(alleles.begin(), alleles.end(), anchor);
  std::uint64_t begin = list_.alleles[anchor].begin;
  std::int64_t left = reach_;
  for (auto at = middle; at != alleles.begin() && left > 0;) {
    const Allele& allele = list_.alleles[*--at];
    left -= static_cast<std::int64_t>(begin - allele.end + allele.letters.size());
    begin = allele.begin;
  }
  begin -= std::min(begin, static_cast<std::uint64_t>(std::max<std::int64_t>(left, 0)));
  piece.begin = begin;
  std::uint64_t at = begin;
  std::int64_t right = reach_;
  bool is_after = false;
  for (const std::uint32_t a : alleles) {
    const Allele& allele = list_.alleles[a];
    piece.letters += letters_(at, allele.begin);
    piece.letters += allele.letters;
    right -= is_after ? static_cast<std::int64_t>(allele.begin - at + allele.letters.size()) : 0;
    is_after = is_after || a == anchor;
    at = allele.end;
  }
  piece.letters += letters_(at, std::min(length_, at + static_cast<std::uint64_t>(std::max<std::int64_t>(right, 0))));
  return piece;
}

std::optional<HaplotypePieces::PieceLocation> HaplotypePieces::place(const HaplotypePiece& piece, std::uint64_t begin,
                                                                     std::uint64_t end) const {
  PieceLocation place;
  bool has_begin = false, has_end = false;
  std::uint64_t at = piece.begin;  // in the contig
  std::uint64_t first = 0;         // the same in the piece
  const auto in_stretch = [&](std::uint64_t last) {
    // The letters of the contig from `at` on, up to `last` in the piece.
    if (!has_begin && begin < last) {
      place.begin = at + (begin - first);
      has_begin = true;
    }
    if (!has_end && end <= last) {
      place.end = at + (end - first);
      has_end = true;
    }
  };
  for (const std::uint32_t a : piece.alleles) {
    const Allele& allele = list_.alleles[a];
    const std::uint64_t from = first + (allele.begin - at), to = from + allele.letters.size();
    in_stretch(from);
    const bool has = to > from ? begin < to && end > from : begin < from && end > from;
    if (has) {
      place.alleles.push_back(a);
    }
    const std::uint64_t replaced = allele.end - allele.begin;
    if (!has_begin && begin < to) {
      place.begin = allele.begin + std::min(begin - from, replaced);
      has_begin = true;
    }
    if (!has_end && end <= to) {
      place.end = end == to ? allele.end : allele.begin + std::min(end - from, replaced);
      has_end = true;
    }
    first = to;
    at = allele.end;
  }
  in_stretch(UINT64_MAX);
  if (place.alleles.empty() || place.alleles.front() != piece.anchor) {
    return std::nullopt;
  }
  return place;
}

bool HaplotypePieces::is_sure(std::uint32_t haplotype, const std::vector<std::uint32_t>& alleles) const {
  const std::vector<std::uint32_t>& sure = sure_[haplotype];
  return std::all_of(alleles.begin(), alleles.end(),
                     [&](std::uint32_t allele) { return std::binary_search(sure.begin(), sure.end(), allele); });
}

}  // namespace trawl::scan
