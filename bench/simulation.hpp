// What the makers of reads share: the reference, places of events, qualities, adapters, output.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "bench/random.hpp"
#include "bench/rules.hpp"

namespace trawl::bench {

/// What a sequencer reads before and after a fragment (Illumina TruSeq), and after the second mate's end.
inline constexpr std::string_view kAdapterBefore = "AATGATACGGCGACCACCGAGATCTACACTCTTTCCCTACACGACGCTCTTCCGATCT";
inline constexpr std::string_view kAdapterAfter = "AGATCGGAAGAGCACACGTCTGAACTCCAGTCACATCACGATCTCGTATGCCGTCTTCTGCTTG";
inline constexpr std::string_view kAdapterAfterSecond = "AGATCGGAAGAGCGTCGTGTAGGGAAAGAGTGTAGATCTCGGTGGTCGCCGTATCATT";

/// The distance from one event to the next, if each base has an event with the same probability.
class EventGap {
 public:
  explicit EventGap(double rate);
  std::size_t draw(SplitMix64& random) const;

 private:
  double rate_;
  double log_of_none_;
};

/// The contigs one after the other. A position is drawn from all of them.
struct SourceGenome {
  std::vector<std::string> names;
  std::vector<std::size_t> starts;  // the last one is the end
  std::string bases;                // upper case; N for every ambiguous letter

  explicit SourceGenome(const std::string& path);
  std::size_t contig_of(std::size_t position) const;
  std::size_t contig_end(std::size_t position) const { return starts[contig_of(position) + 1]; }
  const std::string& contig_name(std::size_t position) const { return names[contig_of(position)]; }
  /// Appends _<start0>_<end0>_<strand>_<edits>, counted in the contig of `start`.
  void append_place(std::size_t start, std::size_t end, bool reverse, std::uint64_t edits, std::string& out) const;
};

/// Phred values. Correct bases: 40 and a little less at first, more and more often below 30 towards the 3' end. Wrong
/// bases: mostly below 20.
class BaseQualities {
 public:
  BaseQualities();
  void draw(SplitMix64& random, std::string& qualities) const;  // of correct bases, as many as there are
  char draw_wrong(SplitMix64& random) const { return wrong_base_[random.below(wrong_base_.size())]; }

 private:
  std::array<std::array<char, 256>, 8> right_base_;  // for each eighth of the read, from 5' to 3'
  std::array<char, 64> wrong_base_;
};

inline char random_base(SplitMix64& random) { return kBaseLetters[random.below(4)]; }

inline char other_base(char base, SplitMix64& random) {
  return kBaseLetters[(base_code(base) + random.between(1, 3)) % 4];
}

/// A record: `header` begins with @.
void append_fastq(const std::string& header, const std::string& bases, const std::string& qualities, std::string& out);

/// A normal deviate, by Marsaglia's polar method.
double draw_normal(SplitMix64& random);

/// Replaces it with its reverse complement.
void turn(std::string& bases);

/// Draws windows until one has no ambiguous base and is in one contig. draw(): whether it succeeded. Gives up after so
/// many that the reference cannot have one.
template <class Draw>
void draw_window(const Draw& draw) {
  for (std::uint64_t tries = 0; tries < 1'000'000; ++tries) {
    if (draw()) {
      return;
    }
  }
  throw std::runtime_error("no window found that is long enough and has no ambiguous bases");
}

/// Collects text and writes it in large pieces.
class Output {
 public:
  /// A file, or the standard output.
  explicit Output(const std::string& path);
  Output() : file_(stdout, [](std::FILE*) { return 0; }), name_("the standard output") {}

  std::string& buffer() { return buffer_; }
  void write_if_large();
  /// To be called once, after all text.
  void finish();

 private:
  void write();
  [[noreturn]] void fail() const { throw std::runtime_error(name_ + ": cannot be written"); }

  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  std::string name_;
  std::string buffer_;
};

/// Writes two files. append(i, first, second) appends to both what they have of `i`, for all below `count`.
template <class Append>
void write_two(std::uint64_t count, const std::string& first_path, const std::string& second_path,
               const Append& append) {
  Output first(first_path);
  Output second(second_path);
  for (std::uint64_t i = 0; i < count; ++i) {
    append(i, first.buffer(), second.buffer());
    first.write_if_large();
    second.write_if_large();
  }
  first.finish();
  second.finish();
}

}  // namespace trawl::bench
