// This file has arrays of vectors, which is not possible with vectors of unknown size.
#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV | HWY_SSSE3)
// Highway includes this file once for every instruction set that it compiles for.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "scan/find/wu_manber_scan_simd.cpp"
#include <hwy/aligned_allocator.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <unordered_map>

#include "base/stop.hpp"
#include "base/with_constant.hpp"
#include "match/wu_manber_rows.hpp"
#include "scan/find/ambiguous_text.hpp"
#include "scan/find/block_text_simd.hpp"
#include "scan/find/wu_manber_scan.hpp"

HWY_BEFORE_NAMESPACE();
namespace trawl::scan::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using match::RowKind;

// Where bit `place` of a word of a striped block lies.
inline std::uint64_t position_in_block(std::size_t word, std::size_t lane, std::uint64_t place, std::size_t lanes) {
  return place % kWords * 64 * lanes + word_of_lane(lane, lanes) * 64 + place / kWords * kWords + word;
}

// Word 0 of a striped block after a shift by one position: the bits of the last word, moved from lane to lane and from
// block to block.
class Wrap {
 public:
  Wrap() : lanes_(hn::Lanes(D())) {
    for (std::size_t lane = 0; lane < lanes_; ++lane) {
      const std::size_t word = word_of_lane(lane, lanes_);
      for (std::size_t from = 0; from < lanes_; ++from) {
        if (word_of_lane(from, lanes_) == (word + lanes_ - 1) % lanes_) {
          before_[lane] = from;
        }
      }
    }
    one_on_[0] = 1;
    carried_[lanes_] = 1;
  }

  // `bit`: in: the bit that enters from the block before; out: the bit for the next block.
  HWY_INLINE V operator()(V last, std::uint8_t& bit) const {
    const D d;
    const V over = hn::TableLookupLanes(hn::ShiftRight<56>(last), hn::SetTableIndices(d, before_));
    const V moved = hn::Shl(over, hn::Load(d, one_on_));
    const V entering = hn::Load(d, carried_ + bit * lanes_);
    bit = static_cast<std::uint8_t>(hn::GetLane(moved) >> 8);
    return hn::Or3(hn::ShiftLeft<8>(last), hn::And(moved, hn::Set(d, 0xFF)), entering);
  }

 private:
  std::size_t lanes_;
  HWY_ALIGN std::uint64_t before_[kMaxLanes] = {};
  HWY_ALIGN std::uint64_t one_on_[kMaxLanes] = {};
  HWY_ALIGN std::uint64_t carried_[2 * kMaxLanes] = {};
};

// The positions of a block that are no ends, because a match there would have more ambiguous letters than are allowed.
// In a run of N every list has a hit everywhere: they are dropped a vector at a time.
class DisallowedEnds {
 public:
  DisallowedEnds(const sequence::AmbiguousLimit& limit, std::uint64_t longest) : limit_(limit), longest_(longest) {}

  void load(const sequence::Reference& reference, std::uint64_t position) {
    position_ = position;
    by_length_.clear();
    counts_.load(reference, (position - std::min(position, longest_)) / 64, position / 64 + kWords * lanes_ + 1);
  }
  bool any() const { return counts_.any(); }
  // Those of lists of this length: [word][lane], striped.
  const std::uint64_t* of_length(std::uint32_t length) {
    std::vector<std::uint64_t>& marks = by_length_[length];
    if (marks.empty()) {
      marks.resize(kWords * lanes_);
      for (std::size_t w = 0; w < marks.size(); ++w) {
        for (std::uint64_t place = 0; place < 64; ++place) {
          const std::uint64_t at = position_ + position_in_block(w / lanes_, w % lanes_, place, lanes_);
          marks[w] |= std::uint64_t{!limit_.allows(counts_.view().in_window(at, length), length)} << place;
        }
      }
    }
    return marks.data();
  }

 private:
  sequence::AmbiguousLimit limit_;
  std::uint64_t longest_;
  std::size_t lanes_ = hn::Lanes(D());
  std::uint64_t position_ = 0;
  AmbiguousCounts counts_;  // around the block
  std::unordered_map<std::uint32_t, std::vector<std::uint64_t>> by_length_;
};

// The state of one program while it runs through the reference.
class ProgramScan {
 public:
  // Leaves out disallowed ends of lists below `whole_ids`, and all hits after the first `most`.
  ProgramScan(const WuManberProgram& program, DisallowedEnds& disallowed_ends, std::uint32_t whole_ids,
              std::size_t most)
      : program_(program),
        disallowed_ends_(disallowed_ends),
        whole_ids_(whole_ids),
        most_(most),
        levels_(program.max_edits() + 1),
        lanes_(hn::Lanes(D())),
        carries_(program.row_count() * levels_),
        last_carry_(program.lists().size()) {
    std::uint32_t kept = 0;
    for (const ProgramList& list : program.lists()) {
      kept = std::max(kept, list.kept);
    }
    saved_ = hwy::AllocateAligned<std::uint64_t>((kept + 1) * levels_ * (kWords + 1) * lanes_);
  }

  // Prepares for a block. The text before it matches nothing or, with `all_match`, everything.
  void begin(bool all_match) {
    for (std::size_t l = 0; l < program_.lists().size(); ++l) {
      const ProgramList& list = program_.lists()[l];
      std::uint8_t* carry = carries_.data() + std::size_t{list.first} * levels_;
      const bool spends = match::may_spend(program_.rows(list)->kind);
      for (std::uint32_t i = 0; i < list.length; ++i) {
        for (unsigned d = 0; d < levels_; ++d) {
          *carry++ = all_match || (spends && i < d);
        }
      }
      last_carry_[l] = all_match ? list.length : levels_ - 1;
    }
  }

  void scan(const BlockText& text, std::uint64_t position, std::uint64_t begin, std::uint64_t end,
            std::vector<Hit>& hits) {
    with_constant<kMostUnrolled + 1>(levels_ - 1, [&](auto edits) {
      constexpr unsigned kLevels = edits > kMostUnrolled ? 0 : edits + 1;
      scan_block<kLevels>(text, position, begin, end, hits);
    });
  }

 private:
  static constexpr unsigned kMostUnrolled = 5;  // edits; programs with more edits use loops
  static constexpr std::uint32_t kRowsALook = 4096;
  static_assert(WuManberProgram::kMostShared < 32, "saved rows are bits of a word");

  template <unsigned kLevels>
  void scan_block(const BlockText& text, std::uint64_t position, std::uint64_t begin, std::uint64_t end,
                  std::vector<Hit>& hits) {
    const D d;
    const unsigned levels = kLevels == 0 ? levels_ : kLevels;
    V state[kLevels == 0 ? kMostEdits + 1 : kLevels][kWords];
    V wrapped[kLevels == 0 ? kMostEdits + 1 : kLevels];
    // Bit r: the state after r rows of the current list is saved. A shared row whose state is not saved is empty. A
    // saved row may come after an empty one, because bits can enter it from the block before.
    std::uint32_t saved_rows = 0;
    std::uint32_t since_look = 0;  // rows
    for (std::size_t l = 0; l < program_.lists().size(); ++l) {
      const ProgramList& list = program_.lists()[l];
      if ((since_look += list.length) > kRowsALook) {
        since_look = 0;
        Stop::look();
      }
      const std::uint32_t row = list.shared;
      saved_rows &= (2u << row) - 1;
      if (((saved_rows >> row) & 1) != 0) {
        restore(row, levels, state, wrapped);
      } else if (row != 0 && last_carry_[l] <= row) {
        continue;
      } else {
        const V start = row == 0 ? hn::Set(d, ~std::uint64_t{0}) : hn::Zero(d);
        for (unsigned level = 0; level < levels; ++level) {
          std::fill(state[level], state[level] + kWords, start);
          wrapped[level] = start;
        }
      }
      std::uint32_t saved_to = row;
      if (run_rows<kLevels>(text, l, row, state, wrapped, saved_to)) {
        collect(list, levels, state, position, begin, end, hits);
      }
      saved_rows |= (2u << saved_to) - (2u << row);
    }
  }

  // Runs the rows of list l from `row` on, and saves their states up to `saved_to`. Returns whether there is a hit
  // after the last row.
  template <unsigned kLevels>
  HWY_INLINE bool run_rows(const BlockText& text, std::size_t l, std::uint32_t row, V (*state)[kWords], V* wrapped,
                           std::uint32_t& saved_to) {
    const D d;
    const Ops ops;
    const ProgramList& list = program_.lists()[l];
    const PatternRow* rows = program_.rows(list);
    const unsigned levels = kLevels == 0 ? levels_ : kLevels;
    const std::size_t lanes = lanes_;
    std::uint8_t* carry = carries_.data() + (std::size_t{list.first} + row) * levels;
    const std::uint32_t carry_before = last_carry_[l];
    std::uint32_t carry_after = 0;
    // In random text no block is empty earlier. And a bit that entered with a row lives on in the next row.
    const std::uint32_t test_from = std::max(carry_before + 1, 5 + 2 * (levels - 1));
    for (; row < list.length; ++row) {
      const std::uint64_t* eq = text.eq(rows[row].set);
      const auto eq_word = [&](unsigned t) HWY_ATTR { return hn::Load(d, eq + t * lanes); };
      const auto wrap = [&](unsigned level, V last) HWY_ATTR { return wrap_(last, carry[level]); };
      if constexpr (kLevels == 1) {
        striped_row<RowKind::exact, kWords, kLevels>(ops, levels, state, wrapped, eq_word, wrap);
      } else {
        switch (rows[row].kind) {
          case RowKind::edits:
            striped_row<RowKind::edits, kWords, kLevels>(ops, levels, state, wrapped, eq_word, wrap);
            break;
          case RowKind::mismatches:
            striped_row<RowKind::mismatches, kWords, kLevels>(ops, levels, state, wrapped, eq_word, wrap);
            break;
          case RowKind::exact:
            striped_row<RowKind::exact, kWords, kLevels>(ops, levels, state, wrapped, eq_word, wrap);
            break;
          case RowKind::anchor:
            striped_row<RowKind::anchor, kWords, kLevels>(ops, levels, state, wrapped, eq_word, wrap);
            break;
        }
      }
      carry_after = carry[levels - 1] != 0 ? row + 1 : carry_after;
      carry += levels;
      if (row + 1 >= test_from && is_empty(state[levels - 1])) {
        last_carry_[l] = carry_after;
        return false;
      }
      if (row < list.kept) {
        save(row + 1, levels, state, wrapped);
        saved_to = row + 1;
      }
    }
    last_carry_[l] = carry_after;
    return !is_empty(state[levels - 1]);
  }

  static HWY_INLINE bool is_empty(const V* words) {
    const V any = hn::Or(hn::Or3(words[0], words[1], words[2]),
                         hn::Or3(hn::Or(words[3], words[4]), hn::Or(words[5], words[6]), words[7]));
    const D d;
    return hn::AllTrue(d, hn::Eq(any, hn::Zero(d)));
  }

  std::uint64_t* saved(std::uint32_t row) { return saved_.get() + row * levels_ * (kWords + 1) * lanes_; }

  void save(std::uint32_t row, unsigned levels, const V (*state)[kWords], const V* wrapped) {
    const D d;
    std::uint64_t* to = saved(row);
    for (unsigned level = 0; level < levels; ++level) {
      for (unsigned w = 0; w < kWords; ++w, to += lanes_) {
        hn::Store(state[level][w], d, to);
      }
      hn::Store(wrapped[level], d, to);
      to += lanes_;
    }
  }

  void restore(std::uint32_t row, unsigned levels, V (*state)[kWords], V* wrapped) {
    const D d;
    const std::uint64_t* from = saved(row);
    for (unsigned level = 0; level < levels; ++level) {
      for (unsigned w = 0; w < kWords; ++w, from += lanes_) {
        state[level][w] = hn::Load(d, from);
      }
      wrapped[level] = hn::Load(d, from);
      from += lanes_;
    }
  }

  HWY_NOINLINE void collect(const ProgramList& list, unsigned levels, const V (*state)[kWords], std::uint64_t position,
                            std::uint64_t begin, std::uint64_t end, std::vector<Hit>& hits) const {
    const D d;
    HWY_ALIGN std::uint64_t words[kMaxLanes];
    HWY_ALIGN std::uint64_t lower[kMaxLanes];
    const bool drops = list.id < whole_ids_ && disallowed_ends_.any();
    const std::uint64_t* const dropped = drops ? disallowed_ends_.of_length(list.length) : nullptr;
    for (unsigned t = 0; t < kWords; ++t) {
      const V found = state[levels - 1][t];
      hn::Store(drops ? hn::AndNot(hn::LoadU(d, dropped + t * lanes_), found) : found, d, words);
      for (std::size_t lane = 0; lane < lanes_; ++lane) {
        for (std::uint64_t left = words[lane]; left != 0; left &= left - 1) {
          const auto place = static_cast<unsigned>(std::countr_zero(left));
          const std::uint64_t at = position + position_in_block(t, lane, place, lanes_);
          if (at < begin || at >= end) {
            continue;
          }
          if (hits.size() >= most_) {
            return;
          }
          unsigned distance = levels - 1;
          for (; distance > 0; --distance) {
            hn::Store(state[distance - 1][t], d, lower);
            if (((lower[lane] >> place) & 1) == 0) {
              break;
            }
          }
          hits.push_back({at, list.id, static_cast<std::uint16_t>(distance)});
        }
      }
    }
  }

  const WuManberProgram& program_;
  DisallowedEnds& disallowed_ends_;
  std::uint32_t whole_ids_;
  std::size_t most_;
  unsigned levels_;
  std::size_t lanes_;
  Wrap wrap_;
  std::vector<std::uint8_t> carries_;      // [row of the program][level]: 1 if the block before ends with such a match
  std::vector<std::uint32_t> last_carry_;  // [list]: no row from this one on has a carry
  hwy::AlignedFreeUniquePtr<std::uint64_t[]> saved_;  // [row][level][word, then wrapped][lane]
};

std::uint64_t wu_manber_scan(const sequence::Reference& reference, std::span<const WuManberProgram> programs,
                             const WuManberScanOptions& options, std::uint64_t begin, std::uint64_t end,
                             std::vector<Hit>& hits) {
  std::uint64_t reach = options.reach;
  std::uint32_t sets = 0;
  std::uint64_t longest = 0;
  for (const WuManberProgram& program : programs) {
    reach = std::max<std::uint64_t>(reach, program.longest() + program.max_edits());
    sets |= program.sets();
    longest = std::max<std::uint64_t>(longest, program.longest());
  }
  const std::size_t before = hits.size();
  const std::size_t most = options.room > SIZE_MAX - before ? SIZE_MAX : before + options.room;
  const std::uint32_t whole_ids = options.ambiguous_matches ? options.whole_ids : 0;
  DisallowedEnds disallowed_ends(options.limit, longest);
  std::vector<ProgramScan> scans;
  scans.reserve(programs.size());
  for (const WuManberProgram& program : programs) {
    scans.emplace_back(program, disallowed_ends, whole_ids, most).begin(false);
  }
  BlockText text(reference, options.ambiguous_matches, sets);
  UniformText uniform(reference, options.ambiguous_matches, reach);
  const std::uint64_t block = text.positions();
  // A match that ends after `begin` may begin before it.
  std::uint64_t position = (begin - std::min(begin, reach)) / block * block;
  while (position < end && hits.size() - before < options.most_hits) {
    bool all_match = false;
    if (const std::uint64_t skipped = uniform.from(position, block, all_match); skipped > 0) {
      for (ProgramScan& scan : scans) {
        scan.begin(all_match);
      }
      position += skipped;
      continue;
    }
    Stop::look();
    text.load(position);
    if (whole_ids > 0) {
      disallowed_ends.load(reference, position);
    }
    const std::size_t before_block = hits.size();
    for (ProgramScan& scan : scans) {
      scan.scan(text, position, begin, end, hits);
    }
    if (hits.size() >= most) {
      hits.resize(before_block);
      return std::max(position, begin);
    }
    position += block;
  }
  return std::min(position, end);
}

const char* wu_manber_scan_target() { return hwy::TargetName(HWY_TARGET); }

}  // namespace trawl::scan::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace trawl::scan {

HWY_EXPORT(wu_manber_scan);
HWY_EXPORT(wu_manber_scan_target);

std::uint64_t wu_manber_scan(const sequence::Reference& reference, std::span<const WuManberProgram> programs,
                             const WuManberScanOptions& options, std::uint64_t begin, std::uint64_t end,
                             std::vector<Hit>& hits) {
  return HWY_DYNAMIC_DISPATCH(wu_manber_scan)(reference, programs, options, begin, end, hits);
}

const char* wu_manber_scan_target() { return HWY_DYNAMIC_DISPATCH(wu_manber_scan_target)(); }

}  // namespace trawl::scan

#endif  // HWY_ONCE
