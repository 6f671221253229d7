#include "scan/report/amplicons.hpp"

#include <algorithm>
#include <utility>

#include "scan/report/aligned_site.hpp"

namespace trawl::scan {

AmpliconFinder::AmpliconFinder(PrimerPool pool, std::vector<std::uint32_t> groups, const AmpliconSizes& sizes,
                               std::map<std::uint64_t, std::uint64_t> circles)
    : pool_(std::move(pool)), groups_(std::move(groups)), sizes_(sizes), circles_(std::move(circles)) {
  lefts_.resize(groups_.empty() ? 0 : *std::max_element(groups_.begin(), groups_.end()) + std::size_t{1});
}

// A pair of two equal primers is one primer.
bool AmpliconFinder::is_copy(std::uint32_t pattern) const {
  return pool_.is_table_of_pairs && pattern % 2 == 1 &&
         pool_.patterns()[pattern].bases == pool_.patterns()[pattern - 1].bases;
}

void AmpliconFinder::add(std::span<const SiteRecord> records) {
  RecordTexts room;
  for (const SiteRecord& record : records) {
    if (is_copy(record.pattern)) {
      continue;
    }
    if (record.contig != contig_ || record.start != start_) {
      close_start();
    }
    if (record.contig != contig_) {
      close_contig();
    }
    while (!open_.empty() &&
           (record.contig != contig_ || lefts_[open_.front()].front()->start + sizes_.max < record.start)) {
      lefts_[open_.front()].pop_front();
      open_.pop_front();
    }
    contig_ = record.contig;
    start_ = record.start;
    const RecordTexts& texts = record.texts_or(pool_.patterns()[record.pattern].bases, room);
    const Primer& primer = pool_[record.pattern];
    const bool is_own = primer.is_place(record.contig, record.start, record.end, record.reverse);
    auto site = std::make_shared<const PrimerSite>(
        PrimerSite{record.start, record.end, record.pattern, record.distance,
                   record.reverse ? reversed_cigar(texts.cigar) : texts.cigar, texts.text, is_own});
    if (record.reverse) {
      rights_.push_back(std::move(site));
      continue;
    }
    open_.push_back(groups_[record.pattern]);
    lefts_[open_.back()].push_back(std::move(site));
  }
}

// Of a circular contig: products that end after its origin.
void AmpliconFinder::close_contig() {
  close_start();
  const auto circle = circles_.find(contig_);
  if (circle == circles_.end()) {
    return;
  }
  for (const Site& right : std::exchange(first_rights_, {})) {
    PrimerSite again = *right;
    again.start += circle->second;
    again.end += circle->second;
    add_right(std::make_shared<const PrimerSite>(std::move(again)));
  }
}

// A primer on the left may have the same start as one on the right, and come after it.
void AmpliconFinder::close_start() {
  const bool is_circle = circles_.count(contig_) > 0;
  for (const Site& right : rights_) {
    add_right(right);
    if (is_circle && right->start < sizes_.max) {
      first_rights_.push_back(right);
    }
  }
  rights_.clear();
}

void AmpliconFinder::add_right(const Site& right) {
  const auto circle = circles_.find(contig_);
  const std::uint64_t most = circle == circles_.end() ? sizes_.max : std::min(sizes_.max, circle->second);
  for (const Site& left : lefts_[groups_[right->pattern]]) {
    const std::uint64_t size = right->end - left->start;
    if (left->end <= right->end && size >= sizes_.min && size <= most) {
      amplicons_.insert({contig_, left, right});
    }
  }
}

void AmpliconFinder::finish() {
  close_contig();
  is_finished_ = true;
}

void AmpliconFinder::take(const std::function<void(const Amplicon&)>& use) {
  while (!amplicons_.empty()) {
    const Amplicon& first = *amplicons_.begin();
    // Later products end after start_.
    if (!is_finished_ && first.contig == contig_ && first.start() + sizes_.max >= start_) {
      return;
    }
    use(first);
    amplicons_.erase(amplicons_.begin());
  }
}

}  // namespace trawl::scan
