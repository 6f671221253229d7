// What a serial inflater makes of a gzip file, by zlib; and what ParallelGzip makes of it.
#pragma once

#include <oneapi/tbb/parallel_for.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "io/read/gzip/parallel_gzip.hpp"

namespace trawl::test {

struct GzipResult {
  std::string text;   // up to the error
  std::string error;  // "": none
};

inline const char* const kDamaged = "x: the gzip data are damaged; copy or download the file again";
inline const char* const kTruncated =
    "x: the gzip data end in the middle; the file is truncated, copy or download it again";
inline const char* const kGarbage = "garbage";

/// One member as gzip -n writes it, with these deflate data of a text.
inline std::string gzip_member(std::string_view deflated, std::string_view text) {
  std::string bytes("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);
  bytes += deflated;
  const auto crc = crc32(0, reinterpret_cast<const Bytef*>(text.data()), static_cast<unsigned>(text.size()));
  for (const auto value : {static_cast<std::uint32_t>(crc), static_cast<std::uint32_t>(text.size())}) {
    for (int i = 0; i < 4; ++i) {
      bytes += static_cast<char>(value >> (8 * i));
    }
  }
  return bytes;
}

/// Members one after the other, then zeros. BGZF blocks are ordinary members here.
inline GzipResult gunzip(const std::string& file) {
  GzipResult result;
  z_stream stream{};
  if (inflateInit2(&stream, 15 + 16) != Z_OK) {
    throw std::bad_alloc();
  }
  const std::unique_ptr<z_stream, int (*)(z_stream*)> end(&stream, inflateEnd);
  std::size_t at = 0;
  while (at < file.size() && file[at] == '\x1f' && (at + 1 == file.size() || file[at + 1] == '\x8b')) {
    if (file.size() - at < 18) {
      result.error = kTruncated;
      return result;
    }
    inflateReset(&stream);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(file.data() + at));
    stream.avail_in = static_cast<unsigned>(file.size() - at);
    for (int status = Z_OK; status != Z_STREAM_END;) {
      char text[30000];
      stream.next_out = reinterpret_cast<Bytef*>(text);
      stream.avail_out = sizeof text;
      status = inflate(&stream, Z_NO_FLUSH);
      result.text.append(text, sizeof text - stream.avail_out);
      if (status == Z_BUF_ERROR || (status == Z_OK && stream.avail_in == 0 && stream.avail_out > 0)) {
        result.error = kTruncated;
        return result;
      }
      if (status != Z_OK && status != Z_STREAM_END) {
        // A sum that is not complete is truncated for us, whatever the first half of it says.
        const bool is_cut =
            stream.msg != nullptr && std::string_view(stream.msg) == "incorrect data check" && stream.avail_in < 4;
        result.error = is_cut ? kTruncated : kDamaged;
        return result;
      }
    }
    at = file.size() - stream.avail_in;
  }
  if (std::any_of(file.begin() + static_cast<std::ptrdiff_t>(at), file.end(), [](char c) { return c != 0; })) {
    result.error = kGarbage;
  }
  return result;
}

/// What reads a file from memory, from `at` on, at most so many bytes at a time.
inline auto reader_of(const std::string& file, std::size_t& at, std::size_t most = std::string::npos) {
  return [&file, &at, most](char* to, std::size_t size) {
    const std::size_t n = std::min({size, file.size() - at, most});
    std::memcpy(to, file.data() + at, n);
    at += n;
    return n;
  };
}

/// ParallelGzip, then gunzip() for what it leaves.
inline GzipResult gunzip_parallel(const std::string& file, const io::ParallelGzip::Options& options) {
  GzipResult result;
  std::size_t at = 0;
  io::ParallelGzip gzip(reader_of(file, at), "x", options);
  try {
    for (bool more = true; more;) {
      // Several parts are written at the same time, and their pieces are in use meanwhile.
      std::vector<std::unique_ptr<io::ParallelGzip::Text>> parts;
      std::string error;
      while (more && parts.size() < 5) {
        try {
          parts.push_back(gzip.next());
          if (!parts.back()) {
            parts.pop_back();
            more = false;
          }
        } catch (const Error& e) {
          error = e.what();
          more = false;
        }
      }
      std::vector<std::string> texts(parts.size());
      const auto write = [&](std::size_t i) {
        texts[i].resize(parts[i]->size());
        parts[i]->write(texts[i].data());
      };
      if (options.threads > 1) {
        tbb::parallel_for(std::size_t{0}, parts.size(), write);
      } else {
        for (std::size_t i = 0; i < parts.size(); ++i) {
          write(i);
        }
      }
      for (std::size_t i = 0; i < parts.size(); ++i) {
        result.text += texts[i];
        gzip.check(*parts[i]);
      }
      if (!error.empty()) {
        result.error = error;
        return result;
      }
    }
  } catch (const Error& e) {
    result.error = e.what();
    return result;
  }
  const auto rest = gzip.rest();
  const GzipResult serial = gunzip(std::string(rest.begin(), rest.end()) + file.substr(at));
  result.text += serial.text;
  result.error = serial.error;
  return result;
}

}  // namespace trawl::test
