#include "align/read_reporter.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace trawl::align {

std::uint32_t ReadReporter::reference_cost(std::uint64_t bases) {
  return static_cast<std::uint32_t>(
      std::lround(10 * std::log10(2.0 * static_cast<double>(std::max<std::uint64_t>(bases, 1)))));
}

bool ReadLoci::exclude_each_other(std::uint32_t k, std::uint32_t l) const {
  return pieces == nullptr ||
         align::exclude_each_other(pieces[k],
                                   loci[k].reverse == loci[l].reverse ? pieces[l] : pieces[l].turned(length()));
}

bool ReadReporter::is_clear_best(const ReadLoci& read) const {
  const std::uint32_t chosen = selection_.order.front();
  if (!rule_.split || read.pieces == nullptr) {
    return selection_.ties == 1;
  }
  for (std::uint32_t l = 0; l < read.loci.size(); ++l) {
    if (read.loci[l].distance == read.loci[chosen].distance && counts_against(read, l, chosen)) {
      return false;
    }
  }
  return true;
}

const sequence::EncodedRead& ReadReporter::aligned_bases(const ReadLoci& read, std::uint32_t l) {
  const sequence::EncodedRead& strand = *read.strands[read.loci[l].reverse];
  if (read.clipped(l) == 0) {
    return strand;
  }
  piece_.encode_part(strand, read.pieces[l].begin, read.pieces[l].end);
  return piece_;
}

StrandQualities ReadReporter::aligned_qualities(const ReadLoci& read, std::uint32_t l) {
  const bool reverse = read.loci[l].reverse;
  if (read.clipped(l) == 0 || read.qualities == nullptr) {
    return {read.qualities, read.length_of(l), reverse};
  }
  const Piece& piece = read.pieces[l];
  return {read.qualities + (reverse ? read.length() - piece.end : piece.begin), piece.length(), reverse};
}

Locus ReadReporter::aligned_locus(const ReadLoci& read, std::uint32_t l) {
  Locus locus = read.loci[l];
  locus.distance = static_cast<std::uint16_t>(read.edits_of(l));
  return locus;
}

void ReadReporter::place(ReadLoci& read, std::uint32_t searched, std::uint32_t most, Placements& placements) {
  placements.clear();
  // Until a locus has several placements each is its own one; most reads need no list.
  std::uint32_t listed = 0;
  const auto list_to = [&](std::uint32_t end) {
    for (; listed < end; ++listed) {
      placements.loci.push_back(read.loci[listed]);
      placements.run_of.push_back(listed);
    }
  };
  for (std::uint32_t l = 0; l < read.loci.size(); ++l) {
    const Locus locus = aligned_locus(read, l);
    if (locus.distance > most) {
      continue;
    }
    found_.clear();
    if (aligner_.find_placements(locus, *read.strands[locus.reverse], searched, found_) > 1) {
      list_to(l);
      placements.loci.insert(placements.loci.end(), found_.begin(), found_.end());
      placements.run_of.resize(placements.loci.size(), l);
      listed = l + 1;
    }
  }
  if (placements.loci.empty()) {
    return;
  }
  list_to(static_cast<std::uint32_t>(read.loci.size()));
  if (read.pieces != nullptr) {
    for (std::size_t k = 0; k < placements.loci.size(); ++k) {
      Locus& locus = placements.loci[k];
      placements.pieces.push_back(read.pieces[placements.run_of[k]]);
      if (locus.placement) {
        Piece& piece = placements.pieces.back();
        piece.edits = locus.distance;
        locus.distance = static_cast<std::uint16_t>(piece.penalty(read.length()));
      }
    }
  }
  read.runs = read.loci;
  read.run_pieces = read.pieces;
  read.loci = placements.loci;
  read.pieces = read.pieces != nullptr ? placements.pieces.data() : nullptr;
  read.run_of = placements.run_of.data();
  if (rule_.placements && rule_.report != Report::best) {
    list_runs(read, placements);
  }
}

void ReadReporter::list_runs(ReadLoci& read, Placements& placements) const {
  const std::uint32_t count = static_cast<std::uint32_t>(read.loci.size());
  for (std::uint32_t k = 0; k < count;) {
    const std::uint32_t run = placements.run_of[k];
    const auto first = static_cast<std::uint32_t>(placements.runs.size());
    for (; k < count && placements.run_of[k] == run; ++k) {
      if (read.loci[k].distance == read.runs[run].distance) {
        placements.runs.push_back(read.loci[k]);
        if (read.pieces != nullptr) {
          placements.run_pieces.push_back(read.pieces[k]);
        }
      }
      // One with more edits has no record of its own; it belongs to the one before it, or to the first.
      placements.run_of[k] = std::max(first + 1, static_cast<std::uint32_t>(placements.runs.size())) - 1;
    }
  }
  read.runs = placements.runs;
  read.run_pieces = read.pieces != nullptr ? placements.run_pieces.data() : nullptr;
}

Strata ReadReporter::cheapest(const ReadLoci& read, std::uint64_t hash) {
  const auto count = static_cast<std::uint32_t>(read.loci.size());
  const auto distance = [&](std::uint32_t l) { return std::uint32_t{read.loci[l].distance}; };
  Strata strata = find_strata(count, distance, rule_, hash);
  const QualitySum sum = unweighed(model_, read.qualities, read.length());
  prefer_cheapest(
      count, distance,
      [&](std::uint32_t l) {
        return aligner_.cost_of(read.loci[l], aligned_bases(read, l), aligned_qualities(read, l), sum, model_);
      },
      hash, strata);
  return strata;
}

const Selection& ReadReporter::select(const ReadLoci& read, std::uint64_t hash) {
  const bool by_cost = model_.weighs_damage() && !read.loci.empty();
  const Strata strata = by_cost ? cheapest(read, hash) : Strata();
  align::select(read.loci, rule_, hash, selection_, by_cost ? &strata.primary : nullptr);
  selection_.ties = by_cost ? strata.ties : selection_.best_count;
  if (read.has_placements() && rule_.report != Report::best) {
    // The records are one for each locus; what is counted and chosen are placements.
    const std::uint32_t best_count = selection_.best_count;
    const std::uint32_t next_count = selection_.next_count;
    const std::uint32_t ties = selection_.ties;
    const std::uint32_t primary = selection_.order.front();
    align::select(read.runs, rule_, hash, selection_, &read.run_of[primary]);
    selection_.best_count = best_count;
    selection_.next_count = next_count;
    selection_.ties = ties;
    selection_.order.front() = primary;
  }
  return selection_;
}

const AlignedPath& ReadReporter::find_path(const ReadLoci& read, std::uint32_t l) {
  const Locus locus = aligned_locus(read, l);
  // Further ends may have been dropped because of ambiguous bases, so the path ends at the last best end.
  const std::uint64_t last_end = ambiguous_matches_ || locus.placement ? locus.end + locus.spread : UINT64_MAX;
  return aligner_.find_path(locus, aligned_bases(read, l), read.max_edits_of(l), last_end);
}

Alignment ReadReporter::describe(const ReadLoci& read, std::uint32_t l, const AlignedPath& path, AlignmentBatch& out) {
  const Locus locus = aligned_locus(read, l);
  const Piece whole{0, read.length(), locus.distance};
  const Piece& piece = read.pieces ? read.pieces[l] : whole;
  Alignment alignment =
      aligner_.describe(locus, aligned_bases(read, l), path, out, piece.begin, read.length() - piece.end);
  if (read.pieces) {
    alignment.score = static_cast<std::int32_t>(read.length()) - static_cast<std::int32_t>(read.loci[l].distance);
  }
  return alignment;
}

std::uint64_t ReadReporter::cost_of(const ReadLoci& read, std::uint32_t l, const AlignedPath& path) {
  return aligner_.cost_of(path, aligned_bases(read, l), aligned_qualities(read, l), model_) +
         std::uint64_t{MapqModel::kClipCost} * read.clipped(l);
}

void ReadReporter::count(const ReadLoci& read, ReadResult& result) const {
  result.best_count = selection_.best_count;
  result.next_count = selection_.next_count;
  if (read.loci.empty()) {
    return;
  }
  const std::uint32_t best = read.loci[selection_.order.front()].distance;
  result.next_known = read.pieces ? read.limits->allows_all(best + kEditPoints) : is_next_known(best, read.max_edits);
}

void ReadReporter::report(const ReadLoci& read, ReadResult& result, AlignmentBatch& out) {
  count(read, result);
  result.first = out.alignments.size();
  result.dropped = selection_.dropped;
  result.count = static_cast<std::uint32_t>(selection_.order.size());
  const ReadLoci whole = read.whole();
  bool is_primary = true;
  for (const std::uint32_t l : selection_.order) {
    const ReadLoci& loci = is_primary ? read : whole;
    const AlignedPath& path = find_path(loci, l);
    out.alignments.push_back(describe(loci, l, path, out));
    if (std::exchange(is_primary, false) && is_clear_best(read)) {
      const std::uint64_t cost = cost_of(read, l, path);
      const bool may_clip = read.pieces && read.limits->clip() > 0;
      const bool are_enough = model_.weighs_damage() && align::are_enough(rule_, selection_.best_count);
      const std::uint32_t strata = are_enough ? 0 : may_clip ? MapqModel::kClipStrata : MapqModel::kStrata;
      out.alignments.back().mapq = static_cast<std::uint8_t>(weigh(read, l, cost, strata).quality(model_));
    }
  }
}

QualitySum ReadReporter::weigh(const ReadLoci& read, std::uint32_t chosen, std::uint64_t cost, std::uint32_t strata) {
  std::uint32_t best = read.loci[chosen].distance;
  for (const Locus& locus : read.loci) {
    best = std::min<std::uint32_t>(best, locus.distance);
  }
  const auto clip_cost = [&](std::uint32_t l) { return std::int64_t{MapqModel::kClipCost} * read.clipped(l); };
  QualitySum sum;
  sum.start(model_, cost, read.edits_of(chosen), average_cost(model_, read.qualities, read.length()),
            read.max_edits_of(chosen), static_cast<std::uint64_t>(clip_cost(chosen)));
  for (std::uint32_t l = 0; l < read.loci.size(); ++l) {
    if (!counts_against(read, l, chosen) ||
        !QualitySum::counts(read.loci[l].distance, best, strata * rule_.edit_points)) {
      continue;
    }
    const std::int64_t edits_cost =
        aligner_.cost_of(aligned_locus(read, l), aligned_bases(read, l), aligned_qualities(read, l), sum, model_);
    sum.others += sum.weight(model_, edits_cost + clip_cost(l));
  }
  if (read.clipped(chosen) > 0) {
    sum.others += model_.weight(chance_cost(read.length_of(chosen), read.edits_of(chosen), reference_cost_));
  }
  return sum;
}

}  // namespace trawl::align
