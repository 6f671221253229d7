#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <mutex>
#include <numeric>
#include <string>
#include <tuple>

#include "bench/oracle.hpp"

namespace trawl::bench {

namespace {

constexpr std::uint32_t kMostClipped = 32767;
constexpr std::size_t kBlock = 4096;  // text positions that are computed together: their rows fit in the L2 cache

struct Strand {
  std::vector<std::uint8_t> sets;  // of its letters
  const std::vector<std::uint32_t>& most_clipped;

  std::size_t length() const { return sets.size(); }
  std::size_t layers() const { return most_clipped.size(); }
  std::size_t clip() const { return most_clipped.front(); }
  // No path covers more letters of the text.
  std::size_t reach() const { return length() + layers() - 1; }
};

// Joins numbers into sets.
class Sets {
 public:
  explicit Sets(std::size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), std::size_t{0}); }

  std::size_t of(std::size_t i) {
    while (parent_[i] != i) {
      i = parent_[i] = parent_[parent_[i]];
    }
    return i;
  }
  void join(std::size_t a, std::size_t b) { parent_[of(a)] = of(b); }

 private:
  std::vector<std::size_t> parent_;
};

// A piece, better ones first.
using Rank = std::tuple<std::int64_t, std::int64_t, std::uint32_t, std::uint64_t>;  // by penalty, length, begin, end

struct Candidate {
  std::uint32_t begin_base = 0;
  std::uint32_t end_base = 0;
  std::uint32_t edits = 0;
  std::uint64_t end = 0;

  Rank rank() const {
    const std::int64_t length = end_base - begin_base;
    return {std::int64_t{kEditPoints} * edits - length, -length, begin_base, end};
  }
};

// The best piece of each component.
class BestOfEach {
 public:
  void add(std::size_t component, const Candidate& piece) {
    const auto [known, is_new] = best_.emplace(component, piece);
    if (!is_new && piece.rank() < known->second.rank()) {
      known->second = piece;
    }
  }

  std::vector<Candidate> found() const {
    std::vector<Candidate> pieces;
    for (const auto& [component, piece] : best_) {
      pieces.push_back(piece);
    }
    return pieces;
  }

 private:
  std::map<std::size_t, Candidate> best_;
};

// ---- Where paths end: all text positions ----

// forward[x] of node (i, j): the smallest begin of a piece with a path of at most x edits from there to the node. Row
// by row, a block of text positions at once; the compiler vectorises over the positions. `Cell` must hold clip() + 1.
template <class Cell>
class EndScan {
 public:
  explicit EndScan(const Strand& strand) : strand_(strand), rows_(2 * strand.layers()) {}

  // Calls visit(j) for every j, ascending, at which a path of an allowed piece ends.
  template <class Visit>
  void run(const std::vector<std::uint8_t>& text, const Visit& visit) {
    const std::size_t halo = strand_.reach();
    const std::size_t step = std::max(kBlock, 4 * halo);
    for (std::size_t first = 0; first <= text.size(); first += step) {
      const std::size_t begin = first > halo ? first - halo : 0;
      const std::size_t last = std::min(text.size(), first + step - 1);
      compute(text, begin, last - begin + 1);
      for (std::size_t j = first; j <= last; ++j) {
        if (ends_[j - begin] != 0) {
          visit(j);
        }
      }
    }
  }

 private:
  static constexpr Cell kNone = std::numeric_limits<Cell>::max();

  // Nodes begin .. begin + count - 1 of each row.
  void compute(const std::vector<std::uint8_t>& text, std::size_t begin, std::size_t count) {
    for (auto& row : rows_) {
      row.assign(count + 1, Cell{0});  // row 0: every piece may begin at 0
      row[0] = kNone;                  // before the first node
    }
    differ_.assign(count, kNone);
    ends_.assign(count, 0);
    const std::size_t layers = strand_.layers();
    std::vector<Cell>* before = rows_.data();
    std::vector<Cell>* now = before + layers;
    mark_ends(before, 0, count);
    for (std::size_t i = 1; i <= strand_.length(); ++i) {
      compare(text.data() + begin, strand_.sets[i - 1], count - 1);
      const Cell start = i <= strand_.clip() ? static_cast<Cell>(i) : kNone;
      first_layer(start, differ_.data(), before[0].data(), now[0].data() + 1, count);
      for (std::size_t x = 1; x < layers; ++x) {
        next_layer(start, differ_.data(), before[x].data(), before[x - 1].data(), now[x - 1].data(), now[x].data() + 1,
                   count);
      }
      mark_ends(now, i, count);
      std::swap(before, now);
    }
  }

  // differ_[j]: kNone if the letter before node j is not the pattern's. The first node has no letter in the block.
  void compare(const std::uint8_t* __restrict text, std::uint8_t set, std::size_t letters) {
    Cell* __restrict differ = differ_.data() + 1;
    for (std::size_t j = 0; j < letters; ++j) {
      differ[j] = (text[j] & set) != 0 ? Cell{0} : kNone;
    }
  }

  // Index j of `before` is node j - 1 (the one before it), as the rows begin with kNone.
  static void first_layer(Cell start, const Cell* __restrict differ, const Cell* __restrict before,
                          Cell* __restrict now, std::size_t count) {
    for (std::size_t j = 0; j < count; ++j) {
      now[j] = std::min(start, static_cast<Cell>(before[j] | differ[j]));
    }
  }

  static void next_layer(Cell start, const Cell* __restrict differ, const Cell* __restrict before,
                         const Cell* __restrict before_less, const Cell* __restrict now_less, Cell* __restrict now,
                         std::size_t count) {
    for (std::size_t j = 0; j < count; ++j) {
      const Cell matched = static_cast<Cell>(before[j] | differ[j]);
      const Cell gap = std::min(before_less[j + 1], now_less[j]);
      now[j] = std::min(std::min(start, matched), std::min(before_less[j], gap));
    }
  }

  void mark_ends(const std::vector<Cell>* rows, std::size_t i, std::size_t count) {
    const std::size_t left_out = strand_.length() - i;
    for (std::size_t x = 0; x < strand_.layers() && left_out <= strand_.most_clipped[x]; ++x) {
      const Cell most = static_cast<Cell>(strand_.most_clipped[x] - left_out);
      const Cell* __restrict row = rows[x].data() + 1;
      std::uint8_t* __restrict ends = ends_.data();
      for (std::size_t j = 0; j < count; ++j) {
        ends[j] |= static_cast<std::uint8_t>(row[j] <= most);
      }
    }
  }

  const Strand& strand_;
  std::vector<std::vector<Cell>> rows_;  // of each layer x: the row before, then the row at hand
  std::vector<Cell> differ_;
  std::vector<std::uint8_t> ends_;
};

// ---- Which paths are connected: one window of the text, all nodes ----

class Window {
 public:
  // Nodes 0 .. letters of each row.
  Window(const Strand& strand, const std::uint8_t* text, std::size_t letters)
      : strand_(strand),
        text_(text),
        letters_(letters),
        from_begin_(fewest_left_out(false)),
        from_end_(fewest_left_out(true)) {}

  // The best piece of each component; `end` counts from the window's begin.
  std::vector<Candidate> components() const {
    Sets sets((strand_.length() + 1) * width());
    for (std::size_t i = 0; i <= strand_.length(); ++i) {
      for (std::size_t j = 0; j <= letters_; ++j) {
        if (!allowed(i, j, i, j, 0)) {
          continue;
        }
        if (i < strand_.length() && j < letters_ && allowed(i, j, i + 1, j + 1, matches(i, j) ? 0 : 1)) {
          sets.join(node(i, j), node(i + 1, j + 1));
        }
        if (i < strand_.length() && allowed(i, j, i + 1, j, 1)) {
          sets.join(node(i, j), node(i + 1, j));
        }
        if (j < letters_ && allowed(i, j, i, j + 1, 1)) {
          sets.join(node(i, j), node(i, j + 1));
        }
      }
    }
    BestOfEach best;
    for (std::size_t i = strand_.length() - strand_.clip(); i <= strand_.length(); ++i) {
      for (std::size_t j = 0; j <= letters_; ++j) {
        for (std::size_t x = 0; x < strand_.layers(); ++x) {
          const std::uint32_t begin = from_begin_[x * layer() + node(i, j)];
          if (begin + strand_.length() - i > strand_.most_clipped[x]) {
            continue;
          }
          best.add(sets.of(node(i, j)), {begin, static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(x), j});
        }
      }
    }
    return best.found();
  }

 private:
  static constexpr std::uint16_t kNone = std::numeric_limits<std::uint16_t>::max();  // more than kMostClipped

  std::size_t width() const { return letters_ + 1; }
  std::size_t layer() const { return (strand_.length() + 1) * width(); }
  std::size_t node(std::size_t i, std::size_t j) const { return i * width() + j; }
  bool matches(std::size_t i, std::size_t j) const { return (strand_.sets[i] & text_[j]) != 0; }

  // At [x][node]: the fewest bases left out before the node, if a path of at most x edits leads to it. From either end.
  std::vector<std::uint16_t> fewest_left_out(bool from_end) const {
    std::vector<std::uint16_t> table(strand_.layers() * layer(), kNone);
    for (std::size_t x = 0; x < strand_.layers(); ++x) {
      for (std::size_t i = 0; i <= strand_.length(); ++i) {
        for (std::size_t j = 0; j <= letters_; ++j) {
          std::uint16_t& cell = table[x * layer() + node(i, j)];
          cell = i <= strand_.clip() ? static_cast<std::uint16_t>(i) : kNone;
          const auto take = [&](std::size_t cost, std::size_t before) {
            cell = cost <= x ? std::min(cell, table[(x - cost) * layer() + before]) : cell;
          };
          if (i > 0 && j > 0) {
            const bool equal = from_end ? matches(strand_.length() - i, letters_ - j) : matches(i - 1, j - 1);
            take(equal ? 0 : 1, node(i - 1, j - 1));
          }
          if (i > 0) {
            take(1, node(i - 1, j));
          }
          if (j > 0) {
            take(1, node(i, j - 1));
          }
        }
      }
    }
    return table;
  }

  // Whether an allowed path goes through both nodes and the step between them, which costs `cost`.
  bool allowed(std::size_t i, std::size_t j, std::size_t next_i, std::size_t next_j, std::size_t cost) const {
    const std::size_t layers = strand_.layers();
    for (std::size_t before = 0; before + cost < layers; ++before) {
      const std::uint32_t begin = from_begin_[before * layer() + node(i, j)];
      for (std::size_t after = 0; before + cost + after < layers; ++after) {
        const std::size_t mirrored = node(strand_.length() - next_i, letters_ - next_j);
        const std::uint32_t left_out = begin + from_end_[after * layer() + mirrored];
        if (left_out <= strand_.most_clipped[before + cost + after]) {
          return true;
        }
      }
    }
    return false;
  }

  const Strand& strand_;
  const std::uint8_t* text_;
  std::size_t letters_;
  std::vector<std::uint16_t> from_begin_;
  std::vector<std::uint16_t> from_end_;
};

// The last end, from `end` on, of a run of ends at which the piece alone has at most `max_edits` edits.
std::uint64_t last_of_run(const std::uint8_t* piece, std::size_t length, const std::vector<std::uint8_t>& text,
                          std::uint64_t end, std::uint64_t max_edits) {
  const std::size_t reach = length + max_edits;
  std::vector<std::uint64_t> column(length + 1);
  std::iota(column.begin(), column.end(), std::uint64_t{0});
  for (std::size_t j = end > reach ? end - reach : 0; j < text.size(); ++j) {
    std::uint64_t diagonal = column[0];
    for (std::size_t i = 1; i <= length; ++i) {
      const std::uint64_t differs = (piece[i - 1] & text[j]) != 0 ? 0 : 1;
      const std::uint64_t left = column[i];
      column[i] = std::min({diagonal + differs, left + 1, column[i - 1] + 1});
      diagonal = left;
    }
    if (j + 1 > end && column[length] > max_edits) {
      return j;
    }
  }
  return text.size();
}

void find_in_windows(const Strand& strand, const MaxEdits& max_edits, const std::vector<std::uint8_t>& text,
                     const std::vector<std::size_t>& ends, ClippedLocus locus, std::vector<ClippedLocus>& out) {
  for (std::size_t k = 0; k < ends.size();) {
    const std::size_t begin = ends[k] > strand.reach() ? ends[k] - strand.reach() : 0;
    // Paths that share a node have ends that are no further apart than a path reaches.
    std::size_t last = ends[k];
    for (; k < ends.size() && ends[k] <= last + strand.reach(); ++k) {
      last = ends[k];
    }
    for (const Candidate& piece : Window(strand, text.data() + begin, last - begin).components()) {
      locus.end = begin + piece.end;
      locus.begin_base = piece.begin_base;
      locus.end_base = piece.end_base;
      locus.edits = piece.edits;
      locus.run_end = last_of_run(strand.sets.data() + piece.begin_base, locus.length(), text, locus.end,
                                  max_edits.of(locus.length()));
      out.push_back(locus);
    }
  }
}

Strand strand_of(const ClippedQuery& query, bool reverse) {
  const std::string bases = reverse ? reverse_complement(query.bases) : std::string(query.bases);
  Strand strand{std::vector<std::uint8_t>(bases.size()), query.most_clipped};
  std::transform(bases.begin(), bases.end(), strand.sets.begin(), pattern_set);
  return strand;
}

std::vector<std::vector<std::uint8_t>> bits_of(const std::vector<std::string_view>& contigs) {
  std::vector<std::vector<std::uint8_t>> texts;
  for (const std::string_view contig : contigs) {
    texts.emplace_back(contig.size());
    std::transform(contig.begin(), contig.end(), texts.back().begin(), text_bit);
  }
  return texts;
}

// ---- By paths ----

class PathWalker {
 public:
  PathWalker(const Strand& strand, const std::vector<std::uint8_t>& text)
      : strand_(strand), text_(text), sets_((strand.length() + 1) * (text.size() + 1)) {}

  std::vector<Candidate> components() {
    for (std::size_t begin = 0; begin <= strand_.clip(); ++begin) {
      begin_ = static_cast<std::uint32_t>(begin);
      for (std::size_t j = 0; j <= text_.size(); ++j) {
        walk(begin, j, 0);
      }
    }
    BestOfEach best;
    for (const Candidate& piece : pieces_) {
      best.add(sets_.of(node(piece.end_base, piece.end)), piece);
    }
    return best.found();
  }

 private:
  std::size_t node(std::size_t i, std::size_t j) const { return i * (text_.size() + 1) + j; }

  void walk(std::size_t i, std::size_t j, std::uint32_t edits) {
    if (edits >= strand_.layers()) {
      return;
    }
    path_.push_back(node(i, j));
    if (begin_ + strand_.length() - i <= strand_.most_clipped[edits]) {
      pieces_.push_back({begin_, static_cast<std::uint32_t>(i), edits, j});
      for (const std::size_t other : path_) {
        sets_.join(other, path_.front());
      }
    }
    if (i < strand_.length() && j < text_.size()) {
      walk(i + 1, j + 1, edits + ((strand_.sets[i] & text_[j]) != 0 ? 0 : 1));
    }
    if (i < strand_.length()) {
      walk(i + 1, j, edits + 1);
    }
    if (j < text_.size()) {
      walk(i, j + 1, edits + 1);
    }
    path_.pop_back();
  }

  const Strand& strand_;
  const std::vector<std::uint8_t>& text_;
  Sets sets_;
  std::uint32_t begin_ = 0;
  std::vector<std::size_t> path_;
  std::vector<Candidate> pieces_;
};

}  // namespace

std::vector<std::uint32_t> most_clipped(std::uint64_t length, const MaxEdits& max_edits, const MaxEdits& clip) {
  std::vector<std::uint32_t> most;
  if (length == 0) {
    return most;
  }
  const std::uint64_t largest = std::min<std::uint64_t>({clip.of(length), (length - 1) / 2, kMostClipped});
  for (std::uint64_t edits = 0;; ++edits) {
    std::uint64_t left_out = largest + 1;  // one more than allowed
    while (left_out > 0 && (edits > max_edits.of(length - left_out + 1) || length - left_out + 1 <= edits)) {
      --left_out;
    }
    if (left_out == 0) {
      return most;
    }
    most.push_back(static_cast<std::uint32_t>(left_out - 1));
  }
}

std::vector<ClippedLocus> all_clipped_loci(const std::vector<ClippedQuery>& queries, const MaxEdits& max_edits,
                                           const std::vector<std::string_view>& contigs, unsigned threads) {
  const auto texts = bits_of(contigs);
  std::vector<ClippedLocus> all;
  std::mutex mutex;
  run_tasks(threads, queries.size(), [&](std::size_t q) {
    if (queries[q].most_clipped.empty()) {
      return;
    }
    std::vector<ClippedLocus> found;
    for (const bool reverse : {false, true}) {
      const Strand strand = strand_of(queries[q], reverse);
      for (std::size_t contig = 0; contig < texts.size(); ++contig) {
        std::vector<std::size_t> ends;
        const auto add = [&](std::size_t end) { ends.push_back(end); };
        if (strand.clip() < std::numeric_limits<std::uint8_t>::max()) {
          EndScan<std::uint8_t>(strand).run(texts[contig], add);
        } else {
          EndScan<std::uint16_t>(strand).run(texts[contig], add);
        }
        ClippedLocus locus;
        locus.read = q;
        locus.contig = static_cast<std::uint32_t>(contig);
        locus.reverse = reverse;
        find_in_windows(strand, max_edits, texts[contig], ends, locus, found);
      }
    }
    const std::scoped_lock lock(mutex);
    all.insert(all.end(), found.begin(), found.end());
  });
  std::sort(all.begin(), all.end());
  return all;
}

std::vector<ClippedLocus> clipped_loci_by_paths(const std::vector<ClippedQuery>& queries,
                                                const std::vector<std::string_view>& contigs) {
  const auto texts = bits_of(contigs);
  std::vector<ClippedLocus> all;
  for (std::size_t q = 0; q < queries.size(); ++q) {
    for (const bool reverse : {false, true}) {
      const Strand strand = strand_of(queries[q], reverse);
      for (std::size_t contig = 0; contig < texts.size() && !strand.most_clipped.empty(); ++contig) {
        for (const Candidate& piece : PathWalker(strand, texts[contig]).components()) {
          all.push_back({q, static_cast<std::uint32_t>(contig), reverse, piece.end, piece.begin_base, piece.end_base,
                         piece.edits, 0});
        }
      }
    }
  }
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace trawl::bench
