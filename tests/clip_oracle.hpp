// The oracle of clipped loci (align/clip_rule.hpp): plain dynamic programming over whole matrices, simple rather than
// fast. Tests compare all other searches with it.
//
//   const auto e = [](std::size_t) { return 1; };
//   clipped_oracle("TTACGTACGTAA", "GGGACGTACGTGGG", 4, e)
//     == one: piece [2, 10) with 0 edits, penalty 4, end 11
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "align/clip_rule.hpp"
#include "tests/alignment_oracle.hpp"

namespace trawl::tests {

/// Positions are as in match::OracleLocus: position p lies after the first p letters of the text.
struct ClippedOracleLocus {
  align::Piece piece;
  std::uint32_t penalty = 0;
  std::size_t end = 0;     // the leftmost end in the locus at which the piece has its number of edits
  std::size_t spread = 0;  // from there to the last such end of a read that consists of the piece
  std::vector<std::pair<std::size_t, std::size_t>> nodes;  // of all its alignments: bases of the read, of the text
};

/// All clipped loci of a read on one strand of one contig, in ascending order of their ends. `clip`: N as the user
/// gives it, in bases; `max_edits(n)`: e of a read of n bases. Takes O(N |read| |text|) time, and O(N^2) more for each
/// node near a locus.
class ClippedOracle {
 public:
  ClippedOracle(std::string_view read, std::string_view text, std::size_t clip,
                const std::function<std::size_t(std::size_t)>& max_edits,
                match::AmbiguityRule rule = match::AmbiguityRule::matches_nothing)
      : read_(read), text_(text), rule_(rule) {
    if (read.empty()) {
      return;
    }
    for (std::size_t n = 0; n <= read.size(); ++n) {
      max_edits_.push_back(max_edits(n));
    }
    clip_ = std::min<std::size_t>({clip, (read.size() - 1) / 2, align::kMostClipped});
    for (std::size_t a = 0; a <= clip_; ++a) {
      from_.push_back(edits_from(a));
      to_.push_back(edits_to(read.size() - a));
    }
    fewest_from_ = fewest(from_);
    fewest_to_ = fewest(to_);
    find_components();
  }

  const std::vector<ClippedOracleLocus>& loci() const { return loci_; }

 private:
  using Matrix = std::vector<std::uint32_t>;  // one value for each node
  static constexpr std::uint32_t kNever = 1u << 30;
  struct Node {
    std::size_t i, j;
  };

  std::size_t at(std::size_t i, std::size_t j) const { return i * (text_.size() + 1) + j; }
  std::size_t size() const { return (read_.size() + 1) * (text_.size() + 1); }
  std::uint32_t differ(std::size_t i, std::size_t j) const {
    return match::letters_match(read_[i], text_[j], rule_) ? 0 : 1;
  }

  // The rule: may bases [a, b) with so many edits be a piece?
  bool is_allowed(std::size_t a, std::size_t b, std::size_t edits) const {
    return b > a && b - a > edits && read_.size() - (b - a) <= clip_ && edits <= max_edits_[b - a];
  }

  // The fewest edits of alignments that begin with base a, wherever in the text, and lead to each node.
  Matrix edits_from(std::size_t a) const {
    Matrix edits(size(), kNever);
    for (std::size_t i = a; i <= read_.size(); ++i) {
      for (std::size_t j = 0; j <= text_.size(); ++j) {
        std::uint32_t best = i == a ? 0 : edits[at(i - 1, j)] + 1;
        if (i > a && j > 0) {
          best = std::min(best, edits[at(i - 1, j - 1)] + differ(i - 1, j - 1));
        }
        if (j > 0) {
          best = std::min(best, edits[at(i, j - 1)] + 1);
        }
        edits[at(i, j)] = best;
      }
    }
    return edits;
  }

  // The same of alignments that lead from each node to the end before base b, wherever in the text.
  Matrix edits_to(std::size_t b) const {
    Matrix edits(size(), kNever);
    for (std::size_t i = b + 1; i-- > 0;) {
      for (std::size_t j = text_.size() + 1; j-- > 0;) {
        std::uint32_t best = i == b ? 0 : edits[at(i + 1, j)] + 1;
        if (i < b && j < text_.size()) {
          best = std::min(best, edits[at(i + 1, j + 1)] + differ(i, j));
        }
        if (j < text_.size()) {
          best = std::min(best, edits[at(i, j + 1)] + 1);
        }
        edits[at(i, j)] = best;
      }
    }
    return edits;
  }

  Matrix fewest(const std::vector<Matrix>& all) const {
    Matrix best(size(), kNever);
    for (const Matrix& one : all) {
      for (std::size_t n = 0; n < best.size(); ++n) {
        best[n] = std::min(best[n], one[n]);
      }
    }
    return best;
  }

  // Calls visit(a, b, edits) for all pieces with an alignment through both nodes, where the step between them costs
  // `cost`: with the fewest edits of such alignments. Ends when visit returns true, and returns whether it did.
  template <class Visit>
  bool any_piece_through(std::size_t node, std::size_t next, std::uint32_t cost, const Visit& visit) const {
    const std::size_t most = max_edits_.back();
    if (fewest_from_[node] + cost + fewest_to_[next] > most) {
      return false;
    }
    for (std::size_t a = 0; a <= clip_; ++a) {
      if (from_[a][node] + cost + fewest_to_[next] > most) {
        continue;
      }
      for (std::size_t left = 0; a + left <= clip_; ++left) {
        const std::uint32_t edits = from_[a][node] + cost + to_[left][next];
        if (is_allowed(a, read_.size() - left, edits) && visit(a, read_.size() - left, edits)) {
          return true;
        }
      }
    }
    return false;
  }

  bool is_step(std::size_t node, std::size_t next, std::uint32_t cost) const {
    return any_piece_through(node, next, cost, [](std::size_t, std::size_t, std::uint32_t) { return true; });
  }

  void find_components() {
    std::vector<bool> seen(size());
    for (std::size_t i = 0; i <= read_.size(); ++i) {
      for (std::size_t j = 0; j <= text_.size(); ++j) {
        if (!seen[at(i, j)] && is_step(at(i, j), at(i, j), 0)) {
          loci_.push_back(component({i, j}, seen));
        }
      }
    }
    std::stable_sort(loci_.begin(), loci_.end(), [](const auto& a, const auto& b) { return a.end < b.end; });
  }

  // The locus of a node: all nodes that steps of allowed alignments lead to, forwards and backwards.
  ClippedOracleLocus component(Node first, std::vector<bool>& seen) const {
    ClippedOracleLocus locus;
    std::vector<Node> open{first};
    seen[at(first.i, first.j)] = true;
    const auto visit = [&](Node from, Node to, bool forwards, std::uint32_t cost) {
      const std::size_t a = at(from.i, from.j);
      const std::size_t b = at(to.i, to.j);
      if (!seen[b] && (forwards ? is_step(a, b, cost) : is_step(b, a, cost))) {
        seen[b] = true;
        open.push_back(to);
      }
    };
    while (!open.empty()) {
      const Node node = open.back();
      open.pop_back();
      locus.nodes.emplace_back(node.i, node.j);
      const auto [i, j] = node;
      const bool down = i<read_.size(), up = i> 0, right = j<text_.size(), left = j> 0;
      if (down && right) {
        visit(node, {i + 1, j + 1}, true, differ(i, j));
      }
      if (up && left) {
        visit(node, {i - 1, j - 1}, false, differ(i - 1, j - 1));
      }
      if (down) {
        visit(node, {i + 1, j}, true, 1);
      }
      if (up) {
        visit(node, {i - 1, j}, false, 1);
      }
      if (right) {
        visit(node, {i, j + 1}, true, 1);
      }
      if (left) {
        visit(node, {i, j - 1}, false, 1);
      }
    }
    choose_piece(locus);
    find_ends(locus);
    return locus;
  }

  // Smallest penalty, then longest, then the one that begins first.
  void choose_piece(ClippedOracleLocus& locus) const {
    const auto length = static_cast<std::uint32_t>(read_.size());
    const auto rank = [&](const align::Piece& p) {
      return std::tuple(p.penalty(length), length - p.length(), p.begin);
    };
    for (const auto& [i, j] : locus.nodes) {
      any_piece_through(at(i, j), at(i, j), 0, [&](std::size_t a, std::size_t b, std::uint32_t edits) {
        const align::Piece piece{static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b), edits};
        if (locus.piece.length() == 0 || rank(piece) < rank(locus.piece)) {
          locus.piece = piece;
        }
        return false;
      });
    }
    locus.penalty = locus.piece.penalty(length);
  }

  void find_ends(ClippedOracleLocus& locus) const {
    const align::Piece& piece = locus.piece;
    locus.end = text_.size() + 1;
    for (const auto& [i, j] : locus.nodes) {
      if (i == piece.end && from_[piece.begin][at(i, j)] == piece.edits) {
        locus.end = std::min(locus.end, j);
      }
    }
    const auto distances = match::end_distances(read_.substr(piece.begin, piece.length()), text_, rule_);
    const std::size_t most = std::min<std::size_t>(max_edits_[piece.length()], piece.length() - 1);
    for (std::size_t j = locus.end; j <= text_.size() && distances[j] <= static_cast<int>(most); ++j) {
      if (distances[j] == static_cast<int>(piece.edits)) {
        locus.spread = j - locus.end;
      }
    }
  }

  std::string_view read_, text_;
  std::size_t clip_ = 0;
  std::vector<std::size_t> max_edits_;  // of a read of n bases, which never falls with n
  match::AmbiguityRule rule_;
  std::vector<Matrix> from_, to_;  // from_[a]: from base a; to_[c]: to c bases before the read's end
  Matrix fewest_from_, fewest_to_;
  std::vector<ClippedOracleLocus> loci_;
};

inline std::vector<ClippedOracleLocus> clipped_oracle(
    std::string_view read, std::string_view text, std::size_t clip,
    const std::function<std::size_t(std::size_t)>& max_edits,
    match::AmbiguityRule rule = match::AmbiguityRule::matches_nothing) {
  return ClippedOracle(read, text, clip, max_edits, rule).loci();
}

}  // namespace trawl::tests
