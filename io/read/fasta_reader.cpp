#include "io/read/fasta_reader.hpp"

#include <memory>
#include <utility>

#include "io/read/circular_contigs.hpp"
#include "io/read/fasta_stream.hpp"
#include "io/read/reference_files.hpp"
#include "sequence/reference_assembler.hpp"

namespace trawl::io {
namespace {

class ReferenceHandler final : public FastaHandler {
 public:
  explicit ReferenceHandler(unsigned threads) : assembler_(threads) {}

  void begin_contig(const std::string& name, const sequence::Topology& topology) override {
    assembler_.begin_contig(name, topology);
  }
  void append(const std::shared_ptr<const sequence::PackedLetters>& letters, std::uint64_t begin,
              std::uint64_t count) override {
    assembler_.append(letters, begin, count);
  }
  void expect(std::uint64_t letters) { assembler_.expect(letters); }
  sequence::Reference finish() { return std::move(assembler_).finish(); }

 private:
  sequence::ReferenceAssembler assembler_;
};

sequence::Reference read_all(const std::unique_ptr<ContigSource>& contigs, std::vector<std::string>* warnings,
                             const TextBlocks::Options& options) {
  ReferenceHandler handler(options.threads);  // after the contigs, whose letters it holds
  while (contigs->step(handler)) {
    handler.expect(contigs->expected_letters());
  }
  if (warnings != nullptr && !contigs->warning().empty()) {
    warnings->push_back(contigs->warning());
  }
  return handler.finish();
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
