#include "bench/simulate_reads.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "bench/random.hpp"
#include "bench/sequence_files.hpp"
#include "src/sequence/alphabet.hpp"

namespace trawl::bench {

namespace {

constexpr double kLongerIndel = 0.4;  // probability that an indel is one base longer, again and again
constexpr std::size_t kFlushSize = std::size_t{1} << 22;
constexpr std::uint64_t kMostTries = 1000000;  // after so many windows for one read the reference is given up

// The distance from one event to the next, if each base has an event with the same probability.
class EventGap {
 public:
  explicit EventGap(double rate) : rate_(rate), log_of_none_(std::log1p(-rate)) {
    if (rate < 0 || rate >= 1) {
      throw std::runtime_error("rates must lie in [0, 1)");
    }
  }

  std::size_t draw(SplitMix64& random) const {
    if (rate_ == 0) {
      return std::numeric_limits<std::size_t>::max() / 2;
    }
    return static_cast<std::size_t>(std::min(std::log(1 - random.unit()) / log_of_none_, 1e15));
  }

 private:
  double rate_;
  double log_of_none_;
};

// The contigs one after the other. A position is drawn from all of them.
struct Reference {
  std::vector<std::string> names;
  std::vector<std::size_t> starts;  // the last one is the end
  std::string bases;                // upper case; N for every ambiguous letter

  explicit Reference(const std::string& path) {
    SequenceReader reader(path);
    Sequence contig;
    starts.push_back(0);
    while (reader.next(contig)) {
      names.push_back(contig.name);
      for (const char letter : contig.bases) {
        const auto code = sequence::base_code(letter);
        bases += code == sequence::kAmbiguous ? 'N' : sequence::kBaseLetters[code];
      }
      starts.push_back(bases.size());
    }
    if (bases.empty()) {
      throw std::runtime_error(path + ": no bases");
    }
  }

  std::size_t contig_of(std::size_t position) const {
    return static_cast<std::size_t>(std::upper_bound(starts.begin(), starts.end(), position) - starts.begin()) - 1;
  }
};

class ReadSimulator {
 public:
  ReadSimulator(const Reference& reference, const ReadModel& model, std::uint64_t seed)
      : reference_(reference),
        model_(model),
        random_(seed),
        variant_gap_(model.variant_rate),
        error_gap_(model.error_rate) {
    make_quality_tables();
  }

  // Appends one FASTQ record.
  void append(std::uint64_t number, std::string& out) {
    const std::size_t length = random_.between(model_.shortest, model_.longest);
    draw_window(length);
    const bool reverse = random_.below(2) != 0;
    if (reverse) {
      std::reverse(read_.begin(), read_.end());
      std::transform(read_.begin(), read_.end(), read_.begin(), sequence::complement_base);
    }
    qualities_.assign(length, 'I');
    if (model_.qualities) {
      draw_qualities();
    }
    add_errors();

    const std::size_t contig = reference_.contig_of(start_);
    const std::size_t origin = reference_.starts[contig];
    out += "@sim";
    append_number(number, out);
    out += '_';
    out += reference_.names[contig];
    out += '_';
    append_number(start_ - origin, out);
    out += '_';
    append_number(end_ - origin, out);
    out += reverse ? "_-_" : "_+_";
    append_number(edits_, out);
    out += '\n';
    out += read_;
    out += "\n+\n";
    out += qualities_;
    out += '\n';
  }

 private:
  static void append_number(std::uint64_t value, std::string& out) {
    std::array<char, 20> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    out.append(digits.data(), end);
  }

  char random_base() { return sequence::kBaseLetters[random_.below(4)]; }

  char other_base(char base) { return sequence::kBaseLetters[(sequence::base_code(base) + random_.between(1, 3)) % 4]; }

  // Draws windows until one has no ambiguous base and is in one contig.
  void draw_window(std::size_t length) {
    for (std::uint64_t tries = 0; tries < kMostTries; ++tries) {
      start_ = random_.below(reference_.bases.size());
      if (copy_with_variants(length)) {
        return;
      }
    }
    throw std::runtime_error("no window of " + std::to_string(length) + " bases without ambiguous ones found");
  }

  // Fills read_ with `length` bases from start_ on. The first base is always copied, so that the alignment begins at
  // start_.
  bool copy_with_variants(std::size_t length) {
    const std::size_t contig_end = *std::upper_bound(reference_.starts.begin(), reference_.starts.end(), start_);
    read_.clear();
    edits_ = 0;
    end_ = start_;
    std::size_t copied = 1 + variant_gap_.draw(random_);
    for (;;) {
      copied = std::min(copied, length - read_.size());
      if (contig_end - end_ < copied) {
        return false;
      }
      read_.append(reference_.bases, end_, copied);
      end_ += copied;
      if (read_.size() == length) {
        return read_.find('N') == std::string::npos;
      }
      if (!add_variant(length, contig_end)) {
        return false;
      }
      copied = variant_gap_.draw(random_);
    }
  }

  // False if the contig ends before the variant.
  bool add_variant(std::size_t length, std::size_t contig_end) {
    if (!random_.chance(model_.indel_share)) {
      if (end_ == contig_end) {
        return false;
      }
      const char base = reference_.bases[end_++];
      read_ += base == 'N' ? 'N' : other_base(base);
      ++edits_;
      return true;
    }
    const bool insertion = random_.below(2) != 0;
    std::size_t gap = 1;
    while (random_.chance(kLongerIndel)) {
      ++gap;
    }
    if (insertion) {
      gap = std::min(gap, length - read_.size());
      for (std::size_t i = 0; i < gap; ++i) {
        read_ += random_base();
      }
    } else {
      if (contig_end - end_ < gap) {
        return false;
      }
      end_ += gap;
    }
    edits_ += gap;
    return true;
  }

  // Sequencing errors: substitutions, with lower qualities than the bases around them.
  void add_errors() {
    for (std::size_t i = error_gap_.draw(random_); i < read_.size(); i += 1 + error_gap_.draw(random_)) {
      read_[i] = other_base(read_[i]);
      ++edits_;
      if (model_.qualities) {
        qualities_[i] = wrong_base_[random_.below(wrong_base_.size())];
      }
    }
  }

  // Correct bases: Phred 40 and a little less at first, more and more often below 30 towards the 3' end. Wrong bases:
  // mostly below 20.
  void make_quality_tables() {
    SplitMix64 random(1);
    for (std::size_t zone = 0; zone < right_base_.size(); ++zone) {
      for (char& quality : right_base_[zone]) {
        const std::uint64_t low = random.below(100) < 1 + 2 * zone ? random.between(8, 25) : 0;
        quality = static_cast<char>('!' + (low > 0 ? low : 40 - random.below(3 + zone)));
      }
    }
    for (char& quality : wrong_base_) {
      quality = static_cast<char>('!' + (random.below(10) == 0 ? random.between(26, 38) : random.between(2, 20)));
    }
  }

  void draw_qualities() {
    const std::size_t zones = right_base_.size();
    const std::size_t length = qualities_.size();
    std::size_t i = 0;
    for (std::size_t zone = 0; zone < zones; ++zone) {
      const std::size_t zone_end = (zone + 1) * length / zones;
      while (i < zone_end) {
        std::uint64_t bytes = random_.next();
        for (const std::size_t stop = std::min(zone_end, i + 8); i < stop; ++i, bytes >>= 8) {
          qualities_[i] = right_base_[zone][bytes & 255];
        }
      }
    }
  }

  const Reference& reference_;
  const ReadModel& model_;
  SplitMix64 random_;
  EventGap variant_gap_;
  EventGap error_gap_;
  std::array<std::array<char, 256>, 8> right_base_;  // for each eighth of the read, from 5' to 3'
  std::array<char, 64> wrong_base_;

  // The current read.
  std::size_t start_ = 0;
  std::size_t end_ = 0;
  std::uint64_t edits_ = 0;
  std::string read_;
  std::string qualities_;
};

void flush(std::string& buffer, std::FILE* out) {
  if (std::fwrite(buffer.data(), 1, buffer.size(), out) != buffer.size()) {
    throw std::runtime_error("the reads cannot be written");
  }
  buffer.clear();
}

}  // namespace

void write_reads(const std::string& reference_path, std::uint64_t count, std::uint64_t seed, const ReadModel& model,
                 std::FILE* out) {
  const Reference reference(reference_path);
  ReadSimulator simulator(reference, model, seed);
  std::string buffer;
  for (std::uint64_t i = 0; i < count; ++i) {
    simulator.append(i, buffer);
    if (buffer.size() >= kFlushSize) {
      flush(buffer, out);
    }
  }
  flush(buffer, out);
  if (std::fflush(out) != 0) {
    throw std::runtime_error("the reads cannot be written");
  }
}

}  // namespace trawl::bench
