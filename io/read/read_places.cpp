#include "io/read/read_places.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "io/format/crc32.hpp"
#include "io/format/gzip_format.hpp"
#include "io/read/gzip/inflate_stream.hpp"
#include "io/read/gzip/inflater.hpp"
#include "io/read/read_block.hpp"

namespace trawl::io {

namespace {

// What cut_records() needs after the last record.
constexpr std::string_view kEnd = "\n>";

std::uint32_t end_of(const sequence::ReadBatch::Record& record) {
  return std::max({record.at + 1 + record.name_length, record.bases + record.length, record.qualities + record.length});
}

}  // namespace

FileMark file_mark(const std::string& path) {
  struct stat status {};
  if (path == "-" || ::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return {};
  }
  return {static_cast<std::uint64_t>(status.st_size), status.st_mtim.tv_sec, status.st_mtim.tv_nsec, 1};
}

// Files are read in order. So those before the previous one are not needed any more.
std::shared_ptr<const InputFile> ReadFiles::open(std::uint32_t file) {
  const std::lock_guard lock(mutex_);
  if (!files_.at(file)) {
    for (std::uint32_t f = 0; f + 1 < file; ++f) {
      files_[f].reset();
    }
    files_[file] = std::make_shared<const InputFile>(paths_[file]);
  }
  return files_[file];
}

bool ReadPlaces::can_tell(const sequence::ReadBatch& batch, const std::vector<bool>& readable) {
  bool has_records = false;
  for (const auto& range : batch.pending()) {
    if (range.text == nullptr) {
      continue;
    }
    const bool is_somewhere = range.offset != sequence::ReadBatch::Records::kNowhere || !range.blocks.empty();
    if (!is_somewhere || !readable[range.file]) {
      return false;
    }
    has_records = true;
  }
  return has_records;
}

sequence::ReadBatch ReadPlaces::pack(sequence::ReadBatch& batch, Packer& to) {
  std::vector<Place> places;
  std::uint64_t copies = batch.expanded();
  for (const auto& range : batch.pending()) {
    if (range.text == nullptr) {
      ++copies;
      continue;
    }
    const auto& first = range.records.front();
    const std::uint32_t end = end_of(range.records.back());
    Place place{.offset = range.offset + first.at,
                .size = end - first.at,
                .line = range.line + first.line,
                .file = range.file,
                .records = static_cast<std::uint32_t>(range.records.size()),
                .copies = std::exchange(copies, 0)};
    if (!range.blocks.empty()) {
      // The last block that begins before the text, or with it; and the first one that begins after it.
      const auto low = std::partition_point(range.blocks.begin(), range.blocks.end(),
                                            [&](const auto& block) { return block.at <= first.at; }) -
                       1;
      const auto high =
          std::partition_point(low, range.blocks.end(), [&](const auto& block) { return block.at < end; });
      place.offset = low->offset;
      place.packed = high->offset - low->offset;
      place.skipped = first.at - low->at;
    }
    places.push_back(place);
  }
  to.numbers(places);
  return batch.take_single();
}

bool ReadPlaces::unpack(Unpacker& from) {
  places_ = from.numbers<Place>();
  return !places_.empty();
}

void ReadPlaces::clear() {
  places_.clear();
  copies.clear();
}

std::size_t ReadPlaces::read(const InputFile& file, const Place& place, char* to) {
  if (place.packed == 0) {
    return file.read_at(place.offset, to, place.size);
  }
  std::vector<unsigned char> packed(place.packed);
  const std::size_t packed_size = file.read_at(place.offset, reinterpret_cast<char*>(packed.data()), packed.size());
  std::vector<char> text(kLargestBgzfBlock);
  std::size_t skip = place.skipped;
  std::size_t got = 0;
  for (std::size_t at = 0; at < packed_size && got < place.size;) {
    const unsigned char* const block = packed.data() + at;
    std::size_t data_at = 0;
    const std::size_t size = bgzf_block_size(block, packed_size - at, data_at);
    if (size == 0 || size > packed_size - at) {
      break;
    }
    const unsigned char* const sums = block + size - kGzipSums;
    const std::size_t text_size = little_endian(sums + 4, 4);
    if (text_size > text.size() ||
        !inflate_whole(block + data_at, static_cast<std::size_t>(sums - block) - data_at, text.data(), text_size) ||
        crc32_of(text.data(), text_size) != little_endian(sums, 4)) {
      break;
    }
    const std::size_t first = std::min(skip, text_size);
    const std::size_t taken = std::min(text_size - first, place.size - got);
    std::copy_n(text.data() + first, taken, to + got);
    skip -= first;
    got += taken;
    at += size;
  }
  return got;
}

void ReadPlaces::load(ReadFiles& files, sequence::ReadBatch& batch) {
  std::size_t size = 0;
  std::size_t records = 0;
  for (const Place& place : places_) {
    size += place.size + kEnd.size();
    records += place.records;
  }
  if (!text_ || text_.use_count() > 1) {
    text_ = std::make_shared<Text>();
  }
  if (text_->text.size() < size) {
    text_->text = {};  // so that there are never both
    text_->text = sequence::HugeArray<char>(size + size / 8);
  }
  text_->records.clear();
  text_->records.reserve(records);  // the batch has views of them

  batch.clear();
  batch.number = copies.number;
  batch.first_read = copies.first_read;
  batch.input_bytes = copies.input_bytes;
  batch.paired = copies.paired;
  const std::uint32_t texts = batch.share_texts(copies);
  std::size_t copy = 0;
  const auto add_copies = [&](std::size_t end) {
    for (; copy < end; ++copy) {
      batch.add_shared(copies, copy, texts, copies.name(copy).size());
    }
  };
  char* at = text_->text.data();
  for (const Place& place : places_) {
    add_copies(copy + place.copies);
    const auto file = files.open(place.file);
    const std::size_t got = read(*file, place, at);
    std::copy(kEnd.begin(), kEnd.end(), at + got);
    const std::size_t first = text_->records.size();
    const std::size_t cut = cut_records({at, got + kEnd.size()}, place.records, text_->records);
    if (got < place.size || cut < place.records || end_of(text_->records.back()) != got) {
      throw InputError(file->name(), 0, "the file was changed while it was read, or is another one on this host");
    }
    batch.add_records({text_,
                       at,
                       {text_->records.data() + first, cut},
                       place.file,
                       place.line,
                       sequence::ReadBatch::Records::kNowhere,
                       {}});
    at += got + kEnd.size();
  }
  add_copies(copies.size());
  clear();
}

}  // namespace trawl::io
