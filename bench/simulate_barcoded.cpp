#include "bench/simulate_barcoded.hpp"

#include <stdexcept>
#include <vector>

#include "bench/random.hpp"
#include "bench/sequence_files.hpp"
#include "bench/simulation.hpp"
#include "src/sequence/alphabet.hpp"

namespace trawl::bench {

namespace {

void append_bases(std::uint64_t count, SplitMix64& random, std::string& text) {
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
        read += sequence::kBaseLetters[(sequence::base_code(base) + 1 + random.below(3)) % 4];
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

void write_barcoded(const std::string& barcodes_path, std::uint64_t count, std::uint64_t seed,
                    const BarcodedModel& model, std::FILE* out) {
  std::vector<Sequence> barcodes;
  SequenceReader reader(barcodes_path);
  for (Sequence barcode; reader.next(barcode);) {
    barcodes.push_back(barcode);
  }
  if (barcodes.empty()) {
    throw std::runtime_error(barcodes_path + ": no barcodes");
  }
  SplitMix64 random(seed);
  for (std::uint64_t n = 0; n < count; ++n) {
    const bool has_barcode = !random.chance(model.without);
    const Sequence& barcode = barcodes[random.below(barcodes.size())];
    std::string molecule;
    append_bases(random.between(0, model.longest_lead), random, molecule);
    molecule += has_barcode ? barcode.bases : "";
    append_bases(random.between(model.shortest, model.longest), random, molecule);
    const bool reverse = random.below(2) != 0;
    const std::string read =
        with_errors(reverse ? sequence::reverse_complement(molecule) : molecule, model.error_rate, random);
    const std::string record = "@barcoded" + std::to_string(n) + (reverse ? "_-_" : "_+_") +
                               (has_barcode ? barcode.name : "none") + '\n' + read + "\n+\n" +
                               std::string(read.size(), '5') + '\n';
    if (std::fwrite(record.data(), 1, record.size(), out) != record.size()) {
      throw std::runtime_error("cannot write the reads");
    }
  }
}

}  // namespace trawl::bench
