// The format of an output file, given by the extension of its name.
//
//   extension_of("x.BAM", {".sam", ".bam"}, "SAM") == 1
//   extension_of("/dev/stdout", {".sam", ".bam"}, "SAM") == std::nullopt      // a stream has no name of its own
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace trawl::io {

/// The first bytes of a saved index (io/index/index_layout.hpp).
inline constexpr std::array<unsigned char, 8> kIndexMagic = {0x89, 'T', 'R', 'A', 'W', 'L', '\r', '\n'};

/// Whether a path is not a file of its own: the standard output ("-"), another open descriptor, a pipe or a device.
bool is_stream(const std::string& path);

/// Writes all of `bytes`, in as many calls as needed. False, with errno set, if that fails.
bool write_all(int descriptor, std::string_view bytes);

/// Whether the path ends with this extension, in small letters, whatever the case of its own letters.
bool has_extension(std::string_view path, std::string_view extension);

/// Which of `extensions` the path ends with. Nothing for the standard output ("-"), and for a pipe or a device without
/// a known extension: these get `stream_format`, which messages name. Throws UsageError for any other path.
std::optional<std::size_t> extension_of(const std::string& path, std::initializer_list<std::string_view> extensions,
                                        std::string_view stream_format);

}  // namespace trawl::io
