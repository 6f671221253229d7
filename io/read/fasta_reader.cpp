#include "io/read/fasta_reader.hpp"

#include <memory>
#include <utility>

#include "io/read/circular_contigs.hpp"
#include "io/read/fasta_stream.hpp"
#include "io/read/reference_files.hpp"
#include "sequence/reference_assembler.hpp"

namespace trawl::io {
namespace {

sequence::Reference read_all(const std::unique_ptr<ContigSource>& contigs, std::vector<std::string>* warnings,
                             const TextBlocks::Options& options) {
  sequence::ReferenceAssembler assembler(options.threads);  // after the contigs, whose letters it holds
  while (auto piece = contigs->next()) {
    assembler.expect(contigs->expected_letters());
    if (piece->start) {
      assembler.begin_contig(std::move(piece->start->name), piece->start->topology);
    }
    assembler.append(piece->letters, piece->begin, piece->count);
  }
  if (warnings != nullptr && !contigs->warning().empty()) {
    warnings->push_back(contigs->warning());
  }
  return std::move(assembler).finish();
}

}  // namespace

sequence::Reference read_reference(const std::string& path, std::vector<std::string>* warnings,
                                   const TextBlocks::Options& options) {
  return read_all(open_contigs(reference_files(path), options), warnings, options);
}

sequence::Reference read_circular(const std::string& path, const std::vector<std::string>& names,
                                  const std::function<std::uint64_t(std::uint64_t)>& repeated,
                                  std::vector<std::string>* warnings, const TextBlocks::Options& options,
                                  std::shared_ptr<ContigFiles> files) {
  auto contigs = open_contigs(reference_files(path), options, std::move(files));
  return sequence::Reference::without_repeats(
      read_all(std::make_unique<CircularContigs>(std::move(contigs), names, repeated), warnings, options));
}

}  // namespace trawl::io
