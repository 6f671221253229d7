// trawl/trawl.h by trawl/trawl.hpp: no exception leaves a function.
#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/version.hpp"
#include "trawl/trawl.h"
#include "trawl/trawl.hpp"

struct trawl_reference {
  trawl::Reference reference;
};
struct trawl_mapper {
  trawl::Mapper mapper;
  std::string engine;
  std::string why;
};
struct trawl_alignments {
  trawl::Alignments rows;
};
struct trawl_stream {
  trawl::AlignmentStream stream;
};
struct trawl_scanner {
  trawl::Scanner scanner;
};
struct trawl_hits {
  trawl::Hits rows;
};

namespace {

struct LastError {
  trawl_status status = TRAWL_OK;
  char text[1024] = "";
};
thread_local LastError last_error;

trawl_status fail(trawl_status status, const char* text) noexcept {
  last_error.status = status;
  std::strncpy(last_error.text, text, sizeof last_error.text - 1);
  return status;
}

// Does the work; an exception becomes a status and a text.
template <class Work>
trawl_status keep_errors(Work&& work) noexcept {
  try {
    work();
    return TRAWL_OK;
  } catch (const trawl::Cancelled& error) {
    return fail(TRAWL_CANCELLED, error.what());
  } catch (const trawl::UsageError& error) {
    return fail(TRAWL_WRONG_USAGE, error.what());
  } catch (const trawl::InputError& error) {
    return fail(TRAWL_WRONG_INPUT, error.what());
  } catch (const trawl::IoError& error) {
    return fail(TRAWL_IO_FAILED, error.what());
  } catch (const std::exception& error) {
    return fail(TRAWL_FAILED, error.what());
  } catch (...) {
    return fail(TRAWL_FAILED, "an unknown error");
  }
}

// The same for a function that makes something: null if it fails.
template <class Made, class Work>
Made* made(Work&& work) noexcept {
  Made* result = nullptr;
  keep_errors([&] { result = new Made(work()); });
  return result;
}

void need(const void* pointer, const char* what) {
  if (pointer == nullptr) {
    throw trawl::UsageError(std::string(what) + " is NULL");
  }
}

std::string_view view(const trawl_text& text, const char* what) {
  if (text.data == nullptr && text.length > 0) {
    need(nullptr, what);
  }
  return {text.data == nullptr ? "" : text.data, text.length};
}

trawl::Options options_of(const char* const* options, size_t count) {
  if (count > 0) {
    need(options, "options");
  }
  trawl::Options all;
  for (size_t i = 0; i < count; ++i) {
    need(options[i], "an option");
    const std::string_view text = options[i];
    const std::size_t equals = std::min(text.find('='), text.size());
    all.emplace_back(text.substr(0, equals), equals < text.size() ? text.substr(equals + 1) : std::string_view());
  }
  return all;
}

std::vector<trawl::Read> reads_of(const trawl_text* bases, const trawl_text* qualities, size_t count) {
  if (count > 0) {
    need(bases, "reads");
  }
  std::vector<trawl::Read> reads;
  reads.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    reads.emplace_back(view(bases[i], "the bases of a read"),
                       qualities != nullptr ? view(qualities[i], "the qualities of a read") : std::string_view());
  }
  return reads;
}

trawl_hit_columns columns_of(const trawl::Hits& hits) {
  return {hits.size(),
          hits.pattern.data(),
          hits.contig.data(),
          hits.start.data(),
          hits.end.data(),
          hits.reverse.data(),
          hits.distance.data(),
          hits.edits.data(),
          hits.mismatches.data(),
          hits.dna_bulges.data(),
          hits.rna_bulges.data(),
          hits.cigar.offset.data(),
          hits.cigar.elements.data(),
          hits.sequence.offset.data(),
          hits.sequence.text.data()};
}

trawl::Mode mode_of(trawl_mode mode) {
  if (mode < TRAWL_GLOBAL || mode > TRAWL_INFIX) {
    throw trawl::UsageError("there is no such mode; TRAWL_GLOBAL, TRAWL_PREFIX and TRAWL_INFIX are possible");
  }
  return static_cast<trawl::Mode>(mode);
}

std::string_view string_of(const char* data, size_t length, const char* what) { return view({data, length}, what); }

}  // namespace

const char* trawl_error_text(void) { return last_error.text; }
trawl_status trawl_error_status(void) { return last_error.status; }
const char* trawl_version(void) { return trawl::version(); }

trawl_reference* trawl_reference_open(const char* path, unsigned threads) {
  return made<trawl_reference>([&] {
    need(path, "path");
    return trawl_reference{trawl::Reference(path, threads)};
  });
}

trawl_reference* trawl_reference_of(const trawl_text* names, const trawl_text* letters, size_t contigs) {
  return made<trawl_reference>([&] {
    need(names, "names");
    need(letters, "letters");
    std::vector<std::pair<std::string_view, std::string_view>> all;
    for (size_t c = 0; c < contigs; ++c) {
      all.emplace_back(view(names[c], "the name of a contig"), view(letters[c], "the letters of a contig"));
    }
    return trawl_reference{trawl::Reference::of(all)};
  });
}

size_t trawl_reference_contigs(const trawl_reference* reference) {
  return reference == nullptr ? 0 : reference->reference.contigs().size();
}

const char* trawl_contig_name(const trawl_reference* reference, size_t contig) {
  return contig < trawl_reference_contigs(reference) ? reference->reference.contigs()[contig].name.c_str() : nullptr;
}

int64_t trawl_contig_length(const trawl_reference* reference, size_t contig) {
  return contig < trawl_reference_contigs(reference) ? reference->reference.contigs()[contig].length : -1;
}

void trawl_reference_free(trawl_reference* reference) { delete reference; }

trawl_mapper* trawl_mapper_new(const trawl_reference* reference, const char* const* options, size_t count) {
  return made<trawl_mapper>([&] {
    need(reference, "reference");
    trawl::Mapper mapper(reference->reference, options_of(options, count));
    std::string engine = mapper.engine(), why = mapper.why_engine();
    return trawl_mapper{std::move(mapper), std::move(engine), std::move(why)};
  });
}

const char* trawl_mapper_engine(const trawl_mapper* mapper) { return mapper == nullptr ? "" : mapper->engine.c_str(); }
const char* trawl_mapper_why_engine(const trawl_mapper* mapper) { return mapper == nullptr ? "" : mapper->why.c_str(); }

trawl_alignments* trawl_map(const trawl_mapper* mapper, const trawl_text* reads, const trawl_text* qualities,
                            size_t count) {
  return made<trawl_alignments>([&] {
    need(mapper, "mapper");
    return trawl_alignments{mapper->mapper.map(reads_of(reads, qualities, count))};
  });
}

trawl_alignments* trawl_map_pairs(const trawl_mapper* mapper, const trawl_text* first, const trawl_text* second,
                                  size_t pairs) {
  return made<trawl_alignments>([&] {
    need(mapper, "mapper");
    return trawl_alignments{
        mapper->mapper.map_pairs(reads_of(first, nullptr, pairs), reads_of(second, nullptr, pairs))};
  });
}

trawl_stream* trawl_map_files(const trawl_mapper* mapper, const char* reads, const char* mates, int interleaved) {
  return made<trawl_stream>([&] {
    need(mapper, "mapper");
    need(reads, "reads");
    return trawl_stream{mapper->mapper.stream({reads, mates == nullptr ? "" : mates, interleaved != 0})};
  });
}

trawl_status trawl_stream_next(trawl_stream* stream, trawl_alignments** batch) {
  return keep_errors([&] {
    need(batch, "batch");
    *batch = nullptr;
    need(stream, "stream");
    auto rows = std::make_unique<trawl_alignments>();
    if (stream->stream.next(rows->rows)) {
      *batch = rows.release();
    }
  });
}

void trawl_stream_free(trawl_stream* stream) { delete stream; }

trawl_alignment_columns trawl_alignments_columns(const trawl_alignments* alignments) {
  if (alignments == nullptr) {
    return {};
  }
  const trawl::Alignments& rows = alignments->rows;
  return {rows.size(),
          rows.read.data(),
          rows.contig.data(),
          rows.start.data(),
          rows.end.data(),
          rows.flag.data(),
          rows.distance.data(),
          rows.edits.data(),
          rows.score.data(),
          rows.mapq.data(),
          rows.count.data(),
          rows.dropped.data(),
          rows.mate_contig.data(),
          rows.mate_start.data(),
          rows.template_length.data(),
          rows.cigar.offset.data(),
          rows.cigar.elements.data(),
          rows.md.offset.data(),
          rows.md.text.data(),
          rows.first_read,
          rows.names.size(),
          rows.names.offset.data(),
          rows.names.text.data()};
}

void trawl_alignments_free(trawl_alignments* alignments) { delete alignments; }
void trawl_mapper_free(trawl_mapper* mapper) { delete mapper; }

trawl_scanner* trawl_scanner_new(const trawl_text* patterns, size_t count, const char* const* options,
                                 size_t option_count) {
  return made<trawl_scanner>([&] {
    if (count > 0) {
      need(patterns, "patterns");
    }
    std::vector<trawl::Pattern> all;
    for (size_t p = 0; p < count; ++p) {
      all.emplace_back(view(patterns[p], "a pattern"));
    }
    return trawl_scanner{trawl::Scanner(all, options_of(options, option_count))};
  });
}

trawl_hits* trawl_scan_text(const trawl_scanner* scanner, const char* text, size_t length) {
  return made<trawl_hits>([&] {
    need(scanner, "scanner");
    return trawl_hits{scanner->scanner.scan(string_of(text, length, "text"))};
  });
}

trawl_hits* trawl_scan(const trawl_scanner* scanner, const trawl_reference* reference, trawl_progress progress,
                       void* user) {
  return made<trawl_hits>([&] {
    need(scanner, "scanner");
    need(reference, "reference");
    trawl::OnProgress tell;
    if (progress != nullptr) {
      tell = [=](const trawl::Progress& now) { return progress(user, now.done, now.total) != 0; };
    }
    return trawl_hits{scanner->scanner.scan(reference->reference, tell)};
  });
}

trawl_status trawl_scan_file(const trawl_scanner* scanner, const char* path, trawl_take_hits take, void* user) {
  return keep_errors([&] {
    need(scanner, "scanner");
    need(path, "path");
    need(reinterpret_cast<const void*>(take), "take");
    std::vector<const char*> names;
    scanner->scanner.scan_file(path, [&](const trawl::Hits& hits) {
      names.clear();
      for (const std::string& name : hits.contigs) {
        names.push_back(name.c_str());
      }
      const trawl_hit_columns columns = columns_of(hits);
      return take(user, &columns, names.data()) != 0;
    });
  });
}

trawl_hit_columns trawl_hits_columns(const trawl_hits* hits) {
  return hits == nullptr ? trawl_hit_columns{} : columns_of(hits->rows);
}

void trawl_hits_free(trawl_hits* hits) { delete hits; }
void trawl_scanner_free(trawl_scanner* scanner) { delete scanner; }

int64_t trawl_distance(const char* query, size_t query_length, const char* target, size_t target_length,
                       trawl_mode mode, int64_t most) {
  int64_t result = -2;
  keep_errors([&] {
    result = trawl::distance(string_of(query, query_length, "query"), string_of(target, target_length, "target"),
                             mode_of(mode), most);
  });
  return result;
}

trawl_status trawl_align(const char* query, size_t query_length, const char* target, size_t target_length,
                         trawl_mode mode, int64_t most, trawl_pair_alignment* result) {
  return keep_errors([&] {
    need(result, "result");
    *result = {};
    const trawl::PairAlignment found = trawl::v0::align(
        string_of(query, query_length, "query"), string_of(target, target_length, "target"), mode_of(mode), most);
    auto cigar = std::make_unique<uint32_t[]>(found.cigar.size());
    std::copy(found.cigar.begin(), found.cigar.end(), cigar.get());
    *result = {found.distance, found.start, found.end, cigar.release(), found.cigar.size()};
  });
}

void trawl_pair_alignment_free(trawl_pair_alignment* result) {
  if (result != nullptr) {
    delete[] result->cigar;
    *result = {};
  }
}
