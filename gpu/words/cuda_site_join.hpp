// The join of sites on a GPU. No CUDA header is needed to use this.
#pragma once

#include <memory>

#include "base/work_options.hpp"
#include "words/site_join.hpp"

namespace trawl::gpu {

/// Uses the first of the devices that the options ask for. `words` must outlive it. Throws UsageError; Error if there
/// is no device, or if its memory is too small for the words.
std::unique_ptr<words::SiteJoin> make_cuda_site_join(const words::SiteWords& words, const WorkOptions& options);

}  // namespace trawl::gpu
