#include "cli/scan_inputs.hpp"

#include <utility>

#include "base/error.hpp"
#include "base/packer.hpp"
#include "ranks/scan_messages.hpp"

namespace trawl::cli {

void ScanInputs::open_reference(const ScanArguments& arguments, unsigned threads, bool names_may_repeat) {
  if (!arguments.annotation.empty()) {
    genes = io::read_annotation(arguments.annotation);
  }
  if (arguments.variants.empty()) {
    const std::string option = call_rule(arguments) ? "--per-read best" : arguments.within.empty() ? "" : "--within";
    reference = run::open_reference(arguments.reference, threads,
                                    option.empty() ? run::AsReads::fastq : run::AsReads::all, names_may_repeat);
    if (!option.empty() && !reference.reads) {
      throw UsageError(option + " needs reads (FASTQ or FASTA), and " + arguments.reference + " is a saved index");
    }
    return;
  }
  // The pieces of haplotypes need letters from everywhere.
  run::LoadedReference loaded = run::load_reference(arguments.reference, threads, {run::CircularUse::letters});
  in_memory = std::make_shared<const sequence::Reference>(std::move(loaded.reference));
  reference = run::stream_of(in_memory, std::move(loaded.fasta));
  reference.warnings = std::move(loaded.warnings);
}

std::string ScanInputs::packed() const {
  Packer packer;
  packer.number(reference.bytes).text(ranks::packed(patterns));
  packer.number(genes != nullptr);
  if (genes) {
    packer.text(genes->packed());
  }
  packer.number(cas.has_value());
  if (cas) {
    packer.text(cas->pam).number(cas->is_last).number(cas->mismatches).number(cas->dna_bulges).number(cas->rna_bulges);
  }
  return packer.take();
}

void ScanInputs::unpack(std::string_view bytes) {
  Unpacker unpacker(bytes);
  reference.bytes = unpacker.number<decltype(reference.bytes)>();
  patterns = ranks::patterns_of(unpacker.text());
  if (unpacker.number<bool>()) {
    genes = std::make_shared<const io::Annotation>(io::Annotation::unpacked(unpacker.text()));
  }
  if (unpacker.number<bool>()) {
    cas.emplace();
    cas->pam = unpacker.text();
    cas->is_last = unpacker.number<bool>();
    cas->mismatches = unpacker.number<std::uint32_t>();
    cas->dna_bulges = unpacker.number<std::uint32_t>();
    cas->rna_bulges = unpacker.number<std::uint32_t>();
  }
}

}  // namespace trawl::cli
