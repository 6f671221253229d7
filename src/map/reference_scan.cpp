#include "map/reference_scan.hpp"

#include <algorithm>

namespace trawl::map {

std::vector<Stretch> all_stretches(const sequence::Reference& reference, std::size_t longest_read,
                                   bool ambiguous_matches) {
  std::vector<Stretch> stretches;
  const auto& runs = reference.ambiguous_runs();
  std::size_t run = 0;
  for (const auto& contig : reference.contigs()) {
    const std::uint64_t end = contig.offset + contig.length;
    std::uint64_t begin = contig.offset;
    for (; run < runs.size() && runs[run].begin < end; ++run) {
      const std::uint64_t kept = runs[run].begin + longest_read;
      const std::uint64_t run_end = runs[run].begin + runs[run].length;
      if (!ambiguous_matches && kept < run_end) {
        stretches.push_back({begin, kept});
        begin = run_end;
      }
    }
    if (begin < end) {
      stretches.push_back({begin, end});
    }
  }
  return stretches;
}

std::vector<Stretch> stretches_around_ambiguous(const sequence::Reference& reference, std::size_t longest_read,
                                                std::uint32_t max_edits) {
  std::vector<Stretch> stretches;
  const std::uint64_t reach = longest_read + max_edits;
  for (const auto& run : reference.ambiguous_runs()) {
    const auto& contig = reference.contigs()[reference.contig_at(run.begin)];
    const std::uint64_t begin = std::max(contig.offset, run.begin > reach ? run.begin - reach : 0);
    const std::uint64_t end = std::min(contig.offset + contig.length, run.begin + run.length + reach);
    if (!stretches.empty() && begin <= stretches.back().end) {
      stretches.back().end = std::max(stretches.back().end, end);
    } else {
      stretches.push_back({begin, end});
    }
  }
  return stretches;
}

}  // namespace trawl::map
