// The piece finder finds the oracle's clipped loci, wherever it is told to look, with each instruction set.
#include <algorithm>
#include <numeric>
#include <set>
#include <string>

#include "clip/piece_finder.hpp"
#include "clip/piece_band.hpp"
#include "tests/catch.hpp"
#include "tests/clip_oracle.hpp"
#include "tests/on_all_targets.hpp"
#include "tests/random_cases.hpp"

using namespace trawl;

namespace {

using tests::RandomCases;

// -e, as a number or as a share.
struct MostEdits {
  bool is_share = false;
  std::size_t value = 0;  // edits, or percent

  std::size_t operator()(std::size_t length) const { return is_share ? length * value / 100 : value; }
};

struct Case {
  std::vector<std::string> contigs;
  std::string read;
  std::size_t clip = 0;
  MostEdits max_edits;
  bool ambiguous_matches = false;
  clip::PieceSizes sizes;
};

// Everything a caller sees of a locus.
struct Shown {
  std::uint64_t end = 0;
  std::uint32_t penalty = 0, spread = 0, piece_begin = 0, piece_end = 0, edits = 0;
  auto operator<=>(const Shown&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Shown& s) {
  return out << "{end " << s.end << ", penalty " << s.penalty << ", spread " << s.spread << ", piece [" << s.piece_begin
             << ", " << s.piece_end << ") with " << s.edits << "}";
}

struct Expected {
  Shown shown;
  std::vector<std::int64_t> diagonals;  // of all nodes
};

std::vector<Expected> oracle(const Case& c, const sequence::Reference& reference) {
  const auto rule = c.ambiguous_matches ? match::AmbiguityRule::matches_its_set : match::AmbiguityRule::matches_nothing;
  std::vector<Expected> expected;
  for (std::size_t k = 0; k < c.contigs.size(); ++k) {
    const std::uint64_t offset = reference.contigs()[k].offset;
    for (const auto& locus : tests::clipped_oracle(c.read, c.contigs[k], c.clip, c.max_edits, rule)) {
      Expected one{{offset + locus.end - 1, locus.penalty, static_cast<std::uint32_t>(locus.spread), locus.piece.begin,
                    locus.piece.end, locus.piece.edits},
                   {}};
      for (const auto& [i, j] : locus.nodes) {
        one.diagonals.push_back(static_cast<std::int64_t>(offset + j) - static_cast<std::int64_t>(i));
      }
      expected.push_back(std::move(one));
    }
  }
  return expected;
}

align::PieceLimits limits_of(const Case& c) {
  return align::piece_limits(static_cast<std::uint32_t>(c.read.size()), static_cast<std::uint32_t>(c.clip),
                             [&](std::uint32_t n) { return static_cast<std::uint32_t>(c.max_edits(n)); });
}

std::vector<Shown> shown(const clip::ClippedLoci& found, bool reverse) {
  std::vector<Shown> all;
  REQUIRE(found.loci.size() == found.pieces.size());
  for (std::size_t i = 0; i < found.loci.size(); ++i) {
    const auto& locus = found.loci[i];
    const auto& piece = found.pieces[i];
    REQUIRE(locus.reverse == reverse);
    REQUIRE((i == 0 || found.loci[i - 1].end <= locus.end));
    all.push_back({locus.end, locus.distance, locus.spread, piece.begin, piece.end, piece.edits});
  }
  return all;
}

void add(clip::PieceWork& sum, const clip::PieceWork& more) {
  sum.bands += more.bands;
  sum.widened += more.widened;
  sum.groups += more.groups;
  sum.told_apart += more.told_apart;
  sum.merged += more.merged;
}

// Looks where the oracle's loci are, one at a time and all at once.
void check(const Case& c, RandomCases& random, clip::PieceWork& work, std::size_t& loci) {
  const auto reference = tests::make_reference(c.contigs);
  const auto expected = oracle(c, reference);
  const auto limits = limits_of(c);
  sequence::EncodedRead strand;
  strand.encode(c.read, c.ambiguous_matches);
  std::set<Shown> known;
  std::vector<Shown> all;
  for (const Expected& one : expected) {
    known.insert(one.shown);
    all.push_back(one.shown);
  }
  std::sort(all.begin(), all.end());
  REQUIRE(known.size() == all.size());
  loci += all.size();

  CAPTURE(c.contigs, c.read, c.clip, c.max_edits.is_share, c.max_edits.value, c.ambiguous_matches, c.sizes.band_lanes,
          c.sizes.kept_bytes);
  clip::PieceFinder finder(reference, c.ambiguous_matches, c.sizes);
  clip::ClippedLoci found;
  const auto find = [&](const std::vector<clip::DiagonalRange>& ranges) {
    const bool reverse = random.chance(0.5);
    found.clear();
    finder.find(strand, reverse, limits, ranges, found);
    auto got = shown(found, reverse);
    std::sort(got.begin(), got.end());
    return got;
  };

  std::vector<clip::DiagonalRange> nodes;
  for (const Expected& one : expected) {
    const std::int64_t diagonal = one.diagonals[random.number(0, one.diagonals.size() - 1)];
    CAPTURE(one.shown, diagonal);
    const auto got = find({{diagonal, diagonal}});
    REQUIRE(std::adjacent_find(got.begin(), got.end()) == got.end());
    REQUIRE(std::includes(all.begin(), all.end(), got.begin(), got.end()));
    REQUIRE(std::binary_search(got.begin(), got.end(), one.shown));
    nodes.push_back({diagonal, diagonal + static_cast<std::int64_t>(random.number(0, 5))});
  }
  // Ranges that ascend, some of them one in the other.
  std::sort(nodes.begin(), nodes.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t n = 0; n + 1 < nodes.size(); ++n) {
    if (random.chance(0.3)) {
      nodes.insert(nodes.begin() + static_cast<std::ptrdiff_t>(n + 1), {nodes[n].first, nodes[n].last + 30});
    }
  }
  REQUIRE(find(nodes) == all);
  const auto whole = static_cast<std::int64_t>(reference.size());
  REQUIRE(find({{-static_cast<std::int64_t>(c.read.size()), whole}}) == all);
  if (random.chance(0.3)) {
    // A place without a locus, or near one: nothing but loci.
    const auto at = static_cast<std::int64_t>(random.number(0, reference.size()));
    const auto got = find({{at, at + static_cast<std::int64_t>(random.number(0, 40))}});
    REQUIRE(std::includes(all.begin(), all.end(), got.begin(), got.end()));
  }
  add(work, finder.work());
}

// A text of few letters, runs, and tandem repeats of any period, some of them with errors.
std::string hostile_contig(RandomCases& random, std::size_t length) {
  std::string text;
  while (text.size() < length) {
    switch (random.number(0, 5)) {
      case 0:
        text += std::string(random.number(1, 40), random.base());
        break;
      case 1:
      case 2: {
        const std::string unit = random.bases(random.number(1, random.chance(0.5) ? 6 : 26));
        std::string repeat;
        for (std::size_t k = random.number(2, 12); k > 0; --k) {
          repeat += unit;
        }
        text += random.chance(0.5) ? repeat : random.mutate(repeat, random.number(1, 6));
        break;
      }
      case 3:
        if (!text.empty()) {
          const std::size_t at = random.number(0, text.size() - 1);
          text += random.mutate(text.substr(at, random.number(1, 60)), random.number(0, 4));
        }
        break;
      case 4: {
        const std::string two{random.base(), random.base()};
        for (std::size_t k = random.number(5, 30); k > 0; --k) {
          text += two[random.number(0, 1)];
        }
        break;
      }
      default:
        text += random.bases(random.number(1, 60));
    }
  }
  text.resize(length);
  return text;
}

// A stretch of the text with edits, and with ends that do not belong: random bases, or bases from elsewhere.
std::string clipped_read(RandomCases& random, const std::string& text, std::size_t length, std::size_t clip,
                         std::size_t edits) {
  const std::size_t out = random.number(0, std::min(length - 1, clip + 2));
  const std::size_t left = random.number(0, out);
  std::string middle = text.substr(random.number(0, text.size() - 1), length - out);
  if (random.chance(0.3) && text.size() > length - out) {
    middle = text.substr(random.chance(0.5) ? 0 : text.size() - (length - out), length - out);  // at a border
  }
  for (char& c : middle) {
    c = sequence::base_code(c) == sequence::kAmbiguous ? random.base() : c;
  }
  middle = random.mutate(middle, random.number(0, edits + 1));
  const auto tail = [&](std::size_t n) {
    std::string bases = random.chance(0.5) ? random.bases(n) : std::string(n, random.base());
    if (random.chance(0.4)) {
      bases = text.substr(random.number(0, text.size() - 1), n);
      bases += random.bases(n - bases.size());
    }
    return bases;
  };
  std::string read = tail(left) + middle + tail(out - left);
  read.resize(length, random.base());
  return read;
}

Case random_case(RandomCases& random, std::size_t most_length) {
  Case c;
  const std::size_t length =
      random.chance(0.15) ? random.number(1, std::min<std::size_t>(8, most_length)) : random.number(2, most_length);
  const std::size_t edits = random.chance(0.2) ? 0 : random.number(0, random.chance(0.3) ? 12 : 5);
  c.max_edits = random.chance(0.5) ? MostEdits{false, edits}
                                   : MostEdits{true, std::min<std::size_t>(100 * edits / length + 1, 40)};
  c.clip = random.chance(0.15) ? 0 : random.number(0, length > 100 ? 30 : length / 2 + 1);
  c.ambiguous_matches = random.chance(0.3);
  const std::size_t contigs = random.chance(0.7) ? 1 : random.number(2, 4);
  for (std::size_t k = 0; k < contigs; ++k) {
    c.contigs.push_back(
        hostile_contig(random, random.number(1, std::min<std::size_t>(4 * length + 20, 700) / contigs + 8)));
  }
  c.read = clipped_read(random, c.contigs[random.number(0, contigs - 1)], length, c.clip, c.max_edits(length));
  if (random.chance(0.25)) {
    for (std::size_t k = random.number(1, 4); k > 0; --k) {
      std::string& text = random.chance(0.5) ? c.read : c.contigs[random.number(0, contigs - 1)];
      text[random.number(0, text.size() - 1)] = random.ambiguous_letter();
    }
  }
  if (random.chance(0.5)) {
    c.sizes.band_lanes = 64;
    c.sizes.kept_bytes = random.chance(0.5) ? 1 : 20000;
  }
  return c;
}

// A read that fits well in a random text, in which parts of it stand once more nearby.
Case nearby_copies_case(RandomCases& random) {
  Case c;
  const std::size_t length = random.number(30, 90);
  c.max_edits = {false, random.number(0, 4)};
  c.clip = random.number(0, length / 3);
  std::string text = random.bases(random.number(length / 2, 3 * length));
  for (std::size_t k = random.number(0, 2); k > 0; --k) {
    const std::size_t at = random.number(0, text.size() - 1);
    const std::string copy = random.mutate(text.substr(at, random.number(3, 40)), random.number(0, 3));
    text.insert(std::min(text.size(), at + random.number(0, 30)), copy);
  }
  switch (random.number(0, 3)) {
    case 0: {  // a repeat whose unit is longer than e, and up to twice as long
      c.max_edits.value = random.number(2, 5);
      const std::string unit = random.bases(random.number(c.max_edits.value + 1, 2 * c.max_edits.value + 2));
      text = random.bases(random.number(0, 20));
      while (text.size() < length + random.number(0, 40)) {
        text += unit;
      }
      text += random.bases(random.number(0, 20));
      c.read = clipped_read(random, text, length, c.clip, 0);
      break;
    }
    case 1: {  // the read's middle lies on a neighbouring diagonal for some bases
      c.max_edits.value = random.number(1, 4);
      text += random.bases(length);
      c.read = text.substr(random.number(0, text.size() - length), length);
      const std::size_t at = length / 2 - random.number(0, std::min<std::size_t>(length / 2, 7));
      const std::size_t back = std::min(length - 1, at + random.number(2, 7));
      c.read.insert(c.read.begin() + static_cast<std::ptrdiff_t>(back + 1), random.base());
      c.read.erase(at, 1);
      break;
    }
    case 2: {  // the read's end repeats a short unit, with a few bases more or less than the text
      c.max_edits.value = random.number(1, 3);
      const std::string unit = random.bases(random.number(2, 5));
      std::string repeat;
      while (repeat.size() < c.clip + 8) {
        repeat += unit;
      }
      const std::string front = random.bases(length - c.clip);
      const std::size_t missing = random.number(1, unit.size());
      c.read = front + (random.chance(0.5) ? repeat.substr(missing) : repeat);
      c.read.resize(length);
      text = random.bases(10) + front + repeat.substr(random.number(0, unit.size())) + random.bases(10);
      break;
    }
    default:
      c.read = clipped_read(random, text, length, c.clip, std::min<std::size_t>(c.max_edits.value, 2));
  }
  c.contigs = {text};
  c.ambiguous_matches = random.chance(0.3);
  if (random.chance(0.2)) {
    c.contigs[0][random.number(0, c.contigs[0].size() - 1)] = random.ambiguous_letter();
    c.read[random.number(0, length - 1)] = random.ambiguous_letter();
  }
  return c;
}

// Many edits, so that bands are wider than a machine word.
Case many_edits_case(RandomCases& random) {
  Case c;
  const std::size_t length = random.number(100, 220);
  const bool fits = random.chance(0.7);
  c.max_edits = {false, fits ? random.number(7, 15) : random.number(16, 60)};
  c.clip = random.number(0, 12);
  std::string text = random.bases(length + random.number(0, 150));
  if (!fits && random.chance(0.7)) {
    const std::string unit = random.bases(random.number(1, 40));  // equally good ends
    for (std::size_t i = 0; i < text.size(); ++i) {
      text[i] = unit[i % unit.size()];
    }
  }
  c.contigs = {text};
  c.read = clipped_read(random, text, length, c.clip, random.number(0, fits ? 3 : c.max_edits.value));
  return c;
}

using Nodes = std::set<std::pair<std::size_t, std::size_t>>;

// All alignments, one after the other, for very small cases: the rule itself.
class Enumeration {
 public:
  Enumeration(const Case& c, const std::string& text) : case_(c), text_(text), parents_((c.read.size() + 1) * width()) {
    std::iota(parents_.begin(), parents_.end(), std::size_t{0});
    const std::size_t length = c.read.size();
    const std::size_t clip = std::min(c.clip, (length - 1) / 2);
    used_.resize(parents_.size());
    for (begin_ = 0; begin_ <= clip; ++begin_) {
      for (end_ = length - clip + begin_; end_ <= length; ++end_) {
        for (std::size_t s = 0; s <= text.size(); ++s) {
          path_.clear();
          extend(begin_, s, 0);
        }
      }
    }
  }

  // The nodes of each locus.
  std::set<Nodes> loci() {
    std::vector<Nodes> all(parents_.size());
    for (std::size_t n = 0; n < parents_.size(); ++n) {
      if (used_[n]) {
        all[root(n)].emplace(n / width(), n % width());
      }
    }
    std::set<Nodes> loci(all.begin(), all.end());
    loci.erase(Nodes{});
    return loci;
  }

 private:
  std::size_t width() const { return text_.size() + 1; }
  std::size_t root(std::size_t n) const {
    while (parents_[n] != n) {
      n = parents_[n];
    }
    return n;
  }

  void extend(std::size_t i, std::size_t j, std::size_t edits) {
    const std::size_t length = end_ - begin_;
    if (edits > case_.max_edits(length) || edits >= length) {
      return;
    }
    path_.push_back(i * width() + j);
    if (i == end_) {
      for (const std::size_t n : path_) {
        used_[n] = true;
        parents_[root(n)] = root(path_.front());
      }
    }
    const bool more = j < text_.size();
    if (i < end_ && more) {
      extend(i + 1, j + 1, edits + !match::letters_match(case_.read[i], text_[j]));
    }
    if (i < end_) {
      extend(i + 1, j, edits + 1);
    }
    if (more) {
      extend(i, j + 1, edits + 1);
    }
    path_.pop_back();
  }

  const Case& case_;
  const std::string& text_;
  std::size_t begin_ = 0, end_ = 0;
  std::vector<std::size_t> path_, parents_;
  std::vector<bool> used_;
};

}  // namespace

TEST_CASE("the limits of pieces are what the rule for each piece says") {
  RandomCases random(20261122);
  for (int k = 0; k < 3000; ++k) {
    const auto length = static_cast<std::uint32_t>(random.number(0, 300));
    const auto clip = static_cast<std::uint32_t>(random.number(0, 200));
    const MostEdits e{random.chance(0.5), random.number(0, 40)};
    CAPTURE(length, clip, e.is_share, e.value);
    const auto limits =
        align::piece_limits(length, clip, [&](std::uint32_t n) { return static_cast<std::uint32_t>(e(n)); });
    const std::uint32_t most = length == 0 ? 0 : std::min(clip, (length - 1) / 2);
    REQUIRE(limits.length == length);
    REQUIRE(limits.clip() == most);
    for (std::uint32_t piece = 1; piece <= length; ++piece) {
      for (std::uint32_t x = 0; x <= 50; ++x) {
        const bool allowed = x <= e(piece) && length - piece <= most && piece > x;
        REQUIRE((x <= limits.max_edits() && length - piece <= limits.most_clipped[x]) == allowed);
      }
    }
  }
  REQUIRE(align::piece_limits(200000, 200000, [](std::uint32_t) { return 0u; }).clip() == align::kMostClipped);
}

TEST_CASE("the oracle's clipped loci are the alignments that meet, listed one by one") {
  RandomCases random(1);
  std::size_t with_several = 0;
  for (int k = 0; k < 3000; ++k) {
    Case c;
    const std::string letters = random.chance(0.5) ? "AC" : "ACGT";
    const auto text_of = [&](std::size_t length) {
      std::string text;
      while (text.size() < length) {
        text += letters[random.number(0, letters.size() - 1)];
      }
      return text;
    };
    c.read = text_of(random.number(1, 6));
    c.clip = random.number(0, 3);
    c.max_edits = random.chance(0.5) ? MostEdits{false, random.number(0, 2)} : MostEdits{true, random.number(0, 50)};
    const std::string text = text_of(random.number(1, 7));
    CAPTURE(c.read, text, c.clip, c.max_edits.is_share, c.max_edits.value);
    std::set<Nodes> loci;
    for (const auto& locus : tests::clipped_oracle(c.read, text, c.clip, c.max_edits)) {
      loci.emplace(locus.nodes.begin(), locus.nodes.end());
    }
    with_several += loci.size() > 1;
    REQUIRE(Enumeration(c, text).loci() == loci);
  }
  REQUIRE(with_several > 300);
}

TEST_CASE("the piece finder finds the oracle's loci, on each instruction set") {
  tests::on_all_targets([] {
    const std::uint64_t seed = 13;
    CAPTURE(seed, clip::piece_band_target());
    RandomCases random(seed);
    clip::PieceWork work;
    std::size_t loci = 0;
    for (int k = 0; k < 3000; ++k) {
      check(random_case(random, 80), random, work, loci);
    }
    for (int k = 0; k < 4000; ++k) {
      check(nearby_copies_case(random), random, work, loci);
    }
    for (int k = 0; k < 80; ++k) {
      check(many_edits_case(random), random, work, loci);
    }
    for (int k = 0; k < 60; ++k) {
      check(random_case(random, 400), random, work, loci);
    }
    CAPTURE(loci, work.bands, work.widened, work.groups, work.told_apart, work.merged);
    // Each way of the search is taken often: one row of nodes is enough, all rows are needed, and these join what the
    // one row does not, or tell it apart; a locus goes on outside the band.
    CHECK(loci > 3000);
    CHECK(work.groups - work.told_apart > 3000);
    CHECK(work.told_apart > 1500);
    CHECK(work.merged > 1500);
    CHECK(work.told_apart - work.merged > 150);
    CHECK(work.widened > 500);
  });
}

TEST_CASE("a piece that leaves out more bases than 8 bits can count") {
  RandomCases random(9);
  const std::string text = random.bases(3000);
  const auto reference = tests::make_reference({text});
  for (const std::uint32_t out : {250u, 254u, 255u, 256u, 300u, 340u}) {
    for (const bool left : {false, true}) {
      CAPTURE(out, left);
      // The base beside the piece does not match.
      const std::size_t beside = left ? 999 + out : 1000 + 700 - out;
      std::string tail(out, text[beside] == 'A' ? 'C' : 'A');
      const std::string piece = text.substr(left ? 1000 + out : 1000, 700 - out);
      sequence::EncodedRead strand;
      strand.encode(left ? tail + piece : piece + tail, false);
      const auto limits = align::piece_limits(700, out, [](std::uint32_t) { return 3u; });
      const auto diagonal = static_cast<std::int64_t>(reference.contigs()[0].offset + 1000);
      const std::vector<clip::DiagonalRange> ranges{{diagonal, diagonal}};
      clip::ClippedLoci found;
      clip::PieceFinder(reference, false).find(strand, false, limits, ranges, found);
      const std::uint64_t end = static_cast<std::uint64_t>(diagonal) + (left ? 699 : 699 - out);
      const std::uint32_t begin = left ? out : 0;
      REQUIRE(shown(found, false) == std::vector<Shown>{{end, out, 0, begin, begin + 700 - out, 0}});
    }
  }
}
