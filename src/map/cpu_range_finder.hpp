// The range finder of the CPU engine: like its worker, but every locus is wanted, as its whole run of ends.
//
//   with: const sequence::Reference reference = reference_of("GGCTAGATTACAGATTTCAGCATGCCA")
//   const seed::SeedIndex index(reference, 8, 1);
//   CpuRangeFinder finder(reference, index, {});
//   engine::EndRanges ranges;
//   finder.find(std::vector<engine::RangeQuery>{{"GATTACAGATTACAGCATG", 1}}, ranges);
//   ranges.of(0, false).size() == 1                                 // on the forward strand
//   ranges.of(0, false)[0].first == sequence::kContigGap + 23
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "engine/engine.hpp"
#include "map/loci_finder.hpp"
#include "map/options.hpp"
#include "map/word_finder.hpp"
#include "seed/seed_index.hpp"
#include "sequence/encoded_read.hpp"
#include "sequence/reference.hpp"

namespace trawl::map {

class CpuRangeFinder final : public engine::RangeFinder {
 public:
  /// `reference` and `index` must outlive it. Of the options it uses those that say how to search and what ambiguous
  /// bases match.
  CpuRangeFinder(const sequence::Reference& reference, const seed::SeedIndex& index, const Options& options);

  void find(std::span<const engine::RangeQuery> queries, engine::EndRanges& out) override;
  bool shares_seeds() const override { return true; }
  engine::StageSeconds seconds() const override;

 private:
  bool is_word(const engine::RangeQuery& query) const;
  std::size_t find_words(std::span<const engine::RangeQuery> queries, engine::EndRanges& out);
  void encode_read(std::string_view read);
  void encode_part(const engine::RangeQuery& query, std::string_view part, sequence::EncodedRead& forward,
                   sequence::EncodedRead& reverse);
  void encode(std::span<const engine::RangeQuery> queries, std::span<const std::uint32_t> chosen);
  bool may_share(const engine::RangeQuery& query, const sequence::EncodedRead& region) const;
  void share_seeds(std::span<const engine::RangeQuery> queries, std::span<const std::uint32_t> chosen);
  void scan(std::span<const engine::RangeQuery> queries);

  bool ambiguous_matches_;
  unsigned q_;  // of the index
  LociFinder finder_;
  WordFinder word_finder_;
  std::vector<WordFinder::Word> words_;
  double encode_seconds_ = 0;
  std::string_view read_;  // what read_strands_ are; its text stays during a call of find()
  sequence::EncodedRead read_strands_[2];
  std::vector<sequence::EncodedRead> encoded_;
  std::vector<sequence::EncodedRead> regions_;  // both strands of each
  std::vector<Strand> strands_;                 // of the queries that are searched now
  std::vector<std::uint32_t> group_;            // the queries that are searched now
  std::vector<std::uint32_t> to_scan_;
  engine::EndRanges scanned_;  // of to_scan_
};

}  // namespace trawl::map
