// The insert sizes of a run with pairs: estimated from its first pairs, or given by the user. In the same way, the
// rates of damage of a run with --damage auto.
//
//   engine->set_inserts(find_inserts(input, *engine, options, given, 2048, stats));   // then map, with the same input
//   say(insert_text(stats.insert));     // "insert sizes: 180-520 (mean 350, standard deviation 42, from 9120 of ..."
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "align/pair_rule.hpp"
#include "engine/engine.hpp"
#include "io/read/read_input.hpp"
#include "io/stats/map_stats.hpp"
#include "map/options.hpp"

namespace trawl::session {

/// Maps the first align::kPairsForInserts pairs of `input` as single reads, and puts them back. `given` replaces the
/// range of the estimate, but not its mean and deviation. `batch_size`: as for map_reads(). Fills in
/// stats.insert, and prepares stats.pairs. The result is the same for every engine, number of threads and batch size.
/// If several batches fail, the error of the first one in input order is thrown.
align::InsertModel find_inserts(io::ReadInput& input, engine::Engine& engine, const map::MapOptions& options,
                                const std::optional<align::InsertRange>& given, std::size_t batch_size,
                                io::RunStats& stats);

/// The rates of damage, from as many reads. The engine maps them with those of the options, which are also the result
/// if the reads say too little. Counts the reads in stats.damage_rates.
align::DamageRates find_damage(io::ReadInput& input, engine::Engine& engine, const map::MapOptions& options,
                               std::size_t batch_size, io::RunStats& stats);

/// Replaces the content of the batch by the reads [begin, end) of the input, checked.
using GiveReads = std::function<void(std::size_t begin, std::size_t end, sequence::ReadBatch& batch)>;

/// The same for pairs in memory, `reads` mates in all. Several threads may call `give` at a time.
align::InsertModel find_inserts(std::size_t reads, const GiveReads& give, engine::Engine& engine,
                                const map::MapOptions& options, const std::optional<align::InsertRange>& given,
                                io::RunStats& stats);

/// A warning if the library does not fit the options: most pairs lie in another orientation than the given one, or most
/// sizes are outside --insert. Empty if all is well.
std::string insert_warning(const io::InsertStats& insert, align::Orientation given);

/// One line for the user. Empty if there are no pairs.
std::string insert_text(const io::InsertStats& insert);
std::string damage_text(const io::DamageStats& damage);

}  // namespace trawl::session
