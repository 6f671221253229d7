#include "session/insert_sizes.hpp"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

#include "align/insert_estimate.hpp"
#include "base/stop.hpp"
#include "cli/options/map_options.hpp"
#include "pipeline/batch_source.hpp"

namespace trawl::session {

namespace {

// What a batch of the first reads says: of pairs their certain insert sizes, of reads their damage.
struct FirstCounts {
  std::size_t pairs = 0;
  std::vector<std::uint32_t> sizes;
  align::OrientationCounts orientations;
  std::size_t reads = 0;
  std::size_t certain_reads = 0;
  align::DamageCounts damage;
  std::exception_ptr failure;
};

// A batch that a ReadInput has given.
struct FirstBatch {
  io::ReadInput::InputBatch input;
  std::exception_ptr failure;
};

// Cuts the first reads. If the input fails, the last batch has the failure.
std::vector<FirstBatch> take_first(io::ReadInput& input, std::size_t reads_per_batch, std::size_t bases) {
  std::vector<FirstBatch> batches;
  std::size_t left = 2 * align::kPairsForInserts;
  while (left > 0 && (batches.empty() || !batches.back().input.failure)) {
    input.set_batch(std::min(reads_per_batch, left), bases);
    FirstBatch& batch = batches.emplace_back();
    try {
      if (!input.take_reads(batch.input)) {
        batches.pop_back();
        break;
      }
      input.take_mates(batch.input);
      left -= std::min(left, input.has_two_lists() ? 2 * batch.input.first.size() : batch.input.taken());
    } catch (...) {
      batch.failure = std::current_exception();
      break;
    }
  }
  return batches;
}

void count_damage(const sequence::ReadBatch& reads, const align::AlignmentBatch& results,
                  const align::DamageRates& library, FirstCounts& found) {
  found.damage.library = library;
  found.reads = reads.size();
  for (std::size_t r = 0; r < reads.size(); ++r) {
    if (const align::Alignment* const certain = align::certain_alignment(results, r)) {
      ++found.certain_reads;
      found.damage.add(results, *certain, reads.bases(r));
    }
  }
}

// Maps batches as single reads. `reads_of(b)`: the reads of batch b; any thread may call it.
template <class ReadsOf>
std::vector<FirstCounts> map_first(std::size_t batches, const ReadsOf& reads_of, engine::Engine& engine,
                                   const map::MapOptions& options) {
  struct SizeMapper {
    std::unique_ptr<engine::Worker> worker;
    align::AlignmentBatch results;
    sequence::ReadBatch room;
  };
  tbb::enumerable_thread_specific<SizeMapper> mappers;
  std::vector<FirstCounts> found(batches);
  const auto map_batch = [&](std::size_t b) {
    SizeMapper& mapper = mappers.local();
    if (!mapper.worker) {
      mapper.worker = engine.make_single_worker();
    }
    const sequence::ReadBatch& reads = reads_of(b, mapper.room);
    mapper.worker->map(reads, mapper.results);
    if (options.damage.on()) {
      count_damage(reads, mapper.results, options.damage, found[b]);
      return;
    }
    for (std::size_t p = 0; p < reads.size() / 2 && reads.paired; ++p) {
      if (reads.is_absent(2 * p + 1)) {
        continue;
      }
      ++found[b].pairs;
      if (const auto size = align::certain_insert(options.pairs.orientation, mapper.results, p)) {
        found[b].sizes.push_back(*size);
      }
      align::count_orientation(mapper.results, p, found[b].orientations);
    }
  };
  tbb::task_arena arena(static_cast<int>(options.threads));
  arena.execute([&] {
    tbb::parallel_for(std::size_t{0}, batches, Stop::carry([&](std::size_t b) {
                        try {
                          map_batch(b);
                        } catch (...) {
                          found[b].failure = std::current_exception();
                        }
                      }));
  });
  for (const FirstCounts& batch : found) {
    if (batch.failure) {
      std::rethrow_exception(batch.failure);
    }
  }
  return found;
}

align::InsertModel model_of(const std::vector<FirstCounts>& found, const std::optional<align::InsertRange>& given,
                            io::RunStats& stats) {
  std::vector<std::uint32_t> sizes;
  for (const FirstCounts& batch : found) {
    stats.insert.pairs_examined += batch.pairs;
    stats.insert.orientations += batch.orientations;
    sizes.insert(sizes.end(), batch.sizes.begin(), batch.sizes.end());
  }
  align::InsertModel model = stats.insert.estimate = align::insert_model(sizes);
  if (given) {
    model.min = given->min;
    model.max = given->max;
  }
  stats.insert.source = given ? "given" : model.is_known() ? "estimated" : "default";
  stats.insert.model = model;
  stats.insert.pairs_used = model.is_known() ? sizes.size() : 0;
  stats.insert.histogram = stats.pairs.inserts = io::Histogram(model.min, model.max);
  for (const std::uint32_t size : sizes) {
    stats.insert.histogram.add(size);
  }
  return model;
}

// Maps the first reads of `input`, and puts them back.
std::vector<FirstCounts> map_first(io::ReadInput& input, engine::Engine& engine, const map::MapOptions& options,
                                   std::size_t batch_size) {
  const pipeline::BatchSizer sizer(
      {.reads = batch_size > 0 ? batch_size : engine.reads_per_batch(), .fixed = batch_size > 0});
  std::vector<FirstBatch> batches = take_first(input, sizer.next(), engine.bases_per_batch());
  const auto reads_of = [&](std::size_t b, sequence::ReadBatch&) -> const sequence::ReadBatch& {
    if (batches[b].failure) {
      std::rethrow_exception(batches[b].failure);
    }
    input.finish(batches[b].input);
    return batches[b].input.reads;
  };
  std::vector<FirstCounts> found = map_first(batches.size(), reads_of, engine, options);
  std::vector<io::ReadInput::InputBatch> finished;
  for (FirstBatch& batch : batches) {
    finished.push_back(std::move(batch.input));
  }
  input.put_back(std::move(finished));
  return found;
}

}  // namespace

align::InsertModel find_inserts(io::ReadInput& input, engine::Engine& engine, const map::MapOptions& options,
                                const std::optional<align::InsertRange>& given, std::size_t batch_size,
                                io::RunStats& stats) {
  return model_of(map_first(input, engine, options, batch_size), given, stats);
}

align::DamageRates find_damage(io::ReadInput& input, engine::Engine& engine, const map::MapOptions& options,
                               std::size_t batch_size, io::RunStats& stats) {
  align::DamageCounts counts{.library = options.damage};
  for (const FirstCounts& batch : map_first(input, engine, options, batch_size)) {
    io::add_counts(counts, batch.damage);
    stats.damage_rates.reads_examined += batch.reads;
    stats.damage_rates.reads_used += batch.certain_reads;
  }
  return counts.rates();
}

align::InsertModel find_inserts(std::size_t reads, const GiveReads& give, engine::Engine& engine,
                                const map::MapOptions& options, const std::optional<align::InsertRange>& given,
                                io::RunStats& stats) {
  const std::size_t first = std::min(reads, 2 * align::kPairsForInserts);
  const std::size_t a_batch = std::max<std::size_t>(2, engine.reads_per_batch() / 2 * 2);
  const auto reads_of = [&](std::size_t b, sequence::ReadBatch& batch) -> const sequence::ReadBatch& {
    give(b * a_batch, std::min(first, (b + 1) * a_batch), batch);
    return batch;
  };
  return model_of(map_first((first + a_batch - 1) / a_batch, reads_of, engine, options), given, stats);
}

namespace {

std::string mean_text(const align::InsertSizes& sizes) {
  return "mean " + std::to_string(sizes.mean) + ", standard deviation " + std::to_string(sizes.deviation);
}

std::string sizes_text(const align::InsertModel& model) {
  return model.has_two_sizes()
             ? "two sizes: most have " + mean_text(model.most) + "; others " + mean_text(model.others) + ";"
             : mean_text(model.most) + ",";
}

}  // namespace

std::string insert_warning(const io::InsertStats& insert, align::Orientation given) {
  constexpr const char* kNames[] = {"fr", "rf", "ff"};
  if (const auto most = insert.orientations.most(); most && *most != given) {
    const auto index = static_cast<std::size_t>(*most);
    return "warning: most pairs lie as " + std::string(kNames[index]) + " (" +
           std::to_string(insert.orientations.of[index]) + " of " + std::to_string(insert.orientations.pairs) +
           " with certain places), not as " + kNames[static_cast<std::size_t>(given)] + "; give --orientation " +
           kNames[index];
  }
  const align::InsertModel& estimate = insert.estimate;
  if (estimate.is_known() && !insert.model.allows(estimate.most.mean)) {
    return "warning: --insert " + std::to_string(insert.model.min) + "-" + std::to_string(insert.model.max) +
           " leaves out most pairs: their sizes have mean " + std::to_string(estimate.most.mean) +
           " and standard deviation " + std::to_string(estimate.most.deviation) +
           "; leave --insert out, or give --insert " + std::to_string(estimate.min) + "-" +
           std::to_string(estimate.max);
  }
  return "";
}

std::string damage_text(const io::DamageStats& damage) {
  if (damage.source.empty() || damage.source == "given") {
    return "";
  }
  const std::string rates = cli::damage_text(damage.rates);
  return "damage: --damage " + rates +
         (damage.source == "estimated" ? ", from " : ", as usual; too few C and G at the ends of ") +
         std::to_string(damage.reads_used) + " of the first " + std::to_string(damage.reads_examined) + " reads";
}

std::string insert_text(const io::InsertStats& insert) {
  if (insert.pairs_examined == 0) {
    return "";
  }
  const align::InsertModel& model = insert.model;
  std::string text = "insert sizes: " + std::to_string(model.min) + "-" + std::to_string(model.max) + " (" +
                     (insert.source == "estimated" ? "" : insert.source + "; ");
  if (model.is_known()) {
    return text + sizes_text(model) + " from " + std::to_string(insert.pairs_used) + " of the first " +
           std::to_string(insert.pairs_examined) + " pairs)";
  }
  text += "too few of the first " + std::to_string(insert.pairs_examined) +
          " pairs have one certain place and this --orientation to estimate ";
  return text + (insert.source == "given" ? "mean and deviation)" : "them; --insert MIN-MAX sets them)");
}

}  // namespace trawl::session
