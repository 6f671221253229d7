#include "io/read/read_block.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string_view>

namespace trawl::io {
namespace {

using Record = ReadBlock::Record;

// The rest of a block, line by line. Lines that the block does not have completely are not given.
struct Lines {
  const char* at;
  const char* end;
  std::uint32_t line = 0;

  bool next(std::string_view& text) {
    const auto* newline = at == end ? nullptr : static_cast<const char*>(std::memchr(at, '\n', size()));
    if (newline == nullptr) {
      return false;
    }
    text = std::string_view(at, static_cast<std::size_t>(newline - at));
    if (text.ends_with('\r')) {
      text.remove_suffix(1);
    }
    at = newline + 1;
    ++line;
    return true;
  }

  bool begin_with(char c) const { return at != end && *at == c; }

  void skip_line_ends() {
    while (begin_with('\n') || begin_with('\r')) {
      line += *at++ == '\n' ? 1 : 0;
    }
  }

 private:
  std::size_t size() const { return static_cast<std::size_t>(end - at); }
};

// A record at the start of the lines, and the lines after it; or false.
struct CutFastq {
  const char* block;

  bool operator()(Lines& lines, Record& record) const {
    lines.skip_line_ends();
    record.line = lines.line;
    std::string_view header;
    std::string_view bases;
    std::string_view plus;
    std::string_view qualities;
    if (!lines.begin_with('@') || !lines.next(header) || !lines.next(bases) || bases.starts_with('+') ||
        !lines.begin_with('+') || !lines.next(plus) || !lines.next(qualities) || qualities.size() != bases.size()) {
      return false;
    }
    record.at = static_cast<std::uint32_t>(header.data() - block);
    record.name_length = static_cast<std::uint32_t>(header.size() - 1);
    record.bases = static_cast<std::uint32_t>(bases.data() - block);
    record.length = static_cast<std::uint32_t>(bases.size());
    record.qualities = static_cast<std::uint32_t>(qualities.data() - block);
    return true;
  }
};

// The record ends where the next one begins, so the block must have that place, too.
struct CutFasta {
  const char* block;

  bool operator()(Lines& lines, Record& record) const {
    lines.skip_line_ends();
    record.line = lines.line;
    std::string_view header;
    if (!lines.begin_with('>') || !lines.next(header) || header.find('\r') != header.npos) {
      return false;
    }
    std::string_view bases;
    if (!lines.begin_with('>') && !lines.next(bases)) {
      return false;
    }
    std::string_view blank;
    while (!lines.begin_with('>')) {
      if (!lines.next(blank) || !blank.empty()) {
        return false;
      }
    }
    record.at = static_cast<std::uint32_t>(header.data() - block);
    record.name_length = static_cast<std::uint32_t>(header.size() - 1);
    record.bases = bases.empty() ? record.at : static_cast<std::uint32_t>(bases.data() - block);
    record.length = static_cast<std::uint32_t>(bases.size());
    record.qualities = 0;
    return true;
  }
};

}  // namespace

void ReadBlock::prepare() {
  records_.clear();
  runs_.clear();
  format_ = known_format_->load(std::memory_order_relaxed);
  if (size() > std::numeric_limits<std::int32_t>::max()) {
    return;  // the numbers of a record have no room for it
  }
  if (format_ != ReadFormat::fasta) {
    find_runs(CutFastq{begin()});
  }
  if (format_ == ReadFormat::unknown) {
    format_ = records_.empty() ? ReadFormat::fasta : ReadFormat::fastq;
  }
  if (format_ == ReadFormat::fasta) {
    find_runs(CutFasta{begin()});
  }
}

// A run begins at the first line from which a record can be cut. A quality line that begins with '@' is not taken for
// a header, because the second line after it is a sequence, which does not begin with '+'.
template <class Cut>
void ReadBlock::find_runs(Cut cut) {
  std::uint32_t bases = 0;
  const char* at = begin();
  while (at != end()) {
    const std::size_t first = records_.size();
    Lines lines{at, end()};
    Lines after = lines;
    for (Record record; cut(after, record); lines = after) {
      bases += record.length;
      record.bases_end = bases;
      records_.push_back(record);
    }
    at = lines.at;
    if (records_.size() > first) {
      runs_.push_back(
          {static_cast<std::uint32_t>(records_.size()), static_cast<std::uint32_t>(at - begin()), lines.line});
    }
    // All blank lines at once: what cannot be cut after one of them cannot be cut after the next one.
    lines.skip_line_ends();
    at = lines.at;
    const auto* newline =
        at == end() ? nullptr : static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end() - at)));
    at = newline != nullptr ? newline + 1 : end();
  }
}

std::size_t cut_records(std::string_view text, std::size_t most, std::vector<Record>& to) {
  Lines lines{text.data(), text.data() + text.size()};
  const auto cut_all = [&](auto cut) {
    std::size_t count = 0;
    for (Record record; count < most && cut(lines, record); ++count) {
      to.push_back(record);
    }
    return count;
  };
  return text.starts_with('>') ? cut_all(CutFasta{text.data()}) : cut_all(CutFastq{text.data()});
}

}  // namespace trawl::io
