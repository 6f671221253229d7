// The record of a site: its alignment, and the piece of the reference that it covers.
#pragma once

#include <vector>

#include "align/aligner.hpp"
#include "scan/options.hpp"
#include "scan/query.hpp"
#include "scan/report/guide_alignment.hpp"
#include "scan/report/record.hpp"
#include "scan/report/site.hpp"
#include "sequence/text_chunk.hpp"

namespace trawl::scan {

class RecordMaker {
 public:
  RecordMaker(const sequence::TextChunk& chunk, const std::vector<Query>& queries, const Options& options);

  Record make(const Site& site);

 private:
  align::Alignment align(const Site& site, const Query& query);
  align::Alignment align_guide(const Site& site, const Query& query);

  const sequence::TextChunk& chunk_;
  const std::vector<Query>& queries_;
  const Options& options_;
  align::Aligner aligner_;
  align::AlignmentBatch batch_;
  GuideAligner guide_aligner_;
  sequence::TextWindow window_;
  std::vector<std::uint8_t> text_;
  std::vector<match::Step> steps_;
};

}  // namespace trawl::scan
