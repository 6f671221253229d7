#include "lab/bench_exact_text.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/machine_memory.hpp"
#include "base/made_text.hpp"
#include "io/format/letters.hpp"
#include "io/read/fasta_reader.hpp"
#include "lab/bench_made_text.hpp"
#include "lab/bench_text.hpp"
#include "sequence/reference.hpp"
#include "sequence/reference_builder.hpp"

namespace trawl::lab {

namespace {

void cut_to(ExactText& text, std::uint64_t length) {
  if (length > text.characters.size()) {
    throw UsageError("-n " + std::to_string(length) + ": " + text.name + " has only " +
                     std::to_string(text.characters.size()) + " characters");
  }
  if (length != 0) {
    text.characters.resize(length);
  }
}

// In the words of these commands, where the file is a text and not a reference.
sequence::Reference read_sequences(const std::string& path) {
  try {
    return io::read_reference(path);
  } catch (const InputError& error) {
    std::string what = error.what();
    const std::string reference = "a reference must be FASTA";
    if (const std::size_t at = what.find(reference); at != std::string::npos) {
      what.replace(at, reference.size(), "--fasta takes a text in FASTA, --text any file");
    }
    throw Error(what);
  }
}

void read_fasta(const std::string& path, std::uint64_t length, ExactText& text) {
  const sequence::Reference reference = read_sequences(path);
  std::uint64_t size = 0;
  for (const auto& contig : reference.contigs()) {
    size += contig.length + (size > 0 ? 1 : 0);
  }
  text.characters.assign(size, '\n');
  std::uint64_t at = 0;
  for (const auto& contig : reference.contigs()) {
    io::copy_letters(reference, contig.offset, contig.length, text.characters.data() + at);
    text.bases.push_back({at, contig.length});
    at += contig.length + 1;
  }
  cut_to(text, length);
  while (!text.bases.empty() && text.bases.back().begin >= text.characters.size()) {
    text.bases.pop_back();
  }
  if (!text.bases.empty()) {
    TextPart& last = text.bases.back();
    last.length = std::min(last.length, text.characters.size() - last.begin);
  }
}

unsigned different_letters(const std::string& characters) {
  std::array<bool, 256> seen{};
  for (const char c : characters) {
    seen[static_cast<unsigned char>(c)] = true;
  }
  return static_cast<unsigned>(std::count(seen.begin(), seen.end(), true));
}

ExactText make_text(const TextOptions& o, std::uint64_t length, unsigned sigma) {
  ExactText text;
  if (!o.fasta.empty()) {
    text.name = o.fasta;
    read_fasta(o.fasta, length, text);
  } else if (!o.text.empty()) {
    text.name = o.text;
    const BenchText file(o.text);
    text.characters = file.read(0, file.size());
    cut_to(text, length);
  } else {
    text.name = o.made;
    if (const std::uint64_t memory = usable_memory(); length > memory) {
      throw Error("-n " + std::to_string(length) +
                  ": the text does not fit into the memory of this machine, which has " + std::to_string(memory) +
                  " bytes");
    }
    text.characters =
        o.made == "random" ? BenchText(length, sigma, o.seed).read(0, length) : made_text(o.made, length, o.seed);
  }
  if (text.bases.empty() && io::all_plain_bases(text.characters)) {
    text.bases.push_back({0, text.characters.size()});
  }
  text.letters = different_letters(text.characters);
  return text;
}

}  // namespace

sequence::Reference make_reference(const ExactText& text) {
  sequence::ReferenceBuilder builder;
  constexpr std::uint64_t kStep = std::uint64_t{1} << 20;
  unsigned number = 0;
  for (const TextPart& part : text.bases) {
    builder.begin_contig(std::to_string(++number));
    for (std::uint64_t at = 0; at < part.length; at += kStep) {
      builder.append(std::string_view(text.characters).substr(part.begin + at, std::min(kStep, part.length - at)));
    }
  }
  return std::move(builder).finish();
}

void for_each_text(const TextOptions& o, const std::function<void(const ExactText&)>& work) {
  auto lengths = o.lengths;
  if (lengths.empty()) {
    lengths = {o.files().empty() ? kMadeLength : 0};
  }
  for (const std::uint64_t length : lengths) {
    for (const unsigned sigma : o.sigma) {
      work(make_text(o, length, sigma));
    }
  }
}

std::vector<std::string> cut_pieces(const ExactText& text, unsigned m, unsigned count, std::uint64_t seed) {
  if (m > text.characters.size()) {
    throw UsageError("-m " + std::to_string(m) + ": the pattern is longer than the text, " + text.name + " of " +
                     std::to_string(text.characters.size()) + " characters");
  }
  const std::uint64_t places = text.characters.size() - m + 1;
  std::vector<std::string> pieces;
  for (unsigned i = 0; i < count; ++i) {
    pieces.push_back(text.characters.substr(mixed(mixed(seed + m) + i) % places, m));
  }
  return pieces;
}

}  // namespace trawl::lab
