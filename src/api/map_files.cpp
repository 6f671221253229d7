#include "api/map_files.hpp"

#include <utility>

#include "api/guarded.hpp"
#include "base/error.hpp"
#include "columns/column_sink.hpp"
#include "io/stats/map_stats.hpp"
#include "io/stats/progress.hpp"
#include "run/batch_source.hpp"
#include "run/map_pipeline.hpp"

namespace trawl::api {

io::ReadInput::Files input_files(const Mapper::Impl& mapper, const ReadFiles& files) {
  if (files.reads.empty()) {
    throw UsageError("no file of reads is given");
  }
  cli::MapArguments arguments = mapper.arguments;
  arguments.reads = files.reads;
  arguments.mates = files.mates;
  arguments.interleaved = files.interleaved;
  return cli::read_files(arguments);
}

void map_files(const Mapper::Impl& mapper, const ReadFiles& files, const std::function<bool(Alignments&)>& take,
               const OnProgress& progress) {
  if (!take) {
    throw UsageError("map_files() needs a function that takes the batches");
  }
  mapper.use_threads();
  io::ReadInput input(input_files(mapper, files), mapper.options.threads);
  io::RunStats stats;
  std::optional<PairEngine> of_pairs;
  if (input.paired()) {
    of_pairs.emplace(mapper);
    (*of_pairs)->set_inserts(
        run::find_inserts(input, **of_pairs, mapper.options, mapper.inserts, mapper.arguments.batch_size, stats));
  }
  engine::Engine& engine = of_pairs ? **of_pairs : *mapper.engine;
  io::Progress none(false, {});
  run::InputBatches source(input);
  const std::uint64_t total = input.total_bytes().value_or(0);
  columns::ColumnSink sink(mapper.rule, [&](Alignments& rows, std::uint64_t input_bytes) {
    if (!take(rows) || (progress && !progress({input_bytes, total}))) {
      throw Cancelled();
    }
  });
  run::map_reads(source, engine, sink, mapper.options, mapper.arguments.batch_size, none, stats);
  input.check_end();
}

}  // namespace trawl::api

namespace trawl::inline v0 {

void Mapper::map_files(const ReadFiles& files, const OnAlignments& take, const OnProgress& progress) const {
  api::guarded([&] { api::map_files(*impl_, files, take, progress); });
}

}  // namespace trawl::inline v0
