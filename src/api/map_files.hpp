// Reads of files through the pipeline of `trawl map`, to columns instead of a file.
#pragma once

#include "api/mapper.hpp"
#include "io/read/read_input.hpp"
#include "trawl/mapper.hpp"

namespace trawl::api {

/// The files as the input takes them. Throws UsageError.
io::ReadInput::Files input_files(const Mapper::Impl& mapper, const ReadFiles& files);

/// `take` may move the batch away; it gets how far the input is, too.
void map_files(const Mapper::Impl& mapper, const ReadFiles& files,
               const std::function<bool(Alignments&, const Progress&)>& take, const OnProgress& progress);

}  // namespace trawl::api
