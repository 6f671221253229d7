#include "clip/piece_finder.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "clip/piece_band.hpp"
#include "clip/piece_components.hpp"
#include "clip/piece_ends.hpp"

namespace trawl::clip {

namespace {

// The best piece through a node, from what each number of edits on its left and on its right leaves out.
struct BestPiece {
  std::uint32_t penalty = ~std::uint32_t{0};
  std::uint32_t clipped = 0;       // bases left out at both ends
  std::uint32_t left_clipped = 0;  // at the left end
  std::uint32_t left_edits = 0;    // of the part on the left

  bool is_found() const { return penalty != ~std::uint32_t{0}; }
  // Smallest penalty, then longest, then the one that begins first: the smaller, the better.
  auto rank() const { return std::tie(penalty, clipped, left_clipped); }

  std::uint32_t edits() const { return (penalty - clipped) / align::kEditPoints; }
  align::Piece piece(std::uint32_t length) const { return {left_clipped, length - (clipped - left_clipped), edits()}; }

  // Takes the piece that leaves out these bases, with these edits, if it is allowed and better.
  void offer(const align::PieceLimits& limits, std::uint32_t left_bases, std::uint32_t x, std::uint32_t right_bases,
             std::uint32_t y) {
    const std::uint32_t bases = left_bases + right_bases;
    if (x + y <= limits.max_edits() && bases <= limits.most_clipped[x + y]) {
      const BestPiece offered{bases + align::kEditPoints * (x + y), bases, left_bases, x};
      if (offered.rank() < rank()) {
        *this = offered;
      }
    }
  }
};

// A node in the middle row that is on some alignment, with the best piece through it.
struct Middle {
  std::int64_t diagonal = 0;
  bool joined = false;  // by a deletion with the next diagonal
  BestPiece best;
};

}  // namespace

void ClippedLoci::sort_and_unite() {
  std::vector<std::uint32_t> order(loci.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto key = [&](std::uint32_t i) {
    return std::tuple(loci[i].reverse, loci[i].end, pieces[i].begin, pieces[i].end, pieces[i].edits);
  };
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
  const auto same = [&](std::uint32_t a, std::uint32_t b) { return key(a) == key(b); };
  order.erase(std::unique(order.begin(), order.end(), same), order.end());
  const ClippedLoci before = std::exchange(*this, {});
  for (const std::uint32_t i : order) {
    loci.push_back(before.loci[i]);
    pieces.push_back(before.pieces[i]);
  }
}

class PieceFinder::Search {
 public:
  Search(const sequence::Reference& reference, bool ambiguous_matches, const PieceSizes& sizes)
      : reference_(reference),
        sizes_(sizes),
        band_(reference, ambiguous_matches),
        components_(sizes.kept_bytes),
        ends_(reference, ambiguous_matches) {}

  void find(const sequence::EncodedRead& strand, bool reverse, const align::PieceLimits& limits,
            std::span<const DiagonalRange> ranges, std::uint32_t most_penalty, ClippedLoci& found) {
    if (limits.length == 0 || reference_.contigs().empty()) {
      return;
    }
    now_ = {&strand, reverse, &limits, most_penalty, limits.max_edits(), limits.length / 2, nullptr, INT64_MIN};
    found_ = &found;
    search(ranges);
    found.sort_and_unite();  // two ranges may have led to one locus
  }

  const PieceWork& work() const { return work_; }

 private:
  // What find() was called for.
  struct Task {
    const sequence::EncodedRead* strand = nullptr;
    bool reverse = false;
    const align::PieceLimits* limits = nullptr;
    std::uint32_t most_penalty = 0;
    std::int64_t edits = 0;  // E
    std::int64_t row = 0;    // the middle row: every alignment holds it
    const sequence::Contig* contig = nullptr;
    std::int64_t done = 0;  // the loci with nodes of the middle row up to this diagonal are found
  };

  // An alignment with a node on diagonal d has a node in the middle row at most E diagonals from it.
  void search(std::span<const DiagonalRange> ranges) {
    band_.start(*now_.strand, *now_.limits);
    for (std::size_t r = 0; r < ranges.size();) {
      const std::int64_t first = ranges[r].first - now_.edits;
      std::int64_t last = ranges[r].last + now_.edits;
      for (++r; r < ranges.size() && ranges[r].first - now_.edits <= last + 2 * now_.edits; ++r) {
        last = std::max(last, ranges[r].last + now_.edits);
      }
      const auto& contigs = reference_.contigs();
      const auto begin = static_cast<std::uint64_t>(std::max<std::int64_t>(first + now_.row, 0));
      for (std::size_t c = reference_.contig_at(begin); c < contigs.size(); ++c) {
        const auto offset = static_cast<std::int64_t>(contigs[c].offset) - now_.row;
        if (offset > last) {
          break;
        }
        const auto end = offset + static_cast<std::int64_t>(contigs[c].length);
        now_.contig = &contigs[c];
        search_middle(std::max(first, offset), std::min(last, end));
      }
    }
  }

  // Finds the loci of now_.contig with a node on diagonals first .. last of the middle row.
  void search_middle(std::int64_t first, std::int64_t last) {
    first = std::max(first, now_.done + 1);
    if (first > last) {
      return;
    }
    // Alignments that meet have nodes at most 2 E diagonals apart in the middle row. Values are exact E diagonals away
    // from the band's borders.
    const std::int64_t reach = 2 * now_.edits;
    const std::size_t least = whole_blocks(static_cast<std::size_t>(2 * now_.edits + 1));
    const std::size_t most = std::max(least, whole_blocks(sizes_.band_lanes));
    const auto lanes = [&](std::int64_t diagonals) {
      return std::min(most, whole_blocks(static_cast<std::size_t>(diagonals + 2 * now_.edits)));
    };
    // What the band has to spare lies on both sides.
    const std::int64_t wanted = last - first + 1;
    std::int64_t from =
        first - std::max<std::int64_t>(0, static_cast<std::int64_t>(lanes(wanted)) - 2 * now_.edits - wanted) / 2;
    std::int64_t to = from;  // diagonals from .. to - 1 are known
    nodes_.clear();
    const auto go_right = [&](std::int64_t until) {
      while (to <= until) {
        const std::size_t width = lanes(until + 1 - to);
        add_nodes(to, width, nodes_);
        to += static_cast<std::int64_t>(width) - 2 * now_.edits;
      }
    };
    const auto go_left = [&] {
      const std::size_t width = least;
      from -= static_cast<std::int64_t>(width) - 2 * now_.edits;
      before_.clear();
      add_nodes(from, width, before_);
      nodes_.insert(nodes_.begin(), before_.begin(), before_.end());
      ++work_.widened;
    };
    go_right(last);
    // The group that holds the first diagonals may begin before them.
    while (!nodes_.empty() && nodes_.front().diagonal - from < reach && nodes_[group_end(0) - 1].diagonal >= first) {
      go_left();
    }
    for (std::size_t begin = 0, end = 0; begin < nodes_.size() && nodes_[begin].diagonal <= last; begin = end) {
      end = group_end(begin);
      while (end == nodes_.size() && to - nodes_.back().diagonal <= reach) {
        const std::int64_t known = to;
        go_right(to);
        work_.widened += to > known;
        end = group_end(begin);
      }
      if (nodes_[end - 1].diagonal >= first) {
        add_group(begin, end);
        now_.done = nodes_[end - 1].diagonal;
      }
    }
  }

  std::size_t group_end(std::size_t begin) const {
    std::size_t end = begin + 1;
    while (end < nodes_.size() && nodes_[end].diagonal - nodes_[end - 1].diagonal <= 2 * now_.edits) {
      ++end;
    }
    return end;
  }

  // Appends the nodes of the middle row on diagonals from `first` on, as many as a band of `lanes` has exact ones.
  void add_nodes(std::int64_t first, std::size_t lanes, std::vector<Middle>& nodes) {
    ++work_.bands;
    band_.load(first - now_.edits, lanes);
    band_.go_to(BandSide::left, static_cast<std::uint32_t>(now_.row));
    band_.go_to(BandSide::right, static_cast<std::uint32_t>(now_.row));
    const NodeRow left = band_.row(BandSide::left);
    const NodeRow right = band_.row(BandSide::right);
    valid_.assign(lanes / 64, 0);
    joined_.assign(lanes / 64, 0);
    band_.join(left, right, 0, 0, valid_.data());
    band_.join(left, right, 1, 1, joined_.data());
    const auto contig_begin = static_cast<std::int64_t>(now_.contig->offset);
    const auto contig_end = static_cast<std::int64_t>(now_.contig->offset + now_.contig->length);
    const auto margin = static_cast<std::size_t>(now_.edits);
    for (std::size_t k = margin; k + margin < lanes; ++k) {
      const std::int64_t diagonal = band_.first_diagonal() + static_cast<std::int64_t>(k);
      const bool inside = diagonal + now_.row >= contig_begin && diagonal + now_.row <= contig_end;
      if (inside && ((valid_[k / 64] >> (k % 64)) & 1)) {
        const bool joined = (joined_[k / 64] >> (k % 64)) & 1;
        nodes.push_back({diagonal, joined, best_piece(k)});
      }
    }
  }

  // The best piece through a node of the middle row.
  BestPiece best_piece(std::size_t lane) const {
    BestPiece best;
    const NodeRow left = band_.row(BandSide::left);
    const NodeRow right = band_.row(BandSide::right);
    for (std::uint32_t x = 0; x <= band_.max_edits(); ++x) {
      for (std::uint32_t y = 0; x + y <= band_.max_edits(); ++y) {
        best.offer(*now_.limits, left.level(x)[lane], x, right.level(y)[lane], y);
      }
    }
    return best;
  }

  // Finds the loci of nodes_[begin .. end - 1], which share no alignment with others.
  void add_group(std::size_t begin, std::size_t end) {
    if (std::all_of(nodes_.begin() + static_cast<std::ptrdiff_t>(begin),
                    nodes_.begin() + static_cast<std::ptrdiff_t>(end),
                    [&](const Middle& node) { return node.best.penalty > now_.most_penalty; })) {
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
      add_locus(members_);
      return;
    }
    ++work_.told_apart;
    components_.find(band_, nodes_[begin].diagonal, nodes_[end - 1].diagonal, static_cast<std::uint32_t>(now_.row));
    const auto label = [&](std::size_t n) { return components_.label(nodes_[n].diagonal); };
    std::stable_sort(members_.begin(), members_.end(),
                     [&](std::size_t a, std::size_t b) { return label(a) < label(b); });
    std::uint32_t loci = 0;
    for (std::size_t first = 0, last = 0; first < members_.size(); first = last) {
      while (last < members_.size() && label(members_[last]) == label(members_[first])) {
        ++last;
      }
      add_locus(std::span(members_).subspan(first, last - first));
      ++loci;
    }
    work_.merged += loci < runs;
  }

  // Makes the locus whose nodes in the middle row are `members`, ascending indices into nodes_.
  void add_locus(std::span<const std::size_t> members) {
    BestPiece best;
    for (const std::size_t n : members) {
      best = nodes_[n].best.rank() < best.rank() ? nodes_[n].best : best;
    }
    if (best.penalty > now_.most_penalty) {
      return;
    }
    // A node through which the best piece goes has it as its own best piece.
    best_nodes_.clear();
    for (const std::size_t n : members) {
      if (nodes_[n].best.rank() == best.rank()) {
        best_nodes_.push_back({nodes_[n].diagonal, nodes_[n].best.left_edits});
      }
    }
    const align::Piece piece = best.piece(now_.limits->length);
    const std::int64_t end = ends_.leftmost_end(*now_.strand, piece, best_nodes_, static_cast<std::uint32_t>(now_.row));
    align::Locus locus;
    locus.end = static_cast<std::uint64_t>(end);
    locus.distance = static_cast<std::uint16_t>(best.penalty);
    locus.reverse = now_.reverse;
    locus.spread = ends_.spread(*now_.strand, piece, end, now_.limits->max_edits_of(piece.length()), *now_.contig);
    found_->loci.push_back(locus);
    found_->pieces.push_back(piece);
  }

  const sequence::Reference& reference_;
  PieceSizes sizes_;
  PieceBand band_;
  PieceComponents components_;
  PieceEnds ends_;
  PieceWork work_;

  Task now_;
  std::vector<Middle> nodes_, before_;
  std::vector<std::size_t> members_;
  std::vector<MiddleNode> best_nodes_;
  ClippedLoci* found_ = nullptr;
  std::vector<std::uint64_t> valid_, joined_;
};

PieceFinder::PieceFinder(const sequence::Reference& reference, bool ambiguous_matches, const PieceSizes& sizes)
    : search_(std::make_unique<Search>(reference, ambiguous_matches, sizes)) {}
PieceFinder::~PieceFinder() = default;
PieceFinder::PieceFinder(PieceFinder&&) noexcept = default;

void PieceFinder::find(const sequence::EncodedRead& strand, bool reverse, const align::PieceLimits& limits,
                       std::span<const DiagonalRange> ranges, ClippedLoci& found, std::uint32_t most_penalty) {
  search_->find(strand, reverse, limits, ranges, most_penalty, found);
}

const PieceWork& PieceFinder::work() const { return search_->work(); }

}  // namespace trawl::clip
