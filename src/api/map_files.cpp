#include "api/map_files.hpp"

#include <utility>

#include "api/guarded.hpp"
#include "base/error.hpp"
#include "cli/options/map_files.hpp"
#include "columns/map_columns.hpp"
#include "io/stats/map_stats.hpp"
#include "io/stats/progress.hpp"
#include "session/map_session.hpp"

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

void map_files(const Mapper::Impl& mapper, const ReadFiles& files,
               const std::function<bool(Alignments&, const Progress&)>& take, const OnProgress& progress) {
  mapper.use_threads();
  io::ReadInput input(input_files(mapper, files), mapper.options.threads);
  std::optional<PairEngine> of_pairs;
  input.open();
  if (input.paired()) {
    of_pairs.emplace(mapper);
  }
  ProgressReport report(progress, input.total_bytes().value_or(0));
  columns::ColumnSink sink(mapper.arguments.records, [&](Alignments& rows, std::uint64_t input_bytes) {
    report.done = input_bytes;
    if (!take(rows, report.now())) {
      throw Cancelled();
    }
  });
  io::Progress none(false, {});
  io::RunStats stats;
  session::MapSession(of_pairs ? **of_pairs : *mapper.engine, mapper.options, mapper.arguments.insert,
                      mapper.arguments.batch_size)
      .run(input, sink, none, stats);
  report.say();
}

}  // namespace trawl::api

namespace trawl::inline v0 {

void Mapper::map_files(const ReadFiles& files, const OnAlignments& take, const OnProgress& progress) const {
  if (!take) {
    throw UsageError("map_files() needs a function that takes the batches");
  }
  api::guarded([&] {
    api::map_files(
        *impl_, files, [&](Alignments& batch, const Progress&) { return take(batch); }, progress);
  });
}

}  // namespace trawl::inline v0
