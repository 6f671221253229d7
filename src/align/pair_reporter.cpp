#include "align/pair_reporter.hpp"

#include <utility>

namespace trawl::align {

namespace {

// The insert sizes that cost no more than this; the cost grows with the distance from the mean.
WantedSizes sizes_up_to(const InsertModel& inserts, std::uint64_t most) {
  if (!inserts.is_known() || most >= InsertSizes::kMostCost) {
    return {};
  }
  WantedSizes wanted{inserts.max, 0};
  for (const InsertSizes& sizes : {inserts.most, inserts.has_two_sizes() ? inserts.others : inserts.most}) {
    std::uint32_t away = 0;
    for (std::uint32_t more = 5 * sizes.deviation; more - away > 1;) {
      const std::uint32_t middle = away + (more - away) / 2;
      (sizes.cost(std::uint64_t{sizes.mean} + middle) <= most ? away : more) = middle;
    }
    wanted.least = std::min(wanted.least, sizes.mean - std::min(sizes.mean, away));
    wanted.most = std::max(wanted.most, sizes.mean + away);
  }
  return wanted;
}

}  // namespace

void PairReporter::MateLoci::start(const ReadLoci& loci) {
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
  smallest = 0;
  if (!loci.loci.empty()) {
    smallest = std::min_element(loci.loci.begin(), loci.loci.end(), [](const Locus& a, const Locus& b) {
                 return a.distance < b.distance;
               })->distance;
  }
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
  const std::uint32_t least = mates_[0].least_distance() + mates_[1].least_distance();
  for (std::uint32_t a = 0; a < mates_[0].count() && smallest_sum_ > least; ++a) {
    pairs.for_each_possible(a, [&](std::uint32_t b, bool certain) {
      smallest_sum_ = certain ? std::min(smallest_sum_, pairs.sum(a, b)) : smallest_sum_;
    });
  }
}

void PairReporter::align(MateLoci& mate, std::uint32_t i) {
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

std::uint64_t PairReporter::MateLoci::cost(std::uint32_t i) const {
  Aligned& alignment = alignments[aligned[i]];
  if (alignment.cost == kNoCost) {
    alignment.cost = reads->cost_of(read, i, alignment.path);
  }
  return alignment.cost;
}

std::uint32_t PairReporter::record(MateLoci& mate, std::uint32_t i, AlignmentBatch& out) {
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
  if (are_many()) {
    for (unsigned m = 0; m < 2; ++m) {
      const std::uint32_t other = mates_[1 - m].least_distance();
      for (std::uint32_t i = 0; i < mates_[m].count(); ++i) {
        if (limit == kAnySum || mates_[m].distance(i) + other <= limit) {
          align(mates_[m], i);
        }
      }
    }
    return limit;
  }
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

// Calls visit(a, b) for each concordant pair of loci, in canonical order. Of the placements of two loci these are the
// ones that make the best pair.
template <class Visit>
void PairReporter::for_each_of_loci(const MatePairing& pairing, std::uint32_t most, const Visit& visit) {
  const MateLoci& second = mates_[1];
  if (!mates_[0].read.has_placements() && !second.read.has_placements()) {
    for (std::uint32_t a = 0; a < mates_[0].count(); ++a) {
      pairing.for_each_concordant(a, most, [&](std::uint32_t b, std::uint64_t) { visit(a, b); });
    }
    return;
  }
  best_of_loci_.assign(second.read.whole().loci.size(), {});
  with_best_.clear();
  const auto visit_best = [&] {
    std::sort(with_best_.begin(), with_best_.end());
    for (const std::uint32_t locus : with_best_) {
      visit(best_of_loci_[locus].first, best_of_loci_[locus].second);
      best_of_loci_[locus] = {};
    }
    with_best_.clear();
  };
  for (std::uint32_t a = 0; a < mates_[0].count(); ++a) {
    if (a > 0 && mates_[0].run_of(a) != mates_[0].run_of(a - 1)) {
      visit_best();
    }
    pairing.for_each_concordant(a, most, [&](std::uint32_t b, std::uint64_t size) {
      BestOfLoci& best = best_of_loci_[second.run_of(b)];
      if (!best.key.found()) {
        with_best_.push_back(second.run_of(b));
      }
      const PairKey key = pairing.key(a, b, size);
      if (key.value < best.key.value) {
        best = {key, a, b};
      }
    });
  }
  visit_best();
}

// The loci up to `limit` are aligned.
PairChoice PairReporter::choose(const MatePairing& pairing, std::uint64_t hash, std::uint32_t limit) {
  PairChoice choice;
  std::vector<std::uint64_t>& ties = ties_;  // of the pairs of locus a
  ties.assign(mates_[0].count(), 0);
  std::uint64_t all_ties = 0;
  std::uint64_t least_cost = kNoCost;  // of the second mate's alignments
  for (std::uint32_t b = 0; are_many() && b < mates_[1].count(); ++b) {
    least_cost = mates_[1].is_aligned(b) ? std::min(least_cost, mates_[1].cost(b)) : least_cost;
  }
  const std::uint32_t least_sum = mates_[0].least_distance() + mates_[1].least_distance();
  // Where there are many loci: the insert sizes of pairs of locus a that are as good as the best one so far.
  const auto wanted = [&](std::uint32_t a) -> WantedSizes {
    if (!are_many() || !choice.found() || choice.key.sum() > least_sum || !mates_[0].is_aligned(a)) {
      return {};
    }
    const std::uint64_t best = choice.key.cost();
    return sizes_up_to(inserts_, best - std::min(best, mates_[0].cost(a) + least_cost));
  };
  for (std::uint32_t a = 0; a < mates_[0].count(); ++a) {
    const auto visit = [&](std::uint32_t b, std::uint64_t size) {
      if (choice.found() && pairing.sum(a, b) > choice.key.sum()) {
        return;
      }
      const PairKey key = pairing.key(a, b, size);
      if (key.value < choice.key.value) {
        choice.key = key;
        std::fill_n(ties.begin(), a + 1, 0);
        all_ties = 0;
      }
      ties[a] += key.value == choice.key.value;
      all_ties += key.value == choice.key.value;
    };
    pairing.for_each_concordant(a, limit, visit, wanted(a));
  }
  if (!choice.found()) {
    return choice;
  }
  std::uint64_t skip = hash % all_ties;  // NOLINT(clang-analyzer-core.DivideZero): a pair was found
  while (skip >= ties[choice.first]) {
    skip -= ties[choice.first++];
  }
  const auto take = [&](std::uint32_t b, std::uint64_t size) {
    if (pairing.key(choice.first, b, size).value == choice.key.value && skip-- == 0) {
      choice.second = b;
      choice.insert = size;
    }
  };
  pairing.for_each_concordant(choice.first, choice.key.sum(), take, wanted(choice.first));
  if (reads_.rule().report == Report::best) {
    choice.reported = 1;
  } else {
    for_each_of_loci(pairing, report_limit(reads_.rule(), choice.key.sum(), limit),
                     [&](std::uint32_t, std::uint32_t) { ++choice.reported; });
  }
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
    const Selection& selection = reads_.select(mates_[m].read, hash);
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
      reads_.select(mates_[m].read, hash);
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
    for_each_of_loci(pairing, most, [&](std::uint32_t a, std::uint32_t b) {
      if (mates_[0].run_of(a) != mates_[0].run_of(choice.first) ||
          mates_[1].run_of(b) != mates_[1].run_of(choice.second)) {
        ranked_.push_back({pairing.sum(a, b), a, b});
      }
    });
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
  // With more, the quality of both mates is 0.
  const auto is_enough = [](const PairSums& sums) {
    return sums.first >= MapqModel::kOne && sums.second >= MapqModel::kOne;
  };
  PairSums sums;
  for (std::uint32_t a = 0; a < mates_[0].count() && !is_enough(sums); ++a) {
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
void PairReporter::report_others(MateLoci& mate, std::uint64_t hash, ReadResult& result, AlignmentBatch& out) {
  const Selection& selection = reads_.select(mate.read, hash);
  const ReadLoci whole = mate.read.whole();
  std::vector<bool> is_in_pair(whole.loci.size(), false);
  for (std::uint32_t i = 0; i < mate.count(); ++i) {
    if (mate.is_aligned(i) && mate.alignments[mate.aligned[i]].alignment != kNone) {
      is_in_pair[mate.run_of(i)] = true;
    }
  }
  result.first = out.alignments.size();
  result.dropped = selection.dropped;
  bool is_primary = true;
  for (const std::uint32_t l : selection.order) {
    const bool placed = std::exchange(is_primary, false);
    if (is_in_pair[placed ? mate.run_of(l) : l]) {
      continue;
    }
    const ReadLoci& loci = placed ? mate.read : whole;
    out.alignments.push_back(reads_.describe(loci, l, reads_.find_path(loci, l), out));
    ++result.count;
  }
}

}  // namespace trawl::align
