#include "align/read_reporter.hpp"

#include <algorithm>

namespace trawl::align {

void ReadReporter::count(const ReadLoci& read, ReadResult& result) const {
  result.best_count = selection_.best_count;
  result.next_count = selection_.next_count;
  result.next_known = !read.loci.empty() && is_next_known(read.loci[selection_.order.front()].distance, read.max_edits);
}

void ReadReporter::report(const ReadLoci& read, ReadResult& result, AlignmentBatch& out) {
  count(read, result);
  result.first = out.alignments.size();
  result.dropped = selection_.dropped;
  result.count = static_cast<std::uint32_t>(selection_.order.size());
  for (const std::uint32_t l : selection_.order) {
    const Locus& locus = read.loci[l];
    const AlignedPath& path = aligner_.find_path(locus, read.strand_of(locus), read.max_edits);
    out.alignments.push_back(aligner_.describe(locus, read.strand_of(locus), path, out));
    if (l == selection_.order.front() && result.best_count == 1) {
      const std::uint64_t cost = aligner_.cost_of(path, read.strand_of(locus), read.qualities_of(locus), model_);
      out.alignments.back().mapq =
          static_cast<std::uint8_t>(model_.mapq(weigh(read, l, cost, MapqModel::kStrata).others));
    }
  }
}

QualitySum ReadReporter::weigh(const ReadLoci& read, std::uint32_t chosen, std::uint64_t cost,
                               std::uint32_t strata) const {
  std::uint32_t best = read.loci[chosen].distance;
  for (const Locus& locus : read.loci) {
    best = std::min<std::uint32_t>(best, locus.distance);
  }
  QualitySum sum;
  sum.start(model_, cost, average_cost(model_, read.qualities, read.length()), read.max_edits);
  for (std::uint32_t l = 0; l < read.loci.size(); ++l) {
    const Locus& locus = read.loci[l];
    if (l != chosen && QualitySum::counts(locus.distance, best, strata)) {
      sum.others += sum.weight(
          model_, aligner_.cost_of(locus, read.strand_of(locus), read.qualities_of(locus), sum.average, model_));
    }
  }
  return sum;
}

}  // namespace trawl::align
