#include "map/reference_scan.hpp"

#include <algorithm>

namespace trawl::map {

namespace {

// All contigs without these parts of runs of ambiguous bases: inside(run) is the part of a run that is left out.
template <class Inside>
std::vector<Stretch> contigs_without(const sequence::Reference& reference, const Inside& inside) {
  std::vector<Stretch> stretches;
  const auto& runs = reference.ambiguous_runs();
  std::size_t run = 0;
  for (const auto& contig : reference.contigs()) {
    const std::uint64_t end = contig.offset + contig.length;
    std::uint64_t begin = contig.offset;
    for (; run < runs.size() && runs[run].begin < end; ++run) {
      const Stretch out = inside(runs[run]);
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
Stretch deep_part(const sequence::AmbiguousRun& run, std::uint64_t deepest) {
  const std::uint64_t end = run.begin + run.length;
  return run.length > 2 * deepest ? Stretch{run.begin + deepest, end - deepest} : Stretch{end, end};
}

}  // namespace

std::vector<Stretch> all_stretches(const sequence::Reference& reference, std::size_t longest_read) {
  return contigs_without(reference, [&](const sequence::AmbiguousRun& run) {
    return Stretch{run.begin + longest_read, run.begin + run.length};
  });
}

std::vector<Stretch> all_stretches_with_ambiguous(const sequence::Reference& reference, std::uint64_t deepest) {
  return contigs_without(reference, [&](const sequence::AmbiguousRun& run) { return deep_part(run, deepest); });
}

std::vector<Stretch> stretches_around_ambiguous(const sequence::Reference& reference, std::size_t longest_read,
                                                std::uint32_t max_edits, std::uint64_t deepest) {
  std::vector<Stretch> stretches;
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
    const Stretch deep = deep_part(run, deepest);
    add(begin, deep.begin < deep.end ? deep.begin : end);
    if (deep.begin < deep.end) {
      add(deep.end, end);
    }
  }
  return stretches;
}

}  // namespace trawl::map
