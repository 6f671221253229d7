#include "map/reference_scan.hpp"

#include <algorithm>
#include <bit>
#include <deque>

#include "base/stop.hpp"
#include "match/mismatch_counts.hpp"
#include "sequence/text_window.hpp"

namespace trawl::map {

namespace {

// Positions whose bit planes are loaded at once.
constexpr std::uint64_t kWindow = 1 << 14;

// All contigs without these parts of runs of ambiguous bases: inside(run) is the part of a run that is left out.
template <class Inside>
std::vector<ReferenceStretch> contigs_without(const sequence::Reference& reference, const Inside& inside) {
  std::vector<ReferenceStretch> stretches;
  const auto& runs = reference.ambiguous_runs();
  std::size_t run = 0;
  for (const auto& contig : reference.contigs()) {
    const std::uint64_t end = contig.offset + contig.length;
    std::uint64_t begin = contig.offset;
    for (; run < runs.size() && runs[run].begin < end; ++run) {
      const ReferenceStretch out = inside(runs[run]);
      if (out.begin < out.end) {
        stretches.push_back({begin, out.begin});
        begin = out.end;
      }
    }
    if (begin < end) {
      stretches.push_back({begin, end});
    }
  }
  return stretches;
}

// The part of a run that is further than `deepest` from both its ends; maybe empty.
ReferenceStretch deep_part(const sequence::AmbiguousRun& run, std::uint64_t deepest) {
  const std::uint64_t end = run.begin + run.length;
  return run.length > 2 * deepest ? ReferenceStretch{run.begin + deepest, end - deepest} : ReferenceStretch{end, end};
}

}  // namespace

std::vector<ReferenceStretch> all_stretches(const sequence::Reference& reference, std::size_t longest_read) {
  return contigs_without(reference, [&](const sequence::AmbiguousRun& run) {
    return ReferenceStretch{run.begin + longest_read, run.begin + run.length};
  });
}

std::vector<ReferenceStretch> all_stretches_with_ambiguous(const sequence::Reference& reference,
                                                           std::uint64_t deepest) {
  return contigs_without(reference, [&](const sequence::AmbiguousRun& run) { return deep_part(run, deepest); });
}

std::vector<ReferenceStretch> stretches_around_ambiguous(const sequence::Reference& reference, std::size_t longest_read,
                                                         std::uint32_t max_edits, std::uint64_t deepest) {
  std::vector<ReferenceStretch> stretches;
  const std::uint64_t reach = longest_read + max_edits;
  const auto add = [&](std::uint64_t begin, std::uint64_t end) {
    if (!stretches.empty() && begin <= stretches.back().end) {
      stretches.back().end = std::max(stretches.back().end, end);
    } else {
      stretches.push_back({begin, end});
    }
  };
  for (const auto& run : reference.ambiguous_runs()) {
    const auto& contig = reference.contigs()[reference.contig_at(run.begin)];
    const std::uint64_t begin = std::max(contig.offset, run.begin > reach ? run.begin - reach : 0);
    const std::uint64_t end = std::min(contig.offset + contig.length, run.begin + run.length + reach);
    const ReferenceStretch deep = deep_part(run, deepest);
    add(begin, deep.begin < deep.end ? deep.begin : end);
    if (deep.begin < deep.end) {
      add(deep.end, end);
    }
  }
  return stretches;
}

namespace {

std::size_t longest_read(const std::vector<Strand>& strands) {
  std::size_t longest = 0;
  for (const Strand& strand : strands) {
    longest = std::max(longest, strand.read->length());
  }
  return longest;
}

// Runs of ambiguous bases cannot be left out: a read may begin in one.
std::vector<ReferenceStretch> whole_contigs(const sequence::Reference& reference) {
  std::vector<ReferenceStretch> stretches;
  for (const auto& contig : reference.contigs()) {
    stretches.push_back({contig.offset, contig.offset + contig.length});
  }
  return stretches;
}

// As scan_reference(), for distances without gaps: passes every end of a read that lies in a stretch with at most
// max_edits mismatches, which are counted at 64 positions at once.
void scan_without_gaps(const sequence::Reference& reference, const std::vector<Strand>& strands,
                       const std::vector<ReferenceStretch>& stretches, bool ambiguous_matches, const TakeEnds& take) {
  const std::size_t longest = longest_read(strands);
  sequence::TextWindow text;
  std::vector<align::EndDistance> found;
  for (const ReferenceStretch& stretch : stretches) {
    for (std::uint64_t begin = stretch.begin; begin < stretch.end; begin += kWindow) {
      text.load(reference, static_cast<std::int64_t>(begin), kWindow + longest + 64, ambiguous_matches);
      for (std::size_t s = 0; s < strands.size(); ++s) {
        const auto& read = *strands[s].read;
        const std::size_t length = read.length();
        // The read may begin at the first `starts` positions.
        const std::uint64_t starts =
            stretch.end - begin < length ? 0 : std::min(kWindow, stretch.end - begin - length + 1);
        found.clear();
        for (std::uint64_t at = 0; at < starts; at += 64) {
          if (at % 1024 == 0) {
            Stop::look();
          }
          match::MismatchCounts counts(strands[s].max_edits);
          for (std::size_t i = 0; i < length && counts.within() != 0; ++i) {
            counts.add(~text.match_bits(read, i, at + i));
          }
          std::uint64_t within = counts.within();
          if (starts - at < 64) {
            within &= (std::uint64_t{1} << (starts - at)) - 1;
          }
          for (; within != 0; within &= within - 1) {
            const auto bit = static_cast<unsigned>(std::countr_zero(within));
            found.push_back({begin + at + bit + length - 1, static_cast<std::uint16_t>(counts.at(bit))});
          }
        }
        if (!found.empty()) {
          take(s, found);
        }
      }
    }
  }
}

// The loci of one strand that a scan finds; only those stay that are needed.
class ScannedLoci {
 public:
  // Loci more than `strata` edits worse than the best one are not needed, unless the rule asks for runs.
  ScannedLoci(const SearchRule& rule, const Strand& strand, bool reverse, std::uint32_t strata)
      : keeps_all_(rule.with_runs), strata_(strata) {
    builder_.start(rule.reference, strand.max_edits, reverse, loci_, rule.with_runs ? &runs_ : nullptr, !rule.gaps);
  }
  ScannedLoci(const ScannedLoci&) = delete;
  ScannedLoci& operator=(const ScannedLoci&) = delete;

  // Ends must be in ascending order, also from one call to the next.
  void add(std::span<const align::EndDistance> ends) {
    for (const align::EndDistance& end : ends) {
      builder_.add(static_cast<std::int64_t>(end.end), {&end.distance, 1});
    }
    if (loci_.size() > 2 * kept_ + kFew) {
      drop_far();
    }
  }

  void finish(std::uint32_t strand, StrandLoci& found) {
    builder_.finish();
    drop_far();
    found.put(strand, loci_, runs_);
  }

 private:
  static constexpr std::size_t kFew = 4096;

  void drop_far() {
    if (keeps_all_) {
      return;
    }
    for (const align::Locus& locus : loci_) {
      best_ = std::min<std::uint32_t>(best_, locus.distance);
    }
    std::erase_if(loci_, [&](const align::Locus& locus) { return locus.distance - best_ > strata_; });
    kept_ = loci_.size();
  }

  bool keeps_all_;
  std::uint32_t strata_;
  std::uint32_t best_ = 0xffff;
  std::size_t kept_ = 0;  // size of loci_ when loci far from the best were last dropped
  align::LocusBuilder builder_;
  std::vector<align::Locus> loci_;
  std::vector<align::EndRange> runs_;
};

struct SearchedStrands {
  std::vector<std::uint32_t> numbers;  // in the list of all
  std::vector<Strand> strands;
};

SearchedStrands searched_of(const std::vector<Strand>& all, const std::vector<bool>& left_out) {
  SearchedStrands searched;
  for (std::uint32_t s = 0; s < all.size(); ++s) {
    if (all[s].is_searched && (left_out.empty() || !left_out[s])) {
      searched.numbers.push_back(s);
      searched.strands.push_back(all[s]);
    }
  }
  return searched;
}

}  // namespace

void scan_strands(const SearchRule& rule, const std::vector<Strand>& strands, std::uint32_t strata, StrandLoci& found) {
  const auto [numbers, searched] = searched_of(strands, {});
  std::deque<ScannedLoci> scanned;
  for (std::size_t i = 0; i < searched.size(); ++i) {
    scanned.emplace_back(rule, searched[i], numbers[i] % 2 == 1, strata);
  }
  std::vector<align::EndDistance> kept;
  const auto take = [&](std::size_t i, std::span<const align::EndDistance> ends) {
    if (rule.may_lean()) {
      kept.assign(ends.begin(), ends.end());
      rule.drop_leaning(searched[i], kept);
      ends = kept;
    }
    scanned[i].add(ends);
  };
  const bool ambiguous = rule.ambiguous_matches;
  if (!rule.gaps) {
    scan_without_gaps(rule.reference, searched, whole_contigs(rule.reference), ambiguous, take);
  } else {
    const auto stretches = ambiguous ? all_stretches_with_ambiguous(rule.reference, rule.deepest(searched))
                                     : all_stretches(rule.reference, longest_read(searched));
    scan_reference(rule.reference, searched, stretches, ambiguous, take);
  }
  for (std::size_t i = 0; i < searched.size(); ++i) {
    scanned[i].finish(numbers[i], found);
  }
}

void scan_around_ambiguous(const SearchRule& rule, const std::vector<Strand>& strands,
                           const std::vector<bool>& left_out, StrandLoci& found) {
  const SearchedStrands chosen = searched_of(strands, left_out);
  std::uint32_t max_edits = 0;
  for (const Strand& strand : chosen.strands) {
    max_edits = std::max(max_edits, strand.max_edits);
  }
  const auto scan = rule.gaps ? scan_reference : scan_without_gaps;
  scan(
      rule.reference, chosen.strands,
      stretches_around_ambiguous(rule.reference, longest_read(chosen.strands), max_edits, rule.deepest(chosen.strands)),
      rule.ambiguous_matches,
      [&](std::size_t i, std::span<const align::EndDistance> ends) { found.add_late(chosen.numbers[i], ends); });
}

}  // namespace trawl::map
