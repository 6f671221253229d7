// Where the reads of a batch lie in plain and BGZF files, for a process that can read these files itself: file, offset
// and size in place of the text. Reads for which that is not simple are sent as copies, for example those with wrapped
// lines.
//
//   with: sequence::ReadBatch& batch, Packer& packer
//   with: Unpacker& unpacker, const std::shared_ptr<const void>& message, ReadFiles& files
//   if (ReadPlaces::can_tell(batch, {true, true})) {
//     sequence::ReadBatch copies = ReadPlaces::pack(batch, packer);   // and send the copies, too
//   }
//
//   ReadPlaces places;                       // the other process
//   if (places.unpack(unpacker)) {
//     places.copies.unpack(unpacker, message);
//     places.load(files, batch);             // on any thread; then batch.expand()
//   }
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/packer.hpp"
#include "io/read/gzip/input_file.hpp"
#include "sequence/huge_array.hpp"
#include "sequence/read_batch.hpp"

namespace trawl::io {

/// A file as another process must see it, to be the same file.
struct FileMark {
  std::uint64_t size = 0;
  std::int64_t changed_seconds = 0;
  std::int64_t changed_nanoseconds = 0;
  std::uint64_t is_regular = 0;  // with a name; otherwise it is never the same

  bool is_same(const FileMark& other) const {
    return is_regular != 0 && other.is_regular != 0 && size == other.size && changed_seconds == other.changed_seconds &&
           changed_nanoseconds == other.changed_nanoseconds;
  }
};

FileMark file_mark(const std::string& path);

/// Files that are opened when they are first needed.
class ReadFiles {
 public:
  explicit ReadFiles(std::vector<std::string> paths) : paths_(std::move(paths)), files_(paths_.size()) {}

  std::size_t size() const { return paths_.size(); }
  /// Any thread may call it. Throws IoError.
  std::shared_ptr<const InputFile> open(std::uint32_t file);

 private:
  std::mutex mutex_;
  std::vector<std::string> paths_;
  std::vector<std::shared_ptr<const InputFile>> files_;
};

class ReadPlaces {
 public:
  /// Whether a batch, not expanded yet, has reads whose place can be told. `readable`: the files that the other process
  /// can read.
  static bool can_tell(const sequence::ReadBatch& batch, const std::vector<bool>& readable);
  /// Adds the places to a message. Empties the batch, and returns the reads that must be sent as copies.
  static sequence::ReadBatch pack(sequence::ReadBatch& batch, Packer& to);
  /// For a batch of which no places are told.
  static void pack_none(Packer& to) { to.numbers(std::vector<Place>()); }

  /// False after pack_none().
  bool unpack(Unpacker& from);
  bool empty() const { return places_.empty(); }
  void clear();

  /// The reads that pack() returned.
  sequence::ReadBatch copies;

  /// Reads and cuts the texts, and makes the batch as it was before pack(). Afterwards there are no places. Throws
  /// IoError; InputError if a file is not what it was.
  void load(ReadFiles& files, sequence::ReadBatch& batch);

 private:
  // Copies, and the records in a text that follow them.
  struct Place {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;     // up to the last character of the last record
    std::uint64_t packed = 0;   // bytes of BGZF blocks from `offset` on; 0: the file is a plain one
    std::uint64_t skipped = 0;  // characters of the first block, before the first record
    std::uint64_t line = 0;
    std::uint32_t file = 0;
    std::uint32_t records = 0;
    std::uint64_t copies = 0;
  };

  // Reads the text of a place, up to place.size characters; returns how many there are.
  static std::size_t read(const InputFile& file, const Place& place, char* to);

  struct Text {
    sequence::HugeArray<char> text;
    std::vector<sequence::ReadBatch::Record> records;
  };

  std::vector<Place> places_;
  std::shared_ptr<Text> text_;  // used again when the batch has let go of it
};

}  // namespace trawl::io
