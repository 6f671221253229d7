#include "scan/report/amplicons.hpp"

#include <algorithm>
#include <utility>

#include "scan/report/aligned_site.hpp"

namespace trawl::scan {

AmpliconFinder::AmpliconFinder(sequence::PatternList patterns, const AmpliconSizes& sizes)
    : patterns_(std::move(patterns)), sizes_(sizes), lefts_(patterns_.size()) {}

void AmpliconFinder::add(std::span<const Record> records) {
  RecordTexts room;
  for (const Record& record : records) {
    if (record.pattern % 2 == 1 && patterns_[record.pattern].bases == patterns_[record.pattern - 1].bases) {
      continue;  // a pair of two equal primers is one primer
    }
    if (record.contig != contig_ || record.start != start_) {
      close_start();
    }
    if (record.contig != contig_) {
      for (const std::uint32_t pattern : used_) {
        lefts_[pattern].clear();
      }
      used_.clear();
      contig_ = record.contig;
    }
    start_ = record.start;
    const RecordTexts& texts = record.texts_or(patterns_[record.pattern].bases, room);
    auto site = std::make_shared<const PrimerSite>(
        PrimerSite{record.start, record.end, record.pattern, record.distance,
                   record.reverse ? reversed_cigar(texts.cigar) : texts.cigar, texts.text});
    if (record.reverse) {
      rights_.push_back(std::move(site));
    } else {
      if (lefts_[record.pattern].empty()) {
        used_.push_back(record.pattern);
      }
      lefts_[record.pattern].push_back(std::move(site));
    }
  }
}

// A primer on the left may have the same start as one on the right, and come after it.
void AmpliconFinder::close_start() {
  for (const Site& right : rights_) {
    add_right(right);
  }
  rights_.clear();
}

void AmpliconFinder::add_right(const Site& right) {
  for (const std::uint32_t pattern : {right->pattern & ~1u, right->pattern | 1u}) {
    std::deque<Site>& lefts = lefts_[pattern];
    while (!lefts.empty() && lefts.front()->start + sizes_.max < right->start) {
      lefts.pop_front();
    }
    for (const Site& left : lefts) {
      const std::uint64_t size = right->end - left->start;
      if (left->end <= right->end && size >= sizes_.min && size <= sizes_.max) {
        amplicons_.insert({contig_, left, right});
      }
    }
  }
}

void AmpliconFinder::finish() {
  close_start();
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
