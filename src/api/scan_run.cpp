#include <tbb/task_arena.h>

#include <algorithm>
#include <functional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "api/guarded.hpp"
#include "api/scanner.hpp"
#include "base/error.hpp"
#include "columns/map_columns.hpp"
#include "io/format/letters.hpp"
#include "io/write/scan_sink.hpp"
#include "pipeline/engine_choice.hpp"
#include "sequence/packed_letters.hpp"
#include "session/scan_session.hpp"

namespace trawl::api {

namespace {

// A finder that goes back to its scanner.
class TakenFinder {
 public:
  TakenFinder(const Scanner::Impl& scanner, std::optional<std::uint64_t> bytes) : scanner_(scanner) {
    use_threads();
    const auto make = [&] {
      return pipeline::ScanChoice(scanner.arguments.engine, scanner.options).make(scanner.queries, bytes);
    };
    finder_ = scanner.cpu_only ? scanner.finders.take(make) : make();
  }
  ~TakenFinder() {
    constexpr std::size_t kMostIdle = 16;
    if (scanner_.cpu_only) {
      scanner_.finders.give_back(std::move(finder_), kMostIdle);
    }
  }
  TakenFinder(const TakenFinder&) = delete;
  TakenFinder& operator=(const TakenFinder&) = delete;
  scan::Finder& operator*() const { return *finder_; }

 private:
  const Scanner::Impl& scanner_;
  std::unique_ptr<scan::Finder> finder_;
};

// Records as rows, chunk by chunk.
class RowTarget final : public io::RecordSink {
 public:
  /// `after`: is called when there are new rows; `on_chunk`: when a chunk was searched.
  RowTarget(const Scanner::Impl& scanner, Hits& hits, std::function<void(const sequence::ContigNames&)> after = {},
            std::function<void(const sequence::TextChunk&)> on_chunk = {})
      : scanner_(scanner), hits_(hits), after_(std::move(after)), on_chunk_(std::move(on_chunk)) {}

  void write(std::span<const scan::SiteRecord> records, const sequence::ContigNames& names) override {
    for (const scan::SiteRecord& record : records) {
      columns::add_hit(record, scanner_.searched[record.pattern].bases, hits_);
    }
    if (after_ && !records.empty()) {
      after_(names);
    }
  }
  void end_chunk(const sequence::TextChunk& chunk) override {
    if (on_chunk_) {
      on_chunk_(chunk);
    }
  }

 private:
  const Scanner::Impl& scanner_;
  Hits& hits_;
  std::function<void(const sequence::ContigNames&)> after_;
  std::function<void(const sequence::TextChunk&)> on_chunk_;
};

// The contigs from `first` on, up to kPartBases, as a chunk that shares their letters.
sequence::TextChunk part_of(const std::shared_ptr<const sequence::Reference>& whole, std::size_t first) {
  constexpr std::uint64_t kPartBases = std::uint64_t{1} << 25;
  const auto& contigs = whole->contigs();
  const std::uint64_t from = contigs[first].offset - sequence::kContigGap;
  sequence::TextChunk chunk;
  sequence::Reference::Parts parts;
  std::uint64_t to = from;
  for (std::size_t c = first; c < contigs.size() && (c == first || to - from < kPartBases); ++c) {
    chunk.slices.push_back({.contig = c, .begin = 0, .fresh = 0, .is_last = true});
    parts.contigs.push_back({contigs[c].name, contigs[c].offset - from, contigs[c].length});
    to = (contigs[c].offset + contigs[c].length + 63) / 64 * 64 + sequence::kContigGap;
  }
  const std::uint64_t word = from / 64, words = std::min(to, whole->size()) / 64 - word;
  parts.planes = sequence::HugeArray<sequence::PlaneBlock>::view(whole, whole->planes().data() + word, words);
  parts.ambiguous = sequence::HugeArray<std::uint64_t>::view(whole, whole->ambiguous().data() + word, words);
  parts.summary = sequence::summarise({parts.ambiguous.data(), words});
  const auto& runs = whole->ambiguous_runs();
  for (auto run = std::lower_bound(runs.begin(), runs.end(), from,
                                   [](const sequence::AmbiguousRun&r, std::uint64_t at) { return r.begin < at; });
       run != runs.end() && run->begin < to; ++run) {
    parts.runs.push_back({run->begin - from, run->length, run->letter});
  }
  chunk.reference = sequence::Reference(std::move(parts));
  return chunk;
}

// The pieces of a caller.
class CallerContigs final : public io::ContigSource {
 public:
  explicit CallerContigs(const NextChunk& next) : next_(next) {}

  std::optional<io::ContigPiece> next() override {
    Chunk piece;
    while (piece.letters.empty()) {
      piece = {};
      if (!next_(piece)) {
        return std::nullopt;
      }
    }
    io::ContigPiece given;
    if (!began_ || piece.contig != contig_) {
      begin(piece.contig);
      given.start = {contig_, {}};
    }
    if (const std::size_t at = io::find_not_iupac(piece.letters); at < piece.letters.size()) {
      throw InputError("contig " + contig_ + ", letter " + std::to_string(letters_ + at + 1) + ": " +
                       io::describe_character(piece.letters[at]) + " is not an IUPAC letter");
    }
    const auto packed = std::make_shared<sequence::PackedLetters>();
    packed->append(piece.letters);
    given.letters = packed;
    given.count = piece.letters.size();
    letters_ += given.count;
    return given;
  }
  std::uint64_t consumed(std::uint64_t) const override { return 0; }
  std::string warning() const override { return ""; }

 private:
  void begin(const std::string& name) {
    if (!names_.insert(name).second) {
      throw InputError("the contig " + name + " comes twice; the pieces of a contig follow each other");
    }
    contig_ = name;
    began_ = true;
    letters_ = 0;
  }

  const NextChunk& next_;
  std::string contig_;
  bool began_ = false;
  std::uint64_t letters_ = 0;
  std::unordered_set<std::string> names_;
};

// Chunks that are made here.
class MadeChunks final : public io::ChunkSource {
 public:
  explicit MadeChunks(std::function<bool(sequence::TextChunk&)> next) : next_(std::move(next)) {}

  bool next(sequence::TextChunk& chunk) override { return next_(chunk); }
  void set_bases(std::uint64_t) override {}
  const std::vector<sequence::Contig>& contigs() const override { return contigs_; }
  const std::vector<std::string>& md5s() const override { return md5s_; }
  std::string warning() const override { return ""; }

 private:
  std::function<bool(sequence::TextChunk&)> next_;
  std::vector<sequence::Contig> contigs_;
  std::vector<std::string> md5s_;
};

// On the caller's thread, which its functions are called on, too.
void scan(const Scanner::Impl& scanner, scan::Finder& finder, const session::Chunks& chunks, RowTarget& target) {
  tbb::task_arena arena(static_cast<int>(scanner.options.threads));
  arena.execute([&] {
    io::Progress none(false, {}, "bases");
    io::ScanStats stats;
    session::ScanSession(scanner.queries, scanner.options, scanner.arguments.chunk_size)
        .scan(finder, chunks, target, none, stats, false);
  });
}

}  // namespace

void scan_text(const Scanner::Impl& scanner, std::string_view text, Hits& hits) {
  const TakenFinder finder(scanner, text.size());
  bool is_given = false;
  const auto chunks = std::make_shared<MadeChunks>([&](sequence::TextChunk& chunk) {
    const sequence::NamedText contig{"text", text};
    chunk = {sequence::pack_texts({&contig, 1}), {{}}, 0};
    return !std::exchange(is_given, true);
  });
  RowTarget rows(scanner, hits);
  scan(scanner, *finder, {chunks}, rows);
}

void scan_reference(const Scanner::Impl& scanner, const std::shared_ptr<const sequence::Reference>& reference,
                    Hits& hits, const OnProgress& progress) {
  const TakenFinder finder(scanner, reference->bases());
  std::size_t first = 0;
  const auto chunks = std::make_shared<MadeChunks>([&](sequence::TextChunk& chunk) {
    if (first == reference->contigs().size()) {
      return false;
    }
    chunk = part_of(reference, first);
    first += chunk.slices.size();
    return true;
  });
  ProgressReport report(progress, reference->bases());
  RowTarget rows(scanner, hits, {}, [&](const sequence::TextChunk& chunk) { report.done += chunk.reference.bases(); });
  scan(scanner, *finder, {chunks}, rows);
  report.say();
}

void scan_contigs(const Scanner::Impl& scanner, session::ReferenceStream contigs, const OnHits& take,
                  const OnProgress& progress) {
  ProgressReport report(progress, contigs.bytes.value_or(0));
  const TakenFinder finder(scanner, contigs.bytes);
  const session::Chunks chunks = session::ScanSession(scanner.queries, scanner.options, scanner.arguments.chunk_size)
                                     .chunks_of(std::move(contigs.contigs));
  Hits hits;
  RowTarget rows(
      scanner, hits,
      [&](const sequence::ContigNames& contig_names) {
        for (std::uint64_t c = hits.contigs.size(); c < contig_names.size(); ++c) {
          hits.contigs.emplace_back(contig_names[c]);
        }
        if (!take(hits)) {
          throw Cancelled();
        }
        std::vector<std::string> names = std::move(hits.contigs);
        columns::clear(hits);
        hits.contigs = std::move(names);
      },
      [&](const sequence::TextChunk& chunk) { report.done = chunk.input_bytes; });
  scan(scanner, *finder, chunks, rows);
  report.say();
}

session::ReferenceStream stream_of(const NextChunk& next) {
  return {std::make_unique<CallerContigs>(next), {}, "", {}};
}

}  // namespace trawl::api
