#include "api/mapper.hpp"

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "api/cuda_plugin.hpp"
#include "api/given_options.hpp"
#include "api/guarded.hpp"
#include "api/reference.hpp"
#include "base/error.hpp"
#include "columns/map_columns.hpp"
#include "io/format/letters.hpp"
#include "io/stats/map_stats.hpp"
#include "pipeline/engine_choice.hpp"
#include "sequence/alphabet.hpp"
#include "sequence/read_batch.hpp"
#include "session/insert_sizes.hpp"

namespace trawl::api {

namespace {

constexpr std::size_t kLeastReads = 256;
constexpr std::size_t kMostReads = (std::size_t{1} << 31) - 2;

// Which read a message is about.
std::string read_text(std::size_t number, std::string_view name) {
  return "read " + std::to_string(number + 1) + (name.empty() ? "" : ", " + std::string(name));
}

void add_read(const Read& read, std::size_t number, sequence::ReadBatch& batch) {
  if (!read.qualities.empty() && read.qualities.size() != read.bases.size()) {
    throw InputError(read_text(number, read.name) + " has " + std::to_string(read.bases.size()) + " bases and " +
                     std::to_string(read.qualities.size()) + " qualities; give as many, or none");
  }
  if (!io::all_printable(read.qualities)) {
    throw InputError(read_text(number, read.name) + ": the qualities contain " +
                     io::describe_character(read.qualities[io::find_not_printable(read.qualities)]) +
                     "; only '!' to '~' are allowed (Phred + 33)");
  }
  if (read.bases.size() >= std::size_t{1} << 31) {
    throw InputError(read_text(number, read.name) + " has " + std::to_string(read.bases.size()) +
                     " bases; at most 2147483647 are possible");
  }
  const std::size_t at = batch.size();
  batch.add(read.name, read.bases, read.qualities);
  if (const std::size_t bad = io::clean_bases(batch.mutable_bases(at), read.bases.size()); bad < read.bases.size()) {
    throw InputError(read_text(number, read.name) + ": base " + std::to_string(bad + 1) + " is " +
                     io::describe_character(read.bases[bad]) + ", which is not an IUPAC letter");
  }
}

// The reads of a call, in batches.
class CallInput {
 public:
  CallInput(std::span<const Read> first, std::span<const Read> second, bool paired, std::size_t a_batch)
      : first_(first), second_(second), paired_(paired), a_batch_(a_batch) {
    if (reads() > kMostReads) {
      throw UsageError("a call takes at most " + std::to_string(kMostReads) + " reads; give them in several calls");
    }
  }

  std::size_t reads() const { return first_.size() + second_.size(); }
  std::size_t batches() const { return (reads() + a_batch_ - 1) / a_batch_; }

  void fill(std::size_t b, sequence::ReadBatch& batch) const {
    fill(b * a_batch_, std::min(reads(), (b + 1) * a_batch_), batch);
    batch.number = b;
  }
  void fill(std::size_t begin, std::size_t end, sequence::ReadBatch& batch) const {
    batch.clear();
    batch.first_read = begin;
    batch.paired = paired_;
    for (std::size_t i = begin; i < end; ++i) {
      if (!paired_) {
        add_read(first_[i], i, batch);
      } else {
        Read mate = i % 2 == 0 ? first_[i / 2] : second_[i / 2];
        mate.name = first_[i / 2].name;  // mates have one name
        add_read(mate, i, batch);
      }
    }
  }

 private:
  std::span<const Read> first_;
  std::span<const Read> second_;
  bool paired_;
  std::size_t a_batch_;  // reads, an even number
};

// Calls work(b) for all batches, on the threads of the mapper; throws the first failure in their order.
template <class Work>
void for_each_batch(std::size_t batches, unsigned threads, const Work& work) {
  if (batches == 1 || threads == 1) {
    for (std::size_t b = 0; b < batches; ++b) {
      work(b);
    }
    return;
  }
  std::vector<std::exception_ptr> failures(batches);
  // More threads than cores, where some of them wait for a device.
  const tbb::global_control allowed(tbb::global_control::max_allowed_parallelism, threads);
  tbb::task_arena arena(static_cast<int>(threads));
  arena.execute([&] {
    tbb::parallel_for(std::size_t{0}, batches, Stop::carry([&](std::size_t b) {
                        try {
                          work(b);
                        } catch (...) {
                          failures[b] = std::current_exception();
                        }
                      }),
                      tbb::simple_partitioner());
  });
  for (const std::exception_ptr& failure : failures) {
    if (failure) {
      std::rethrow_exception(failure);
    }
  }
}

Alignments map_call(const Mapper::Impl& mapper, engine::Engine& engine, const CallInput& input,
                    const OnProgress& progress) {
  mapper.use_threads();
  const bool is_shared = &engine == mapper.engine.get();
  std::vector<Alignments> parts(input.batches());
  ProgressReport report(progress, input.reads());
  for_each_batch(parts.size(), mapper.options.threads + engine.waiting_threads(), [&](std::size_t b) {
    const auto make = [&] { return engine.make_worker(); };
    auto worker = is_shared ? mapper.workers.take(make) : make();
    sequence::ReadBatch batch;
    align::AlignmentBatch found;
    input.fill(b, batch);
    worker->map(batch, found);
    if (is_shared) {
      mapper.workers.give_back(std::move(worker), mapper.options.threads + std::size_t{engine.waiting_threads()});
    }
    align::leave_unmapped(found, mapper.options.max_loci, mapper.options.one_end);
    columns::add_rows(found, mapper.arguments.records, parts[b]);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      parts[b].names.add(batch.name(i));
    }
    report.done += batch.size();
    Stop::look();
  });
  report.say();
  if (parts.empty()) {
    return {};
  }
  for (std::size_t p = 1; p < parts.size(); ++p) {
    columns::append(parts[0], parts[p]);
    parts[p] = {};
  }
  return std::move(parts[0]);
}

std::size_t batch_size(const Mapper::Impl& mapper, std::size_t reads) {
  const std::size_t most =
      mapper.arguments.batch_size > 0 ? mapper.arguments.batch_size : mapper.engine->reads_per_batch();
  const std::size_t shared = reads / (std::size_t{4} * mapper.options.threads);
  const std::size_t size = mapper.engine_name == "cpu" ? std::clamp(shared, std::min(kLeastReads, most), most) : most;
  return std::max<std::size_t>(2, size / 2 * 2);
}

}  // namespace

}  // namespace trawl::api

namespace trawl::inline v0 {

Mapper::Impl::Impl(Reference of, const Options& given)
    : reference(std::move(of)), arguments(api::map_arguments(given)), options(cli::map_options(arguments)) {
  use_threads();
  api::know_cuda_plugin();
  pipeline::MapChoice choice(arguments.engine, options);
  choice.warm_up();
  const Reference::Impl& parts = *reference.impl();
  engine = choice.make(*parts.reference, choice.name() == "cpu" ? parts.seeds(options.threads) : parts.known_seeds());
  engine_name = choice.name();
  why = choice.why();
}

std::unique_ptr<engine::Engine> Mapper::Impl::make_engine_of_pairs() const {
  const Reference::Impl& parts = *reference.impl();
  return engine_name == "cpu" ? pipeline::MapChoice("cpu", options).make(*parts.reference, parts.seeds(options.threads))
                              : nullptr;
}

void Mapper::Impl::use_threads() const { api::use_threads(); }

Mapper::Mapper(Reference reference, const Options& options)
    : impl_(api::guarded([&] { return std::make_shared<const Impl>(std::move(reference), options); })) {}

Alignments Mapper::map(std::span<const Read> reads, const OnProgress& progress) const {
  return api::guarded([&] {
    const api::CallInput input(reads, {}, false, api::batch_size(*impl_, reads.size()));
    return api::map_call(*impl_, *impl_->engine, input, progress);
  });
}

Alignments Mapper::map_pairs(std::span<const Read> first, std::span<const Read> second,
                             const OnProgress& progress) const {
  if (first.size() != second.size()) {
    throw UsageError("there are " + std::to_string(first.size()) + " first and " + std::to_string(second.size()) +
                     " second mates; pairs have one of each");
  }
  return api::guarded([&] {
    const api::CallInput input(first, second, true, api::batch_size(*impl_, 2 * first.size()));
    const api::PairEngine engine(*impl_);
    io::RunStats stats;
    const auto give = [&](std::size_t begin, std::size_t end, sequence::ReadBatch& batch) {
      input.fill(begin, end, batch);
    };
    engine->set_inserts(
        session::find_inserts(input.reads(), give, *engine, impl_->options, impl_->arguments.insert, stats));
    return api::map_call(*impl_, *engine, input, progress);
  });
}

const Reference& Mapper::reference() const { return impl_->reference; }

std::string Mapper::engine() const { return impl_->engine_name; }

std::string Mapper::why_engine() const { return impl_->why; }

}  // namespace trawl::inline v0
