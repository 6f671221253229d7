// Random reads for the conformance tests, and the engines' results for them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "align/alignment.hpp"
#include "align/cigar.hpp"
#include "map/options.hpp"
#include "pipeline/engine_choice.hpp"
#include "sequence/read_batch.hpp"
#include "tests/random_cases.hpp"
#include "tests/read_oracle.hpp"

namespace trawl::tests {

/// Three reads are copied, the next three lie in a text of the input, and so on. Second mates are marked as such.
inline sequence::ReadBatch batch_of(const std::vector<Read>& reads) {
  struct Text {
    std::string text = "another read\n";
    std::vector<sequence::ReadBatch::Record> records;
  };
  constexpr std::size_t kTogether = 3;
  sequence::ReadBatch batch;
  for (std::size_t first = 0; first < reads.size(); first += kTogether) {
    const auto text = std::make_shared<Text>();
    for (std::size_t r = first; r < std::min(reads.size(), first + kTogether); ++r) {
      const Read& read = reads[r];
      if (first % (2 * kTogether) == 0) {
        batch.add(read.name, read.bases, read.qualities);
        continue;
      }
      sequence::ReadBatch::Record& record = text->records.emplace_back();
      record.name_length = static_cast<std::uint32_t>(read.name.size());
      record.length = static_cast<std::uint32_t>(read.bases.size());
      const auto append = [&text](const std::string& line) {
        const std::size_t at = text->text.size();
        text->text += line;
        return static_cast<std::uint32_t>(at);
      };
      record.at = append("@");
      append(read.name + "\n");
      record.bases = append(read.bases);
      append("\n+\n");
      record.qualities = read.qualities.empty() ? 0 : append(read.qualities + "\n");
    }
    if (!text->records.empty()) {
      batch.add_records({text, text->text.data(), text->records});
    }
  }
  batch.expand();
  for (std::size_t r = 0; r < reads.size(); ++r) {
    batch.set_marks(r, reads[r].second_mate ? 2 : 0);
    batch.are_parts_of_mates |= reads[r].second_mate;
  }
  return batch;
}

inline align::AlignmentBatch map_with(engine::Worker& worker, const std::vector<Read>& reads) {
  align::AlignmentBatch alignments;
  worker.map(batch_of(reads), alignments);
  return alignments;
}

struct CigarElement {
  char op;
  int length;
};

inline std::vector<CigarElement> cigar_of(const align::AlignmentBatch& batch, const align::Alignment& a) {
  std::vector<CigarElement> cigar;
  for (std::uint32_t k = 0; k < a.cigar_length; ++k) {
    const std::uint32_t element = batch.cigar_of(a)[k];
    cigar.push_back({"MIDNSHP=X"[element & 15], static_cast<int>(element >> 4)});
  }
  return cigar;
}

// An alignment without its mapping quality.
inline std::string text_of(const align::AlignmentBatch& batch, const align::Alignment& a) {
  std::string text = std::to_string(a.contig) + (a.reverse ? "-" : "+") + std::to_string(a.start) + "+" +
                     std::to_string(a.span) + " " + std::to_string(a.distance) + "," + std::to_string(a.edits) + "," +
                     std::to_string(a.score) + " ";
  align::append_cigar(text, batch.cigar_of(a), a.cigar_length);
  return text + " " + std::string(batch.md_of(a));
}

// How many loci read r has, and why it has none.
inline std::string counts_of(const align::AlignmentBatch& batch, std::size_t r) {
  const auto& result = batch.reads[r];
  return std::to_string(result.best_count) + "," + (result.next_known ? std::to_string(result.next_count) : "?") + "," +
         std::to_string(result.dropped) + "," + std::to_string(static_cast<int>(result.unmapped));
}

// All that is known about read r, as text, to compare runs.
inline std::string text_of(const align::AlignmentBatch& batch, std::size_t r) {
  const auto& result = batch.reads[r];
  std::string text = counts_of(batch, r);
  for (std::size_t k = 0; k < result.count; ++k) {
    const auto& a = batch.alignments[result.first + k];
    text += "\n" + text_of(batch, a) + " q" + std::to_string(a.mapq);
  }
  return text;
}

// Which engines a test program uses: those whose names begin so. The GPU tests use only the CUDA engines, and one of so
// many cases, because each case makes many engines. Each test program defines both beside the engines it adds.
// TRAWL_TEST_ENGINE=twin-parts: that one alone, for programs that sanitizers make slow.
extern const std::string_view kTested;
extern const std::size_t kFewer;

inline std::vector<std::string> usable_engines() {
  std::vector<std::string> names;
  const char* const only = std::getenv("TRAWL_TEST_ENGINE");
  for (const auto& engine : pipeline::available_engines()) {
    if (engine.usable && engine.name.starts_with(kTested) && (only == nullptr || engine.name == only)) {
      names.emplace_back(engine.name);
    }
  }
  return names;
}

/// The engine with this suffix that runs the CUDA engine's steps: in the GPU tests on the device, otherwise its twin on
/// the host. Empty if it cannot be used.
inline std::vector<std::string> device_engines(const std::string& suffix) {
  auto names = usable_engines();
  std::erase_if(names, [&](const std::string& name) { return name != (kTested.empty() ? "twin" : "cuda") + suffix; });
  return names;
}

/// Mostly both.
inline map::Strands random_strands(RandomCases& random) {
  return random.chance(0.7) ? map::Strands::both : random.chance(0.5) ? map::Strands::forward : map::Strands::reverse;
}

/// Every third case has damage.
inline align::DamageRates damage_of_case(std::size_t n) {
  return n % 3 != 1 ? align::DamageRates{}
                    : align::DamageRates{0.5, 0.1 * static_cast<double>(n % 5), 0.02, n % 2 == 0};
}

inline map::NumberOrShare random_max_edits(RandomCases& random) {
  map::NumberOrShare edits;
  edits.is_share = random.chance(0.4);
  if (edits.is_share) {
    edits.percent = static_cast<double>(random.number(0, random.chance(0.8) ? 100 : 300)) / 10;
  } else {
    edits.number = static_cast<std::uint32_t>(random.number(0, random.chance(0.8) ? 6 : 40));
  }
  return edits;
}

inline std::vector<Read> random_reads(RandomCases& random, const std::vector<std::string>& contigs,
                                      const map::NumberOrShare& max_edits, double ambiguity, std::size_t longest) {
  std::vector<Read> reads;
  for (std::size_t n = random.number(1, 20); n > 0; --n) {
    const std::size_t length = random.number(1, random.chance(0.7) ? std::min<std::size_t>(120, longest) : longest);
    Read read;
    read.name = "read" + std::to_string(random.number(0, 1000));
    read.bases = random.read(contigs, length, std::min<std::size_t>(max_edits.of(length), 30), ambiguity);
    if (random.chance(0.7)) {
      while (read.qualities.size() < read.bases.size()) {
        read.qualities += static_cast<char>(random.number('!', random.chance(0.1) ? '~' : 'J'));
      }
    }
    reads.push_back(read);
  }
  return reads;
}

}  // namespace trawl::tests
