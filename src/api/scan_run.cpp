#include "api/scan_run.hpp"

#include <tbb/task_arena.h>

#include <algorithm>
#include <map>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "api/guarded.hpp"
#include "base/error.hpp"
#include "columns/map_columns.hpp"
#include "io/format/letters.hpp"
#include "io/read/fasta_chunks.hpp"
#include "run/chunk_reader.hpp"
#include "run/scan_search.hpp"
#include "scan/report/site.hpp"
#include "sequence/packed_letters.hpp"

namespace trawl::api {

namespace {

// A finder that goes back to its scanner.
class TakenFinder {
 public:
  TakenFinder(const Scanner::Impl& scanner, std::optional<std::uint64_t> bytes) : scanner_(scanner) {
    use_threads();
    finder_ = scanner.take_finder(bytes);
  }
  ~TakenFinder() { scanner_.give_back(std::move(finder_)); }
  TakenFinder(const TakenFinder&) = delete;
  TakenFinder& operator=(const TakenFinder&) = delete;
  scan::Finder& operator*() const { return *finder_; }

 private:
  const Scanner::Impl& scanner_;
  std::unique_ptr<scan::Finder> finder_;
};

// Runs the work on the threads of the scanner.
template <class Work>
void with_threads(unsigned threads, const Work& work) {
  tbb::task_arena arena(static_cast<int>(threads));
  arena.execute(work);
}

// A search whose records become rows.
class RowSearch {
 public:
  RowSearch(const Scanner::Impl& scanner, scan::Finder& finder)
      : scanner_(scanner), search_(finder, scanner.queries, scanner.options, seconds_) {}

  // Appends rows to `hits`; calls after() when some were added. Returns the number of ends.
  template <class After>
  std::uint64_t run(const sequence::TextChunk& chunk, Hits& hits, const After& after) {
    return search_.run(chunk, [&] {
      const std::size_t before = hits.size();
      search_.queue().write_until(search_.collector().limit(), [&](std::span<const scan::Record> records) {
        for (const scan::Record& record : records) {
          columns::add_hit(record, scanner_.searched[record.pattern].bases, hits);
        }
      });
      if (hits.size() > before) {
        after();
      }
    });
  }

 private:
  const Scanner::Impl& scanner_;
  std::map<std::string, double> seconds_;
  run::ScanSearch search_;
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

  bool step(io::FastaHandler& handler) override {
    Chunk piece;
    while (piece.letters.empty()) {
      piece = {};
      if (!next_(piece)) {
        return false;
      }
    }
    if (!began_ || piece.contig != contig_) {
      begin(piece.contig, handler);
    }
    if (const std::size_t at = io::find_not_iupac(piece.letters); at < piece.letters.size()) {
      throw InputError("contig " + contig_ + ", letter " + std::to_string(letters_ + at + 1) + ": " +
                       io::describe_character(piece.letters[at]) + " is not an IUPAC letter");
    }
    const auto packed = std::make_shared<sequence::PackedLetters>();
    packed->append(piece.letters);
    handler.append(packed, 0, piece.letters.size());
    letters_ += piece.letters.size();
    return true;
  }
  std::uint64_t consumed(std::uint64_t) const override { return 0; }
  std::string warning() const override { return ""; }

 private:
  void begin(const std::string& name, io::FastaHandler& handler) {
    if (!names_.insert(name).second) {
      throw InputError("the contig " + name + " comes twice; the pieces of a contig follow each other");
    }
    contig_ = name;
    began_ = true;
    letters_ = 0;
    handler.begin_contig(name, {});
  }

  const NextChunk& next_;
  std::string contig_;
  bool began_ = false;
  std::uint64_t letters_ = 0;
  std::unordered_set<std::string> names_;
};

}  // namespace

void scan_text(const Scanner::Impl& scanner, std::string_view text, Hits& hits) {
  const TakenFinder finder(scanner, text.size());
  with_threads(scanner.options.threads, [&] {
    const sequence::NamedText contig{"text", text};
    const sequence::TextChunk chunk{sequence::pack_texts({&contig, 1}), {{}}, 0};
    RowSearch(scanner, *finder).run(chunk, hits, [] {});
  });
}

void scan_reference(const Scanner::Impl& scanner, const std::shared_ptr<const sequence::Reference>& reference,
                    Hits& hits, const OnProgress& progress) {
  const TakenFinder finder(scanner, reference->bases());
  with_threads(scanner.options.threads, [&] {
    RowSearch search(scanner, *finder);
    std::uint64_t done = 0;
    for (std::size_t first = 0; first < reference->contigs().size();) {
      const sequence::TextChunk chunk = part_of(reference, first);
      search.run(chunk, hits, [] {});
      first += chunk.slices.size();
      done += chunk.reference.bases();
      if (progress && !progress({done, reference->bases()})) {
        throw Cancelled();
      }
    }
  });
}

void scan_contigs(const Scanner::Impl& scanner, run::ReferenceStream contigs, const OnHits& take,
                  const OnProgress& progress) {
  const std::uint64_t total = contigs.bytes.value_or(0);
  const TakenFinder finder(scanner, contigs.bytes);
  std::optional<run::ChunkSize> size;
  io::ChunkOptions options;
  if (scanner.arguments.chunk_size > 0) {
    options.bases = scanner.arguments.chunk_size;
  } else {
    size.emplace(scanner.queries.size());
  }
  options.overlap = scan::SiteFinder(scanner.queries, scanner.options).overlap();
  io::FastaChunks chunks(std::move(contigs.contigs), options, scanner.options.threads);
  Hits hits;
  with_threads(scanner.options.threads, [&] {
    RowSearch search(scanner, *finder);
    sequence::TextChunk chunk;
    while (true) {
      if (size) {
        chunks.set_bases(size->bases());
      }
      if (!chunks.next(chunk)) {
        break;
      }
      for (std::size_t p = 0; p < chunk.slices.size(); ++p) {
        hits.contigs.resize(std::max<std::size_t>(hits.contigs.size(), chunk.slices[p].contig + 1));
        hits.contigs[chunk.slices[p].contig] = chunk.reference.contigs()[p].name;
      }
      const std::uint64_t ends = search.run(chunk, hits, [&] {
        if (!take(hits)) {
          throw Cancelled();
        }
        std::vector<std::string> names = std::move(hits.contigs);
        columns::clear(hits);
        hits.contigs = std::move(names);
      });
      if (size) {
        size->learn(chunk.reference.bases(), ends);
      }
      if (progress && !progress({chunk.input_bytes, total})) {
        throw Cancelled();
      }
    }
  });
}

run::ReferenceStream stream_of(const NextChunk& next) { return {std::make_unique<CallerContigs>(next), {}, "", {}}; }

}  // namespace trawl::api
