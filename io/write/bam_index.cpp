#include "io/write/bam_index.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include "align/records.hpp"
#include "base/error.hpp"

namespace trawl::io {

namespace {

constexpr int kMinShift = 14;
constexpr int kBaiLevels = 5;
constexpr std::uint64_t kLongestBaiContig = std::uint64_t{1} << (kMinShift + 3 * kBaiLevels);

std::uint64_t longest(const std::vector<sequence::Contig>& contigs) {
  std::uint64_t length = 0;
  for (const auto& contig : contigs) {
    length = std::max<std::uint64_t>(length, contig.length);
  }
  return length;
}

// As many levels as samtools uses.
int csi_levels(std::uint64_t length) {
  int levels = 0;
  for (std::uint64_t covered = std::uint64_t{1} << kMinShift; length + 256 > covered; covered <<= 3) {
    ++levels;
  }
  return levels;
}

std::uint64_t virtual_offset(std::uint64_t block, std::uint64_t inside) { return block << 16 | inside; }

}  // namespace

std::string BamIndex::extension(const std::vector<sequence::Contig>& contigs) {
  return longest(contigs) > kLongestBaiContig ? ".csi" : ".bai";
}

BamIndex::BamIndex(const std::vector<sequence::Contig>& contigs, std::uint64_t file_offset)
    : format_(extension(contigs) == ".csi" ? HTS_FMT_CSI : HTS_FMT_BAI),
      index_(hts_idx_init(static_cast<int>(contigs.size()), format_, virtual_offset(file_offset, 0), kMinShift,
                          format_ == HTS_FMT_CSI ? csi_levels(longest(contigs)) : kBaiLevels)),
      file_offset_(file_offset) {
  if (!index_) {
    throw std::bad_alloc();
  }
}

void BamIndex::push(const BamRecordInfo& record, std::uint64_t offset) {
  const int is_mapped = (record.flag & align::kFlagUnmapped) == 0 ? 1 : 0;
  if (hts_idx_push(index_.get(), record.contig, record.start, record.end, offset, is_mapped) < 0) {
    throw Error("the index of the sorted records cannot be made; please report this");
  }
}

void BamIndex::add(std::span<const BamRecordInfo> records) {
  pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(pushed_));
  pushed_ = 0;
  for (const BamRecordInfo& record : records) {
    pending_.push_back({record, record_bytes_ += record.size});
  }
}

void BamIndex::add_block(std::size_t bytes, std::size_t bytes_in_file) {
  const std::uint64_t begin = block_bytes_;
  block_bytes_ += bytes;
  for (; pushed_ < pending_.size() && pending_[pushed_].end < block_bytes_; ++pushed_) {
    push(pending_[pushed_].record, virtual_offset(file_offset_, pending_[pushed_].end - begin));
  }
  file_offset_ += bytes_in_file;
  // Where a record ends together with its block, the offset is that of the next block.
  for (; pushed_ < pending_.size() && pending_[pushed_].end == block_bytes_; ++pushed_) {
    push(pending_[pushed_].record, virtual_offset(file_offset_, 0));
  }
}

void BamIndex::save(const OutputFile& file) {
  errno = 0;
  if (hts_idx_finish(index_.get(), virtual_offset(file_offset_, 0)) != 0 ||
      hts_idx_save_as(index_.get(), nullptr, file.write_path().c_str(), format_) != 0) {
    throw IoError(file.name(), std::string("cannot write the index") + (errno != 0 ? ": " : "") +
                                   (errno != 0 ? std::strerror(errno) : ""));
  }
}

}  // namespace trawl::io
