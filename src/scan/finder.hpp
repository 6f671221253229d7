// What finds the ends of all queries in a chunk of the reference: the CPU or a GPU. Every finder finds the same.
//
//   auto finder = make_cpu_finder(queries, options);
//   finder->find(reference, ends);
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "scan/options.hpp"
#include "scan/query.hpp"
#include "scan/row_program.hpp"
#include "sequence/reference.hpp"

namespace trawl::scan {

class Finder {
 public:
  virtual ~Finder() = default;
  /// Replaces `ends` by every end in a contig with a distance of at most max_edits, by query (RowHit::id), then
  /// position. Ends behind nothing but N are left out (they match only where ambiguous letters do), and so are
  /// Hamming windows that begin before their contig.
  virtual void find(const sequence::Reference& reference, std::vector<RowHit>& ends) = 0;
  /// One line for the user: what runs, with what.
  virtual std::string description() const = 0;
};

/// `queries` must outlive the finder.
std::unique_ptr<Finder> make_cpu_finder(const std::vector<Query>& queries, const Options& options);

/// Leaves out what find() does not give, and sorts.
void tidy_ends(const sequence::Reference& reference, const std::vector<Query>& queries, const Options& options,
               std::vector<RowHit>& ends);

}  // namespace trawl::scan
