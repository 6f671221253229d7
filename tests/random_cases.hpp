// Random and hostile references and reads for the property tests. The seed determines all of them.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <deque>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "sequence/alphabet.hpp"
#include "sequence/packed_letters.hpp"

namespace trawl::tests {

/// Where chance comes from: a seed, or first the bytes of a fuzzer, two for each number.
class Chance {
 public:
  using result_type = std::uint64_t;
  explicit Chance(std::uint64_t seed) : engine_(seed + other_seeds()) {}
  explicit Chance(std::string_view bytes) : bytes_(bytes), engine_(bytes.size()) {}

  static constexpr std::uint64_t min() { return 0; }
  static constexpr std::uint64_t max() { return ~std::uint64_t{0}; }
  std::uint64_t operator()() {
    if (bytes_.size() < 2) {
      return engine_();
    }
    const std::uint64_t number = static_cast<unsigned char>(bytes_[0]) << 8 | static_cast<unsigned char>(bytes_[1]);
    bytes_.remove_prefix(2);
    return number * 0x0001000100010001;
  }

 private:
  // TRAWL_TEST_SEED in the environment: other cases than those of the seeds in the tests (scripts/fuzz.sh).
  static std::uint64_t other_seeds() {
    const char* const text = std::getenv("TRAWL_TEST_SEED");
    return text != nullptr ? std::strtoull(text, nullptr, 10) << 32 : 0;
  }

  std::string_view bytes_;
  std::mt19937_64 engine_;
};

class RandomCases {
 public:
  explicit RandomCases(std::uint64_t seed) : engine_(seed) {}
  explicit RandomCases(std::string_view bytes) : engine_(bytes) {}

  std::size_t number(std::size_t low, std::size_t high) {
    return std::uniform_int_distribution<std::size_t>(low, high)(engine_);
  }
  bool chance(double p) { return std::uniform_real_distribution<double>(0, 1)(engine_) < p; }
  /// A pattern's length: mostly `usual`, sometimes up to 1,024.
  std::size_t long_length(std::size_t usual) { return chance(0.7) ? usual : chance(0.7) ? 300 : 1024; }
  char base() { return "ACGT"[number(0, 3)]; }
  char ambiguous_letter() { return "NNNNRYKMSWBDHV"[number(0, 13)]; }

  std::string bases(std::size_t length) {
    std::string out;
    while (out.size() < length) {
      out += base();
    }
    return out;
  }

  /// Makes `edits` substitutions and indels.
  std::string mutate(std::string text, std::size_t edits) {
    for (std::size_t k = 0; k < edits && !text.empty(); ++k) {
      const std::size_t at = number(0, text.size() - 1);
      switch (number(0, 3)) {
        case 0:
          text.erase(at, 1);
          break;
        case 1:
          text.insert(text.begin() + static_cast<std::ptrdiff_t>(at), base());
          break;
        default:
          text[at] = base();
      }
    }
    return text;
  }

  /// A contig of random bases, tandem repeats, runs of one base, copies of earlier parts, and ambiguous letters.
  std::string contig(std::size_t length, double ambiguity) {
    std::string out;
    while (out.size() < length) {
      switch (number(0, 5)) {
        case 0:
          out += std::string(number(1, 60), base());
          break;
        case 1: {
          const std::string unit = bases(number(1, 7));
          for (std::size_t k = number(1, 20); k > 0; --k) {
            out += unit;
          }
          break;
        }
        case 2:
          if (!out.empty()) {
            const std::size_t at = number(0, out.size() - 1);
            const std::string copy = out.substr(at, number(1, 200));
            out += mutate(chance(0.5) ? copy : sequence::reverse_complement(copy), number(0, 8));
            break;
          }
          [[fallthrough]];
        default:
          out += bases(number(1, 150));
      }
    }
    out.resize(length);
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (chance(ambiguity)) {
        const char letter = ambiguous_letter();
        for (std::size_t k = chance(0.1) ? number(1, 300) : 1; k > 0 && i < out.size(); --k) {
          out[i++] = letter;
        }
      }
    }
    return out;
  }

  std::vector<std::string> contigs(double ambiguity) {
    std::vector<std::string> out;
    const std::size_t count = chance(0.3) ? number(5, 30) : number(1, 3);
    for (std::size_t c = 0; c < count; ++c) {
      out.push_back(contig(count > 3 ? number(1, 150) : number(1, 1500), ambiguity));
    }
    return out;
  }

  /// A read with edits, of about `length` bases, from any position in the contigs, also at their ends; or a random one.
  std::string read(const std::vector<std::string>& contigs, std::size_t length, std::size_t edits, double ambiguity) {
    std::string out;
    if (chance(0.9)) {
      const std::string& contig = contigs[number(0, contigs.size() - 1)];
      const std::size_t at = chance(0.15)                             ? 0
                             : chance(0.15) && contig.size() > length ? contig.size() - length
                                                                      : number(0, contig.size() - 1);
      out = contig.substr(at, length);
      for (char& c : out) {
        c = sequence::base_code(c) == sequence::kAmbiguous ? base() : c;
      }
      while (out.size() < length) {
        if (chance(0.5)) {
          out += base();
        } else {
          out.insert(out.begin(), base());
        }
      }
      out = mutate(out, number(0, edits + 2));
    } else {
      out = bases(length);
    }
    for (char& c : out) {
      if (chance(ambiguity)) {
        c = ambiguous_letter();
      }
    }
    return chance(0.5) ? out : sequence::reverse_complement(out);
  }

 private:
  Chance engine_;
};

inline sequence::Reference make_reference(const std::vector<std::string>& contigs) {
  std::deque<std::string> names;
  std::vector<sequence::NamedText> texts;
  for (const std::string& contig : contigs) {
    texts.push_back({names.emplace_back("contig" + std::to_string(names.size())), contig});
  }
  return sequence::pack_texts(texts);
}

}  // namespace trawl::tests
