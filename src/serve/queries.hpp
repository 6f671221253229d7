// What a query asks for, and what it may cost. query_options.hpp makes queries from the parameters of a request.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "align/pair_rule.hpp"
#include "io/read/read_input.hpp"
#include "io/stats/map_stats.hpp"
#include "io/stats/scan_stats.hpp"
#include "io/write/alignment_sink.hpp"
#include "io/write/scan_lines.hpp"
#include "map/options.hpp"
#include "scan/options.hpp"
#include "serve/message.hpp"

namespace trawl::serve {

/// What a query may take, at most.
struct Limits {
  std::uint64_t reads = 100'000;  // mates count, too
  std::uint64_t patterns = 1000;
  std::uint64_t records = 1'000'000;   // in the answer
  std::uint32_t seconds = 60;          // of work
  std::uint64_t text = 256 << 20;      // bytes of all files of the query, not compressed
  std::size_t read_bases = 1'000'000;  // of a read; each takes about 1 KB
};

/// `json`: a list with an object for each record. `arrow`: columns, as the Python module has them. `native`: as the
/// command line writes them.
enum class AnswerForm { native, json, arrow };

struct MapQuery {
  map::MapOptions options;
  io::SinkOptions sink;  // the format is that of the records; of JSON, SAM
  AnswerForm form = AnswerForm::native;
  std::optional<align::InsertRange> inserts;
  io::ReadInput::Files input;  // how reads are read; their files are those of the request
  bool paired = false;         // the mates follow each other, unless they come apart
  bool collapsed = false;
  std::string key;  // of everything that changes what an engine does
  /// What the command line says at its end.
  std::function<std::vector<std::string>(const io::RunStats&)> messages;
};

struct ScanQuery {
  scan::ScanOptions options;
  scan::PatternList patterns;  // of the options; those of the body come after them
  io::ScanFormat format = io::ScanFormat::bed;
  AnswerForm form = AnswerForm::native;
  io::MoreColumns more;
  std::string command_line;  // SAM: @PG CL
  std::string version;
  std::string key;  // of everything that changes what is found
  /// Warnings. Throws UsageError if nothing is left to search.
  std::function<std::vector<std::string>(const scan::PatternList&)> check;
  std::function<std::string(const io::ScanStats&)> summary;
};

/// Makes queries from requests. Throws UsageError.
struct QueryMaker {
  std::function<std::shared_ptr<const MapQuery>(const Request&, bool paired)> map;
  std::function<std::shared_ptr<const ScanQuery>(const Request&)> scan;
};

}  // namespace trawl::serve
