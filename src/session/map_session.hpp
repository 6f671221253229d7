// Reads through one engine, whoever gives them: files of the command line, calls of the library, queries of a server.
//
//   with: engine::Engine& engine, io::ReadInput& input, io::AlignmentSink& target, io::Progress& progress
//   const map::MapOptions options;
//   io::RunStats stats;
//   MapSession(engine, options).run(input, target, progress, stats);      // the target may be make_sink()
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "align/pair_rule.hpp"
#include "engine/engine.hpp"
#include "io/read/read_input.hpp"
#include "io/report/map_report.hpp"
#include "io/stats/map_stats.hpp"
#include "io/stats/progress.hpp"
#include "io/write/alignment_sink.hpp"
#include "io/write/record_sinks.hpp"
#include "map/options.hpp"
#include "pipeline/batch_source.hpp"
#include "pipeline/map_pipeline.hpp"
#include "sequence/reference.hpp"
#include "session/insert_sizes.hpp"

namespace trawl::session {

/// Opens the output and writes its header. `reference` must live longer than the sink. `md5s`: from contig_md5s(); may
/// be empty unless needs_md5s(). Throws UsageError, IoError.
std::unique_ptr<io::AlignmentSink> make_sink(const io::SinkOptions& options, const sequence::Reference& reference,
                                             const std::vector<std::string>& md5s);

/// What makes the records of that sink, without a file. `reference` must live longer. Throws UsageError.
std::unique_ptr<io::RecordFormatter> make_formatter(const io::SinkOptions& options,
                                                    const sequence::Reference& reference);

class MapSession {
 public:
  /// `inserts`: in place of those that are estimated. `batch_size`: reads per batch; 0: as the engine prefers. The
  /// engine and the options must outlive this object.
  MapSession(engine::Engine& engine, const map::MapOptions& options, std::optional<align::InsertRange> inserts = {},
             std::size_t batch_size = 0)
      : engine_(engine), options_(options), inserts_(inserts), batch_size_(batch_size) {}

  /// Finds the insert sizes of pairs from the first ones, which stay in the input.
  align::InsertModel find_inserts(io::ReadInput& input, io::RunStats& stats) {
    return session::find_inserts(input, engine_, options_, inserts_, batch_size_, stats);
  }
  /// The rates of damage, from the first reads, which stay in the input.
  align::DamageRates find_damage(io::ReadInput& input, io::RunStats& stats) {
    return session::find_damage(input, engine_, options_, batch_size_, stats);
  }
  /// Maps the batches of a source, and writes their records to `target`, which it does not close. `report`: null: none.
  void map(pipeline::BatchSource& source, io::AlignmentSink& target, io::Progress& progress, io::RunStats& stats,
           io::MapReport* report = nullptr) {
    pipeline::map_reads(source, engine_, target, options_, batch_size_, progress, stats, report);
  }
  /// All of an input. Throws what the input, the engine, the target and `on_batch` throw.
  void run(io::ReadInput& input, io::AlignmentSink& target, io::Progress& progress, io::RunStats& stats,
           pipeline::InputBatches::OnBatch on_batch = {}) {
    input.open();
    if (input.paired()) {
      engine_.set_inserts(find_inserts(input, stats));
    }
    pipeline::InputBatches source(input, std::move(on_batch));
    map(source, target, progress, stats);
    input.check_end();
  }

 private:
  engine::Engine& engine_;
  const map::MapOptions& options_;
  std::optional<align::InsertRange> inserts_;
  std::size_t batch_size_;
};

}  // namespace trawl::session
