#include "api/map_files.hpp"

#include <utility>

#include "api/guarded.hpp"
#include "api/map_columns.hpp"
#include "base/error.hpp"
#include "io/stats/map_stats.hpp"
#include "io/stats/progress.hpp"
#include "io/write/alignment_sink.hpp"
#include "run/batch_source.hpp"
#include "run/map_pipeline.hpp"
#include "run/record_target.hpp"

namespace trawl::api {

namespace {

class ColumnChunk final : public io::Chunk {
 public:
  Alignments rows;
  std::size_t reads = 0;
  std::uint64_t input_bytes = 0;
};

// Gives the rows of each batch to the caller.
class ColumnSink final : public io::AlignmentSink {
 public:
  ColumnSink(const align::RecordRule& rule, const std::function<bool(Alignments&)>& take, const OnProgress& progress,
             std::uint64_t total)
      : rule_(rule), take_(take), progress_(progress), total_(total) {}

  void format(const sequence::ReadBatch& reads, const align::AlignmentBatch& alignments,
              io::Chunk& chunk) const override {
    auto& columns = static_cast<ColumnChunk&>(chunk);
    columns.rows = {};
    add_rows(alignments, rule_, columns.rows);
    add_reads(reads, columns.rows);
    columns.reads = reads.size();
    columns.input_bytes = reads.input_bytes;
  }
  std::unique_ptr<io::Chunk> make_chunk() const override { return std::make_unique<ColumnChunk>(); }

  void write(io::Chunk& chunk) override {
    auto& columns = static_cast<ColumnChunk&>(chunk);
    columns.rows.first_read = reads_;
    reads_ += columns.reads;
    if (!take_(columns.rows) || (progress_ && !progress_({columns.input_bytes, total_}))) {
      throw Cancelled();
    }
  }

  // Only the ranks of MPI, and outputs that are files, need these.
  void append_parcel(io::Chunk&, std::string&) const override {}
  void write_parcel(std::string_view) override {}
  void close() override {}

 private:
  align::RecordRule rule_;
  const std::function<bool(Alignments&)>& take_;
  const OnProgress& progress_;
  std::uint64_t total_;
  std::uint64_t reads_ = 0;
};

}  // namespace

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
  ColumnSink sink(mapper.rule, take, progress, input.total_bytes().value_or(0));
  run::SinkRecords records(sink);
  run::map_reads(source, engine, records, mapper.options, mapper.arguments.batch_size, none, stats);
  input.check_end();
}

}  // namespace trawl::api

namespace trawl::inline v0 {

void Mapper::map_files(const ReadFiles& files, const OnAlignments& take, const OnProgress& progress) const {
  api::guarded([&] { api::map_files(*impl_, files, take, progress); });
}

}  // namespace trawl::inline v0
