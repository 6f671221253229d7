#include "map/cpu_engine.hpp"

#include <algorithm>

#include "align/aligner.hpp"
#include "align/mapq.hpp"
#include "align/select.hpp"
#include "base/error.hpp"
#include "base/stopwatch.hpp"
#include "map/loci_finder.hpp"
#include "map/search_depth.hpp"
#include "seed/seed_index.hpp"

namespace trawl::map {

namespace {

// Reads searched together: enough to fill the SIMD lanes, but so few that their loci stay in the cache.
constexpr std::size_t kGroupReads = 256;
// Reads whose loci from a scan are in memory at once: enough to fill the SIMD lanes, but few, because there may be
// millions of loci.
constexpr std::size_t kScannedReads = 16;

class CpuWorker final : public engine::Worker {
 public:
  CpuWorker(const sequence::Reference& reference, const seed::SeedIndex& index, const Options& options,
            const align::InsertModel& inserts)
      : options_(options),
        inserts_(inserts),
        depth_(reference, options),
        finder_(reference, index, options),
        aligner_(reference, options.ambiguous == Ambiguous::match, options.eqx),
        encoded_(2 * kGroupReads) {}

  void map(const sequence::ReadBatch& batch, align::AlignmentBatch& out) override {
    out.clear();
    out.reads.resize(batch.size());
    for (std::size_t first = 0; first < batch.size(); first += kGroupReads) {
      map_group(batch, first, std::min(batch.size(), first + kGroupReads), out);
    }
  }

  StageSeconds seconds() const override {
    StageSeconds sum = finder_.seconds();
    sum += seconds_;
    return sum;
  }

 private:
  // A read of a group that is being searched.
  struct Pending {
    std::uint32_t read = 0;   // index in the batch
    std::uint32_t place = 0;  // index of its forward strand in encoded_
    std::uint32_t allowed_edits = 0;
    std::uint32_t depth = 0;  // the number of edits searched for
    bool left = false;        // left to a scan
  };

  void map_group(const sequence::ReadBatch& batch, std::size_t first, std::size_t last, align::AlignmentBatch& out) {
    Stopwatch watch;
    pending_.clear();
    for (std::size_t r = first; r < last; ++r) {
      const std::uint32_t allowed = allowed_edits(batch, r);
      if (batch.length(r) <= allowed) {
        out.reads[r].unmapped = align::Unmapped::too_short;
        continue;
      }
      const auto place = static_cast<std::uint32_t>(2 * pending_.size());
      encoded_[place].encode(batch.bases(r), options_.ambiguous == Ambiguous::match);
      encoded_[place + 1].encode_reverse_complement(encoded_[place]);
      pending_.push_back({static_cast<std::uint32_t>(r), place, allowed, depth_.first(encoded_[place], allowed)});
    }
    watch.lap(seconds_.seed);
    while (!pending_.empty()) {
      search(batch, out);
    }
  }

  // Searches the pending reads. Those that must be searched again stay pending.
  void search(const sequence::ReadBatch& batch, align::AlignmentBatch& out) {
    searched_.swap(pending_);
    pending_.clear();
    take_strands(searched_);
    finder_.find(strands_);
    to_scan_.clear();
    for (std::size_t p = 0; p < searched_.size(); ++p) {
      if (finder_.left_to_scan(2 * p)) {
        to_scan_.push_back(searched_[p]);
        searched_[p].left = true;
      }
    }
    report_found(batch, searched_, out);
    for (std::size_t first = 0; first < to_scan_.size(); first += kScannedReads) {
      const std::size_t count = std::min(kScannedReads, to_scan_.size() - first);
      take_strands(std::span(to_scan_).subspan(first, count));
      finder_.scan(strands_);
      report_found(batch, std::span(to_scan_).subspan(first, count), out);
    }
  }

  void take_strands(std::span<const Pending> reads) {
    strands_.clear();
    for (const Pending& read : reads) {
      strands_.push_back({&encoded_[read.place], read.depth, read.allowed_edits});
      strands_.push_back({&encoded_[read.place + 1], read.depth, read.allowed_edits});
    }
  }

  // Of the reads just searched, reports those that need no further search.
  void report_found(const sequence::ReadBatch& batch, std::span<const Pending> reads, align::AlignmentBatch& out) {
    Stopwatch watch;
    for (std::size_t p = 0; p < reads.size(); ++p) {
      if (p + 1 < reads.size()) {
        aligner_.prefetch(finder_.loci(2 * p + 2), *strands_[2 * p + 2].read);
        aligner_.prefetch(finder_.loci(2 * p + 3), *strands_[2 * p + 3].read);
      }
      if (reads[p].left) {
        continue;
      }
      const std::uint32_t needed = choose(batch, reads[p], 2 * p);
      if (needed <= reads[p].depth) {
        report(batch, reads[p].read, 2 * p, out);
      } else {
        pending_.push_back(reads[p]);
        pending_.back().depth = needed;
      }
    }
    watch.lap(seconds_.align);
  }

  // Collects and selects the loci of a read. Returns the number of edits that it must be searched for.
  std::uint32_t choose(const sequence::ReadBatch& batch, const Pending& pending, std::size_t strand) {
    if (pending.depth < pending.allowed_edits && !(finder_.proven(strand) && finder_.proven(strand + 1))) {
      return pending.allowed_edits;
    }
    const auto forward = finder_.loci(strand);
    const auto reverse = finder_.loci(strand + 1);
    loci_.assign(forward.begin(), forward.end());
    loci_.insert(loci_.end(), reverse.begin(), reverse.end());
    align::select(loci_, options_.report_rule(), align::name_hash(batch.name(pending.read)), selection_);
    return pending.depth == pending.allowed_edits ? pending.depth
                                                  : depth_.needed(selection_, loci_, pending.allowed_edits);
  }

  std::uint32_t allowed_edits(const sequence::ReadBatch& batch, std::size_t r) const {
    const std::uint32_t edits = options_.max_edits.of(batch.length(r));
    if (edits > kMaxEdits && batch.length(r) > edits) {
      throw Error("read '" + std::string(batch.name(r)) + "' of " + std::to_string(batch.length(r)) +
                  " bases would be allowed " + std::to_string(edits) + " edits; at most " + std::to_string(kMaxEdits) +
                  " are possible, give a smaller -e");
    }
    return edits;
  }

  void report(const sequence::ReadBatch& batch, std::size_t r, std::size_t strand, align::AlignmentBatch& out) {
    align::ReadResult& result = out.reads[r];
    result.first = out.alignments.size();
    result.best_count = selection_.best_count;
    result.next_count = selection_.next_count;
    result.next_known = !loci_.empty() &&
                        align::is_next_known(loci_[selection_.order.front()].distance, strands_[strand].allowed_edits);
    result.dropped = selection_.dropped;
    result.count = static_cast<std::uint32_t>(selection_.order.size());
    for (const std::uint32_t l : selection_.order) {
      const align::Locus& locus = loci_[l];
      const sequence::EncodedRead& read = *strands_[strand + locus.reverse].read;
      const align::AlignedPath& path = aligner_.find_path(locus, read, strands_[strand].allowed_edits);
      out.alignments.push_back(aligner_.describe(locus, read, path, out));
      if (l == selection_.order.front() && result.best_count == 1) {
        out.alignments.back().mapq = mapq(batch, r, strand, path);
      }
    }
  }

  // `primary`: the path of the primary locus.
  std::uint8_t mapq(const sequence::ReadBatch& batch, std::size_t r, std::size_t strand,
                    const align::AlignedPath& primary) {
    const char* const qualities = batch.qualities(r).empty() ? nullptr : batch.qualities(r).data();
    const auto length = static_cast<std::uint32_t>(batch.length(r));
    const std::uint32_t chosen = selection_.order.front();
    const auto read_of = [&](const align::Locus& locus) -> const sequence::EncodedRead& {
      return *strands_[strand + locus.reverse].read;
    };
    const auto qualities_of = [&](const align::Locus& locus) {
      return align::StrandQualities{qualities, length, locus.reverse};
    };
    align::QualitySum sum;
    sum.start(model_, aligner_.cost_of(primary, read_of(loci_[chosen]), qualities_of(loci_[chosen]), model_),
              align::average_cost(model_, qualities, length), strands_[strand].allowed_edits);
    for (std::uint32_t l = 0; l < loci_.size(); ++l) {
      const align::Locus& locus = loci_[l];
      if (l != chosen && align::QualitySum::counts(locus.distance, loci_[chosen].distance)) {
        sum.others +=
            sum.weight(model_, aligner_.cost_of(locus, read_of(locus), qualities_of(locus), sum.average, model_));
      }
    }
    return static_cast<std::uint8_t>(model_.mapq(sum.others));
  }

  Options options_;
  const align::InsertModel& inserts_;
  SearchDepth depth_;
  LociFinder finder_;
  align::Aligner aligner_;
  align::MapqModel model_;
  align::Selection selection_;
  StageSeconds seconds_;
  std::vector<sequence::EncodedRead> encoded_;
  std::vector<Pending> pending_;
  std::vector<Pending> searched_;
  std::vector<Pending> to_scan_;
  std::vector<Strand> strands_;
  std::vector<align::Locus> loci_;
};

class CpuEngine final : public engine::Engine {
 public:
  CpuEngine(const sequence::Reference& reference, const Options& options)
      : reference_(reference),
        options_(options),
        index_(reference, seed::SeedIndex::suggest_q(reference.bases()), options.threads) {}

  std::unique_ptr<engine::Worker> make_worker() override {
    return std::make_unique<CpuWorker>(reference_, index_, options_, inserts_);
  }

  std::unique_ptr<engine::Worker> make_single_worker() override {
    Options options = options_;
    options.report = Report::best;
    return std::make_unique<CpuWorker>(reference_, index_, options, inserts_);
  }

  void set_inserts(const align::InsertModel& inserts) override { inserts_ = inserts; }

  std::size_t reads_per_batch() const override { return 2048; }

  std::size_t batches_under_way(unsigned threads) const override { return 2 * std::size_t{threads}; }

  std::string description() const override {
    return "cpu (" + std::string(simd_target()) + ", " + std::to_string(options_.threads) + " threads, seeds of " +
           std::to_string(index_.q()) + ")";
  }

 private:
  const sequence::Reference& reference_;
  Options options_;
  align::InsertModel inserts_;
  seed::SeedIndex index_;
};

}  // namespace

std::unique_ptr<engine::Engine> make_cpu_engine(const sequence::Reference& reference, const Options& options) {
  return std::make_unique<CpuEngine>(reference, options);
}

std::string cpu_engine_description() { return "SIMD: " + std::string(simd_target()); }

}  // namespace trawl::map
