#include "align/pair_reporter.hpp"

#include <algorithm>

namespace trawl::align {

void PairReporter::Mate::start(const ReadLoci& loci) {
  read = loci;
  least = most = 0;
  if (!loci.loci.empty()) {
    const std::uint32_t edits = loci.pieces ? loci.limits->max_edits() : loci.max_edits;
    least = loci.length() - (loci.pieces ? loci.limits->clip() : 0);
    least -= std::min(least, edits);
    most = loci.length() + edits;
  }
  const auto reverse =
      std::partition_point(loci.loci.begin(), loci.loci.end(), [](const Locus& locus) { return !locus.reverse; });
  forward = static_cast<std::uint32_t>(reverse - loci.loci.begin());
  reaches.clear();
  for (std::uint32_t i = 0; loci.pieces && i < count(); ++i) {
    const std::uint64_t before = i == 0 || i == forward ? 0 : reaches.back();
    reaches.push_back(std::max(before, end(i) + spread(i)));
  }
  aligned.assign(loci.loci.size(), kNone);
  used = 0;
  if (alignments.size() > kKept) {
    alignments = {};
  }
}

void PairReporter::begin(const ReadLoci& first, const ReadLoci& second) {
  mates_[0].start(first);
  mates_[1].start(second);
  smallest_sum_ = kAnySum;
  const MatePairing pairs = pairing();
  for (std::uint32_t a = 0; a < mates_[0].count(); ++a) {
    pairs.for_each_possible(a, [&](std::uint32_t b, bool certain) {
      smallest_sum_ = certain ? std::min(smallest_sum_, pairs.sum(a, b)) : smallest_sum_;
    });
  }
}

void PairReporter::align(Mate& mate, std::uint32_t i) {
  if (mate.is_aligned(i)) {
    return;
  }
  if (mate.used == mate.alignments.size()) {
    mate.alignments.emplace_back();
  }
  Aligned& aligned = mate.alignments[mate.used];
  aligned.path = reads_.find_path(mate.read, i);
  std::uint64_t end = aligned.path.start;
  for (const AlignedRun& run : aligned.path.runs) {
    end += run.step == match::Step::insertion ? 0 : run.length;
  }
  aligned.extent = {aligned.path.start, end, mate.read.loci[i].reverse};
  aligned.cost = kNoCost;
  aligned.alignment = kNone;
  mate.aligned[i] = mate.used++;
}

std::uint64_t PairReporter::Mate::cost(std::uint32_t i) const {
  Aligned& alignment = alignments[aligned[i]];
  if (alignment.cost == kNoCost) {
    alignment.cost = reads->cost_of(read, i, alignment.path);
  }
  return alignment.cost;
}

std::uint32_t PairReporter::record(Mate& mate, std::uint32_t i, AlignmentBatch& out) {
  Aligned& aligned = mate.alignments[mate.aligned[i]];
  if (aligned.alignment == kNone) {
    aligned.alignment = static_cast<std::uint32_t>(out.alignments.size());
    out.alignments.push_back(reads_.describe(mate.read, i, aligned.path, out));
  }
  return aligned.alignment;
}

// Aligns the loci of all pairs that may matter. Returns up to which sum of edits that is.
std::uint32_t PairReporter::align_all(const MatePairing& pairing) {
  const std::uint32_t limit = sum_limit(reads_.rule(), kPairStrata, smallest_sum_);
  for (std::uint32_t a = 0; a < mates_[0].count(); ++a) {
    pairing.for_each_possible(a, [&](std::uint32_t b, bool) {
      if (pairing.sum(a, b) <= limit) {
        align(mates_[0], a);
        align(mates_[1], b);
      }
    });
  }
  return limit;
}

// The loci up to `limit` are aligned.
PairChoice PairReporter::choose(const MatePairing& pairing, std::uint64_t hash, std::uint32_t limit) const {
  PairChoice choice;
  std::uint64_t ties = 0;
  const auto for_each = [&](std::uint32_t most, const auto& visit) {
    for (std::uint32_t a = 0; a < mates_[0].count(); ++a) {
      pairing.for_each_concordant(a, most, [&](std::uint32_t b, std::uint64_t size) { visit(a, b, size); });
    }
  };
  for_each(limit, [&](std::uint32_t a, std::uint32_t b, std::uint64_t size) {
    if (choice.found() && pairing.sum(a, b) > choice.key.sum()) {
      return;
    }
    const PairKey key = pairing.key(a, b, size);
    ties = key.value < choice.key.value ? 0 : ties;
    choice.key.value = std::min(choice.key.value, key.value);
    ties += key.value == choice.key.value;
  });
  if (!choice.found()) {
    return choice;
  }
  std::uint64_t skip = hash % ties;  // NOLINT(clang-analyzer-core.DivideZero): a pair was found
  bool taken = false;
  for_each(report_limit(reads_.rule(), choice.key.sum(), limit),
           [&](std::uint32_t a, std::uint32_t b, std::uint64_t size) {
             ++choice.reported;
             if (!taken && pairing.sum(a, b) == choice.key.sum() && pairing.key(a, b, size).value == choice.key.value &&
                 skip-- == 0) {
               choice.first = a;
               choice.second = b;
               choice.insert = size;
               taken = true;
             }
           });
  choice.reported = reads_.rule().report == Report::best ? 1 : choice.reported;
  return choice;
}

void PairReporter::report(std::uint64_t hash, PairResult& pair, ReadResult* results, AlignmentBatch& out) {
  const MatePairing pairing = this->pairing();
  const ReportRule& rule = reads_.rule();
  const std::uint32_t limit = align_all(pairing);
  const PairChoice choice = choose(pairing, hash, limit);
  pair.kind = kind_of(choice.found(), mates_[0].count() > 0, mates_[1].count() > 0);
  std::uint32_t alone_sum = 0;
  for (unsigned m = 0; m < 2; ++m) {
    const auto& loci = mates_[m].read.loci;
    const Selection& selection = reads_.select(loci, hash);
    reads_.count(mates_[m].read, results[m]);
    alone_sum += loci.empty() ? 0 : loci[selection.order.front()].distance;
  }
  if (reports_pairs(rule_, rule, choice, alone_sum)) {
    report_concordant(pairing, choice, hash, limit, pair, out);
    put_qualities(pairing, choice, out);
  }
  if (!reports_alone(rule_, rule, pair.kind, pair.count > 0)) {
    return;
  }
  for (unsigned m = 0; m < 2; ++m) {
    if (pair.count > 0) {
      report_others(mates_[m], hash, results[m], out);
    } else {
      reads_.select(mates_[m].read.loci, hash);
      reads_.report(mates_[m].read, results[m], out);
    }
  }
}

void PairReporter::report_concordant(const MatePairing& pairing, const PairChoice& choice, std::uint64_t hash,
                                     std::uint32_t limit, PairResult& pair, AlignmentBatch& out) {
  const ReportRule& rule = reads_.rule();
  pair.first = out.concordant_pairs.size();
  pair.insert = static_cast<std::uint32_t>(choice.insert);
  pair.dropped = choice.dropped(rule);
  pair.count = static_cast<std::uint32_t>(choice.left(rule));
  if (ranked_.capacity() > kKept) {
    ranked_ = {};
  }
  ranked_.assign(1, {choice.key.sum(), choice.first, choice.second});
  if (rule.report != Report::best) {
    const std::uint32_t most = report_limit(rule, choice.key.sum(), limit);
    for (std::uint32_t a = 0; a < mates_[0].count(); ++a) {
      pairing.for_each_concordant(a, most, [&](std::uint32_t b, std::uint64_t) {
        if (a != choice.first || b != choice.second) {
          ranked_.push_back({pairing.sum(a, b), a, b});
        }
      });
    }
    std::stable_sort(ranked_.begin() + 1, ranked_.end(),
                     [](const Ranked& a, const Ranked& b) { return a.sum < b.sum; });
    keep(
        pair.dropped, [](const Ranked& ranked) { return ranked.sum; }, hash, ranked_);
  }
  for (const Ranked& ranked : ranked_) {
    const std::uint32_t first = record(mates_[0], ranked.first, out);
    const std::uint32_t second = record(mates_[1], ranked.second, out);
    out.concordant_pairs.push_back({{first, second}});
  }
}

void PairReporter::put_qualities(const MatePairing& pairing, const PairChoice& choice, AlignmentBatch& out) {
  const auto counts_against = [&](unsigned m, std::uint32_t l, std::uint32_t chosen) {
    return l != chosen && (!reads_.rule().split || mates_[m].read.exclude_each_other(l, chosen));
  };
  PairSums sums;
  for (std::uint32_t a = 0; a < mates_[0].count(); ++a) {
    const PairSums some = weigh_pairs(pairing, a, reads_.rule(), choice, reads_.model(), counts_against);
    sums.first += some.first;
    sums.second += some.second;
  }
  const std::uint32_t chosen[2] = {choice.first, choice.second};
  QualitySum weights[2];
  for (unsigned m = 0; m < 2; ++m) {
    const std::uint64_t cost = mates_[m].cost(chosen[m]);
    weights[m] = reads_.weigh(mates_[m].read, chosen[m], cost, kPairStrata);
  }
  for (unsigned m = 0; m < 2; ++m) {
    const Aligned& aligned = mates_[m].alignments[mates_[m].aligned[chosen[m]]];
    out.alignments[aligned.alignment].mapq = static_cast<std::uint8_t>(mate_quality(
        reads_.model(), m == 0 ? sums.first : sums.second, weights[m], weights[1 - m], inserts_.cost(choice.insert)));
  }
}

// The loci of a mate that are in no reported pair.
void PairReporter::report_others(Mate& mate, std::uint64_t hash, ReadResult& result, AlignmentBatch& out) {
  const Selection& selection = reads_.select(mate.read.loci, hash);
  result.first = out.alignments.size();
  result.dropped = selection.dropped;
  for (const std::uint32_t l : selection.order) {
    if (mate.is_aligned(l) && mate.alignments[mate.aligned[l]].alignment != kNone) {
      continue;
    }
    align(mate, l);
    record(mate, l, out);
    ++result.count;
  }
}

}  // namespace trawl::align
