// How much memory a program may use.
#pragma once

#include <cstdint>
#include <string>

namespace trawl {

/// The memory of the machine in bytes, or the limit of this process's control group (containers, batch systems) where
/// that is less. `root`: where /proc and /sys are found; for tests.
std::uint64_t usable_memory(const std::string& root = "");

/// The end of a message about too little memory, if the shell's ulimit -v may be why; otherwise empty.
///   "; 'ulimit -v' allows only 300 MB: raise it, or use fewer threads"
std::string memory_limit_text();

}  // namespace trawl
