#include "scan/haplotypes.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace trawl::scan {

namespace {

// Of so many unphased alleles on a side of another one, every combination is tried.
constexpr unsigned kMostUnsure = 6;

// The alleles of each haplotype without those that begin inside one before them: they cannot both be there.
std::vector<AlleleList::Carried> without_overlaps(const AlleleList& list,
                                                  const std::vector<AlleleList::Carried>& carried) {
  std::vector<AlleleList::Carried> kept;
  std::uint64_t end = 0;
  for (const auto& one : carried) {
    const Allele& allele = list.alleles[one.allele];
    if (one.is_sure && allele.begin < end) {
      continue;
    }
    kept.push_back(one);
    end = one.is_sure ? std::max(end, allele.end) : end;
  }
  return kept;
}

}  // namespace

HaplotypePieces::HaplotypePieces(const AlleleList& list, const Letters& letters, std::uint64_t length,
                                 std::uint64_t reach)
    : list_(list), letters_(letters), length_(length), reach_(static_cast<std::int64_t>(reach)) {
  for (const Allele& allele : list.alleles) {
    longest_ = std::max(longest_, allele.end - allele.begin);
  }
  // By anchor and alleles.
  std::map<std::pair<std::uint32_t, Path>, std::vector<std::uint32_t>> carriers;
  for (std::uint32_t h = 0; h < list.haplotypes.size(); ++h) {
    const std::vector<Carried> carried = without_overlaps(list, list.haplotypes[h]);
    for (std::size_t i = 0; i < carried.size(); ++i) {
      const Allele& anchor = list.alleles[carried[i].allele];
      std::vector<Path> lefts, rights;
      Path path;
      is_cut_ = false;
      walk_left(carried, i, anchor.begin, reach_, 0, path, lefts);
      walk_right(carried, i + 1, anchor.end, reach_, 0, path, rights);
      incomplete_ += is_cut_ ? 1 : 0;
      for (const Path& left : lefts) {
        for (const Path& right : rights) {
          Path alleles(left.rbegin(), left.rend());
          alleles.push_back(carried[i].allele);
          alleles.insert(alleles.end(), right.begin(), right.end());
          std::vector<std::uint32_t>& haplotypes = carriers[{carried[i].allele, std::move(alleles)}];
          if (haplotypes.empty() || haplotypes.back() != h) {
            haplotypes.push_back(h);
          }
        }
      }
    }
  }
  for (auto& [key, haplotypes] : carriers) {
    pieces_.push_back(make(key.first, key.second));
    pieces_.back().carriers = std::move(haplotypes);
  }
}

void HaplotypePieces::walk_right(const std::vector<Carried>& carried, std::size_t next, std::uint64_t at,
                                 std::int64_t left, unsigned unsure, Path& path, std::vector<Path>& paths) {
  const std::size_t size = path.size();
  for (; next < carried.size(); ++next) {
    const Allele& allele = list_.alleles[carried[next].allele];
    if (allele.begin < at) {
      continue;
    }
    const auto between = static_cast<std::int64_t>(allele.begin - at);
    if (between >= left) {
      break;
    }
    const std::int64_t rest = left - between - static_cast<std::int64_t>(allele.letters.size());
    if (!carried[next].is_sure) {
      is_cut_ = is_cut_ || unsure == kMostUnsure;
      if (unsure < kMostUnsure) {
        ++unsure;
        const std::size_t before = path.size();
        path.push_back(carried[next].allele);
        walk_right(carried, next + 1, allele.end, rest, unsure, path, paths);
        path.resize(before);
      }
      continue;
    }
    path.push_back(carried[next].allele);
    at = allele.end;
    left = rest;
  }
  paths.push_back(path);
  path.resize(size);
}

// As walk_right(), from `next` - 1 down; the path goes to the left.
void HaplotypePieces::walk_left(const std::vector<Carried>& carried, std::size_t next, std::uint64_t at,
                                std::int64_t left, unsigned unsure, Path& path, std::vector<Path>& paths) {
  const std::size_t size = path.size();
  for (; next > 0; --next) {
    const Carried& one = carried[next - 1];
    const Allele& allele = list_.alleles[one.allele];
    if (allele.end > at) {
      continue;
    }
    const auto between = static_cast<std::int64_t>(at - allele.end);
    if (between >= left) {
      if (static_cast<std::int64_t>(at - allele.begin) > left + static_cast<std::int64_t>(longest_)) {
        break;
      }
      continue;  // an allele before it may be longer and end later
    }
    const std::int64_t rest = left - between - static_cast<std::int64_t>(allele.letters.size());
    if (!one.is_sure) {
      is_cut_ = is_cut_ || unsure == kMostUnsure;
      if (unsure < kMostUnsure) {
        ++unsure;
        const std::size_t before = path.size();
        path.push_back(one.allele);
        walk_left(carried, next - 1, allele.begin, rest, unsure, path, paths);
        path.resize(before);
      }
      continue;
    }
    path.push_back(one.allele);
    at = allele.begin;
    left = rest;
  }
  paths.push_back(path);
  path.resize(size);
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

std::optional<HaplotypePieces::Place> HaplotypePieces::place(const HaplotypePiece& piece, std::uint64_t begin,
                                                             std::uint64_t end) const {
  Place place;
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
  const std::vector<Carried>& carried = list_.haplotypes[haplotype];
  return std::all_of(alleles.begin(), alleles.end(), [&](std::uint32_t allele) {
    const auto one = std::lower_bound(carried.begin(), carried.end(), allele,
                                      [](const Carried& a, std::uint32_t b) { return a.allele < b; });
    return one != carried.end() && one->allele == allele && one->is_sure;
  });
}

}  // namespace trawl::scan
