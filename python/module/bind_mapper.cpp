#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "base/counted.hpp"
#include "bind.hpp"
#include "columns/map_columns.hpp"
#include "long_call.hpp"
#include "results.hpp"
#include "trawl/error.hpp"

namespace nb = nanobind;

namespace trawl::python {

namespace {

using Given = std::shared_ptr<InputTexts>;

// So few reads are one batch.
constexpr std::size_t kFewReads = 256;

struct NamedMapper {
  Mapper mapper;
  Labels names;
};

struct NamedStream {
  AlignmentStream stream;
  Labels names;
  bool has_pairs;
};

NamedMapper make(const NamedReference& reference, const OptionPairs& options) {
  std::optional<Mapper> made;
  const Options given = options_of(options);
  long_call(nb::none(), [&](const OnProgress&) { made.emplace(reference.reference, given); });
  return {std::move(*made), reference.names};
}

std::vector<Read> reads_of(const InputTexts& bases, const InputTexts* qualities, const InputTexts* names) {
  for (const InputTexts* more : {qualities, names}) {
    if (more != nullptr && more->size() != bases.size()) {
      throw UsageError("the call has " + counted(bases.size(), "read") + " and " +
                       (more == names ? counted(more->size(), "name")
                                      : counted(more->size(), "string of qualities", "strings of qualities")));
    }
  }
  std::vector<Read> made;
  made.reserve(bases.size());
  for (std::size_t i = 0; i < bases.size(); ++i) {
    made.emplace_back(bases.texts()[i], qualities != nullptr ? qualities->texts()[i] : std::string_view(),
                      names != nullptr ? names->texts()[i] : std::string_view());
  }
  return made;
}

/// Calls `find` at once if there are few reads and nobody wants to know the progress, and else on a thread of its own.
Alignments found_by(std::size_t reads, nb::handle progress, const std::function<Alignments(const OnProgress&)>& find) {
  Alignments found;
  if (reads <= kFewReads && progress.is_none()) {
    short_call([&] { found = find({}); });
  } else {
    long_call(progress, [&](const OnProgress& tell) { found = find(tell); });
  }
  return found;
}

AlignmentTable map(const NamedMapper& self, const Given& bases, const Given& qualities, const Given& names,
                   nb::handle progress) {
  const std::vector<Read> reads = reads_of(*bases, qualities.get(), names.get());
  Alignments found =
      found_by(reads.size(), progress, [&](const OnProgress& tell) { return self.mapper.map(reads, tell); });
  return {std::move(found), self.names, false, bases, qualities};
}

AlignmentTable map_pairs(const NamedMapper& self, const Given& first, const Given& second, const Given& names,
                         nb::handle progress) {
  const std::vector<Read> reads = reads_of(*first, nullptr, names.get());
  const std::vector<Read> mates = reads_of(*second, nullptr, names.get());
  Alignments found = found_by(2 * reads.size(), progress,
                              [&](const OnProgress& tell) { return self.mapper.map_pairs(reads, mates, tell); });
  // Mates lie in two lists; what shows reads wants them in one.
  for (std::size_t i = 0; found.bases.size() == 0 && i < reads.size(); ++i) {
    found.bases.add(reads[i].bases);
    found.bases.add(mates[i].bases);
  }
  return {std::move(found), self.names, true};
}

bool has_pairs(const ReadFiles& files) { return files.interleaved || !files.mates.empty(); }

AlignmentTable map_files(const NamedMapper& self, const std::string& reads, const std::string& mates, bool interleaved,
                         nb::handle progress) {
  const ReadFiles files{reads, mates, interleaved};
  Alignments all;
  long_call(progress, [&](const OnProgress& tell) {
    self.mapper.map_files(
        files, [&](const Alignments& batch) { return columns::append(all, batch), true; }, tell);
  });
  return {std::move(all), self.names, has_pairs(files)};
}

NamedStream stream(const NamedMapper& self, const std::string& reads, const std::string& mates, bool interleaved) {
  const ReadFiles files{reads, mates, interleaved};
  nb::gil_scoped_release unlocked;
  return {self.mapper.stream(files), self.names, has_pairs(files)};
}

std::optional<AlignmentTable> next(NamedStream& self) {
  Alignments batch;
  if (!short_call([&] { return self.stream.next(batch); })) return std::nullopt;
  return AlignmentTable(std::move(batch), self.names, self.has_pairs);
}

void to_file(const NamedMapper& self, const std::string& reads, const std::string& mates, bool interleaved,
             const std::string& output, nb::handle progress) {
  long_call(progress, [&](const OnProgress& tell) {
    map_to_file(self.mapper, {reads, mates, interleaved}, output, tell);
  });
}

}  // namespace

void bind_mapper(nb::module_& module) {
  nb::class_<NamedStream>(module, "AlignmentStream")
      .def("next", next, "The next batch; None at the end.")
      .def(
          "progress",
          [](const NamedStream& self) {
            const Progress now = self.stream.progress();
            return nb::make_tuple(now.done, now.total);
          },
          "How far the latest batch is, in bytes of the files.");
  nb::class_<NamedMapper>(module, "Mapper")
      .def_static("of", make, nb::arg("reference"), nb::arg("options"))
      .def("map", map, nb::arg("reads"), nb::arg("qualities").none(), nb::arg("names").none(),
           nb::arg("progress").none())
      .def("map_pairs", map_pairs, nb::arg("first"), nb::arg("second"), nb::arg("names").none(),
           nb::arg("progress").none())
      .def("map_files", map_files, nb::arg("reads"), nb::arg("mates"), nb::arg("interleaved"),
           nb::arg("progress").none())
      .def("stream", stream, nb::arg("reads"), nb::arg("mates"), nb::arg("interleaved"))
      .def("map_to_file", to_file, nb::arg("reads"), nb::arg("mates"), nb::arg("interleaved"), nb::arg("output"),
           nb::arg("progress").none())
      .def_prop_ro("engine", [](const NamedMapper& self) { return self.mapper.engine(); })
      .def_prop_ro("why_engine", [](const NamedMapper& self) { return self.mapper.why_engine(); });
}

}  // namespace trawl::python
