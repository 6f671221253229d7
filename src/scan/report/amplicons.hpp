// Products of primers, from their loci.
//
//   with: const PrimerPool& pool, std::span<const SiteRecord> records
//   AmpliconFinder finder(pool, pool.groups(pool.combine), {50, 2000});
//   finder.add(records);                                 // in the order of the output
//   finder.finish();
//   finder.take([](const Amplicon& amplicon) { ... });   // by contig, start and end
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "scan/primer_pool.hpp"
#include "scan/report/record.hpp"

namespace trawl::scan {

/// Where a primer matches.
struct PrimerSite {
  std::uint64_t start = 0;  // 0-based, in the contig
  std::uint64_t end = 0;
  std::uint32_t pattern = 0;
  std::uint16_t distance = 0;
  std::string cigar;    // in the direction of the primer
  std::string text;     // the aligned part of the reference, in the direction of the primer
  bool is_own = false;  // the place that the scheme gives the primer, which need not be known
};

/// What lies between two primers whose 3' ends point to each other, with the primers. Both may be the same primer.
struct Amplicon {
  std::uint64_t contig = 0;
  std::shared_ptr<const PrimerSite> left;   // on the forward strand
  std::shared_ptr<const PrimerSite> right;  // on the reverse strand

  std::uint64_t start() const { return left->start; }
  std::uint64_t end() const { return right->end; }
  std::uint64_t size() const { return end() - start(); }

  /// The order of the output.
  auto key() const {
    return std::tuple(contig, start(), end(), left->pattern, right->pattern, left->end, right->start);
  }
  bool operator<(const Amplicon& other) const { return key() < other.key(); }
};

/// The sizes of products that are wanted.
struct AmpliconSizes {
  std::uint64_t min = 1;
  std::uint64_t max = 1000;
};

class AmpliconFinder {
 public:
  /// `groups`: of each primer; those of a group are combined. `circles`: the lengths of circular contigs, by number. A
  /// product over the origin ends after the contig, and no product is longer than the circle.
  AmpliconFinder(PrimerPool pool, std::vector<std::uint32_t> groups, const AmpliconSizes& sizes,
                 std::map<std::uint64_t, std::uint64_t> circles = {});

  /// Takes loci of primers, by contig and start. Neither of the primers of a product begins or ends outside it.
  void add(std::span<const SiteRecord> records);
  /// There are no more loci.
  void finish();
  /// Passes the products that are complete, and before which no other one can come.
  void take(const std::function<void(const Amplicon&)>& use);

 private:
  using Site = std::shared_ptr<const PrimerSite>;

  void close_start();
  void close_contig();
  void add_right(const Site& right);

  bool is_copy(std::uint32_t pattern) const;

  PrimerPool pool_;
  std::vector<std::uint32_t> groups_;
  AmpliconSizes sizes_;
  std::map<std::uint64_t, std::uint64_t> circles_;
  std::vector<Site> first_rights_;  // of a circular contig, those that products over the origin may reach
  std::uint64_t contig_ = 0;
  std::uint64_t start_ = 0;              // of the last loci
  std::vector<Site> rights_;             // on the reverse strand, from this start on
  std::vector<std::deque<Site>> lefts_;  // by group: on the forward strand, with ends that may still be reached
  std::deque<std::uint32_t> open_;       // the groups of all lefts_, in their order
  std::multiset<Amplicon> amplicons_;
  bool is_finished_ = false;
};

}  // namespace trawl::scan
