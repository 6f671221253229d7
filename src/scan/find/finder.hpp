// What finds the ends of all queries in a chunk of the reference: the CPU or a GPU. Every finder finds the same.
//
//   auto finder = make_cpu_finder(queries, options);
//   finder->find(reference, ends);
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "scan/find/wu_manber_program.hpp"
#include "scan/options.hpp"
#include "scan/query.hpp"
#include "sequence/reference.hpp"

namespace trawl::scan {

class Finder {
 public:
  virtual ~Finder() = default;
  /// Replaces `ends` by every end in a contig with a distance of at most max_edits, by query (Hit::id), then
  /// position. What EndFilter drops is left out.
  virtual void find(const sequence::Reference& reference, std::vector<Hit>& ends) = 0;
  /// One line for the user: what runs, with what.
  virtual std::string description() const = 0;
};

/// `queries` must outlive the finder.
std::unique_ptr<Finder> make_cpu_finder(const std::vector<Query>& queries, const Options& options);

/// Which of the positions where rows match are ends.
class EndFilter {
 public:
  EndFilter(const sequence::Reference& reference, const std::vector<Query>& queries, const Options& options)
      : reference_(reference), queries_(queries), options_(options) {}

  /// Not those in gaps, Hamming windows that begin before their contig, and what is_matched_by_n(). (With a PAM that
  /// depends on the site, which is looked for later; here only ends go that belong to no other.)
  bool keeps(const Hit& hit);

 private:
  const sequence::Reference& reference_;
  const std::vector<Query>& queries_;
  const Options& options_;
  const sequence::Contig* contig_ = nullptr;  // of the hit before
};

/// By query, then position; each once.
void sort_ends(std::vector<Hit>& ends);

/// Sorts, and drops what EndFilter does.
void tidy_ends(const sequence::Reference& reference, const std::vector<Query>& queries, const Options& options,
               std::vector<Hit>& ends);

}  // namespace trawl::scan
