#include "clip/piece_finder.hpp"

#include <algorithm>
#include <numeric>

#include "base/stop.hpp"

namespace trawl::clip {

void PieceFinder::find(const sequence::EncodedRead& strand, bool reverse, const align::PieceLimits& limits,
                       std::span<const DiagonalRange> ranges, ClippedLoci& found, std::uint32_t most_penalty) {
  if (limits.length == 0 || reference_.contigs().empty()) {
    return;
  }
  Task task{strand, reverse, limits, most_penalty, limits.max_edits(), limits.length / 2, found};
  band_.start(strand, limits);
  // An alignment with a node on diagonal d has a node in the middle row at most E diagonals from it.
  for (std::size_t r = 0; r < ranges.size();) {
    const std::int64_t first = ranges[r].first - task.edits;
    std::int64_t last = ranges[r].last + task.edits;
    for (++r; r < ranges.size() && ranges[r].first - task.edits <= last + 2 * task.edits; ++r) {
      last = std::max(last, ranges[r].last + task.edits);
    }
    const auto& contigs = reference_.contigs();
    const auto begin = static_cast<std::uint64_t>(std::max<std::int64_t>(first + task.row, 0));
    for (std::size_t c = reference_.contig_at(begin); c < contigs.size(); ++c) {
      const auto offset = static_cast<std::int64_t>(contigs[c].offset) - task.row;
      if (offset > last) {
        break;
      }
      const auto end = offset + static_cast<std::int64_t>(contigs[c].length);
      task.contig = &contigs[c];
      search_middle(task, std::max(first, offset), std::min(last, end));
    }
  }
  found.sort_and_unite();  // two ranges may have led to one locus
}

void PieceFinder::search_middle(Task& task, std::int64_t first, std::int64_t last) {
  Stop::look();
  first = std::max(first, task.done + 1);
  if (first > last) {
    return;
  }
  // Alignments that meet have nodes at most 2 E diagonals apart in the middle row. Values are exact E diagonals away
  // from the band's borders.
  const std::int64_t reach = 2 * task.edits;
  const std::size_t least = whole_blocks(static_cast<std::size_t>(2 * task.edits + 1));
  const std::size_t most = std::max(least, whole_blocks(band_lanes_));
  const auto lanes = [&](std::int64_t diagonals) {
    return std::min(most, whole_blocks(static_cast<std::size_t>(diagonals + 2 * task.edits)));
  };
  // What the band has to spare lies on both sides.
  const std::int64_t wanted = last - first + 1;
  std::int64_t from =
      first - std::max<std::int64_t>(0, static_cast<std::int64_t>(lanes(wanted)) - 2 * task.edits - wanted) / 2;
  std::int64_t to = from;  // diagonals from .. to - 1 are known
  nodes_.clear();
  const auto go_right = [&](std::int64_t until) {
    while (to <= until) {
      const std::size_t width = lanes(until + 1 - to);
      add_nodes(task, to, width, nodes_);
      to += static_cast<std::int64_t>(width) - 2 * task.edits;
    }
  };
  const auto go_left = [&] {
    const std::size_t width = least;
    from -= static_cast<std::int64_t>(width) - 2 * task.edits;
    std::vector<Middle> before;
    add_nodes(task, from, width, before);
    nodes_.insert(nodes_.begin(), before.begin(), before.end());
    ++work_.widened;
  };
  go_right(last);
  // The group that holds the first diagonals may begin before them.
  while (!nodes_.empty() && nodes_.front().diagonal - from < reach &&
         nodes_[group_end(task, 0) - 1].diagonal >= first) {
    go_left();
  }
  for (std::size_t begin = 0, end = 0; begin < nodes_.size() && nodes_[begin].diagonal <= last; begin = end) {
    end = group_end(task, begin);
    while (end == nodes_.size() && to - nodes_.back().diagonal <= reach) {
      const std::int64_t known = to;
      go_right(to);
      work_.widened += to > known;
      end = group_end(task, begin);
    }
    if (nodes_[end - 1].diagonal >= first) {
      add_group(task, begin, end);
      task.done = nodes_[end - 1].diagonal;
    }
  }
}

std::size_t PieceFinder::group_end(const Task& task, std::size_t begin) const {
  std::size_t end = begin + 1;
  while (end < nodes_.size() && nodes_[end].diagonal - nodes_[end - 1].diagonal <= 2 * task.edits) {
    ++end;
  }
  return end;
}

void PieceFinder::add_nodes(const Task& task, std::int64_t first, std::size_t lanes, std::vector<Middle>& nodes) {
  ++work_.bands;
  band_.load(first - task.edits, lanes);
  band_.go_to(BandSide::left, static_cast<std::uint32_t>(task.row));
  band_.go_to(BandSide::right, static_cast<std::uint32_t>(task.row));
  const NodeRow left = band_.row(BandSide::left);
  const NodeRow right = band_.row(BandSide::right);
  valid_.assign(lanes / 64, 0);
  joined_.assign(lanes / 64, 0);
  band_.join(left, right, 0, 0, valid_.data());
  band_.join(left, right, 1, 1, joined_.data());
  const auto contig_begin = static_cast<std::int64_t>(task.contig->offset);
  const auto contig_end = static_cast<std::int64_t>(task.contig->offset + task.contig->length);
  const auto margin = static_cast<std::size_t>(task.edits);
  for (std::size_t k = margin; k + margin < lanes; ++k) {
    const std::int64_t diagonal = band_.first_diagonal() + static_cast<std::int64_t>(k);
    const bool inside = diagonal + task.row >= contig_begin && diagonal + task.row <= contig_end;
    if (inside && ((valid_[k / 64] >> (k % 64)) & 1)) {
      const bool joined = (joined_[k / 64] >> (k % 64)) & 1;
      nodes.push_back({diagonal, joined, best_piece(task, k)});
    }
  }
}

PieceFinder::BestPiece PieceFinder::best_piece(const Task& task, std::size_t lane) const {
  BestPiece best;
  const NodeRow left = band_.row(BandSide::left);
  const NodeRow right = band_.row(BandSide::right);
  for (std::uint32_t x = 0; x <= band_.max_edits(); ++x) {
    for (std::uint32_t y = 0; x + y <= band_.max_edits(); ++y) {
      const std::uint32_t bases = left.level(x)[lane] + std::uint32_t{right.level(y)[lane]};
      if (bases <= task.limits.most_clipped[x + y]) {
        const BestPiece offered{bases + align::kEditPoints * (x + y), bases, left.level(x)[lane], x};
        best = offered.rank() < best.rank() ? offered : best;
      }
    }
  }
  return best;
}

void PieceFinder::add_group(const Task& task, std::size_t begin, std::size_t end) {
  if (std::all_of(nodes_.begin() + static_cast<std::ptrdiff_t>(begin),
                  nodes_.begin() + static_cast<std::ptrdiff_t>(end),
                  [&](const Middle& node) { return node.best.penalty > task.most_penalty; })) {
    return;
  }
  ++work_.groups;
  std::uint32_t runs = 1;
  for (std::size_t n = begin; n + 1 < end; ++n) {
    runs += !nodes_[n].joined || nodes_[n + 1].diagonal != nodes_[n].diagonal + 1;
  }
  members_.resize(end - begin);
  std::iota(members_.begin(), members_.end(), begin);
  if (runs == 1) {
    add_locus(task, members_);
    return;
  }
  ++work_.told_apart;
  components_.find(band_, nodes_[begin].diagonal, nodes_[end - 1].diagonal, static_cast<std::uint32_t>(task.row));
  const auto label = [&](std::size_t n) { return components_.label(nodes_[n].diagonal); };
  std::stable_sort(members_.begin(), members_.end(), [&](std::size_t a, std::size_t b) { return label(a) < label(b); });
  std::uint32_t loci = 0;
  for (std::size_t first = 0, last = 0; first < members_.size(); first = last) {
    while (last < members_.size() && label(members_[last]) == label(members_[first])) {
      ++last;
    }
    add_locus(task, std::span(members_).subspan(first, last - first));
    ++loci;
  }
  work_.merged += loci < runs;
}

void PieceFinder::add_locus(const Task& task, std::span<const std::size_t> members) {
  BestPiece best;
  for (const std::size_t n : members) {
    best = nodes_[n].best.rank() < best.rank() ? nodes_[n].best : best;
  }
  if (best.penalty > task.most_penalty) {
    return;
  }
  // A node through which the best piece goes has it as its own best piece.
  std::vector<MiddleNode> best_nodes;
  for (const std::size_t n : members) {
    if (nodes_[n].best.rank() == best.rank()) {
      best_nodes.push_back({nodes_[n].diagonal, nodes_[n].best.left_edits});
    }
  }
  const align::Piece piece{best.left_clipped, task.limits.length - (best.clipped - best.left_clipped),
                           (best.penalty - best.clipped) / align::kEditPoints};
  const std::int64_t end = ends_.leftmost_end(task.strand, piece, best_nodes, static_cast<std::uint32_t>(task.row));
  align::Locus locus;
  locus.end = static_cast<std::uint64_t>(end);
  locus.distance = static_cast<std::uint16_t>(best.penalty);
  locus.reverse = task.reverse;
  locus.spread = ends_.spread(task.strand, piece, end, task.limits.max_edits_of(piece.length()), *task.contig);
  task.found.loci.push_back(locus);
  task.found.pieces.push_back(piece);
}

}  // namespace trawl::clip
