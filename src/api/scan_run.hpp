// References of any kind through the search of `trawl scan`, to columns instead of a file.
#pragma once

#include <memory>
#include <string_view>

#include "api/scanner.hpp"
#include "sequence/reference.hpp"
#include "session/load_reference.hpp"
#include "trawl/scanner.hpp"

namespace trawl::api {

/// Appends the hits in one string, of checked letters.
void scan_text(const Scanner::Impl& scanner, std::string_view text, Hits& hits);

/// Appends the hits in a reference in memory.
void scan_reference(const Scanner::Impl& scanner, const std::shared_ptr<const sequence::Reference>& reference,
                    Hits& hits, const OnProgress& progress);

/// Gives the hits in contigs that are read one after the other, chunk by chunk.
void scan_contigs(const Scanner::Impl& scanner, session::ReferenceStream contigs, const OnHits& take,
                  const OnProgress& progress);

/// The contigs that a caller gives piece by piece.
session::ReferenceStream stream_of(const NextChunk& next);

}  // namespace trawl::api
