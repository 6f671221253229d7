// Highway includes this file once for every instruction set it compiles for.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "map/verify_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "base/stop.hpp"
#include "map/verify.hpp"
#include "match/band_lanes_simd.hpp"
#include "match/banded_myers.hpp"
#include "sequence/plane_window.hpp"

HWY_BEFORE_NAMESPACE();
namespace trawl::map::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
class BandVerifier {
 public:
  static constexpr unsigned kBand = 8 * sizeof(T);

  void run(const sequence::Reference& reference, const Strand* strands, const std::vector<BandWindow>& windows,
           bool ambiguous_matches, std::vector<BandDistances>& found) {
    const std::size_t lanes = Band::lanes();
    for (std::size_t first = 0; first < windows.size(); first += lanes) {
      const std::size_t count = std::min(lanes, windows.size() - first);
      const BandWindow* group = windows.data() + first;
      if (first % (64 * lanes) == 0) {
        Stop::look();
      }
      load(reference, strands, group, count);
      if (longest_ > 0) {
        band_.compute(same_length_);
      }
      for (std::size_t l = 0; l < count; ++l) {
        const Strand& strand = strands[group[l].strand];
        if (group[l].clear) {
          if (band_.smallest(l) <= strand.max_edits) {
            found.push_back({static_cast<std::uint32_t>(first + l), static_cast<std::uint32_t>(band_.distance(l)),
                             band_.vp(l), band_.vn(l)});
          }
        } else {
          auto one = detail::verify_one(reference, *strand.read, group[l], ambiguous_matches, text_);
          if (smallest_distance(one, kBand) <= strand.max_edits) {
            one.window = static_cast<std::uint32_t>(first + l);
            found.push_back(one);
          }
        }
      }
    }
  }

 private:
  using Band = match::HWY_NAMESPACE::BandLanes<T>;

  void load(const sequence::Reference& reference, const Strand* strands, const BandWindow* group, std::size_t count) {
    longest_ = 0;
    for (std::size_t l = 0; l < count; ++l) {
      if (group[l].clear) {
        longest_ = std::max(longest_, strands[group[l].strand].read->length());
      }
    }
    same_length_ = true;
    band_.begin(longest_);
    for (std::size_t l = 0; l < count; ++l) {
      if (group[l].clear) {
        const std::size_t length = strands[group[l].strand].read->length();
        band_.set_length(l, length);
        same_length_ = same_length_ && length == longest_;
      }
    }
    const sequence::PlaneBlock* planes = reference.planes().data();
    for (std::size_t i = 0; i < longest_ + kBand; i += 64) {
      for (std::size_t l = 0; l < count; ++l) {
        const std::size_t length = group[l].clear ? strands[group[l].strand].read->length() : 0;
        if (i >= length + kBand || length == 0) {
          continue;  // the value in this lane does not matter
        }
        const auto text = sequence::planes_at(planes, static_cast<std::uint64_t>(group[l].begin) + i);
        band_.set_text(l, text.high, text.low);
        const sequence::EncodedRead& read = *strands[group[l].strand].read;
        if (i < length) {
          band_.set_read(l, read.high[i / 64], read.low[i / 64]);
        }
      }
      band_.end_words(i / 64);
    }
  }

  Band band_;
  sequence::TextWindow text_;
  std::size_t longest_ = 0;
  bool same_length_ = true;
};

template <class T>
void verify_band(const sequence::Reference& reference, const Strand* strands, const std::vector<BandWindow>& windows,
                 bool ambiguous_matches, std::vector<BandDistances>& found) {
  static thread_local BandVerifier<T> verifier;
  verifier.run(reference, strands, windows, ambiguous_matches, found);
}

void verify_windows(const sequence::Reference& reference, const Strand* strands, const std::vector<BandWindow>& windows,
                    unsigned band, bool ambiguous_matches, std::vector<BandDistances>& found) {
  if (band == 16) {
    verify_band<std::uint16_t>(reference, strands, windows, ambiguous_matches, found);
  } else if (band == 32) {
    verify_band<std::uint32_t>(reference, strands, windows, ambiguous_matches, found);
  } else {
    verify_band<std::uint64_t>(reference, strands, windows, ambiguous_matches, found);
  }
}

const char* target_name() { return hwy::TargetName(HWY_TARGET); }

}  // namespace trawl::map::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace trawl::map {

HWY_EXPORT(verify_windows);
HWY_EXPORT(target_name);

void verify_windows(const sequence::Reference& reference, const Strand* strands, const std::vector<BandWindow>& windows,
                    unsigned band, bool ambiguous_matches, std::vector<BandDistances>& found) {
  HWY_DYNAMIC_DISPATCH(verify_windows)(reference, strands, windows, band, ambiguous_matches, found);
}

const char* simd_target() { return HWY_DYNAMIC_DISPATCH(target_name)(); }

unsigned band_width(std::uint32_t max_edits) {
  const std::uint32_t diagonals = 2 * max_edits + 1;
  return diagonals <= 16 ? 16 : diagonals <= 32 ? 32 : diagonals <= 64 ? 64 : 0;
}

std::uint32_t smallest_distance(const BandDistances& distances, unsigned band) {
  std::uint32_t value = distances.distance;
  std::uint32_t smallest = value;
  for (unsigned bit = 0; bit + 1 < band; ++bit) {
    value = value + static_cast<std::uint32_t>((distances.vp >> bit) & 1) -
            static_cast<std::uint32_t>((distances.vn >> bit) & 1);
    smallest = std::min(smallest, value);
  }
  return smallest;
}

namespace detail {

BandDistances verify_one(const sequence::Reference& reference, const sequence::EncodedRead& read,
                         const BandWindow& window, bool ambiguous_matches, sequence::TextWindow& text) {
  text.load(reference, window.begin, read.length() + 64, ambiguous_matches);
  match::BandState<std::uint64_t> state;
  std::uint32_t distance = static_cast<std::uint32_t>(read.length());
  for (std::size_t i = 0; i < read.length(); ++i) {
    const auto cells = match::banded_row(match::PlainOps<std::uint64_t>{}, state, text.match_bits(read, i, i));
    distance -= cells.d0 & 1;
  }
  return {0, distance, state.vp, state.vn};
}

}  // namespace detail

}  // namespace trawl::map

#endif  // HWY_ONCE
