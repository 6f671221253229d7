#include "rescue/mate_overlap.hpp"

#include <algorithm>

#include "base/bits.hpp"
#include "sequence/alphabet.hpp"
#include "sequence/packed_letters.hpp"
#include "sequence/plane_window.hpp"

namespace trawl::rescue {

namespace {

// Of bases whose quality is less, one in 30 is wrong.
constexpr char kGoodQuality = '!' + 15;
// Another length whose overlap has hardly fewer points makes the first one unsure.
constexpr std::int64_t kClearlyFewer = 12;
// The letters of an overlap that are looked at first.
constexpr std::size_t kFirstLetters = 32;

// Where fewer bases than this are behind the fragment, they do not show whether they are adapter. Copies of a tandem
// repeat overlap, too; but they mostly differ in some bases.
constexpr std::size_t kFewBehind = 6;
constexpr std::int64_t kMostBeforeFew = 10;
constexpr int kHighestQuality = 93;

// That of a base which both mates have, as errors in both are independent; or in which they differ.
char quality_of_both(int a, int b, bool agree) {
  return static_cast<char>('!' + (agree ? std::min(a + b, kHighestQuality) : std::max(a, b) - std::min(a, b)));
}

// The first letters of a word of letters: at most `most`, and 64.
std::uint64_t first_of(std::uint64_t word, std::size_t most) {
  return word & sequence::low_ones(static_cast<unsigned>(std::min<std::size_t>(most, 64)));
}

// Whether more than a quarter of the first letters of an overlap are among these.
bool are_many(std::uint64_t unequal, std::size_t count) {
  const std::size_t looked_at = std::min(count, kFirstLetters);
  return 4 * popcount(first_of(unequal, looked_at)) > looked_at;
}

bool is_base(char letter) { return sequence::base_code(letter) != sequence::kAmbiguous; }

}  // namespace

void MateOverlap::LetterPlanes::load(std::string letters) {
  const std::size_t blocks = letters.size() / 64 + 1;
  letters.resize(64 * blocks);
  masks.resize(blocks);
  sequence::find_letters(letters.data(), blocks, masks.data());
  for (auto* plane : {&high, &low, &bases}) {
    plane->assign(blocks + 1, 0);
  }
  for (std::size_t w = 0; w < blocks; ++w) {
    high[w] = masks[w].high & masks[w].bases;
    low[w] = masks[w].low & masks[w].bases;
    bases[w] = masks[w].bases;
  }
}

MateOverlap::Overlap MateOverlap::overlap_of(std::size_t fragment) const {
  // Letter i of the turned mate 2 is base i + fragment - second_.size() of the fragment.
  const std::size_t begin = fragment - std::min(fragment, second_.size());
  return {begin, begin + second_.size() - fragment, std::min(fragment, first_.size()) - begin};
}

// Whether at most a quarter of the letters differ, of the first ones and of all. Ambiguous letters differ from all
// others; in the first look they are as A.
bool MateOverlap::may_fit(const Overlap& overlap) const {
  const LetterPlanes& a = planes_[0];
  const LetterPlanes& b = planes_[1];
  const auto unequal = [&](std::size_t k) {
    return (sequence::bits_at(a.high.data(), overlap.first + k) ^
            sequence::bits_at(b.high.data(), overlap.second + k)) |
           (sequence::bits_at(a.low.data(), overlap.first + k) ^ sequence::bits_at(b.low.data(), overlap.second + k));
  };
  if (are_many(unequal(0), overlap.count)) {
    return false;
  }
  std::size_t differ = 0;
  for (std::size_t k = 0; k < overlap.count; k += 64) {
    const std::uint64_t bases =
        sequence::bits_at(a.bases.data(), overlap.first + k) & sequence::bits_at(b.bases.data(), overlap.second + k);
    differ += popcount(first_of(unequal(k) | ~bases, overlap.count - k));
    if (4 * differ > std::min(overlap.count, k + 64)) {
      return false;
    }
  }
  return true;
}

std::int64_t MateOverlap::points_of(const Overlap& overlap) const {
  std::int64_t points = 0;
  const auto is_good = [](std::string_view qualities, std::size_t i) {
    return qualities.empty() || qualities[i] >= kGoodQuality;
  };
  for (std::size_t k = 0; k < overlap.count; ++k) {
    const std::size_t i = overlap.first + k;
    const std::size_t j = overlap.second + k;
    const bool are_bases = is_base(first_[i]) && is_base(second_[j]);
    if (are_bases && first_[i] == second_[j]) {
      ++points;
    } else if (are_bases && is_good(first_qualities_, i) && is_good(second_qualities_, j)) {
      points -= 4;
    }
  }
  return points;
}

// The points that an overlap must have.
std::int64_t MateOverlap::fewest_points(std::size_t fragment, const Overlap& overlap) const {
  const std::size_t longer = std::max(first_.size(), second_.size());
  const auto count = static_cast<std::int64_t>(overlap.count);
  const bool few_behind = fragment + kFewBehind > longer && fragment < longer;
  return std::max(few_behind ? count - kMostBeforeFew : 3 * count / 4, std::int64_t{kShortest});
}

std::uint32_t MateOverlap::find(std::string_view first, std::string_view first_qualities, std::string_view second,
                                std::string_view second_qualities) {
  length_ = 0;
  fits_several_ = false;
  const std::size_t longer = std::max(first.size(), second.size());
  if (std::min(first.size(), second.size()) < kShortest || longer > kLongestRead) {
    return 0;
  }
  first_ = first;
  first_qualities_ = first_qualities;
  second_.resize(second.size());
  std::transform(second.rbegin(), second.rend(), second_.begin(), sequence::complement_base);
  second_qualities_.assign(second_qualities.rbegin(), second_qualities.rend());
  planes_[0].load(std::string(first_));
  planes_[1].load(second_);
  std::int64_t best = 0;
  std::int64_t next = 0;
  std::size_t best_length = 0;
  // In most overlaps more than a quarter of the first letters differ in one bit of their codes already.
  const std::uint64_t* const high[] = {planes_[0].high.data(), planes_[1].high.data()};
  const auto differs = [&](const Overlap& overlap) {
    return are_many(sequence::bits_at(high[0], overlap.first) ^ sequence::bits_at(high[1], overlap.second),
                    overlap.count);
  };
  const auto look_at = [&](std::size_t from, std::size_t to) {
    for (std::size_t length = from; length < to; ++length) {
      const Overlap overlap = overlap_of(length);
      if (overlap.count < kShortest || differs(overlap) || !may_fit(overlap)) {
        continue;
      }
      const std::int64_t points = points_of(overlap);
      if (points < fewest_points(length, overlap)) {
        continue;
      }
      next = std::max(next, std::min(best, points));
      if (points > best) {
        best = points;
        best_length = length;
      }
    }
  };
  look_at(kShortest, longer);
  if (best > 0) {
    look_at(longer, first.size() + second.size() - kShortest);  // the mates overlap as 3' ends do
  }
  fits_several_ = best > 0 && best - next < std::min(kClearlyFewer, best);
  if (best == 0 || best_length >= longer || fits_several_) {
    return 0;
  }
  length_ = static_cast<std::uint32_t>(best_length);
  return length_;
}

bool MateOverlap::take(std::size_t length) {
  const Overlap overlap = overlap_of(length);
  const bool fits = overlap.count >= kShortest && points_of(overlap) >= fewest_points(length, overlap);
  length_ = fits ? static_cast<std::uint32_t>(length) : 0;
  return fits;
}

const Fragment& MateOverlap::fragment() {
  const auto overlap = overlap_of(length_);
  const bool has_qualities = !first_qualities_.empty() && !second_qualities_.empty();
  fragment_.bases.resize(length_);
  fragment_.qualities.resize(has_qualities ? length_ : 0);
  for (std::size_t i = 0; i < length_; ++i) {
    const std::size_t j = i + overlap.second - overlap.first;  // of the turned mate 2
    const bool in_first = i < first_.size();
    const bool in_second = i >= overlap.first;
    const char a = in_first ? first_[i] : second_[j];
    const char b = in_second ? second_[j] : a;
    const char quality_a = !has_qualities ? '!' : in_first ? first_qualities_[i] : second_qualities_[j];
    const char quality_b = !has_qualities ? '!' : in_second ? second_qualities_[j] : quality_a;
    // Without qualities, the base that was read earlier.
    const bool earlier = has_qualities && quality_a != quality_b ? quality_a > quality_b : 2 * i < length_;
    const bool takes_a = a == b || !is_base(b) || (is_base(a) && earlier);
    fragment_.bases[i] = takes_a ? a : b;
    if (has_qualities) {
      fragment_.qualities[i] = !in_first || !in_second || !is_base(a) || !is_base(b)
                                   ? (takes_a ? quality_a : quality_b)
                                   : quality_of_both(quality_a - '!', quality_b - '!', a == b);
    }
  }
  return fragment_;
}

}  // namespace trawl::rescue
