// What `trawl scan` reads before the search. Under mpirun the first rank reads it, and all ranks have it.
//
//   ScanInputs inputs;
//   inputs.patterns = read_patterns(arguments, inputs.cas);
//   inputs.open_reference(arguments, threads);
//   std::string bytes = inputs.packed();      // on the first rank
//   inputs.unpack(bytes);                     // on the others
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "cli/options/scan_options.hpp"
#include "io/read/annotation.hpp"
#include "io/read/pattern_reader.hpp"
#include "run/load_reference.hpp"
#include "scan/options.hpp"
#include "sequence/reference.hpp"

namespace trawl::cli {

struct ScanInputs {
  scan::PatternList patterns;                            // without the PAM
  std::optional<io::CasOffinderInput> cas;               // what an input of Cas-OFFinder says besides
  std::shared_ptr<const io::Annotation> genes;           // --annotate
  run::ReferenceStream reference;                        // its contigs on the first rank only
  std::shared_ptr<const sequence::Reference> in_memory;  // the same reference, with --vcf

  /// The genes and the reference. Throws InputError, IoError.
  /// `names_may_repeat`: as for run::open_reference().
  void open_reference(const ScanArguments& arguments, unsigned threads, bool names_may_repeat = false);

  std::string packed() const;
  void unpack(std::string_view bytes);
};

}  // namespace trawl::cli
