#include "io/read/file_sample.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include "base/error.hpp"
#include "io/format/crc32.hpp"

namespace trawl::io {

std::string file_sample(const std::string& path) {
  constexpr std::uint64_t pieces = 64;
  constexpr std::uint64_t piece = std::uint64_t{1} << 16;
  std::error_code error;
  if (path == "-" || std::filesystem::is_fifo(path, error) || std::filesystem::is_character_file(path, error)) {
    return "";
  }
  std::ifstream file(path, std::ios::binary);
  const std::uint64_t size = std::filesystem::file_size(path, error);
  if (!file || error) {
    throw IoError(path, std::string("cannot open: ") + std::strerror(errno));
  }
  std::string text;
  for (std::uint64_t p = 0; p < pieces && p * piece < size; ++p) {
    const std::uint64_t at = size <= pieces * piece ? p * piece : (size - piece) / (pieces - 1) * p;
    const std::size_t before = text.size();
    text.resize(before + std::min(piece, size - at));
    file.seekg(static_cast<std::streamoff>(at));
    if (!file.read(text.data() + before, static_cast<std::streamsize>(text.size() - before))) {
      throw IoError(path, std::string("cannot read: ") + std::strerror(errno));
    }
  }
  return std::to_string(size) + " bytes, " + std::to_string(crc32_of(text.data(), text.size()));
}

}  // namespace trawl::io
