// The finder of the CPU: by rows, by pieces and from the sites of a PAM. Each task searches one stretch of the region.
//
//   with: const sequence::Reference reference = reference_of("GGATTACAGG")
//   const ScanOptions options;
//   const QueryList queries = make_queries({{"p", "GATTACA"}}, options);
//   CpuFinder finder(queries, options);
//   std::vector<Hit> ends;
//   finder.load(reference);
//   finder.find({0, reference.size()}, SIZE_MAX, ends);
//   ends[0].end == sequence::kContigGap + 7
//   finder.plan()->given_up.empty()         // no query whose parts occur too often
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "match/myers.hpp"
#include "scan/find/adaptive_plan.hpp"
#include "scan/find/finder.hpp"
#include "scan/find/place_check.hpp"
#include "scan/find/query.hpp"
#include "scan/find/wu_manber_scan.hpp"
#include "scan/options.hpp"
#include "sequence/reference.hpp"
#include "sequence/text_window.hpp"

namespace trawl::scan {

/// Computes distances at a few ends, column by column, for parts of the text that the row-wise scan leaves to be
/// checked.
class WindowCheck {
 public:
  WindowCheck(const sequence::Reference& reference, const ScanOptions& options)
      : reference_(reference), options_(options) {}

  /// Appends the ends in [first, last] at which `query` has a distance of at most max_edits. The query must not have a
  /// PAM.
  void check(const Query& query, std::uint32_t id, std::uint64_t first, std::uint64_t last, std::vector<Hit>& ends);

 private:
  void check_edits(const Query& query, std::uint32_t id, std::uint64_t first, std::uint64_t last,
                   std::vector<Hit>& ends);
  void check_mismatches(const Query& query, std::uint32_t id, std::uint64_t first, std::uint64_t last,
                        std::vector<Hit>& ends);

  const sequence::Reference& reference_;
  const ScanOptions& options_;
  sequence::TextWindow text_;
  const Query* loaded_ = nullptr;
  std::vector<std::uint64_t> eq_;  // [set][word]: the rows that match a text letter with this set
  std::vector<match::MyersWord<std::uint64_t>> column_;
};

class CpuFinder final : public Finder {
 public:
  /// `queries` must outlive the finder.
  CpuFinder(const std::vector<Query>& queries, const ScanOptions& options);

  void load(const sequence::Reference& reference) override { reference_ = &reference; }
  std::uint64_t find(const Region& region, std::size_t most, std::vector<Hit>& ends) override;
  /// Each position of a gap costs an edit.
  std::uint64_t least_gap() const override {
    return options_.pam.is_given() || options_.ambiguous_matches ? sequence::kContigGap : options_.max_edits + 1;
  }
  std::string description() const override;

  /// How the queries are searched now.
  std::shared_ptr<const SearchPlan> plan() const { return plan_.plan(); }

 private:
  // End positions that must be checked.
  struct EndWindow {
    std::uint32_t query;
    std::uint64_t first;
    std::uint64_t last;
  };

  struct EndCount {
    std::size_t most;                  // ends in a region
    std::atomic<std::size_t> ends{0};  // that all threads have found so far
  };

  std::uint64_t find_in(const Region& stretch, bool is_first, EndCount& found, std::vector<Hit>& ends);
  std::uint64_t search(const SearchPlan& plan, const WuManberScanOptions& options, std::uint64_t begin,
                       std::uint64_t end, std::vector<Hit>& hits, double& of_guides);
  void check_windows(std::vector<EndWindow>& windows, WindowCheck& check, std::vector<Hit>& ends,
                     std::vector<AdaptivePlan::Spent>& spent) const;
  void check_places(const std::vector<QueryPlace>& places, std::vector<Hit>& ends,
                    std::vector<AdaptivePlan::Spent>& spent) const;

  const std::vector<Query>& queries_;
  ScanOptions options_;
  AdaptivePlan plan_;
  std::optional<PlaceCheck> places_;  // if parts are looked up
  const sequence::Reference* reference_ = nullptr;
};

}  // namespace trawl::scan
