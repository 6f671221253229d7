#include <algorithm>
#include <cstdlib>
#include <optional>
#include <vector>

#include "bench/check.hpp"

namespace trawl::bench {

namespace {

struct Span {
  std::uint64_t begin = 0;  // 0-based, end not included
  std::uint64_t end = 0;
  std::uint32_t read = 0;
  std::uint32_t contig = 0;
  std::uint32_t distance = 0;
  bool reverse = false;
  std::uint64_t mate_begin = 0;  // 0-based; with pairs only
};

struct Names {
  NameTable reads;
  NameTable contigs;
};

// Names without "/1": razers3 and yara keep it, others remove it. With `pairs`, each mate is a read of its own, and
// only records in concordant pairs are read.
class SpanReader {
 public:
  SpanReader(const std::string& path, bool pairs, Names& names) : sam_(path), pairs_(pairs), names_(names) {}

  // Reads the next mapped record; false at the end.
  bool next(Span& span) {
    do {
      if (!sam_.next(record_)) {
        return false;
      }
      if (record_.primary()) {
        read_length_ = std::max<std::uint64_t>(record_.bases.size(), read_span(record_.cigar));
      }
    } while (!record_.mapped() || (pairs_ && !concordant()));
    const auto distance = record_.integer_tag("NM");
    if (!distance) {
      sam_.fail("a mapped record without NM");
    }
    std::string name(without_mate(record_.name));
    if (pairs_) {
      name += (record_.flag & kFlagSecond) != 0 ? "/2" : "/1";
      span.mate_begin = record_.mate_position - 1;
    }
    span.read = names_.reads.number_of(name);
    span.contig = names_.contigs.number_of(record_.contig);
    span.distance = static_cast<std::uint32_t>(*distance);
    span.reverse = record_.reverse();
    span.begin = record_.position - 1;
    span.end = span.begin + length_on_reference();
    return true;
  }

  std::uint64_t read_length() const { return read_length_; }

 private:
  bool concordant() const {
    return (record_.flag & kFlagProper) != 0 && (record_.mate_contig == "=" || record_.mate_contig == record_.contig);
  }

  // Yara's secondary records have no CIGAR, but the tag XP: the 1-based position after the last base.
  std::uint64_t length_on_reference() const {
    if (record_.cigar != "*") {
      return reference_span(record_.cigar);
    }
    const auto after = record_.integer_tag("XP");
    return after && *after > static_cast<std::int64_t>(record_.position)
               ? static_cast<std::uint64_t>(*after) - record_.position
               : read_length_;
  }

  SamReader sam_;
  const bool pairs_;
  Names& names_;
  SamRecord record_;
  std::uint64_t read_length_ = 0;
};

std::string describe(const Span& span, const Names& names) {
  return "not covered: " + names.reads.name_of(span.read) + " " + names.contigs.name_of(span.contig) +
         (span.reverse ? " - " : " + ") + std::to_string(span.begin) + "-" + std::to_string(span.end) + " distance " +
         std::to_string(span.distance);
}

// The same place on the same strand, with no more edits.
bool covers(const Span& mine, const Span& other, bool pairs, std::uint64_t read_length) {
  const auto off = static_cast<std::int64_t>(mine.mate_begin) - static_cast<std::int64_t>(other.mate_begin);
  return mine.contig == other.contig && mine.reverse == other.reverse && mine.distance <= other.distance &&
         mine.begin < other.end && other.begin < mine.end &&
         (!pairs || static_cast<std::uint64_t>(std::abs(off)) < read_length);
}

}  // namespace

int check_covers(const Arguments& args) {
  const bool pairs = args.has("--pairs");           // only concordant ones count, and the mate must be covered, too
  const MaxEdits max_edits(args.value("-e", "0"));  // alignments with more need not be covered
  Names names;
  std::vector<std::vector<Span>> spans_of_read;
  SpanReader ours(args.positional(0), pairs, names);
  Span span;
  std::uint64_t records = 0;
  while (ours.next(span)) {
    spans_of_read.resize(std::max<std::size_t>(spans_of_read.size(), names.reads.size()));
    spans_of_read[span.read].push_back(span);
    ++records;
  }
  const std::size_t mapped_reads = names.reads.size();

  Faults misses(10);
  SpanReader other(args.positional(1), pairs, names);
  std::uint64_t alignments = 0;
  std::uint64_t left_out = 0;
  while (other.next(span)) {
    if (args.has("-e") && span.distance > max_edits.of(other.read_length())) {
      ++left_out;
      continue;
    }
    ++alignments;
    const auto covers_it = [&](const Span& mine) { return covers(mine, span, pairs, other.read_length()); };
    const bool known = span.read < spans_of_read.size();
    if (!known || std::none_of(spans_of_read[span.read].begin(), spans_of_read[span.read].end(), covers_it)) {
      misses.add(describe(span, names));
    }
  }
  print_count("records", records);
  print_count("mapped reads", mapped_reads);
  print_count("other", alignments);
  print_count("left out (more than e edits)", left_out);
  print_count("covered", alignments - misses.count());
  print_percent("percent", alignments - misses.count(), alignments);
  return misses.count() == 0 ? 0 : 1;
}

}  // namespace trawl::bench
