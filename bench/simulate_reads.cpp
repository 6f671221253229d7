#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "bench/files.hpp"
#include "bench/simulate.hpp"

namespace trawl::bench {

namespace {

constexpr double kLongerIndel = 0.4;  // probability that an indel is one base longer, again and again
constexpr std::size_t kShortestTail = 10;
constexpr std::size_t kLongestTail = 60;

class ReadSimulator {
 public:
  ReadSimulator(const SourceGenome& reference, const ReadModel& model, std::uint64_t seed)
      : reference_(reference),
        model_(model),
        random_(seed),
        variant_gap_(model.variant_rate),
        error_gap_(model.error_rate) {}

  // Appends one FASTQ record.
  void append(std::uint64_t number, std::string& out) {
    const std::size_t length = draw_length();
    if (model_.artefacts.any() && append_artefact(number, length, out)) {
      return;
    }
    draw_window([&] { return copy_with_variants(random_.below(reference_.bases.size()), length); });
    sequence(random_.below(2) != 0);
    name_ = "@sim" + std::to_string(number) + '_' + reference_.contig_name(read_.start);
    append_truth(read_);
    append_fastq(name_, read_.bases, read_.qualities, out);
  }

  // Appends one FASTQ record to each output.
  void append_pair(std::uint64_t number, const FragmentModel& fragments, std::string& first, std::string& second) {
    const std::size_t lengths[2] = {draw_length(), draw_length()};  // of the left and the right mate
    const std::size_t shortest = std::max(lengths[0], lengths[1]);
    draw_window([&] {
      const std::size_t fragment = draw_fragment(fragments);
      const std::size_t start = random_.below(reference_.bases.size());
      if (fragment < shortest || reference_.contig_end(start) - start < fragment ||
          !copy_with_variants(start, lengths[0])) {
        return false;
      }
      std::swap(left_, read_);
      return copy_with_variants(start + fragment - lengths[1], lengths[1]);
    });
    const bool turned = random_.below(2) != 0;  // the fragment's other strand was sequenced
    sequence(fragments.orientation == Orientation::fr || (fragments.orientation == Orientation::ff && turned));
    std::swap(left_, read_);
    sequence(fragments.orientation == Orientation::rf || (fragments.orientation == Orientation::ff && turned));
    std::swap(left_, read_);
    const Simulated* const mates[2] = {turned ? &read_ : &left_, turned ? &left_ : &read_};

    name_ = "@pair" + std::to_string(number) + '_' + reference_.contig_name(read_.start);
    append_truth(*mates[0]);
    append_truth(*mates[1]);
    append_fastq(name_, mates[0]->bases, mates[0]->qualities, first);
    append_fastq(name_, mates[1]->bases, mates[1]->qualities, second);
  }

 private:
  // A read, and where in the reference it is from.
  struct Simulated {
    std::size_t start = 0;
    std::size_t end = 0;
    std::uint64_t edits = 0;
    bool reverse = false;
    std::string bases;
    std::string qualities;
  };

  void append_truth(const Simulated& read) {
    reference_.append_place(read.start, read.end, read.reverse, read.edits, name_);
  }

  // ---- reads that do not fit from end to end ----

  // Consecutive bases of the read, and where they are from.
  struct Part {
    std::size_t start = 0;
    std::size_t end = 0;
    std::uint64_t edits = 0;
    bool reverse = false;
    std::size_t first_base = 0;  // of the read
    std::size_t bases = 0;
  };

  // Draws the kind of the read. False if it has no artefact.
  bool append_artefact(std::uint64_t number, std::size_t length, std::string& out) {
    const ArtefactModel& artefacts = model_.artefacts;
    double kind = random_.unit();
    const auto is = [&](double share) {
      kind -= share;
      return kind < 0;
    };
    parts_.clear();
    made_.clear();
    const char* name = nullptr;
    std::size_t tail = 0;
    if (is(artefacts.adapters)) {
      name = "adapter";
      make_adapters(length);
    } else if (is(artefacts.chimeras) && length > 1) {
      name = "chimera";
      const std::size_t border = random_.between(1, length - 1);
      add_part(border);
      add_part(length - border);
    } else if (is(artefacts.indels) && length > 2 + artefacts.indel.last) {
      name = "indel";
      make_indel(length);
    } else if (is(artefacts.tails) && length > kLongestTail) {
      name = "tail";
      tail = random_.between(kShortestTail, kLongestTail);
      add_neighbours(length - tail, 0, "", tail);
      parts_.pop_back();
    } else {
      return false;
    }
    finish_artefact(name, number, tail, out);
    return true;
  }

  // Appends `length` bases of a random place to the read.
  void add_part(std::size_t length) {
    draw_window([&] { return copy_with_variants(random_.below(reference_.bases.size()), length); });
    add_copied(random_.below(2) != 0);
  }

  void add_copied(bool reverse) {
    if (reverse) {
      turn(read_.bases);
    }
    parts_.push_back({read_.start, read_.end, read_.edits, reverse, made_.size(), read_.bases.size()});
    made_ += read_.bases;
  }

  void make_adapters(std::size_t length) {
    const auto within_read = [&](std::uint64_t bases) { return std::min<std::size_t>(bases, length - 1); };
    const std::size_t all =
        random_.between(within_read(model_.artefacts.adapter.first), within_read(model_.artefacts.adapter.last));
    const std::uint64_t ends = random_.below(4);  // 0 and 1: the 3' end; 2: the 5' end; 3: both
    const std::size_t before = ends == 2 ? all : ends == 3 ? random_.between(0, all) : 0;
    const bool real = random_.below(2) != 0;
    for (std::size_t i = before; i > 0; --i) {
      made_ += real && i <= kAdapterBefore.size() ? kAdapterBefore[kAdapterBefore.size() - i] : random_base(random_);
    }
    add_part(length - all);
    for (std::size_t i = 0; i < all - before; ++i) {
      made_ += real && i < kAdapterAfter.size() ? kAdapterAfter[i] : random_base(random_);
    }
  }

  void make_indel(std::size_t length) {
    const std::size_t gap = random_.between(model_.artefacts.indel);
    std::string inserted;
    if (random_.below(2) != 0) {
      inserted.resize(gap);
      std::generate(inserted.begin(), inserted.end(), [&] { return random_base(random_); });
    }
    const std::size_t copied = length - inserted.size();
    const std::size_t first = random_.between(1, copied - 1);
    add_neighbours(first, inserted.empty() ? gap : 0, inserted, copied - first);
  }

  // Appends `first` bases of a random place, `inserted`, and `second` bases from `skipped` letters further on.
  void add_neighbours(std::size_t first, std::size_t skipped, const std::string& inserted, std::size_t second) {
    const bool reverse = random_.below(2) != 0;
    Simulated left;
    draw_window([&] {
      if (!copy_with_variants(random_.below(reference_.bases.size()), reverse ? second : first)) {
        return false;
      }
      std::swap(left, read_);
      const std::size_t next = left.end + skipped;
      return next < reference_.contig_end(left.start) && copy_with_variants(next, reverse ? first : second);
    });
    if (!reverse) {
      std::swap(left, read_);
    }
    add_copied(reverse);
    made_ += inserted;
    std::swap(left, read_);
    add_copied(reverse);
  }

  void finish_artefact(const char* kind, std::uint64_t number, std::size_t tail, std::string& out) {
    read_.bases.swap(made_);
    read_.edits = 0;
    draw_base_qualities();
    add_errors([&](std::size_t i) {
      for (Part& part : parts_) {
        part.edits += part.first_base <= i && i < part.first_base + part.bases ? 1 : 0;
      }
    });
    for (std::size_t i = read_.bases.size() - tail; i < read_.bases.size(); ++i) {
      const std::uint64_t lot = random_.below(10);
      read_.bases[i] = lot < 3 ? 'N' : lot < 7 ? random_base(random_) : read_.bases[i];
      read_.qualities[i] = model_.qualities ? '#' : read_.qualities[i];
    }
    name_ = '@' + std::string(kind) + std::to_string(number);
    for (const Part& part : parts_) {
      name_ += (&part == parts_.data() ? '_' : '&') + reference_.contig_name(part.start);
      reference_.append_place(part.start, part.end, part.reverse, part.edits, name_);
      const std::size_t after = read_.bases.size() - part.first_base - part.bases;
      name_ += '_' + std::to_string(part.reverse ? after : part.first_base);
    }
    append_fastq(name_, read_.bases, read_.qualities, out);
  }

  std::size_t draw_length() { return random_.between(model_.length); }

  // 0 if it would be negative.
  std::size_t draw_fragment(const FragmentModel& fragments) {
    const double length = fragments.mean + fragments.deviation * draw_normal(random_);
    return static_cast<std::size_t>(std::max(0.0, std::floor(length + 0.5)));
  }

  // Turns the read to its strand and adds errors and qualities.
  void sequence(bool reverse) {
    read_.reverse = reverse;
    if (reverse) {
      turn(read_.bases);
    }
    draw_base_qualities();
    add_errors([&](std::size_t) { ++read_.edits; });
  }

  void draw_base_qualities() {
    read_.qualities.assign(read_.bases.size(), 'I');
    if (model_.qualities) {
      base_qualities_.draw(random_, read_.qualities);
    }
  }

  // Fills read_ with `length` bases from `start` on. The first base is always copied, so that the alignment begins
  // there.
  bool copy_with_variants(std::size_t start, std::size_t length) {
    const std::size_t contig_end = reference_.contig_end(start);
    read_.bases.clear();
    read_.edits = 0;
    read_.start = read_.end = start;
    std::size_t copied = 1 + variant_gap_.draw(random_);
    for (;;) {
      copied = std::min(copied, length - read_.bases.size());
      if (contig_end - read_.end < copied) {
        return false;
      }
      read_.bases.append(reference_.bases, read_.end, copied);
      read_.end += copied;
      if (read_.bases.size() == length) {
        return read_.bases.find('N') == std::string::npos;
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
      if (read_.end == contig_end) {
        return false;
      }
      const char base = reference_.bases[read_.end++];
      read_.bases += base == 'N' ? 'N' : other_base(base, random_);
      ++read_.edits;
      return true;
    }
    const bool insertion = random_.below(2) != 0;
    std::size_t gap = 1;
    while (random_.chance(kLongerIndel)) {
      ++gap;
    }
    if (insertion) {
      gap = std::min(gap, length - read_.bases.size());
      for (std::size_t i = 0; i < gap; ++i) {
        read_.bases += random_base(random_);
      }
    } else {
      if (contig_end - read_.end < gap) {
        return false;
      }
      read_.end += gap;
    }
    read_.edits += gap;
    return true;
  }

  // Sequencing errors: substitutions, with lower qualities than the bases around them. Calls count(i) for each.
  template <class Count>
  void add_errors(const Count& count) {
    for (std::size_t i = error_gap_.draw(random_); i < read_.bases.size(); i += 1 + error_gap_.draw(random_)) {
      read_.bases[i] = other_base(read_.bases[i], random_);
      count(i);
      if (model_.qualities) {
        read_.qualities[i] = base_qualities_.draw_wrong(random_);
      }
    }
  }

  const SourceGenome& reference_;
  const ReadModel& model_;
  SplitMix64 random_;
  EventGap variant_gap_;
  EventGap error_gap_;
  BaseQualities base_qualities_;

  Simulated read_;           // the one being made
  Simulated left_;           // the left mate, while the right one is being made
  std::vector<Part> parts_;  // of a read with an artefact, in its own direction
  std::string made_;         // its bases
  std::string name_;
};

// ---- reads with a barcode ----

void append_random_bases(std::uint64_t count, SplitMix64& random, std::string& text) {
  for (; count > 0; --count) {
    text += random_base(random);
  }
}

std::string with_errors(const std::string& text, double rate, SplitMix64& random) {
  std::string read;
  read.reserve(text.size() + text.size() / 16);
  for (const char base : text) {
    if (!random.chance(rate)) {
      read += base;
      continue;
    }
    switch (random.below(3)) {
      case 0:
        read += other_base(base, random);
        break;
      case 1:
        read += base;
        read += random_base(random);
        break;
      default:
        break;
    }
  }
  return read;
}

}  // namespace

void write_reads(const std::string& reference_path, std::uint64_t count, std::uint64_t seed, const ReadModel& model) {
  const SourceGenome reference(reference_path);
  ReadSimulator simulator(reference, model, seed);
  Output output;
  for (std::uint64_t i = 0; i < count; ++i) {
    simulator.append(i, output.buffer());
    output.write_if_large();
  }
  output.finish();
}

void write_pairs(const std::string& reference_path, std::uint64_t count, std::uint64_t seed, const ReadModel& model,
                 const FragmentModel& fragments, const std::string& first_path, const std::string& second_path) {
  const SourceGenome reference(reference_path);
  ReadSimulator simulator(reference, model, seed);
  write_two(count, first_path, second_path, [&](std::uint64_t i, std::string& first, std::string& second) {
    simulator.append_pair(i, fragments, first, second);
  });
}

void write_barcoded(const std::string& barcodes_path, std::uint64_t count, std::uint64_t seed,
                    const BarcodedModel& model) {
  const std::vector<Sequence> barcodes = read_all(barcodes_path);
  if (barcodes.empty()) {
    throw std::runtime_error(barcodes_path + ": no barcodes");
  }
  SplitMix64 random(seed);
  Output output;
  for (std::uint64_t n = 0; n < count; ++n) {
    const bool has_barcode = !random.chance(model.without);
    const Sequence& barcode = barcodes[random.below(barcodes.size())];
    std::string molecule;
    append_random_bases(random.between(0, model.longest_lead), random, molecule);
    molecule += has_barcode ? barcode.bases : "";
    append_random_bases(random.between(model.length), random, molecule);
    const bool reverse = random.below(2) != 0;
    const std::string read = with_errors(reverse ? reverse_complement(molecule) : molecule, model.error_rate, random);
    output.buffer() += "@barcoded" + std::to_string(n) + (reverse ? "_-_" : "_+_") +
                       (has_barcode ? barcode.name : "none") + '\n' + read + "\n+\n" + std::string(read.size(), '5') +
                       '\n';
    output.write_if_large();
  }
  output.finish();
}

}  // namespace trawl::bench
