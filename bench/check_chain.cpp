#include "bench/check_chain.hpp"

#include <algorithm>

namespace trawl::bench {

namespace {

constexpr std::uint64_t kShortestSplit = 30;

std::string chain_text(const SamRecord& record) {
  std::string cigar(record.cigar);
  std::replace(cigar.begin(), cigar.end(), 'H', 'S');
  return std::string(record.contig) + ',' + std::to_string(record.position) + (record.reverse() ? ",-," : ",+,") +
         cigar + ',' + std::to_string(record.mapq) + ',' + std::string(record.text_tag("NM").value_or("")) + ';';
}

}  // namespace

void Chain::clear() {
  links_.clear();
  secondary_has_others_ = false;
}

void Chain::add(const SamRecord& record, const Piece& piece, std::uint64_t read_length) {
  const std::string others(record.text_tag("SA").value_or(""));
  if ((record.flag & kFlagSecondary) != 0) {
    secondary_has_others_ = secondary_has_others_ || !others.empty();
    return;
  }
  read_length_ = read_length;
  const Piece in_read = record.reverse() ? Piece{read_length - piece.end, read_length - piece.begin} : piece;
  links_.push_back({chain_text(record), others, in_read});
}

std::optional<std::string> Chain::fault() const {
  if (secondary_has_others_) {
    return "a secondary record has SA";
  }
  for (const Link& link : links_) {
    std::string expected;
    for (const Link& other : links_) {
      expected += &other == &link ? "" : other.text;
    }
    if (link.others != expected) {
      return "SA should be " + (expected.empty() ? "missing" : expected) + ", and is " +
             (link.others.empty() ? "missing" : link.others);
    }
  }
  for (std::size_t i = 1; i < links_.size(); ++i) {
    const Piece& primary = links_[0].piece;
    const Piece& piece = links_[i].piece;
    if (!Piece{0, primary.begin}.contains(piece) && !Piece{primary.end, read_length_}.contains(piece)) {
      return "a supplementary record has bases of the primary one";
    }
    if (piece.length() < kShortestSplit) {
      return "a supplementary record has fewer than 30 bases";
    }
    for (std::size_t k = 1; k < i; ++k) {
      if (piece.begin < links_[k].piece.end && links_[k].piece.begin < piece.end) {
        return "two supplementary records have the same bases";
      }
    }
  }
  return std::nullopt;
}

}  // namespace trawl::bench
