#include "bench/simulation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bench/files.hpp"

namespace trawl::bench {

namespace {

constexpr std::size_t kFlushSize = std::size_t{1} << 22;

}  // namespace

EventGap::EventGap(double rate) : rate_(rate), log_of_none_(std::log1p(-rate)) {
  if (rate < 0 || rate >= 1) {
    throw std::runtime_error("rates must lie in [0, 1)");
  }
}

std::size_t EventGap::draw(SplitMix64& random) const {
  if (rate_ == 0) {
    return std::numeric_limits<std::size_t>::max() / 2;
  }
  return static_cast<std::size_t>(std::min(std::log(1 - random.unit()) / log_of_none_, 1e15));
}

SourceGenome::SourceGenome(const std::string& path) {
  SequenceReader reader(path);
  Sequence contig;
  starts.push_back(0);
  while (reader.next(contig)) {
    names.push_back(contig.name);
    for (const char letter : contig.bases) {
      bases += "ACGTN"[base_code(letter)];
    }
    starts.push_back(bases.size());
  }
  if (bases.empty()) {
    throw std::runtime_error(path + ": no bases");
  }
}

std::size_t SourceGenome::contig_of(std::size_t position) const {
  return static_cast<std::size_t>(std::upper_bound(starts.begin(), starts.end(), position) - starts.begin()) - 1;
}

void SourceGenome::append_place(std::size_t start, std::size_t end, bool reverse, std::uint64_t edits,
                                std::string& out) const {
  const std::size_t origin = starts[contig_of(start)];
  out += '_' + std::to_string(start - origin) + '_' + std::to_string(end - origin) + (reverse ? "_-_" : "_+_") +
         std::to_string(edits);
}

BaseQualities::BaseQualities() {
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

void BaseQualities::draw(SplitMix64& random, std::string& qualities) const {
  const std::size_t zones = right_base_.size();
  std::size_t i = 0;
  for (std::size_t zone = 0; zone < zones; ++zone) {
    const std::size_t zone_end = (zone + 1) * qualities.size() / zones;
    while (i < zone_end) {
      std::uint64_t bytes = random.next();
      for (const std::size_t stop = std::min(zone_end, i + 8); i < stop; ++i, bytes >>= 8) {
        qualities[i] = right_base_[zone][bytes & 255];
      }
    }
  }
}

void append_fastq(const std::string& header, const std::string& bases, const std::string& qualities, std::string& out) {
  out += header;
  out += '\n';
  out += bases;
  out += "\n+\n";
  out += qualities;
  out += '\n';
}

double draw_normal(SplitMix64& random) {
  double x = 0;
  double square = 0;
  do {
    x = 2 * random.unit() - 1;
    const double y = 2 * random.unit() - 1;
    square = x * x + y * y;
  } while (square >= 1 || square == 0);
  return x * std::sqrt(-2 * std::log(square) / square);
}

void turn(std::string& bases) { bases = reverse_complement(bases); }

Output::Output(const std::string& path) : file_(std::fopen(path.c_str(), "wb"), std::fclose), name_(path) {
  if (file_ == nullptr) {
    fail();
  }
}

void Output::write_if_large() {
  if (buffer_.size() >= kFlushSize) {
    write();
  }
}

void Output::finish() {
  write();
  if (std::fflush(file_.get()) != 0) {
    fail();
  }
}

void Output::write() {
  if (std::fwrite(buffer_.data(), 1, buffer_.size(), file_.get()) != buffer_.size()) {
    fail();
  }
  buffer_.clear();
}

}  // namespace trawl::bench
