#include "sequence/read_batch.hpp"

#include <algorithm>

namespace trawl::sequence {

// Each read has its name with its comment, its bases and its qualities in the text of the message.
void ReadBatch::pack(Packer& to) const {
  std::vector<Read> reads = reads_;
  std::size_t size = 0;
  for (const Read& read : reads) {
    size += std::max<std::size_t>(read.name_length, read.comment_gap + std::size_t{read.comment_length}) +
            2 * std::size_t{read.length};
  }
  std::string all;
  all.reserve(size);
  to.reserve(to.bytes().size() + size + reads.size() * sizeof(Read) + 64);
  for (Read& read : reads) {
    const char* const from = text(read);
    const auto copy = [&](std::uint64_t& at, std::size_t length) {
      const char* const begin = from + at;
      at = all.size();
      all.append(begin, length);
    };
    copy(read.name, std::max<std::size_t>(read.name_length, read.comment_gap + std::size_t{read.comment_length}));
    copy(read.bases, read.length);
    copy(read.qualities, read.has_qualities ? read.length : 0);
    read.text = 0;
  }
  to.number(number)
      .number(first_read)
      .number(input_bytes)
      .number(paired)
      .number(mixed)
      .number(is_fastq)
      .numbers(reads)
      .text(all);
}

void ReadBatch::unpack(Unpacker& from, const std::shared_ptr<const void>& owner) {
  clear();
  number = from.number<std::uint64_t>();
  first_read = from.number<std::uint64_t>();
  input_bytes = from.number<std::uint64_t>();
  paired = from.number<bool>();
  mixed = from.number<bool>();
  is_fastq = from.number<bool>();
  reads_ = from.numbers<Read>();
  texts_.push_back({owner, const_cast<char*>(from.text().data())});
}

}  // namespace trawl::sequence
