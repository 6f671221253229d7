#include "map/cpu_engine.hpp"

#include <algorithm>

#include "align/alignment.hpp"
#include "align/pair_reporter.hpp"
#include "align/placements.hpp"
#include "align/read_reporter.hpp"
#include "align/select.hpp"
#include "base/stop.hpp"
#include "base/stopwatch.hpp"
#include "map/loci_finder.hpp"
#include "map/search_depth.hpp"

namespace trawl::map {

namespace {

// A longer list of loci is freed as soon as its read or pair is reported.
constexpr std::size_t kKeptLoci = 4096;

class CpuWorker final : public engine::Worker {
 public:
  CpuWorker(const sequence::Reference& reference, const seed::SeedIndex& index, const MapOptions& options,
            const align::InsertModel& inserts, bool single)
      : options_(options),
        single_(single),
        short_reads_(options_, reference.bases()),
        depth_(reference, options, options.report_rule()),
        finder_(reference, index, options),
        reporter_(reference, options.ambiguous == Ambiguous::match, options.eqx, options.report_rule(), options.gaps(),
                  options.damage),
        pair_reporter_(reference, reporter_, options.pairs, inserts),
        group_(LociFinder::kGroupReads),
        encoded_(2 * LociFinder::kGroupReads) {}

  void map(const sequence::ReadBatch& batch, align::AlignmentBatch& out) override {
    out.clear();
    out.reads.resize(batch.size());
    const bool paired = batch.paired && !single_;
    out.pairs.resize(paired ? batch.size() / 2 : 0);
    for (std::size_t first = 0; first < batch.size(); first += LociFinder::kGroupReads) {
      map_group(batch, first, std::min(batch.size(), first + LociFinder::kGroupReads), out);
    }
    align::sort_records(out);
  }

  engine::StageSeconds seconds() const override {
    engine::StageSeconds sum = finder_.seconds();
    sum += seconds_;
    return sum;
  }

 private:
  // A read of the group, and what the last search for it has found.
  struct GroupRead {
    SearchedRead found;      // without the number of its best loci: placements count
    bool searched = false;   // false: it is too short
    bool is_second = false;  // mate
    bool left = false;       // left to a scan
    std::vector<align::Locus> loci;

    void free_loci() {
      if (loci.capacity() > kKeptLoci) {
        loci = {};
      }
    }
  };

  void map_group(const sequence::ReadBatch& batch, std::size_t first, std::size_t last, align::AlignmentBatch& out) {
    Stopwatch watch;
    first_ = first;
    pending_.clear();
    const bool paired = !out.pairs.empty();
    for (std::size_t r = first; r < last; ++r) {
      const auto i = static_cast<std::uint32_t>(r - first);
      GroupRead& read = group_[i];
      read.loci.clear();
      read.found = {};
      read.searched = !short_reads_.is_too_short(batch.bases(r));
      if (!read.searched) {
        out.reads[r].unmapped = align::Unmapped::too_short;
        continue;
      }
      encoded_[2 * i].encode(batch.bases(r), options_.ambiguous == Ambiguous::match);
      encoded_[2 * i + 1].encode_reverse_complement(encoded_[2 * i]);
      read.is_second = batch.is_second(r);
      read.found.allowed = options_.allowed_edits(batch.length(r));
      const sequence::EncodedRead& forward = encoded_[2 * i];
      read.found.edits = depth_.first(forward.length(), forward.ambiguous, read.found.allowed, paired);
      pending_.push_back(i);
    }
    watch.lap(seconds_.seed);
    finder_.keep_all(paired);
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
    std::vector<std::uint32_t> to_scan;
    for (std::size_t p = 0; p < searched_.size(); ++p) {
      GroupRead& read = group_[searched_[p]];
      if (finder_.left_to_scan(2 * p)) {
        to_scan.push_back(searched_[p]);
        read.left = true;
      }
    }
    finish(batch, searched_, out);
    for (std::size_t first = 0; first < to_scan.size();) {
      std::size_t last = std::min(first + LociFinder::kScannedReads, to_scan.size());
      if (last < to_scan.size() && !out.pairs.empty() && to_scan[last - 1] / 2 == to_scan[last] / 2) {
        --last;  // mates stay together
      }
      const auto reads = std::span(to_scan).subspan(first, last - first);
      take_strands(reads);
      finder_.scan(strands_);
      finish(batch, reads, out);
      first = last;
    }
  }

  void take_strands(std::span<const std::uint32_t> reads) {
    strands_.clear();
    for (const std::uint32_t i : reads) {
      GroupRead& read = group_[i];
      read.left = false;
      for (const bool reverse : {false, true}) {
        Strand& strand =
            strands_.emplace_back(Strand{&encoded_[2 * i + reverse], read.found.edits, read.found.allowed});
        strand.is_searched = options_.searches(reverse, read.is_second);
      }
    }
  }

  // Of the reads just searched, reports those that need no further search. Mates are kept until both are searched.
  void finish(const sequence::ReadBatch& batch, std::span<const std::uint32_t> reads, align::AlignmentBatch& out) {
    Stopwatch watch;
    const bool paired = !out.pairs.empty();
    for (std::size_t p = 0; p < reads.size(); ++p) {
      Stop::look();
      if (p + 1 < reads.size()) {
        prefetch(2 * p + 2);
      }
      if (!group_[reads[p]].left) {
        collect(2 * p, group_[reads[p]]);
        if (!paired) {
          report_read(batch, reads[p], out);
        }
      }
    }
    for (std::size_t p = 0; paired && p < reads.size(); ++p) {
      GroupRead* const mates = &group_[reads[p] & ~1u];
      const bool has_left = (mates[0].searched && mates[0].left) || (mates[1].searched && mates[1].left);
      if ((p == 0 || reads[p - 1] / 2 != reads[p] / 2) && !has_left) {
        report_pair(batch, reads[p] & ~1u, out);
      }
    }
    watch.lap(seconds_.align);
  }

  void prefetch(std::size_t strand) {
    for (const std::size_t s : {strand, strand + 1}) {
      reporter_.aligner().prefetch(finder_.loci(s), *strands_[s].read);
    }
  }

  void collect(std::size_t strand, GroupRead& read) const {
    const auto forward = finder_.loci(strand);
    const auto reverse = finder_.loci(strand + 1);
    read.loci.assign(forward.begin(), forward.end());
    read.loci.insert(read.loci.end(), reverse.begin(), reverse.end());
    read.found.proven = read.found.is_complete() || (finder_.proven(strand) && finder_.proven(strand + 1));
    read.found.best = align::kAnySum;
    for (const align::Locus& locus : read.loci) {
      read.found.best = std::min<std::uint32_t>(read.found.best, locus.distance);
    }
  }

  align::ReadLoci loci_of(const sequence::ReadBatch& batch, std::uint32_t i) const {
    const auto qualities = batch.qualities(first_ + i);
    align::ReadLoci found;
    found.loci = group_[i].loci;
    found.strands[0] = &encoded_[2 * i];
    found.strands[1] = &encoded_[2 * i + 1];
    found.qualities = qualities.empty() ? nullptr : qualities.data();
    found.max_edits = group_[i].found.allowed;
    return found;
  }

  // The read will be searched again, for this number of edits.
  void search_again(std::uint32_t i, std::uint32_t edits) {
    group_[i].found.edits = edits;
    pending_.push_back(i);
  }

  void report_read(const sequence::ReadBatch& batch, std::uint32_t i, align::AlignmentBatch& out) {
    GroupRead& read = group_[i];
    SearchedRead found = read.found;
    if (!found.proven) {
      return search_again(i, found.allowed);
    }
    align::ReadLoci loci = loci_of(batch, i);
    reporter_.place(loci, found.edits, options_.placements ? kMaxEdits : found.best + align::kWorse, placements_[0]);
    const align::Selection& selection = reporter_.select(loci, align::name_hash(batch.name(first_ + i)));
    found.count = selection.best_count;
    if (const std::uint32_t needed = depth_.needed(found, selection.ties); needed > found.edits) {
      return search_again(i, needed);
    }
    align::ReadResult& result = out.reads[first_ + i];
    reporter_.report(loci, result, out);
    if (align::are_enough(reporter_.rule(), result.best_count)) {
      result.next_count = 0;
      result.next_known = false;
    }
    read.free_loci();
  }

  // `first`: the first mate.
  void report_pair(const sequence::ReadBatch& batch, std::uint32_t first, align::AlignmentBatch& out) {
    GroupRead* const mates = &group_[first];
    align::ReadLoci loci[2];
    for (unsigned m = 0; m < 2; ++m) {
      if (mates[m].searched) {
        loci[m] = loci_of(batch, first + m);
        if (mates[m].found.proven) {
          reporter_.place(loci[m], mates[m].found.edits, kMaxEdits, placements_[m]);
        }
      }
    }
    pair_reporter_.begin(loci[0], loci[1]);
    const SearchedRead found[2] = {mates[0].found, mates[1].found};
    std::uint32_t needed[2];
    depth_.needed_for_pair(found, pair_reporter_.smallest_sum(), needed);
    bool again = false;
    for (unsigned m = 0; m < 2; ++m) {
      if (needed[m] > found[m].edits) {
        search_again(first + m, needed[m]);
        again = true;
      }
    }
    if (!again) {
      const std::size_t r = first_ + first;
      pair_reporter_.report(align::name_hash(batch.name(r)), out.pairs[r / 2], &out.reads[r], out);
      mates[0].free_loci();
      mates[1].free_loci();
    }
  }

  MapOptions options_;
  bool single_;  // mates are mapped like single reads
  ShortReads short_reads_;
  SearchDepth depth_;
  LociFinder finder_;
  align::ReadReporter reporter_;
  align::PairReporter pair_reporter_;
  engine::StageSeconds seconds_;
  // The group that is being mapped: its first read in the batch, its reads, and the strands of each.
  std::size_t first_ = 0;
  std::vector<GroupRead> group_;
  std::vector<sequence::EncodedRead> encoded_;
  std::vector<std::uint32_t> pending_;  // in the group, like the next
  std::vector<std::uint32_t> searched_;
  std::vector<Strand> strands_;
  align::Placements placements_[2];  // of a read, or of the mates of a pair
};

class CpuEngine final : public engine::Engine {
 public:
  CpuEngine(const sequence::Reference& reference, const MapOptions& options)
      : reference_(reference),
        options_(options),
        index_(options.seeds ? options.seeds
                             : std::make_shared<seed::SeedIndex>(
                                   reference, seed::SeedIndex::suggest_q(reference.bases()), options.threads)) {}

  std::unique_ptr<engine::Worker> make_worker() override {
    return std::make_unique<CpuWorker>(reference_, *index_, options_, inserts_, false);
  }

  std::unique_ptr<engine::Worker> make_single_worker() override {
    MapOptions options = options_;
    options.report = Report::best;
    return std::make_unique<CpuWorker>(reference_, *index_, options, inserts_, true);
  }

  std::unique_ptr<engine::RangeFinder> make_range_finder() override {
    return make_cpu_range_finder(reference_, *index_, options_);
  }

  void set_inserts(const align::InsertModel& inserts) override { inserts_ = inserts; }
  void set_damage(const align::DamageRates& damage) override { options_.damage = damage; }

  std::size_t reads_per_batch() const override { return 2048; }

  std::size_t batches_under_way(unsigned threads) const override { return 2 * std::size_t{threads}; }

  std::string description() const override {
    return "cpu (" + std::string(simd_target()) + ", " + std::to_string(options_.threads) + " threads, seeds of " +
           std::to_string(index_->q()) + ")";
  }

 private:
  const sequence::Reference& reference_;
  MapOptions options_;
  align::InsertModel inserts_;
  std::shared_ptr<const seed::SeedIndex> index_;
};

}  // namespace

std::unique_ptr<engine::Engine> make_cpu_engine(const sequence::Reference& reference, const MapOptions& options) {
  return std::make_unique<CpuEngine>(reference, options);
}

std::string cpu_engine_description() { return "SIMD: " + std::string(simd_target()); }

}  // namespace trawl::map
