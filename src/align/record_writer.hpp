// From the path of an alignment to its CIGAR, MD and NM, on host and device.
//
// A `Comparison` compares a read with the reference:
//   comparison.differences(i, position, length, visit)   Base i lies at `position`. Calls visit(bits, first) for
//                                                        words of 32 or 64 bits: bit b of `bits` says that base
//                                                        first + b does not match the reference. The words come in
//                                                        order. They cover bases [i, i + length), or end when visit()
//                                                        returns false.
//   comparison.letter(position)                          The letter of the reference.
//   comparison.base(i)                                   Base i of the read; 0 if it is ambiguous.
#pragma once

#include <cstdint>

#include "align/alignment.hpp"
#include "base/bits.hpp"
#include "base/host_device.hpp"
#include "match/fewest_gaps.hpp"

namespace trawl::align {

/// Writes the CIGAR and MD of one alignment to a sink. The runs are added one by one, from the alignment's start.
///
///   with: const auto& comparison, auto& sink, std::uint64_t start
///   RecordWriter writer(comparison, false, start, sink);
///   writer.add(match::Step::diagonal, 60);
///   writer.add(match::Step::deletion, 2);
///   writer.add(match::Step::diagonal, 40);
///   writer.finish();                      // the sink has 60M2D40M; writer.edits(): SAM's NM
///
/// A Sink has: element(e) for a CIGAR element in SAM's encoding; letter(c) and number(n) for the parts of MD.
template <class Comparison, class Sink>
class RecordWriter {
 public:
  TRAWL_HOST_DEVICE RecordWriter(const Comparison& comparison, bool eqx, std::uint64_t position, Sink& sink)
      : comparison_(comparison), sink_(sink), position_(position), eqx_(eqx) {}

  TRAWL_HOST_DEVICE void add(match::Step step, std::uint32_t length) {
    switch (step) {
      case match::Step::insertion:
        put(CigarOp::insertion, length);
        edits_ += length;
        base_ += length;
        break;
      case match::Step::deletion:
        put(CigarOp::deletion, length);
        edits_ += length;
        put_matched();
        sink_.letter('^');
        for (std::uint32_t k = 0; k < length; ++k) {
          sink_.letter(comparison_.letter(position_ + k));
        }
        position_ += length;
        break;
      default:
        add_diagonal(length);
    }
  }

  TRAWL_HOST_DEVICE void finish() {
    put_matched();
    sink_.element(pending_);
  }

  TRAWL_HOST_DEVICE std::uint64_t position() const { return position_; }
  TRAWL_HOST_DEVICE std::uint32_t edits() const { return edits_; }

 private:
  TRAWL_HOST_DEVICE void add_diagonal(std::uint32_t length) {
    if (!eqx_) {
      put(CigarOp::match, length);
    }
    std::uint32_t at = base_;
    comparison_.differences(base_, position_, length, [&](auto bits, std::uint32_t first) {
      for (; bits != 0; bits &= bits - 1) {
        const std::uint32_t next = first + lowest_bit(bits);
        matched_ += next - at;
        put_matched();
        sink_.letter(comparison_.letter(position_ + (next - base_)));
        ++edits_;
        if (eqx_) {
          put(CigarOp::equal, next - at);
          put(CigarOp::mismatch, 1);
        }
        at = next + 1;
      }
      return true;
    });
    const std::uint32_t rest = base_ + length - at;
    matched_ += rest;
    if (eqx_) {
      put(CigarOp::equal, rest);
    }
    base_ += length;
    position_ += length;
  }

  TRAWL_HOST_DEVICE void put_matched() {
    sink_.number(matched_);
    matched_ = 0;
  }

  // Adjacent runs of one kind become one CIGAR element.
  TRAWL_HOST_DEVICE void put(CigarOp op, std::uint32_t length) {
    if (length == 0) {
      return;
    }
    if (pending_ != 0 && (pending_ & 15u) == static_cast<std::uint32_t>(op)) {
      pending_ += length << 4;
      return;
    }
    if (pending_ != 0) {
      sink_.element(pending_);
    }
    pending_ = length << 4 | static_cast<std::uint32_t>(op);
  }

  const Comparison& comparison_;
  Sink& sink_;
  std::uint64_t position_;
  std::uint32_t base_ = 0;  // of the read
  std::uint32_t edits_ = 0;
  std::uint32_t matched_ = 0;  // bases since the last letter of the MD
  std::uint32_t pending_ = 0;  // the last element, not written yet because it may become longer
  bool eqx_;
};

/// Whether a read fits a locus without a gap, with its last base at `end`, and with exactly `distance` mismatches.
/// `contig_begin()`: begin of the contig that holds `end`.
template <class Comparison, class ContigBegin>
TRAWL_HOST_DEVICE bool fits_without_gap(const Comparison& comparison, std::uint32_t length, std::int64_t end,
                                        std::uint32_t distance, const ContigBegin& contig_begin) {
  const std::int64_t begin = end + 1 - static_cast<std::int64_t>(length);
  if (begin < 0) {
    return false;
  }
  std::uint32_t mismatches = 0;
  comparison.differences(0, static_cast<std::uint64_t>(begin), length, [&](auto bits, std::uint32_t) {
    mismatches += popcount(bits);
    return mismatches <= distance;
  });
  return mismatches == distance && begin >= static_cast<std::int64_t>(contig_begin());
}

}  // namespace trawl::align
