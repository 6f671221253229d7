// The CUDA engine of `trawl scan`. No CUDA header is needed to use this.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "scan/find/finder.hpp"
#include "scan/find/query.hpp"
#include "scan/options.hpp"

namespace trawl::gpu {

/// The limits of the device; the CPU does what exceeds them.
inline constexpr std::uint32_t kRowsMostEdits = 16;
inline constexpr std::uint32_t kRowsLongest = 1024;

/// Why these queries cannot be searched on a device; empty if they can. This does not look for a device.
std::string why_not_searched_on_device(const std::vector<scan::Query>& queries, const scan::ScanOptions& options);

/// Uses options.devices, with options.device_memory of each; the devices share the text. `queries` must outlive the
/// finder. `room`: how many hits fit on a device in each search, by default 17 MiB of them; at least those that one end
/// may have. Throws UsageError, Error.
std::unique_ptr<scan::Finder> make_cuda_finder(const std::vector<scan::Query>& queries,
                                               const scan::ScanOptions& options,
                                               std::size_t room = std::size_t{1} << 20);

}  // namespace trawl::gpu
